"""Difficult texts drawn from a seed: the same on every machine, and fast enough for millions."""

import sys
import unicodedata
from functools import cache
from random import Random

from texts import NASTY, SPECIAL, WORDS

from tokenizer.kinds.registry import ranks
from tokenizer.languages.parallel import parallel_corpus
from tokenizer.text.samples import samples

SPACES = [*" \t\n\r\v\f\x1c\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u3000", "  ", "\r\n", " \n", "\n\n", "\u200b"]
MARKS = [*"\u0301\u0308\u0e31\u0e48\u0e4d\u093f\u094d\u05b0\u064b\u1ab0\u20dd\u3099\ufe0f\u200d\u200c🏽\U000e0067"]
DIGITS = [*"0123456789٣५๗Ⅷ½²①𝟘零", ",", ".", " ", "-", "e+", "0x"]
CONTRACTED = ["'s", "'t", "'LL", "’ve", "'ſ", "'S", "''d", "'re ", "'M", "ʼn", "'ll'", "n't"]
CODE = ["    ", "\t", "if (x", "== ", "});\n", "/*", "//", "{{", "->", "::", "#!", "camelCase", "</a>", ";\n\n", "λ="]
EMOJI = [*"👍❤☺🏳🇹🇭👩👦🏽", "👩\u200d👦", "🏴\U000e0067\U000e0062\U000e007f", "1\ufe0f\u20e3", "❤\ufe0f\u200d🔥"]
DECODINGS = [("utf-8", "replace"), ("utf-8", "surrogateescape"), ("latin-1", "strict"), ("utf-16-le", "replace")]
BLOCK_CODE_POINTS = 128  # code points, as most scripts have


@cache
def sentences() -> list[str]:
    """The lines of the parallel corpus in 48 languages, and the samples."""
    return [line for lines in parallel_corpus().values() for line in lines] + [sample.text for sample in samples()]


@cache
def known_tokens() -> list[bytes]:
    """Every token of o200k_base; some are not UTF-8."""
    return list(ranks("o200k_base"))


def some(draw: Random, items: list[str], limit: int) -> str:
    return "".join(draw.choices(items, k=draw.randint(1, limit)))


def of_all_unicode(draw: Random) -> str:
    return "".join(map(chr, draw.choices(range(sys.maxunicode + 1), k=draw.randint(1, 12))))


def of_one_block(draw: Random) -> str:
    first = draw.randrange(0x30000 // BLOCK_CODE_POINTS) * BLOCK_CODE_POINTS
    return "".join(chr(first + draw.randrange(BLOCK_CODE_POINTS)) for _ in range(draw.randint(1, 16)))


def substring(draw: Random) -> str:
    line = draw.choice(sentences())
    start = draw.randrange(len(line))
    return line[start : start + draw.randint(1, 80)]


def with_typos(draw: Random) -> str:
    """Letters left out, doubled, in upper case or replaced."""
    typos = [lambda _: "", lambda one: one * 2, str.upper, str.title, lambda _: draw.choice(NASTY)]
    return "".join(draw.choice(typos)(one) if draw.random() < 0.1 else one for one in substring(draw))


def in_a_normal_form(draw: Random) -> str:
    return unicodedata.normalize(draw.choice(["NFC", "NFD", "NFKC", "NFKD"]), substring(draw))


def repetition(draw: Random) -> str:
    """One item repeated, sometimes thousands of times."""
    one = draw.choice(draw.choice([NASTY, SPACES, MARKS, EMOJI, DIGITS, WORDS, CODE]))
    return one * (draw.randint(100, 3_000) if draw.random() < 0.02 else draw.randint(2, 40))


def special_token(draw: Random) -> str:
    """A special token, whole or broken."""
    name = draw.choice(SPECIAL)
    at = draw.randrange(len(name))
    return draw.choice([name, name[:at], name[at:], name[:at] + " " + name[at:], name[:at] + name])


def of_broken_bytes(draw: Random) -> str:
    """Bytes that were cut or decoded with another codec."""
    data = substring(draw).encode()[draw.randint(0, 3) :]
    encoding, errors = draw.choice(DECODINGS)
    return data[: max(1, len(data) - draw.randint(0, 3))].decode(encoding, errors)


def of_known_tokens(draw: Random) -> str:
    return b"".join(draw.choices(known_tokens(), k=draw.randint(1, 8))).decode(errors="replace")


KINDS = [
    of_all_unicode,
    of_one_block,
    substring,
    with_typos,
    in_a_normal_form,
    repetition,
    special_token,
    of_broken_bytes,
    of_known_tokens,
    lambda draw: some(draw, NASTY, 20),
    lambda draw: some(draw, WORDS, 6),
    lambda draw: some(draw, SPACES, 12),
    lambda draw: some(draw, DIGITS, 16),
    lambda draw: some(draw, CODE, 10),
    lambda draw: some(draw, EMOJI, 8),
    lambda draw: draw.choice(substring(draw)) + some(draw, MARKS, 9),
    lambda draw: draw.choice(substring(draw)) + some(draw, CONTRACTED, 4),
]


def difficult_text(draw: Random) -> str:
    """Returns a text, mostly short, sometimes empty."""
    return "".join(draw.choice(KINDS)(draw) for _ in range(draw.choice([0, 1, 1, 2, 2, 3, 4, 8])))
