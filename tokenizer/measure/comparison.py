"""Several encodings on one text: their metrics, where their boundaries agree, their tokens by line and by length."""

from collections.abc import Mapping
from dataclasses import dataclass

from tokenizer.encoding.interface import Encoding
from tokenizer.measure.agreement import Agreement, agreement, boundaries
from tokenizer.measure.metrics import Histogram, LineTable, TextUnits, by_line, measure, token_lengths

MOST_LINES = 5_000  # that are kept, and shown

Value = float | int | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """What encodings make of one text; every list has an entry for each of them, in order."""

    names: list[str]
    values: list[dict[str, Value]]
    agreement: Agreement
    num_lines: int
    lines: list[LineTable]  # of the first ones
    lengths: list[Histogram]
    text: str


def compare(text: str, encodings: Mapping[str, Encoding], special: str = "text") -> Comparison:
    """Returns what these encodings, by the names they are shown by, make of a text.

    >>> from tokenizer.kinds.registry import get_encoding
    >>> found = compare("hello ที่", {name: get_encoding(name) for name in ("gpt2", "o200k_base")})
    >>> [values["tokens"] for values in found.values], found.agreement.shared
    ([8, 2], 1)
    """
    tokens = [encoding.tokenize(text, special=special) for encoding in encodings.values()]
    units = TextUnits(tokens[0].text)
    return Comparison(
        list(encodings),
        [measure(units, own, encoding) for own, encoding in zip(tokens, encodings.values(), strict=True)],
        agreement([boundaries(own) for own in tokens]),
        len(units.line_ends),
        [LineTable(*(column[:MOST_LINES].copy() for column in by_line(units, own))) for own in tokens],
        [token_lengths(own) for own in tokens],
        tokens[0].text,
    )
