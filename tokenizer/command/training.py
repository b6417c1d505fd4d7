"""`train`: trains an encoding on texts and shows the progress."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from tokenizer.command import options
from tokenizer.command.group import Failed, print_stderr
from tokenizer.command.inputs import Input, inputs, progress
from tokenizer.command.screen import escaped
from tokenizer.encoding.bpe import Merge
from tokenizer.encoding.interface import Encoding
from tokenizer.errors import TokenizerError
from tokenizer.formats import FORMS, SUFFIXES, encoding_files, save_encoding
from tokenizer.kinds.extending import check_extensible, extended_encoding, first_new_id
from tokenizer.kinds.from_merges import encoding_from_merges
from tokenizer.split.blocks import blocks
from tokenizer.split.patterns import PATTERNS, has_safe_cuts
from tokenizer.text.files import UnreadableFile
from tokenizer.training import train as core
from tokenizer.training.corpora import own_corpora
from tokenizer.training.corpus import count_pre_tokens
from tokenizer.vocabulary.coverage import coverage_json

NO_PATTERN = "none"
NUM_BYTE_VALUES = 256
LIFT_HELP = "Lift the split pattern after this number of merges (SuperBPE): later tokens may hold several words."
COVERAGE_HELP = "With --start: write which old tokens cover each new one to this JSON file."
TEXT_OPTIONS = {"vocab_size": "--vocab-size", "pattern": "--pattern"}  # follow from an encoding to begin from
BYTE_FORMS = [form for form in FORMS if form != "tokenloupe"]  # a form for characters and words


@click.command()
@options.files
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The file to write.")
@click.option("-n", "--vocab-size", default=4_096, show_default=True, help="Tokens: the 256 bytes, and merges.")
@click.option("--start", type=options.ENCODING, help="Begin from this encoding: a name, a model's, or a file.")
@click.option("--add", type=options.WholeNumber(1), help="With --start: merges to add to its tokens.")
@click.option("--coverage", type=click.Path(path_type=Path), help=COVERAGE_HELP)
@click.option(
    "-p",
    "--pattern",
    default="cl100k_base",
    show_default=True,
    help=f"Split pattern: {', '.join(PATTERNS)}; a regular expression; or {NO_PATTERN}.",
)
@click.option("--lift-after", type=options.WholeNumber(1), help=LIFT_HELP)
@click.option(
    "--ties",
    type=click.Choice(list(core.TIE_RULES)),
    default="first-seen",
    show_default=True,
    help="Which of the pairs with the same count is merged first.",
)
@click.option(
    "--min-count", type=options.WholeNumber(1), default=1, show_default=True, help="Merge no pair that is rarer."
)
@click.option("--special-token", "special_tokens", multiple=True, help="Add this special token; for each one.")
@click.option("--form", type=click.Choice(BYTE_FORMS), help="The form of the file, where its name does not tell.")
@click.option("--force", is_flag=True, help="Write over files that are there.")
@options.errors
@options.as_json
@click.pass_context
def train(
    ctx,
    paths,
    output,
    vocab_size,
    start,
    add,
    coverage,
    pattern,
    lift_after,
    ties,
    min_count,
    special_tokens,
    form,
    force,
    errors,
    as_json,
):
    """Train byte-level BPE on files, folders or standard input.

    The name of the file to write tells its form: .model (minbpe), .tiktoken, .json (Hugging Face) or .csv (the merges).
    Ctrl-C ends the training, and nothing is written.

    With --start, all tokens of that encoding keep their ids, and --add merges follow the last one.

    With --lift-after, the encoding applies all its merges to the unsplit text, and its file has no split pattern.
    """
    check_start(ctx, start, add, coverage)
    pattern = None if pattern == NO_PATTERN else pattern
    sources, form = inputs(paths, None), form or SUFFIXES.get(output.suffix, output.suffix)
    try:
        if start:
            check_extensible(start)
            vocab_size, pattern = first_new_id(start) + add, core.split_of(start, pattern)
        core.check_options(vocab_size, pattern, ties, start or "bytes", 0)
        if lift_after is not None:
            core.check_lift(lift_after, pattern, start or "bytes", vocab_size - NUM_BYTE_VALUES)
        empty = made([], start, pattern, special_tokens, output.stem)
        names = encoding_files(empty, form, output.name if form == "gpt2" else output.stem)
    except TokenizerError as error:
        raise click.UsageError(str(error)) from None
    check_output(output if form == "gpt2" else output.parent, list(names), force)
    if coverage:
        check_output(coverage.parent, [coverage.name], force)
    num_merges = add or vocab_size - NUM_BYTE_VALUES
    if lift_after is None:
        corpus = {"counts": counted(sources, pattern, errors)}
    else:
        corpus = {"texts": read(sources, errors), "lift_after": lift_after}
    timeline = learned(corpus, vocab_size, pattern, ties, min_count, num_merges, start)
    is_lifted = lift_after is not None and len(timeline.merges) > lift_after
    if lift_after is not None and not is_lifted:
        print_stderr(f"Note: the split pattern was not lifted: training ended before merge {lift_after + 1:,}.")
    encoding = made(timeline.merges, start, None if is_lifted else pattern, special_tokens, output.stem)
    written = [str(path) for path in save_encoding(encoding, output, form)]
    if coverage:
        coverage.write_text(coverage_json(start, encoding), encoding="utf-8")
        written.append(str(coverage))
    facts = {"tokens": encoding.vocab_size, "merges": len(timeline.merges), "files": written}
    if start:
        facts |= costs(start, encoding, timeline)
    if as_json:
        return click.echo(json.dumps(facts))
    num, more, names = len(timeline.merges), "more " if start else "", escaped(", ".join(written))
    click.echo(f"{encoding.vocab_size:,} tokens by {num:,} {more}merge{'s' * (num != 1)}, in {names}.")
    if start:
        print_costs(start, facts)
    return None


def check_start(ctx: click.Context, start: Encoding | None, add: int | None, coverage: Path | None) -> None:
    """Raises UsageError where options contradict the encoding to begin from, or its absence."""
    if start is None and (add or coverage):
        raise click.UsageError("--add and --coverage need --start: the encoding to begin from, such as --start gpt-4o.")
    if start is None:
        return
    if add is None:
        raise click.UsageError("--start needs --add: how many merges to add, such as --add 2000.")
    given = [shown for name, shown in TEXT_OPTIONS.items() if ctx.get_parameter_source(name).name == "COMMANDLINE"]
    if given:
        raise click.UsageError(f"{given[0]} cannot be used with --start: its encoding and --add decide that.")


def made(
    merges: Sequence[Merge], start: Encoding | None, pattern: str | None, special_tokens: Sequence[str], name: str
) -> Encoding:
    """Returns the encoding of the merges, or the one to begin from with these merges more."""
    if start:
        return extended_encoding(start, merges, special_tokens, name)
    return encoding_from_merges(merges, pattern, special_tokens, name)


def costs(start: Encoding, encoding: Encoding, timeline: core.Timeline) -> dict:
    """Returns the first new id, and the tokens of the training text and of our English text before and after."""
    english = own_corpora()["english"]
    return {
        "start": start.name,
        "first_id": first_new_id(start),
        "text_tokens": [timeline.num_tokens[0], timeline.num_tokens[-1]],
        "english_tokens": [len(start.encode(english)), len(encoding.encode(english))],
    }


def print_costs(start: Encoding, facts: dict) -> None:
    """Prints what the new merges save, and the new rows of a model."""
    rows = facts["tokens"] - start.vocab_size
    lines = {
        "our English text": facts["english_tokens"],
        "this text": facts["text_tokens"],
    }
    click.echo(
        f"All {start.vocab_size:,} tokens of {escaped(start.name)} keep their ids; new ids begin at "
        f"{facts['first_id']:,}."
    )
    for what, (before, after) in lines.items():
        click.echo(f"{before:>12,} -> {after:>12,}  tokens of {what}")
    click.echo(
        f"A model needs {rows:,} more row{'s' * (rows != 1)}: {rows:,} x its width parameters, twice that where input "
        "and output have rows of their own."
    )


def learned(
    corpus: Mapping[str, Any],
    vocab_size: int,
    pattern: str | None,
    ties: str,
    min_count: int,
    num_merges: int,
    start: Encoding | None = None,
) -> core.Timeline:
    """Returns the merges and draws the progress; prints a note if there are fewer than requested.

    `corpus` has the arguments of `train` with the texts or counts.
    """
    timeline = core.train(vocab_size=vocab_size, pattern=pattern, ties=ties, start=start, min_count=min_count, **corpus)
    with progress("Merging", num_merges) as advance:
        for _ in timeline:
            advance(1)
    if len(timeline.merges) < num_merges:
        print_stderr(f"Note: no pair was left to merge after {len(timeline.merges):,} merges.")
    return timeline


def check_output(folder: Path, names: Sequence[str], force: bool) -> None:
    """Raises Failed before the training if the files could not be written."""
    existing = [str(folder / name) for name in names if (folder / name).exists()]
    if existing and not force:
        raise Failed(f"{', '.join(existing)}: there already. Choose another name, or write over it with --force.")
    nearest = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        raise Failed(f"{nearest}: nothing can be written there. Choose another folder.")


def counted(sources: Sequence[Input], pattern: str | None, errors: str) -> dict[str, int]:
    """Returns the counts of the pre-tokens of all texts, read block by block."""
    sizes = [one.size for one in sources if one.text is not None or one.path is None or one.path.exists()]
    with progress("Reading", None if None in sizes else sum(sizes)) as advance:
        return count_pre_tokens((block for one in sources for block in _blocks(one, pattern, errors, advance)), pattern)


def read(sources: Sequence[Input], errors: str) -> list[str]:
    """Returns the texts, each whole."""
    sizes = [one.size for one in sources if one.text is not None or one.path is None or one.path.exists()]
    with progress("Reading", None if None in sizes else sum(sizes)) as advance:
        return [text for one in sources for text in _blocks(one, None, errors, advance)]


def _blocks(one: Input, pattern: str | None, errors: str, advance: Callable[[int], None]) -> Iterator[str]:
    chunks, begun = one.chunks(errors, advance), False
    try:
        for block in blocks(chunks) if has_safe_cuts(pattern) else ["".join(chunks)]:
            yield block
            begun = True
    except UnreadableFile as error:
        if begun or not one.found:
            raise
        print_stderr(f"Note: left out. {error}")
