"""Compares every encoding with the library that defines it, and our trainer with a naive one, on any amount of text.

    python benchmarks/exactness.py [--texts N] [--more N] [--corpora N] [--seed N] [--first BATCH] [--processes N]

Difficult texts are drawn from the seed, a thousand a batch. All encodings of tiktoken read each, and one
more reads each, or every Nth with --more N, in turn: those that SentencePiece and Hugging Face's tokenizers train and
we load, and those that we train and they load. Ids must be the library's; of one of tiktoken's, in turn, also the
spans, the text that comes back, special tokens, and the ids of a text that is cut as a page cuts it. Then corpora are
drawn, ten a batch, and merges compared one by one, for every tie rule and both alphabets. A difference is printed with
the shortest text that shows it and the number of its batch; `--seed` and `--first` draw that batch again.
"""

import itertools
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from random import Random

import _batches
import _serving  # noqa: F401  (finds the tests)
import pipelines
import sentencepieces
from difficult_texts import difficult_text, repetition, substring
from library_comparison import in_segments
from oracles import naive_train, oracle

from tokenizer import (
    PATTERNS,
    TIE_RULES,
    encoding_files,
    encoding_from_merges,
    get_encoding,
    list_encoding_names,
    train,
)
from tokenizer.text.well_formed import well_formed
from tokenizer.training.corpus import count_pre_tokens

TEXTS_PER_BATCH, CORPORA_PER_BATCH = 1_000, 10
Facts = Iterator[tuple[str, object, object]]  # what is compared, ours, theirs


# ---- one text ----


def ids_beside_tiktoken(name: str, text: str) -> Facts:
    yield "ids alone", get_encoding(name).encode_array(text).tolist(), oracle(name).encode_ordinary(text)


def compare_with_tiktoken(name: str, text: str) -> Facts:
    encoding, library = get_encoding(name), oracle(name)
    ids, tokens = library.encode_ordinary(text), encoding.tokenize(text)
    yield "ids", tokens.ids, ids
    yield "ends", tokens.ends.tolist(), list(itertools.accumulate(map(len, library.decode_tokens_bytes(ids))))
    yield "text", encoding.decode(ids), well_formed(text)[0]
    yield "in segments", in_segments(encoding, text), ids
    if "<|" in text:
        yield "special tokens", encoding.encode(text, "special"), library.encode(text, allowed_special="all")


def compare_with_sentencepiece(name: str, text: str) -> Facts:
    (encoding, library), text = sentencepieces.both(name), well_formed(text)[0]
    ids = library.encode(text)
    yield "ids", encoding.tokenize(text).ids, ids
    yield "text", encoding.decode(ids), library.decode(ids)
    yield "in segments", in_segments(encoding, text), ids


def compare_with_tokenizers(name: str, text: str) -> Facts:
    encoding, library, text = pipelines.loaded(name), pipelines.oracle(name), well_formed(text)[0]
    ids = library.encode(text, add_special_tokens=False).ids
    yield "ids", encoding.tokenize(text).ids, ids
    yield "text", encoding.decode(ids), library.decode(ids, skip_special_tokens=False)
    yield "in segments", in_segments(encoding, text), ids


@cache
def trained(pattern: str, ties: str):
    """An encoding that we train, and what Hugging Face's library makes of its file."""
    from tokenizers import Tokenizer

    corpus = "\n".join(pipelines.CORPUS)
    encoding = encoding_from_merges(train(corpus, 700, pattern, ties), pattern, ["<|end|>"])
    library = Tokenizer.from_str(encoding_files(encoding, "huggingface", "ours")["ours.json"].decode())
    library.encode_special_tokens = True
    return encoding, library


def compare_trained(pattern: str, ties: str, text: str) -> Facts:
    (encoding, library), text = trained(pattern, ties), well_formed(text)[0]
    ids = library.encode(text, add_special_tokens=False).ids
    yield "ids", encoding.tokenize(text).ids, ids
    yield "text", encoding.decode(ids), text
    yield "in segments", in_segments(encoding, text), ids


Check = Callable[[str], Facts]
TIKTOKENS: dict[str, Check] = {name: partial(ids_beside_tiktoken, name) for name in list_encoding_names()}
IN_TURN: dict[str, Check] = {f"all of {name}": partial(compare_with_tiktoken, name) for name in list_encoding_names()}
LIBRARY_CHECKS: dict[str, Check] = {
    **{f"SentencePiece, {name}": partial(compare_with_sentencepiece, name) for name in sentencepieces.MODELS},
    **{f"Hugging Face, {name}": partial(compare_with_tokenizers, name) for name in pipelines.LIBRARY},
    **{
        f"ours by {pattern}, {ties}": partial(compare_trained, pattern, ties)
        for pattern, ties in itertools.product(PATTERNS, TIE_RULES)
    },
}


