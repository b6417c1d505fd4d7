"""Counts pre-tokens and tokens of blocks, and merges the results of several workers."""

import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import compress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tokenizer.cluster.blocks import Block, has_rows, texts_of
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.streams import encode_stream
from tokenizer.formats import load_encoding
from tokenizer.kinds.registry import get_encoding
from tokenizer.text.well_formed import well_formed
from tokenizer.training.corpus import count_pre_tokens

SHARE_INDEX_BITS = 32  # of an order number, for the pre-token in a share; the bits above have the share's number


class PreTokenRun(NamedTuple):
    """Pre-tokens in the order of their first occurrence, their counts, and order numbers of the first occurrences."""

    pre_tokens: list[str]
    counts: np.ndarray
    firsts: np.ndarray


class Totals(NamedTuple):
    """Totals: texts that are not empty, their UTF-8 bytes and characters, and tokens by encoding."""

    texts: int = 0
    bytes: int = 0
    characters: int = 0
    tokens: tuple[int, ...] = ()

    def __add__(self, other: "Totals") -> "Totals":
        tokens = tuple(map(sum, zip(self.tokens, other.tokens, strict=True))) if self.tokens else other.tokens
        return Totals(self.texts + other.texts, self.bytes + other.bytes, self.characters + other.characters, tokens)


def of_text(text: str, block: Block) -> Totals:
    """Returns the totals of a text; a file that is one text counts as one in its first block."""
    return Totals(int(bool(text) and (not block.start or has_rows(block.path))), len(text.encode()), len(text))


def count(
    share: Sequence[Block], number: int, pattern: str | None, field: str, parts: int
) -> list[Totals | PreTokenRun]:
    """Returns the totals of a share of the corpus, and its pre-tokens in parts; shares are numbered in order."""
    read = Totals()

    def texts() -> Iterator[str]:
        nonlocal read
        for block in share:
            for text in texts_of(block, field):
                text = well_formed(text)[0]
                read += of_text(text, block)
                yield text

    counts = count_pre_tokens(texts(), pattern)
    firsts = np.arange(len(counts), dtype=np.int64) + (number << SHARE_INDEX_BITS)
    run = PreTokenRun(list(counts), np.fromiter(counts.values(), np.int64, len(counts)), firsts)
    return [read, *parted(run, parts)]


def parted(run: PreTokenRun, parts: int) -> list[PreTokenRun]:
    """Splits a run into parts; a pre-token is in the same part of every run, on every machine.

    >>> [one.pre_tokens for one in parted(PreTokenRun(["a", "b", "c"], np.ones(3, int), np.arange(3)), 3)]
    [['a', 'c'], [], ['b']]
    """
    if parts == 1:
        return [run]
    part = np.fromiter((zlib.crc32(one.encode()) % parts for one in run.pre_tokens), np.int64, len(run.pre_tokens))
    return [_selected(run, part == i) for i in range(parts)]


def merged(runs: Sequence[PreTokenRun]) -> PreTokenRun:
    """Merges runs: adds counts and takes the smallest order numbers, in any order of the runs.

    >>> run = PreTokenRun(["b", "a"], np.array([1, 2]), np.array([7, 8]))
    >>> runs = [run, PreTokenRun(["b"], np.array([5]), np.array([3]))]
    >>> found = merged(runs)
    >>> found.pre_tokens, found.counts.tolist(), found.firsts.tolist()
    (['b', 'a'], [6, 2], [3, 8])
    """
    places: dict[str, int] = {}
    at = [np.array([places.setdefault(one, len(places)) for one in run.pre_tokens], np.int64) for run in runs]
    counts, firsts = np.zeros(len(places), np.int64), np.full(len(places), np.iinfo(np.int64).max)
    for run, where in zip(runs, at, strict=True):
        np.add.at(counts, where, run.counts)
        np.minimum.at(firsts, where, run.firsts)
    return PreTokenRun(list(places), counts, firsts)


def kept(run: PreTokenRun, floor: int) -> tuple[PreTokenRun, int, int]:
    """Returns the pre-tokens of a part with `floor` or more occurrences, and number and total of the others."""
    stays = run.counts >= floor
    return _selected(run, stays), int((~stays).sum()), int(run.counts[~stays].sum())


def in_order(runs: Sequence[PreTokenRun]) -> dict[str, int]:
    """Returns the pre-tokens of all parts with their counts, in the order of their first occurrence."""
    firsts = np.concatenate([run.firsts for run in runs])
    pre_tokens = [one for run in runs for one in run.pre_tokens]
    counts = np.concatenate([run.counts for run in runs]).tolist()
    return {pre_tokens[i]: counts[i] for i in np.argsort(firsts).tolist()}


def _selected(run: PreTokenRun, chosen: np.ndarray) -> PreTokenRun:
    return PreTokenRun(list(compress(run.pre_tokens, chosen.tolist())), run.counts[chosen], run.firsts[chosen])


# ---- tokens ----


def tokens(share: Sequence[Block], names: Sequence[str], field: str) -> Totals:
    """Returns the totals of a share, with its tokens in each encoding."""
    encodings, read = list(map(encoding, names)), Totals(tokens=(0,) * len(names))
    for block in share:
        for text in texts_of(block, field):
            text = well_formed(text)[0]
            counted = tuple(num_tokens(text, one) for one in encodings)
            read += of_text(text, block)._replace(tokens=counted)
    return read


def num_tokens(text: str, encoding: Encoding) -> int:
    """Returns the number of tokens of a text, read in blocks where the encoding allows it.

    >>> num_tokens("to be " * 100_000, encoding("gpt2"))
    200001
    """
    return sum(map(len, encode_stream([text], encoding)))


def may_cut(encoding: Encoding) -> bool:
    """Whether the tokens of a text may be counted block by block."""
    return encoding.model.safe_cuts and not encoding.model.treats_start_specially


@lru_cache(maxsize=4)
def encoding(name: str) -> Encoding:
    """Returns an encoding by its name, by a model's name, or from a file."""
    return load_encoding(name) if Path(name).is_file() else get_encoding(name)
