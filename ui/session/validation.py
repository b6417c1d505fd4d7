"""Checks of typed values: each returns the value, or raises an error that explains its problem."""

import re
from contextlib import suppress

from tokenizer import TokenizerError
from tokenizer.errors import BadVocabularySize, OnlyCounted, Unavailable, UnknownEncoding, shown
from tokenizer.i18n import tr
from tokenizer.kinds.from_merges import typed_special
from tokenizer.kinds.registry import encoding_name
from tokenizer.text.well_formed import well_formed

MAX_VOCABULARY_SIZE = 50_000
MAX_SPECIAL_TOKENS = 64
MAX_SPECIAL_TOKEN_CHARACTERS = 64
SMALLEST_VOCABULARY = {"bytes": 256, "characters": 1}  # tokens without any merge, by alphabet


class InvalidInput(TokenizerError):
    """A typed value that cannot be used."""

    def __init__(self, what: str, typed: str, reason: str):
        super().__init__(tr("Cannot use the {what} {typed}: {reason}.", what=what, typed=shown(typed), reason=reason))


def checked_size(size: int, alphabet: str) -> int:
    """Returns the vocabulary size, if it has room for its base symbols.

    >>> checked_size(256, "bytes")
    256
    >>> checked_size(255, "bytes")
    Traceback (most recent call last):
    tokenizer.errors.BadVocabularySize: Cannot train a vocabulary of 255 tokens. Choose a whole number from 256 \
(needed for the 256 bytes) to 50,000.
    """
    smallest = SMALLEST_VOCABULARY[alphabet]
    if not smallest <= size <= MAX_VOCABULARY_SIZE:
        needed_for = tr("the 256 bytes") if alphabet == "bytes" else tr("one character")
        raise BadVocabularySize(size, smallest, MAX_VOCABULARY_SIZE, needed_for)
    return size


def checked_merges(number: int) -> int:
    """Returns the number of merges to add to an encoding, if it is within the limit.

    >>> checked_merges(0)
    Traceback (most recent call last):
    ui.session.validation.InvalidInput: Cannot use the number of merges '0': choose a whole number from 1 to 50,000.
    """
    if not 1 <= number <= MAX_VOCABULARY_SIZE:
        reason = tr("choose a whole number from 1 to {most:,}", most=MAX_VOCABULARY_SIZE)
        raise InvalidInput(tr("number of merges"), str(number), reason)
    return number


def special_tokens(typed: str, least_id: int = 0) -> tuple[str, ...]:
    """Returns special tokens that were typed with spaces between them, if an encoding can have them all.

    A token may be typed with its id, which is at least `least_id`: `<|end|>=1105`.

    >>> special_tokens(" <|end|>  <|user|> ")
    ('<|end|>', '<|user|>')
    >>> special_tokens("<|end|> <|end|>")
    Traceback (most recent call last):
    ui.session.validation.InvalidInput: Cannot use the special token '<|end|>': it appears twice.
    """
    tokens = tuple(typed.split())
    if len(tokens) > MAX_SPECIAL_TOKENS:
        reason = tr("there are {n:,}; keep at most {most}", n=len(tokens), most=MAX_SPECIAL_TOKENS)
        raise InvalidInput(tr("special tokens"), typed, reason)
    read = [typed_special(token) for token in tokens]
    for i, (name, id) in enumerate(read):
        if reason := _unusable_reason(name, tuple(other for other, _ in read[:i])):
            raise InvalidInput(tr("special token"), name, reason)
        if id is not None and id in (other for _, other in read[:i]):
            raise InvalidInput(tr("special token"), tokens[i], tr("its id appears twice"))
        if id is not None and id < least_id:
            reason = tr("its id is less than {least:,}, so another token may have it", least=least_id)
            raise InvalidInput(tr("special token"), tokens[i], reason)
    return tokens


def _unusable_reason(token: str, others: tuple[str, ...]) -> str:
    if len(token) > MAX_SPECIAL_TOKEN_CHARACTERS:
        facts = {"n": len(token), "most": MAX_SPECIAL_TOKEN_CHARACTERS}
        return tr("the name has {n:,} characters; the limit is {most} characters", **facts)
    if token != well_formed(token)[0]:
        return tr("the name contains half of a surrogate pair, which is not a character")
    if token in others:
        return tr("it appears twice")
    return ""


def checked_name(name: str) -> str:
    """Returns a name that is fit for an encoding and for files, and not taken.

    >>> checked_name("thai-512")
    'thai-512'
    >>> checked_name("gpt2")
    Traceback (most recent call last):
    ui.session.validation.InvalidInput: Cannot use the name 'gpt2': this name is taken; choose another.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", name):
        reason = tr("use 1 to 40 characters, each from A-Z, a-z, 0-9, “-”, “_” or “.”; begin with a letter or digit")
        raise InvalidInput(tr("name"), name, reason)
    with suppress(OnlyCounted, Unavailable):
        try:
            encoding_name(name.lower())
        except UnknownEncoding:
            return name
    raise InvalidInput(tr("name"), name, tr("this name is taken; choose another"))