def differences(check: Check, text: str) -> list[str]:
    """Returns the differences for a text, or the error of one of the two."""
    try:
        return [f"{what}: ours {own!r}, theirs {expected!r}" for what, own, expected in check(text) if own != expected]
    except Exception as error:
        return [repr(error)]


def shortest(text: str, differs: Callable[[str], object]) -> str:
    """The text with all left out that is not needed for it to differ: long parts at first, then single characters.

    >>> shortest("some text that has an x in it", lambda text: "x" in text)
    'x'
    """
    size = len(text) // 2
    while size:
        for start in range(0, len(text), size):
            while start < len(text) and differs(less := text[:start] + text[start + size :]):
                text = less
        size //= 2
    return text


def compare(name: str, check: Check, text: str) -> list[str]:
    """Returns sentences on the differences for a text, none where nothing differs."""
    if not differences(check, text):
        return []
    text = shortest(text, partial(differences, check))
    return [f"{name}, {text!r} {difference}" for difference in differences(check, text)]


# ---- one corpus ----


def corpus(draw: Random) -> str:
    """A text to train on: real ones, few letters, where many counts are equal, and runs."""
    kinds = [substring, repetition, difficult_text, lambda draw: "".join(draw.choices("ab \n", k=draw.randint(1, 80)))]
    return well_formed("".join(draw.choice(kinds)(draw) for _ in range(draw.randint(1, 4)))[:400])[0] or "a"


def compare_training(draw: Random, text: str) -> list[str]:
    """Returns sentences on the tie rules by which our trainer differs from the naive one."""
    pattern = draw.choice([*PATTERNS, None, r"\w+"])
    words = count_pre_tokens(text, pattern)
    differences = []
    for ties, alphabet in itertools.product(TIE_RULES, ("bytes", "characters")):
        base = 256 if alphabet == "bytes" else len(set(text))
        found = list(train(text, base + 60, pattern, ties, alphabet=alphabet))
        if found != list(naive_train(words, 60, ties, alphabet)):
            differences.append(f"training, {pattern}, {ties}, {alphabet}, {text!r}")
    return differences


# ---- batches of them ----


def read_batch(seed: int, size: int, more: int, number: int) -> _batches.Batch:
    """Draws texts and compares."""
    draw, counts, differences = Random(f"{seed} texts {number}"), Counter(), []
    turns = zip(itertools.cycle(IN_TURN.items()), itertools.cycle(LIBRARY_CHECKS.items()), strict=False)
    for i in range(size):
        text = difficult_text(draw)
        for name, check in [*TIKTOKENS.items(), *(() if (number * size + i) % more else next(turns))]:
            differences += [f"batch {number}, text {i}: {difference}" for difference in compare(name, check, text)]
            counts[name] += 1
    return counts, differences


def train_batch(seed: int, size: int, number: int) -> _batches.Batch:
    draw, differences = Random(f"{seed} corpora {number}"), []
    for _ in range(size):
        differences += [f"batch {number}: {difference}" for difference in compare_training(draw, corpus(draw))]
    return Counter({"training": size * len(TIE_RULES) * 2}), differences


def main() -> None:
    options = _batches.numbers_from_command_line(texts=20_000, more=1, corpora=200, seed=1, first=0, processes=2)
    begin = time.perf_counter()
    with multiprocessing.Pool(options.processes) as pool:
        texts, corpora = (
            range(options.first, options.first - (-total // size))
            for total, size in ((options.texts, TEXTS_PER_BATCH), (options.corpora, CORPORA_PER_BATCH))
        )
        counts, num_differences = _batches.run(
            pool, partial(read_batch, options.seed, TEXTS_PER_BATCH, options.more), texts
        )
        more, wrong_merges = _batches.run(pool, partial(train_batch, options.seed, CORPORA_PER_BATCH), corpora)
    kinds = {"tiktoken": TIKTOKENS | IN_TURN, "its library": LIBRARY_CHECKS, "the naive trainer": ["training"]}
    for kind, names in kinds.items():
        print(f"beside {kind}: {sum((counts + more)[name] for name in names):,} comparisons")
    took = time.perf_counter() - begin
    print(f"seed {options.seed}: {counts['gpt2']:,} texts, {num_differences + wrong_merges} differences, {took:.0f} s")
    sys.exit(num_differences + wrong_merges > 0)


if __name__ == "__main__":
    main()
