"""A comparison as tables: what the Compare page shows and gives away."""

import numpy as np
import pandas as pd

from tokenizer.measure.comparison import Comparison, Value
from tokenizer.measure.metrics import METRICS, Metric, ratio


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
