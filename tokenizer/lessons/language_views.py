"""View of why a language costs more: two factors whose product is the premium."""

from tokenizer.kinds.registry import get_encoding
from tokenizer.lessons.views import Shown, Table, Word, parallel
from tokenizer.lessons.wording import Ratio


def causes(text: str, tag: str = "th", encoding: str = "o200k_base") -> Shown:
    """Computes the factors for a sentence of `parallel`, over English: characters, and tokens per character.

    >>> facts = causes("1").facts
    >>> round(facts["by_characters"] * facts["by_tokens"], 6) == round(facts["times"], 6)
    True
    """
    shown = parallel(text, ("en", tag), encoding)
    lines = [block.text for block in shown.blocks]
    sizes = [(len(line), len(line.encode()), len(get_encoding(encoding).encode(line))) for line in lines]
    (characters, size, tokens), (others, other_size, other_tokens) = sizes
    factors = {
        "by_characters": Ratio(others / characters),
        "by_tokens": Ratio((other_tokens / others) / (tokens / characters)),
    }
    facts = factors | {"times": Ratio(other_tokens / tokens), "largest": max(factors, key=factors.get)}
    rows = [("characters", characters, others), ("bytes", size, other_size), ("tokens", tokens, other_tokens)]
    rows = [(Word(unit), *sizes) for unit, *sizes in rows]
    return Shown(shown.facts | facts, [*shown.blocks, Table(("unit", "en", tag), rows)])


VIEWS = {"causes": causes}
