"""`python -m tokenizer.cluster`: counts a corpus by workers."""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from tokenizer.cluster.blocks import CannotCount
from tokenizer.cluster.running import CorpusCounts, CorpusTokens, count_corpus, measure_corpus, workers
from tokenizer.errors import TokenizerError
from tokenizer.training.counts import SUFFIX, Counts, joined


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit code, 1 for a failure."""
    options = parser().parse_args(arguments)
    is_here = options.run == join or options.workers < 1 and not options.address
    try:
        with nullcontext() if is_here else workers(options.workers, options.address) as client:
            return options.run(options, client)
    except (TokenizerError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the arguments."""
    found = argparse.ArgumentParser("python -m tokenizer.cluster", description="A corpus counted by many workers.")
    commands = found.add_subparsers(required=True, metavar="count | join | measure")
    to_count = commands.add_parser("count", help="count pre-tokens, for a training")
    to_count.add_argument("--pattern", default="cl100k_base", help="a known split pattern, or a regular expression")
    to_count.set_defaults(run=count)
    to_join = commands.add_parser("join", help="make one file of those of a corpus's parts")
    to_join.add_argument("paths", nargs="+", type=Path, help=f"{SUFFIX} files counted without a floor, in order")
    to_join.set_defaults(run=join)
    for command in (to_count, to_join):
        command.add_argument("--floor", type=int, default=1, help="leave out what occurs fewer times in all")
        command.add_argument("-o", "--output", type=Path, default=Path(f"corpus{SUFFIX}"), help="the file to write")
    to_measure = commands.add_parser("measure", help="count tokens, and how many bytes one covers")
    to_measure.add_argument("--encoding", action="append", help="a name, a model's, or a tokenizer's file; repeatable")
    to_measure.add_argument("--json", action="store_true", help="write JSON")
    to_measure.set_defaults(run=measure)
    for command in (to_count, to_measure):
        command.add_argument("paths", nargs="+", help="files and folders: text, JSON lines, CSV, TSV, Parquet")
        command.add_argument("--field", default="text", help="the field that holds the text, where there are fields")
        command.add_argument("--workers", type=int, default=2, help="processes on this machine; 0: this one")
        command.add_argument("--address", help="of a Dask scheduler that runs, such as tcp://10.0.0.1:8786")
    return found


def count(options: argparse.Namespace, client) -> int:
    """Writes a `.counts` file."""
    _check_output(options.output)
    settings = {"field": options.field, "floor": options.floor, "on_progress": print_progress}
    found = count_corpus(options.paths, options.pattern, client, **settings)
    _print_problems(found)
    print(f"{found.read.texts:,} texts, {found.read.bytes:,} bytes, {found.read.characters:,} characters")
    return _write(found.counts, options.output)


def join(options: argparse.Namespace, client) -> int:
    """Joins several `.counts` files into one."""
    _check_output(options.output)
    return _write(
        joined([Counts.from_bytes(path.read_bytes()) for path in options.paths], options.floor), options.output
    )


def _check_output(path: Path) -> None:
    if not path.parent.is_dir():  # fails now instead of after hours
        raise CannotCount(f"There is no folder {str(path.parent)!r} to write to. Make it, or name another.")


def _write(counts: Counts, path: Path) -> int:
    path.write_bytes(counts.to_bytes())
    print(f"{path}: {len(counts.counts):,} distinct pre-tokens, {counts.total:,} in all")
    if counts.left_out:
        times = f"{counts.left_out_total:,} in all"
        print(f"Left out: {counts.left_out:,} that occur fewer than {counts.floor:,} times, {times}.")
        print("So counts of pairs may be lower than in the whole corpus, and merges may differ from its own.")
    return 0


def measure(options: argparse.Namespace, client) -> int:
    """Prints the number of tokens of a corpus."""
    names = options.encoding or ["o200k_base"]
    found = measure_corpus(options.paths, names, client, field=options.field, on_progress=print_progress)
    _print_problems(found)
    rows = {name: {"tokens": found.tokens[name], "bytes_per_token": found.bytes_per_token(name)} for name in names}
    if options.json:
        facts = {"texts": found.read.texts, "bytes": found.read.bytes, "characters": found.read.characters}
        print(json.dumps(facts | {"encodings": rows}))
        return 0
    print(f"{found.read.texts:,} texts, {found.read.bytes:,} bytes, {found.read.characters:,} characters")
    for name, row in rows.items():
        print(f"{name}: {row['tokens']:,} tokens, {row['bytes_per_token']:.3f} bytes per token")
    return 0


def print_progress(doing: str, done: int, size: int) -> None:
    """Shows the progress in a terminal."""
    if sys.stderr.isatty():
        print(f"\r{doing} {done / max(1, size):4.0%}", end="\n" if done == size else "", file=sys.stderr, flush=True)


def _print_problems(found: CorpusCounts | CorpusTokens) -> None:
    if found.problems:
        print("Could not be read, so left out:", file=sys.stderr)
    for path, problem in found.problems.items():
        print(f"  {path}: {problem}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
