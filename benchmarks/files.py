"""Random tokenizer files against the libraries that define them, as many as one likes.

    python benchmarks/files.py [--files N] [--models N] [--texts N] [--seed N] [--first NUMBER] [--processes N]

Each file is a tokenizer.json of random steps, tokens and flags, drawn from the seed; each model is a training of
SentencePiece with random options. Ids in both modes of special tokens, spans, the text that comes back, and the file as
it is saved and loaded again must be the library's. What differs is printed with the number of the file, which is drawn
again with its seed and `--first`.
"""

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from beside_library import compare_file, compare_model
from random_files import random_file, random_model

BATCH = 20
EVERY = 10  # seconds between two lines on how far it is


def quiet() -> None:
    """Drops what the libraries' panics write to standard error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def read_batch(seed: int, texts: int, kind: str, first: int) -> tuple[Counter, list[str]]:
    """Compares a batch of files; returns how many there were of each kind, and what differed."""
    counts: Counter = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + BATCH):
            draw = Random(f"{seed} {kind} {number}")
            compare = compare_file if kind == "files" else compare_model
            made = random_file(draw) if kind == "files" else random_model(draw)
            read_by, said = compare(made, draw, texts, Path(folder))
            counts[read_by] += 1
            wrong += [f"{kind} {number}: {one}" for one in said]
    return counts, wrong


def batches(pool, seed: int, texts: int, kind: str, total: int, first: int) -> Iterator[tuple[Counter, list[str]]]:
    yield from pool.imap_unordered(partial(read_batch, seed, texts, kind), range(first, first + total, BATCH))


def main() -> None:
    parser = argparse.ArgumentParser()
    usual = {"files": 5_000, "models": 200, "texts": 8, "seed": 1, "first": 0, "processes": 2}
    for name, number in usual.items():
        parser.add_argument(f"--{name}", type=int, default=number)
    asked, begin = parser.parse_args(), time.perf_counter()
    said, counts, wrong = begin, Counter(), 0
    with multiprocessing.Pool(asked.processes, quiet) as pool:
        for kind, total in (("files", asked.files), ("models", asked.models)):
            for found, problems in batches(pool, asked.seed, asked.texts, kind, total, asked.first):
                counts += found
                wrong += len(problems)
                print(*problems, sep="\n", end="\n" * bool(problems), flush=True)
                if time.perf_counter() > said + EVERY:
                    said = time.perf_counter()
                    print(f"  {counts.total():,} files, {counts.total() / (said - begin):,.0f} a second", flush=True)
    print(json.dumps(dict(counts)))
    print(f"seed {asked.seed}: {counts.total():,} files, {wrong} differences, {time.perf_counter() - begin:.0f} s")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
