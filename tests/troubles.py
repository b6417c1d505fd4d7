"""Texts of every kind of trouble, drawn from a seed: the same ones again on every machine, fast enough for millions."""

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
READ_AS = [("utf-8", "replace"), ("utf-8", "surrogateescape"), ("latin-1", "strict"), ("utf-16-le", "replace")]
BLOCK = 128  # code points, as most scripts have


@cache
def sentences() -> list[str]:
    """Real ones, in 48 languages, and what the app shows as examples."""
    return [line for lines in parallel_corpus().values() for line in lines] + [sample.text for sample in samples()]


@cache
def known() -> list[bytes]:
    """Every token of the largest vocabulary; not all are characters."""
    return list(ranks("o200k_base"))


def some(draw: Random, items: list[str], most: int) -> str:
    return "".join(draw.choices(items, k=draw.randint(1, most)))


def of_all_unicode(draw: Random) -> str:
    return "".join(map(chr, draw.choices(range(sys.maxunicode + 1), k=draw.randint(1, 12))))


def of_one_block(draw: Random) -> str:
    first = draw.randrange(0x30000 // BLOCK) * BLOCK
    return "".join(chr(first + draw.randrange(BLOCK)) for _ in range(draw.randint(1, 16)))


def a_stretch(draw: Random) -> str:
    line = draw.choice(sentences())
    start = draw.randrange(len(line))
    return line[start : start + draw.randint(1, 80)]


def with_slips(draw: Random) -> str:
    """Letters left out, doubled, in capitals, or others between."""
    slips = [lambda _: "", lambda one: one * 2, str.upper, str.title, lambda _: draw.choice(NASTY)]
    return "".join(draw.choice(slips)(one) if draw.random() < 0.1 else one for one in a_stretch(draw))


def in_another_form(draw: Random) -> str:
    return unicodedata.normalize(draw.choice(["NFC", "NFD", "NFKC", "NFKD"]), a_stretch(draw))


def a_run(draw: Random) -> str:
    """One thing again and again, at times very often."""
    one = draw.choice(draw.choice([NASTY, SPACES, MARKS, EMOJI, DIGITS, WORDS, CODE]))
    return one * (draw.randint(100, 3_000) if draw.random() < 0.02 else draw.randint(2, 40))


def a_special_token(draw: Random) -> str:
    """Spelled, or all but."""
    name = draw.choice(SPECIAL)
    at = draw.randrange(len(name))
    return draw.choice([name, name[:at], name[at:], name[:at] + " " + name[at:], name[:at] + name])


def of_broken_bytes(draw: Random) -> str:
    """What is seen where bytes were cut or read in the wrong way."""
    data = a_stretch(draw).encode()[draw.randint(0, 3) :]
    encoding, errors = draw.choice(READ_AS)
    return data[: max(1, len(data) - draw.randint(0, 3))].decode(encoding, errors)


def of_known_tokens(draw: Random) -> str:
    return b"".join(draw.choices(known(), k=draw.randint(1, 8))).decode(errors="replace")


KINDS = [
    of_all_unicode,
    of_one_block,
    a_stretch,
    with_slips,
    in_another_form,
    a_run,
    a_special_token,
    of_broken_bytes,
    of_known_tokens,
    lambda draw: some(draw, NASTY, 20),
    lambda draw: some(draw, WORDS, 6),
    lambda draw: some(draw, SPACES, 12),
    lambda draw: some(draw, DIGITS, 16),
    lambda draw: some(draw, CODE, 10),
    lambda draw: some(draw, EMOJI, 8),
    lambda draw: draw.choice(a_stretch(draw)) + some(draw, MARKS, 9),
    lambda draw: draw.choice(a_stretch(draw)) + some(draw, CONTRACTED, 4),
]


def trouble(draw: Random) -> str:
    """A text, mostly short, now and then empty."""
    return "".join(draw.choice(KINDS)(draw) for _ in range(draw.choice([0, 1, 1, 2, 2, 3, 4, 8])))
