"""Compares encodings on one text: metrics, agreement of boundaries, tokens by line and by length."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.tokens import Tokens
from tokenizer.kinds.registry import get_encoding
from tokenizer.measure.agreement import Agreement, NothingToCompare, agreement, boundaries
from tokenizer.measure.metrics import Histogram, LineTable, by_line, measure, token_lengths
from tokenizer.measure.text_units import TextUnits
from tokenizer.notebook_repr import NotebookRepr
from tokenizer.text.tables import distinct

MAX_STORED_LINES = 5_000  # that are stored and shown
MAX_DRAWN_TOKENS = 1_000  # of each encoding, stored for drawing

Value = float | int | None


@dataclass(frozen=True, eq=False)
class Comparison(NotebookRepr):
    """The comparison of encodings on one text; every list has an entry for each of them, in order."""

    names: list[str]
    values: list[dict[str, Value]]
    agreement: Agreement
    num_lines: int
    lines: list[LineTable]  # of the first ones
    lengths: list[Histogram]
    text: str
    first: list[Tokens]  # the first tokens


def compare(
    text: str, encodings: Mapping[str, Encoding] | Iterable[str | Encoding], special: str = "text"
) -> Comparison:
    """Compares encodings on a text, given as encodings, by names of encodings or models, or as a mapping of names.

    >>> found = compare("hello ที่", ["gpt-2", "gpt-4o"])
    >>> [values["tokens"] for values in found.values], found.agreement.shared
    ([8, 2], 1)
    """
    encodings = encodings if isinstance(encodings, Mapping) else by_name(encodings)
    tokens = [encoding.tokenize(text, special=special) for encoding in encodings.values()]
    if not tokens:
        raise NothingToCompare
    units = TextUnits(tokens[0].text)
    return Comparison(
        list(encodings),
        [measure(units, own, encoding) for own, encoding in zip(tokens, encodings.values(), strict=True)],
        agreement([boundaries(own) for own in tokens]),
        len(units.line_ends),
        [LineTable(*(column[:MAX_STORED_LINES].copy() for column in by_line(units, own))) for own in tokens],
        [token_lengths(own) for own in tokens],
        tokens[0].text,
        [own.beginning(MAX_DRAWN_TOKENS) for own in tokens],
    )


def by_name(encodings: Iterable[str | Encoding]) -> dict[str, Encoding]:
    """Returns encodings by their names, each once; those with the same name, such as two files, get numbers.

    >>> from tokenizer import encoding_from_merges
    >>> list(by_name(["gpt-2", encoding_from_merges([]), "gpt-2", encoding_from_merges([(b"a", b"b")])]))
    ['gpt-2', 'trained (1)', 'trained (2)']
    """
    encodings = [encodings] if isinstance(encodings, str) else encodings
    pairs = [(one, get_encoding(one)) if isinstance(one, str) else (one.name, one) for one in encodings]
    names, found = zip(*dict.fromkeys(pairs), strict=True) if pairs else ((), ())
    return dict(zip(distinct(names), found, strict=True))
