"""Variants of a word in a vocabulary: case, leading space, plural, each with its tokens."""

from typing import NamedTuple

import regex

from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.text.well_formed import well_formed
from tokenizer.vocabulary.facts import Facts

MAX_WORD_CHARACTERS = 100
CASES = {
    "as typed": str,
    "lower case": str.lower,
    "capitalized": lambda word: word[:1].title() + word[1:].lower(),
    "upper case": str.upper,
}
AS_TYPED, OTHER_NUMBER = "as typed", "other number"


class NoWord(TokenizerError):
    """There is no word, or it is too long."""


class Variant(NamedTuple):
    """One spelling of a word: its text, its ids, and the id of the token with exactly its bytes.

    `case` is one of CASES; `number` is AS_TYPED or OTHER_NUMBER, the English plural, or the singular of a plural, by
    spelling rules; `with_space` is whether a space precedes it. `id` is None if no token has its bytes.
    """

    text: str
    case: str
    number: str
    with_space: bool
    ids: list[int]
    id: int | None


def variants(word: str, facts: Facts) -> list[Variant]:
    """Returns the distinct spellings of a word, without spaces around it. Raises NoWord.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.vocabulary.facts import facts_of
    >>> found = variants("dog", facts_of(get_encoding("gpt2")))
    >>> [(one.text, one.id) for one in found[:6]]
    [('dog', 9703), (' dog', 3290), ('Dog', 32942), (' Dog', 8532), ('DOG', None), (' DOG', None)]
    """
    word = well_formed(word)[0].strip()
    if not 0 < len(word) <= MAX_WORD_CHARACTERS:
        problem = mark("This text has {n:,} characters. Type a word of 1 to {most:,} characters.")
        raise NoWord(tr(problem, n=len(word), most=MAX_WORD_CHARACTERS))
    found: dict[str, Variant] = {}
    for number, form in ((AS_TYPED, word), (OTHER_NUMBER, other_number(word))):
        for case, cased in CASES.items():
            for space in ("", " ") if form else ():
                text = space + cased(form)
                if text not in found:
                    ids = facts.encoding.encode(text)
                    found[text] = Variant(text, case, number, bool(space), ids, facts.rows.get(text.encode()))
    return list(found.values())


def other_number(word: str) -> str | None:
    """Returns the plural of an English word, or the singular of a plural, by spelling rules.

    It has no exceptions, and returns None unless all characters are letters from A to Z.

    >>> [other_number(word) for word in ("dog", "city", "box", "dogs", "cities", "boxes", "ที่")]
    ['dogs', 'cities', 'boxes', 'dog', 'city', 'box', None]
    """
    if not regex.fullmatch("[A-Za-z]+", word):
        return None
    lower, is_upper = word.lower(), word.isupper() and len(word) > 1
    if regex.search("(?:[^aeiou])ies$", lower):
        return word[:-3] + ("Y" if is_upper else "y")
    if regex.search("(?:s|x|z|ch|sh)es$", lower):
        return word[:-2]
    if regex.search("[^siu]s$", lower):
        return word[:-1]
    ending = "es" if regex.search("(?:s|x|z|ch|sh)$", lower) else "s"
    if regex.search("[^aeiou]y$", lower):
        word, ending = word[:-1], "ies"
    return word + (ending.upper() if is_upper else ending)
