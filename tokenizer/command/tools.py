"""`tools`: tokens of tool definitions in a prompt, by tool."""

import json

import click

from tokenizer.chat.reading import origin_remarks
from tokenizer.chat.templates import family_of
from tokenizer.chat.tools import FORMATS, JSON, count_tools, read_tools
from tokenizer.command import options
from tokenizer.command.group import print_stderr
from tokenizer.command.inputs import one_input
from tokenizer.command.screen import escaped

HEADS = ("total", "name", "description", "schema", "other")


@click.command()
@options.file
@options.encoding
@click.option(
    "--family",
    type=click.Choice([*FORMATS, "json"]),
    help="Whose chat template writes them. Without it, that of the encoding; json (minified) where none is known.",
)
@options.as_json
def tools(path, encoding, family, as_json):
    """Count the tokens of tool definitions, the largest tool first.

    The file is the tools array of a request (OpenAI, Anthropic, Gemini), or an MCP server's answer to tools/list. With
    json the count is an estimate: one array, without the instructions that a template writes around it.
    """
    found, notes = read_tools("".join(one_input(path, None).chunks()))
    if not family:
        known = family_of(encoding)
        family = known.name if known.name in FORMATS and known.is_of(encoding) else "json"
    counts = count_tools(found, encoding, FORMATS.get(family, JSON))
    rows = [dict(zip(HEADS, (own.total, *own), strict=True)) for own in counts.tools]
    rows = [{"tool": tool["function"]["name"]} | row for tool, row in zip(found, rows, strict=True)]
    rows.sort(key=lambda row: -row["total"])
    notes += origin_remarks(encoding.name, ", ".join(counts.synthetic), ", ".join(counts.missing))
    for note in notes:
        print_stderr(f"Note: {note}")
    if as_json:
        facts = {"encoding": encoding.name, "family": family, "tokens": counts.added, "frame": counts.frame}
        return click.echo(json.dumps(facts | {"tools": rows}))
    click.echo("".join(f"{head:>12}" for head in HEADS) + "  tool")
    for row in rows:
        click.echo("".join(f"{row[head]:>12}" for head in HEADS) + f"  {escaped(row['tool'])}")
    click.echo(f"{counts.frame:>12}" + " " * 48 + "  around them")
    return click.echo(f"{counts.added:>12}" + " " * 48 + f"  total, as {family}" + ", an estimate" * (family == "json"))
