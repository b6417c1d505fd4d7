"""View of why a language costs more: three causes whose product is the premium."""

from tokenizer.kinds.registry import get_encoding
from tokenizer.lessons.views import Shown, Table, Word, parallel
from tokenizer.lessons.wording import Ratio


def causes(text: str, tag: str = "th", encoding: str = "o200k_base") -> Shown:
    """Computes the causes for a sentence of `parallel`, over English: characters, bytes per character, tokens per byte.

    >>> facts = causes("1").facts
    >>> whole = facts["by_characters"] * facts["by_bytes"] * facts["by_tokens"]
    >>> round(whole, 6) == round(facts["times"], 6)
    True
    """
    shown = parallel(text, ("en", tag), encoding)
    lines = [block.text for block in shown.blocks]
    sizes = [(len(line), len(line.encode()), len(get_encoding(encoding).encode(line))) for line in lines]
    (characters, size, tokens), (others, other_size, other_tokens) = sizes
    factors = {
        "by_characters": Ratio(others / characters),
        "by_bytes": Ratio((other_size / others) / (size / characters)),
        "by_tokens": Ratio((other_tokens / other_size) / (tokens / size)),
    }
    facts = factors | {"times": Ratio(other_tokens / tokens), "largest": max(factors, key=factors.get)}
    rows = [("characters", characters, others), ("bytes", size, other_size), ("tokens", tokens, other_tokens)]
    rows = [(Word(unit), *sizes) for unit, *sizes in rows]
    return Shown(shown.facts | facts, [*shown.blocks, Table(("unit", "en", tag), rows)])


VIEWS = {"causes": causes}
