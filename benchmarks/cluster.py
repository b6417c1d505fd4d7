"""Counts a corpus by two workers of Dask and by one process, trains on it, and compares with Hugging Face's trainer.

    python benchmarks/cluster.py --make corpus.txt 1_000_000_000 FILE...   # of these texts, UTF-8
    python benchmarks/cluster.py corpus.txt vocab_size
    python benchmarks/cluster.py   # 5 MB made of the project's own training texts

Each runs in a process of its own, one after the other. Prints seconds, processor seconds, the highest memory (the sum
over all processes), and whether the merges are the same; then what a floor on the counts leaves out, and the first
merge that differs. Compare the ratios of one run.

A corpus that is made has random lines of the texts. One line in ten ends with a random word, so that distinct
pre-tokens grow with the corpus, as they do in real ones.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tokenizer import PATTERNS, train  # noqa: E402
from tokenizer.cluster.blocks import blocks_of, texts_of  # noqa: E402
from tokenizer.cluster.running import count_corpus, workers  # noqa: E402
from tokenizer.split.blocks import blocks_of as split_blocks  # noqa: E402
from tokenizer.split.dialects import for_oniguruma  # noqa: E402
from tokenizer.training.counts import Counts  # noqa: E402

PATTERN = "cl100k_base"
COUNT_FLOORS = (2, 10)


def make(path: Path, size: int, *names: str) -> None:
    """Writes a corpus of `size` bytes, the same each time."""
    rng = random.Random(2024)
    lines = [line for name in names for line in Path(name).read_text("utf-8").splitlines() if line]
    with path.open("wb") as file:
        while file.tell() < size:
            some = [line + made_word(rng) if rng.random() < 0.1 else line for line in rng.choices(lines, k=10_000)]
            file.write(("\n".join(some) + "\n").encode())


def made_word(rng: random.Random) -> str:
    """Returns a word that is seldom made twice, the longer the more seldom."""
    return " " + "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(rng.choice((2, 3, 3, 4))))


# ---- what is measured, each in a process of its own ----


def one_process(path: Path, size: int, folder: Path) -> dict:
    return counted_and_trained(path, size, folder, None)


def two_workers(path: Path, size: int, folder: Path) -> dict:
    with workers(2) as client:
        return counted_and_trained(path, size, folder, client)


def counted_and_trained(path: Path, size: int, folder: Path, client) -> dict:
    clock = Clock()
    found = count_corpus([path], PATTERN, client)
    clock.lap("count")
    cpu, of_workers = time.process_time(), [(0, 0)]
    if client:
        of_workers = client.run(lambda: (peak(), time.process_time())).values()
    (folder / "own.counts").write_bytes(found.counts.to_bytes())
    clock.lap("write")
    merges = {}
    for ties in ("smallest-ids", "first-seen"):
        merges[ties] = [[m.left.hex(), m.right.hex()] for m in train((), size, ties=ties, counts=found.counts.counts)]
        clock.lap(ties)
    (folder / f"{'two' if client else 'one'}.json").write_text(json.dumps(merges))
    memory, others = map(sum, zip(*of_workers, strict=True))
    facts = {"distinct": len(found.counts.counts), "total": found.counts.total, "count cpu": cpu + others}
    return clock.laps | facts | {"memory": peak() + memory, "of workers": memory, "cpu": time.process_time() + others}


def hugging_face(path: Path, size: int, folder: Path) -> dict:
    clock = Clock()
    made = train_hugging_face(texts(path), size)
    clock.lap("all")
    (folder / "theirs.json").write_text(json.dumps(json.loads(made.to_str())["model"]["merges"]))
    return clock.laps | {"memory": peak(), "cpu": time.process_time()}


def train_hugging_face(texts: Iterator[str], vocab_size: int):
    """Returns Hugging Face's tokenizer, trained with the split that we use."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    split = pre_tokenizers.Split(Regex(for_oniguruma(PATTERNS[PATTERN])), "isolated")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, initial_alphabet=byte_level.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def floors(path: Path, size: int, folder: Path) -> dict:
    counts = Counts.from_bytes((folder / "own.counts").read_bytes()).counts
    all_merges, found = json.loads((folder / "one.json").read_text())["first-seen"], {}
    for floor in COUNT_FLOORS:
        rest = {one: n for one, n in counts.items() if n >= floor}
        merges = [[one.left.hex(), one.right.hex()] for one in train((), size, counts=rest)]
        share = 1 - sum(rest.values()) / sum(counts.values())
        alike = len({left + right for left, right in merges} & {left + right for left, right in all_merges})
        found[floor] = {"distinct": len(rest), "left out": share, "first": first_difference(merges, all_merges)}
        found[floor] |= {"same tokens": alike, "merges": len(all_merges)}
    return found


def texts(path: Path) -> Iterator[str]:
    """Yields the corpus in parts that together have the pre-tokens of the whole."""
    for block in blocks_of(path):
        for text in texts_of(block, "text"):
            yield from split_blocks(text)


class Clock:
    """Seconds since the last lap."""

    def __init__(self):
        self.laps, self.last = {}, time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name], self.last = now - self.last, now


def peak() -> int:
    """Returns the most memory that this process had so far, in MB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit // 1_000_000


# ---- all of them ----


def first_difference(merges: list, other_merges: list) -> int | None:
    """Returns the number of the first merge that differs, from 1; None where none does."""
    pairs = zip(merges, other_merges, strict=False)
    if (first := next((i for i, (one, other) in enumerate(pairs, 1) if one != other), None)) is not None:
        return first
    return None if len(merges) == len(other_merges) else min(len(merges), len(other_merges)) + 1


def spelled(merges: list) -> list:
    """Returns merges as GPT-2's files spell them."""
    from tokenizer.encoding.spelling import spell

    return [[spell(bytes.fromhex(half)) for half in pair] for pair in merges]


def apart(job: Callable, *arguments: str) -> dict:
    command = [sys.executable, __file__, "--job", job.__name__, *arguments]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment)
    facts = json.loads(done.stdout)
    rounded = {name: round(fact, 3) if isinstance(fact, float) else fact for name, fact in facts.items()}
    print(f"{job.__name__}, {time.perf_counter() - start:.1f} s in all: {rounded}", flush=True)
    return facts


def main() -> None:
    if len(sys.argv) > 2:
        return compare(*sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        make(path := Path(folder, "corpus.txt"), 5_000_000, *map(str, sorted(ROOT.glob("assets/corpora/*.txt"))))
        return compare(str(path), "2000")


def compare(path: str, size: str) -> None:
    print(f"{path}: {Path(path).stat().st_size:,} bytes, {int(size):,} tokens, {os.cpu_count()} processors", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for job in (one_process, two_workers, hugging_face):
            apart(job, path, size, folder)
        one, two, library = (
            json.loads((Path(folder) / f"{name}.json").read_text()) for name in ("one", "two", "theirs")
        )
        print(f"two workers and one process make the same merges: {one == two}")
        for ties, merges in one.items():
            print(f"{ties}: first merge that differs from Hugging Face's: {first_difference(spelled(merges), library)}")
        print(f"the .counts file: {(Path(folder) / 'own.counts').stat().st_size:,} bytes")
        apart(floors, path, size, folder)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--make"]:
        make(Path(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
    elif sys.argv[1:2] == ["--job"]:
        name, path, size, folder = sys.argv[2:]
        print(json.dumps(globals()[name](Path(path), int(size), Path(folder))))
    else:
        main()
