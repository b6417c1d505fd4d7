"""Several encodings on one text: what the Compare page computes of it, and its files."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tokenizer import Encoding
from tokenizer.measure.agreement import Agreement, agreement, boundaries
from tokenizer.measure.metrics import (
    METRICS,
    Histogram,
    LineTable,
    Metric,
    TextUnits,
    by_line,
    measure,
    ratio,
    token_lengths,
)
from ui.kit import tables

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


def compare(text: str, encodings: Sequence[Encoding], special: str) -> Comparison:
    """Returns what these encodings make of a text.

    >>> from tokenizer import get_encoding
    >>> found = compare("hello ที่", [get_encoding("gpt2"), get_encoding("o200k_base")], "text")
    >>> [values["tokens"] for values in found.values], found.agreement.shared
    ([8, 2], 1)
    """
    tokens = [encoding.tokenize(text, special=special) for encoding in encodings]
    units = TextUnits(tokens[0].text)
    return Comparison(
        tables.apart([encoding.name for encoding in encodings]),
        [measure(units, own, encoding) for own, encoding in zip(tokens, encodings, strict=True)],
        agreement([boundaries(own) for own in tokens]),
        len(units.line_ends),
        [_first(by_line(units, own)) for own in tokens],
        [token_lengths(own) for own in tokens],
        tokens[0].text,
    )


def _first(lines: LineTable) -> LineTable:
    return LineTable(*(column[:MOST_LINES].copy() for column in lines))


def _beginning(line: bytes) -> str:
    return line[:400].decode(errors="ignore").rstrip("\r\n")


def written(metric: Metric, value: Value) -> str:
    """Returns a number of this metric as the page shows it.

    >>> written(METRICS["tokens"], 12345), written(METRICS["split_words"], 0.25), written(METRICS["tokens"], None)
    ('12,345', '25.0 %', '–')
    """
    if value is None:
        return "–"
    if metric.unit.startswith("share"):
        return f"{100 * value:.1f} %"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def to_frame(found: Comparison, baseline: int = 0) -> pd.DataFrame:
    """Returns a row a metric: its number in each encoding, and the ratio of each to the baseline's."""
    rows = []
    for name, metric in METRICS.items():
        row: dict[str, object] = {"metric": metric.label, "unit": metric.unit}
        numbers = [values[name] for values in found.values]
        row |= dict(zip(found.names, numbers, strict=True))
        ratios = [ratio(number, numbers[baseline]) for number in numbers]
        base = f"{found.names[baseline]} (baseline)"
        row |= {f"{own} / {base}": r for own, r in zip(found.names, ratios, strict=True)}
        rows.append(row)
    return pd.DataFrame(rows, dtype=object)


def to_csv(found: Comparison, baseline: int = 0) -> str:
    """Returns the comparison as CSV."""
    return to_frame(found, baseline).to_csv(index=False, lineterminator="\n")


def line_frame(found: Comparison) -> pd.DataFrame:
    """Returns a row a line: its beginning, graphemes, tokens in each encoding, most over least."""
    data, lines = found.text.encode(), found.lines[0]
    spans = list(zip(lines.starts.tolist(), lines.ends.tolist(), strict=True))
    counts = [own.tokens for own in found.lines]
    least, largest = np.min(counts, axis=0), np.max(counts, axis=0)
    frame = pd.DataFrame(
        {
            "line": range(1, len(spans) + 1),
            "text": [_beginning(data[start:end]) for start, end in spans],
            "graphemes": lines.graphemes,
        }
    )
    for name, own in zip(found.names, counts, strict=True):
        frame[name] = own
    for name, own in zip(found.names, found.lines, strict=True):
        frame[f"{name} per grapheme"] = np.round(own.tokens_per_grapheme, 2)
    frame["most ÷ least"] = np.round(largest / np.maximum(least, 1), 2)
    return frame
