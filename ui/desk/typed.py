"""What a visitor may type: checks that return it, or say what is wrong with it."""

import math
import re

import regex

from tokenizer import TokenizerError, pre_tokens
from tokenizer.display.lanes import SECONDS
from tokenizer.encoding.registry import encoding_name
from tokenizer.errors import BadPattern, BadVocabularySize, UnknownEncoding, shown
from tokenizer.split.patterns import compiled
from tokenizer.text.well_formed import well_formed

MOST_VOCABULARY = 50_000
MOST_SPECIALS = 64
LONGEST_SPECIAL = 64  # characters
MOST_BUILT = 200_000  # `regex` builds all of (?:a|b){9999999} before any timeout: seconds, and gigabytes
SAMPLE = 120  # characters
ALPHABETS = {"bytes": 256, "characters": 1}  # with the smallest vocabulary, which has no merge in it


class BadSpecialToken(TokenizerError):
    """This word cannot be a special token of the new encoding."""

    def __init__(self, token: str, reason: str):
        self.token, self.reason = token, reason
        super().__init__(f"Cannot use the special token {shown(token)}: {reason}.")


class TooManySpecialTokens(TokenizerError):
    """There is a bound to special tokens."""

    def __init__(self, count: int):
        self.count = count
        super().__init__(f"{count:,} special tokens are too many. Leave at most {MOST_SPECIALS}.")


class BadName(TokenizerError):
    """The new encoding cannot have this name."""

    def __init__(self, name: str, reason: str):
        self.name, self.reason = name, reason
        super().__init__(f"Cannot use the name {shown(name)}: {reason}.")


def beginning(sample: str) -> str:
    """Returns the first 120 characters of a text, or a few less where a grapheme would be cut.

    >>> len(beginning("x" * 118 + "ที่")), len(beginning("ที่"))
    (118, 3)
    """
    sample = well_formed(sample[: SAMPLE + 1])[0]
    return sample if len(sample) <= SAMPLE else "".join(regex.findall(r"\X", sample)[:-1]) or sample[:SAMPLE]


def checked_size(size: int, alphabet: str) -> int:
    """Returns the vocabulary size, if it has room for its base symbols.

    >>> checked_size(256, "bytes")
    256
    >>> checked_size(255, "bytes")
    Traceback (most recent call last):
    tokenizer.errors.BadVocabularySize: Cannot train a vocabulary of 255 tokens. Choose a whole number from 256 \
(the 256 bytes) to 50,000.
    """
    smallest = ALPHABETS[alphabet]
    if not smallest <= size <= MOST_VOCABULARY:
        needed_for = "the 256 bytes" if alphabet == "bytes" else "one character"
        raise BadVocabularySize(size, smallest, MOST_VOCABULARY, needed_for)
    return size


def usable_pattern(pattern: str, sample: str) -> str:
    """Returns a regular expression, if it can be one, and is done with the sample in time.

    >>> usable_pattern("[a-z]+", "some text")
    '[a-z]+'
    >>> usable_pattern("a(b", "")
    Traceback (most recent call last):
    tokenizer.errors.BadPattern: Cannot split with the pattern 'a(b': missing ) (character 4). \
Correct it, or name a known pattern.
    """
    check_repeats(pattern)
    try:
        compiled(pattern)
        pre_tokens(sample, pattern, timeout=SECONDS)
    except BadPattern as error:
        if error.position is None:
            raise
        raise BadPattern(pattern, f"{error.reason} (character {error.position + 1:,})", error.position) from None
    except (RecursionError, MemoryError):
        raise BadPattern(pattern, "it is nested too deeply, or too large") from None
    return pattern


def check_repeats(pattern: str) -> None:
    """Raises an error if the repeats in a pattern may make it grow to more than can be built.

    Counted ones such as {1000} multiply it, and each repeated group around another doubles it.

    >>> check_repeats(r"[a-z]{1,3} (?:a|b){1000}")
    """
    counts = [max(int(n) for n in (a, b, "1") if n) for a, b in re.findall(r"\{\s*(\d*)\s*,?\s*(\d*)\s*\}", pattern)]
    if math.prod(counts) * 2 ** repeated_depth(pattern) * len(pattern) > MOST_BUILT:
        raise BadPattern(pattern, f"with its repeats it grows to more than {MOST_BUILT:,} characters")


def repeated_depth(pattern: str) -> int:
    """Returns how deep repeated groups stand within each other.

    >>> repeated_depth("((a+)+b)* (c)?"), repeated_depth(r"\\((a)[)+]")
    (2, 0)
    """
    depths = [0]  # of the groups that are open, the outermost first
    for sign, repeat in re.findall(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(\(|\))([*+?{]?)", pattern, re.S):
        if sign == "(":
            depths.append(0)
        elif sign == ")" and len(depths) > 1:
            depth = depths.pop() + bool(repeat)
            depths[-1] = max(depths[-1], depth)
    return max(depths)


def special_tokens(typed: str) -> tuple[str, ...]:
    """Returns special tokens that were typed with spaces between them, if an encoding can have them all.

    >>> special_tokens(" <|end|>  <|user|> ")
    ('<|end|>', '<|user|>')
    >>> special_tokens("<|end|> <|end|>")
    Traceback (most recent call last):
    ui.desk.typed.BadSpecialToken: Cannot use the special token '<|end|>': it is there twice.
    """
    tokens = tuple(typed.split())
    if len(tokens) > MOST_SPECIALS:
        raise TooManySpecialTokens(len(tokens))
    for i, token in enumerate(tokens):
        if len(token) > LONGEST_SPECIAL:
            raise BadSpecialToken(token, f"it has {len(token):,} characters; {LONGEST_SPECIAL} are the most")
        if token != well_formed(token)[0]:
            raise BadSpecialToken(token, "it contains surrogates")
        check_apart(token, tokens[:i])
    return tokens


def check_apart(token: str, others: tuple[str, ...]) -> None:
    """Raises an error if a special token is one of the others, or could be taken for one.

    >>> check_apart("<|end|>", ("<|user|>",))
    """
    for other in others:
        if token == other:
            raise BadSpecialToken(token, "it is there twice")
        if token.startswith(other) or other.startswith(token):
            raise BadSpecialToken(token, f"one of it and {shown(other)} begins with the other")


def checked_name(name: str) -> str:
    """Returns a name that is fit for an encoding and for files, and not taken.

    >>> checked_name("thai-512")
    'thai-512'
    >>> checked_name("gpt2")
    Traceback (most recent call last):
    ui.desk.typed.BadName: Cannot use the name 'gpt2': it is taken. Choose another.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", name):
        raise BadName(
            name,
            "write 1 to 40 of the letters A to Z, large or small, digits, and - _ . but begin with a letter or digit",
        )
    try:
        encoding_name(name.lower())
    except UnknownEncoding:
        return name
    raise BadName(name, "it is taken. Choose another")
