"""Tokens that are adverts for adult videos or gambling, by words that only read the text.

A tokenizer learns them from spam in its training text: o200k_base has hundreds.
"""

import re

import numpy as np

from tokenizer.display.readable import readable
from tokenizer.i18n import tr
from tokenizer.paths import read_toml
from tokenizer.text.well_formed import as_text
from tokenizer.vocabulary.facts import ORDINARY, Facts

_words = read_toml("adverts.toml")
_find_in_han = re.compile("|".join(_words["gambling"] + _words["adult"])).search
_find_latin = re.compile("|".join(_words["latin"]), re.IGNORECASE).search
_has_han = re.compile("[\u4e00-\u9fff]").search


def is_advert(text: str) -> bool:
    """Whether the text of a token looks like an advert for adult videos or gambling, or like a part of one.

    >>> [is_advert(text) for text in ("天天中彩票", "毛片免费视频观看", "中华人民共和国", " porno", " casino")]
    [True, True, False, True, False]
    """
    return bool(_find_in_han(text) if _has_han(text) else _find_latin(text))


def readable_or_veil(token: bytes, max_characters: int = 200) -> str:
    """Returns the readable text of a token for a list of tokens; that of an advert is replaced.

    >>> readable_or_veil(b" the"), readable_or_veil("天天中彩票".encode())
    ('·the', 'hidden (adult or gambling)')
    """
    text = as_text(token)
    return tr("hidden (adult or gambling)") if text and is_advert(text) else readable(token, max_characters)


def adverts(facts: Facts) -> np.ndarray:
    """Returns the rows of these tokens.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.vocabulary.facts import facts_of
    >>> len(adverts(facts_of(get_encoding("gpt2")))) < 20
    True
    """
    rows = np.flatnonzero((facts.role == ORDINARY) & (facts.num_characters > 1)).tolist()
    return np.array([row for row in rows if is_advert(facts.texts[row])], np.int64)
