"""View of why a language costs more: two factors whose product is the premium."""

from tokenizer.kinds.registry import get_encoding
from tokenizer.lessons.views import Area, Areas, Shown, parallel
from tokenizer.lessons.wording import Counted, Ratio


def causes(text: str, tag: str = "th", encoding: str = "o200k_base") -> Shown:
    """Computes the factors for a sentence of `parallel`, over English: characters, and tokens per character.

    >>> facts = causes("1").facts
    >>> round(facts["by_characters"] * facts["by_tokens"], 6) == round(facts["times"], 6)
    True
    """
    shown = parallel(text, ("en", tag), encoding)
    lines = [block.text for block in shown.blocks]
    sizes = [(len(line), len(get_encoding(encoding).encode(line))) for line in lines]
    (characters, tokens), (others, other_tokens) = sizes
    factors = {
        "by_characters": Ratio(others / characters),
        "by_tokens": Ratio((other_tokens / others) / (tokens / characters)),
    }
    facts = factors | {"times": Ratio(other_tokens / tokens), "largest": max(factors, key=factors.get)}
    areas = [
        Area(
            label,
            width,
            count / width,
            {"width": Counted(width), "height": Ratio(count / width), "area": Counted(count)},
        )
        for label, width, count in (("en", characters, tokens), (tag, others, other_tokens))
    ]
    frame = max(area.width for area in areas), max(area.height for area in areas)
    return Shown(shown.facts | facts, [Areas("area_cost", areas, *frame), *shown.blocks])


VIEWS = {"causes": causes}
