"""Compares random tokenizer files with the libraries that define them, any number of them.

    python benchmarks/files.py [--files N] [--models N] [--texts N] [--seed N] [--first NUMBER] [--processes N]

Each file is a tokenizer.json of random steps, tokens and flags, drawn from the seed; each model is a training of
SentencePiece with random options. Ids in both modes of special tokens, spans, the text that comes back, and the file as
it is saved and loaded again must be the library's. A difference is printed with the number of its file; `--seed` and
`--first` draw that file again.
"""

import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path
from random import Random

import _batches
import _serving  # noqa: F401  (finds the tests)
from library_comparison import compare_file, compare_model
from random_files import random_file, random_model

FILES_PER_BATCH = 20


def silence_stderr() -> None:
    """Drops what the libraries' panics write to standard error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def compare_batch(seed: int, texts: int, kind: str, first: int) -> _batches.Batch:
    """Compares the files with the numbers from `first` on."""
    counts, messages = Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + FILES_PER_BATCH):
            draw = Random(f"{seed} {kind} {number}")
            compare = compare_file if kind == "files" else compare_model
            made = random_file(draw) if kind == "files" else random_model(draw)
            read_by, differences = compare(made, draw, texts, Path(folder))
            counts[read_by] += 1
            messages += [f"{kind} {number}: {one}" for one in differences]
    return counts, messages


def main() -> None:
    options = _batches.numbers_from_command_line(files=5_000, models=200, texts=8, seed=1, first=0, processes=2)
    begin, counts, num_differences = time.perf_counter(), Counter(), 0
    with multiprocessing.Pool(options.processes, silence_stderr) as pool:
        for kind, total in (("files", options.files), ("models", options.models)):
            work = partial(compare_batch, options.seed, options.texts, kind)
            found, differences = _batches.run(pool, work, range(options.first, options.first + total, FILES_PER_BATCH))
            counts, num_differences = counts + found, num_differences + differences
    print(json.dumps(dict(counts)))
    took = time.perf_counter() - begin
    print(f"seed {options.seed}: {counts.total():,} files, {num_differences} differences, {took:.0f} s")
    sys.exit(num_differences > 0)


if __name__ == "__main__":
    main()
