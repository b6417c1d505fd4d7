"""`compare`: the metrics of the Compare page for one text in several encodings."""

import json
import shutil
from collections.abc import Sequence

import click

from tokenizer.command import options
from tokenizer.command.group import Failed
from tokenizer.command.inputs import Input, one_input
from tokenizer.command.screen import aligned, escaped
from tokenizer.measure.comparison import Comparison
from tokenizer.measure.comparison import compare as compared
from tokenizer.measure.metrics import METRICS, Metric, written

SHOWN_METRICS = ("tokens", "unknown_share", "missing_characters", "bytes_per_token", "characters_per_token")
SHOWN_METRICS += ("tokens_per_word", "split_words", "word_f1", "cut_graphemes")
MAX_TEXT_BYTES = 20_000_000  # the text is held in memory, and its words and graphemes are looked up one by one


@click.command()
@options.file
@options.compared
@options.text
@options.reading
@click.option("--all", "every", is_flag=True, help="Every number that there is.")
@options.as_json
def compare(path, encodings, text, special, errors, every, as_json):
    """Compare encodings on a file, on standard input or on a text.

    The numbers are those of the Compare page; docs/numbers.md defines them.
    """
    content = whole_text(one_input(path, text), errors)
    found = compared(content, encodings, special)
    names = list(METRICS) if every else [name for name in SHOWN_METRICS if name in METRICS]
    if as_json:
        own = dict(zip(found.names, found.values, strict=True))
        boundaries = {name: getattr(found.agreement, name) for name in ("total", "shared", "disputed")}
        return click.echo(json.dumps({"encodings": own, "boundaries": boundaries}))
    click.echo(table(found, names, shutil.get_terminal_size().columns))
    agreed = found.agreement
    if len(found.names) > 1:
        click.echo(f"\nBoundaries that all encodings have: {agreed.shared:,} of {agreed.total:,}.")
    return None


def whole_text(one: Input, errors: str) -> str:
    """Returns a whole text; raises Failed above MAX_TEXT_BYTES."""
    parts, size = [], 0
    for chunk in one.chunks(errors):
        parts.append(chunk)
        size += len(chunk.encode())
        if size > MAX_TEXT_BYTES:
            most = MAX_TEXT_BYTES // 1_000_000
            raise Failed(f"{one.name}: compare reads at most {most} MB. Compare a part of it; count takes any size.")
    return "".join(parts)


def table(found: Comparison, names: Sequence[str], width: int) -> str:
    """Returns a row per metric and a column per encoding, or a block per encoding if that is too wide."""
    metrics = [METRICS[name] for name in names]
    head = ["", *map(escaped, found.names)]
    body = [[one.label, *(written(one, values[one.name]) for values in found.values)] for one in metrics]
    lines = aligned([head, *body])
    return "\n".join(lines if len(lines[0]) + 2 <= width else _blocks(found, metrics))


def _blocks(found: Comparison, metrics: Sequence[Metric]) -> list[str]:
    lines = []
    for encoding, values in zip(found.names, found.values, strict=True):
        lines += [escaped(encoding), *(f"  {one.label}: {written(one, values[one.name])}" for one in metrics)]
    return lines
