"""`check`: whether a tokenizer is sound."""

import json
from collections import Counter
from pathlib import Path

import click

from tokenizer.command import options
from tokenizer.command.group import print_stderr
from tokenizer.command.screen import aligned, escaped
from tokenizer.display.readable import readable
from tokenizer.encoding.interface import Encoding
from tokenizer.errors import UnknownEncoding
from tokenizer.formats import load_encoding
from tokenizer.formats.second_readers import second_readers
from tokenizer.kinds.registry import get_encoding
from tokenizer.kinds.steps import ignored_notes
from tokenizer.measure.soundness import FAIL, TITLES, VERDICTS, Finding, worst
from tokenizer.measure.soundness import check as checked

MAX_IDS = 12  # of an example in a line


class CheckedName(options.EncodingName):
    """A name or a path; a file that cannot be read is no error of the command line."""

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Encoding, Path | None]:
        """Returns the encoding, and the path of its file if it has one."""
        try:
            return get_encoding(value), None
        except UnknownEncoding:
            if not options.is_there(value):
                return super().convert(value, param, ctx), None
        return load_encoding(value), Path(value)


@click.command()
@click.argument("target", type=CheckedName(), metavar="FILE OR NAME")
@options.as_json
@click.pass_context
def check(ctx, target, as_json):
    """Check whether a tokenizer is sound: a file, an encoding or a model.

    Ends with 1 if a check fails; warnings do not count. docs/terminal.md says what each check looks at.
    """
    encoding, path = target
    findings = checked(encoding, second_readers(path, encoding) if path else {})
    for note in ignored_notes(encoding.model.ignored_settings):
        print_stderr(f"Note: {note}")
    if as_json:
        found = [one._asdict() | {"ids": list(map(int, one.ids))} for one in findings]
        click.echo(json.dumps({"encoding": encoding.name, "verdict": worst(findings), "checks": found}))
    else:
        print_findings(encoding.name, findings)
    ctx.exit(int(worst(findings) == FAIL))


def print_findings(name: str, findings: list[Finding]) -> None:
    """Prints a line for each check, and below it the example."""
    heads = aligned([[TITLES[one.name], ""] for one in findings])
    for one, head in zip(findings, heads, strict=True):
        click.echo(f"{one.verdict}  {head}{escaped(one.explanation)}")
        if one.example or len(one.ids):
            more = " …" if len(one.ids) > MAX_IDS else ""
            shown = f"{readable(one.example.encode())}: " if one.example else ""
            click.echo(f"      {shown}{' '.join(map(str, one.ids[:MAX_IDS]))}{more}")
    counts = Counter(one.verdict for one in findings)
    click.echo(f"{escaped(name)}: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS))
