"""Measures a training with its whole timeline, compared with Hugging Face's trainer where that is installed.

    python benchmarks/train.py [file vocab_size]

Without arguments: the samples and the project's own words, over and over until there is a million characters. The two
take turns, so that a slow moment of the machine hits both; the ratio is what to compare between machines.
"""

import statistics
import sys
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tokenizer import PATTERNS, train  # noqa: E402
from tokenizer.split.dialects import for_oniguruma  # noqa: E402
from tokenizer.text.samples import samples  # noqa: E402

PATTERN = "cl100k_base"
NUM_ROUNDS = 5


def ours(text: str, vocab_size: int) -> None:
    for _ in train(text, vocab_size, PATTERN):
        pass


def hugging_face(text: str, vocab_size: int) -> None:
    train_hugging_face(text.splitlines(keepends=True), vocab_size)


def train_hugging_face(texts: Iterable[str], vocab_size: int):
    """Returns Hugging Face's tokenizer, trained with the split that we use."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    split = pre_tokenizers.Split(Regex(for_oniguruma(PATTERNS[PATTERN])), "isolated")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, initial_alphabet=byte_level.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def one_pre_token(text: str, vocab_size: int) -> None:
    for _ in train(text, vocab_size, pattern=None):
        pass


def seconds(job, text: str, vocab_size: int) -> float:
    start = time.perf_counter()
    job(text, vocab_size)
    return time.perf_counter() - start


def own_words() -> str:
    texts = [sample.text for sample in samples()]
    texts += [path.read_text("utf-8") for path in sorted(ROOT.glob("**/*.py")) if ".venv" not in path.parts]
    text = "\n".join(texts)
    return (text * (1_000_000 // len(text) + 1))[:1_000_000]


def main() -> None:
    jobs = [ours, hugging_face]
    try:
        import tokenizers  # noqa: F401
    except ImportError:
        jobs.pop()
    if len(sys.argv) == 3:
        path, vocab_size = sys.argv[1:]
        cases = [(path, Path(path).read_text("utf-8"), int(vocab_size))]
    else:
        text = own_words()
        cases = [("own words", text, 512), ("own words", text, 5_000)]
    for name, text, vocab_size in cases:
        rounds = [[seconds(job, text, vocab_size) for job in jobs] for _ in range(NUM_ROUNDS)]
        medians = [statistics.median(times) for times in zip(*rounds, strict=True)]
        print(f"{name}, {len(text):,} characters, {vocab_size:,} tokens")
        for job, median in zip(jobs, medians, strict=True):
            print(f"  {job.__name__:14s} {median:6.2f} s   {median / medians[0]:5.2f} times ours")
    median = statistics.median(seconds(one_pre_token, text[:1_000_000], 5_256) for _ in range(3))
    print(f"{name}, the first million characters as one pre-token, 5,000 merges\n  ours           {median:6.2f} s")


if __name__ == "__main__":
    main()
