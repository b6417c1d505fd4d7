"""`train`: trains an encoding on texts and shows the progress."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from tokenizer.command import options
from tokenizer.command.group import Failed, print_stderr
from tokenizer.command.inputs import Input, inputs, progress
from tokenizer.command.screen import escaped
from tokenizer.encoding.bpe import Merge
from tokenizer.errors import TokenizerError
from tokenizer.formats import FORMS, SUFFIXES, encoding_files, save_encoding
from tokenizer.kinds.from_merges import encoding_from_merges
from tokenizer.split.blocks import blocks
from tokenizer.split.patterns import PATTERNS, has_safe_cuts
from tokenizer.text.files import UnreadableFile
from tokenizer.training import train as core
from tokenizer.training.corpus import count_pre_tokens

NO_PATTERN = "none"
NUM_BYTE_VALUES = 256
BYTE_FORMS = [form for form in FORMS if form != "tokenloupe"]  # a form for characters and words


@click.command()
@options.files
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The file to write.")
@click.option("-n", "--vocab-size", default=4_096, show_default=True, help="Tokens: the 256 bytes, and merges.")
@click.option(
    "-p",
    "--pattern",
    default="cl100k_base",
    show_default=True,
    help=f"Split pattern: {', '.join(PATTERNS)}; a regular expression; or {NO_PATTERN}.",
)
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
def train(paths, output, vocab_size, pattern, ties, min_count, special_tokens, form, force, errors, as_json):
    """Train byte-level BPE on files, folders or standard input.

    The name of the file to write tells its form: .model (minbpe), .tiktoken, .json (Hugging Face) or .csv (the merges).
    Ctrl-C ends the training, and nothing is written.
    """
    pattern = None if pattern == NO_PATTERN else pattern
    sources, form = inputs(paths, None), form or SUFFIXES.get(output.suffix, output.suffix)
    try:
        core.check_options(vocab_size, pattern, ties, "bytes", 0)
        empty = encoding_from_merges([], pattern, special_tokens, output.stem)
        names = encoding_files(empty, form, output.name if form == "gpt2" else output.stem)
    except TokenizerError as error:
        raise click.UsageError(str(error)) from None
    check_output(output if form == "gpt2" else output.parent, list(names), force)
    merges = learned(counted(sources, pattern, errors), vocab_size, pattern, ties, min_count)
    encoding = encoding_from_merges(merges, pattern, special_tokens, output.stem)
    written = [str(path) for path in save_encoding(encoding, output, form)]
    if as_json:
        facts = {"tokens": encoding.vocab_size, "merges": len(merges), "files": written}
        return click.echo(json.dumps(facts))
    return click.echo(f"{encoding.vocab_size:,} tokens by {len(merges):,} merges, in {escaped(', '.join(written))}.")


def learned(counts: Mapping[str, int], vocab_size: int, pattern: str | None, ties: str, min_count: int) -> list[Merge]:
    """Returns the merges and draws the progress; prints a note if there are fewer than requested."""
    merges, num_merges = [], vocab_size - NUM_BYTE_VALUES
    with progress("Merging", num_merges) as advance:
        for merge in core.train((), vocab_size, pattern, ties, counts=counts, min_count=min_count):
            merges.append(merge)
            advance(1)
    if len(merges) < num_merges:
        print_stderr(f"Note: no pair was left to merge after {len(merges):,} merges.")
    return merges


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
