"""Pre-tokenization: a split pattern cuts the text into pre-tokens that no merge crosses."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

import regex

from tokenizer.errors import BadPattern, UnknownPattern
from tokenizer.i18n import tr
from tokenizer.i18n.third_party_messages import translated
from tokenizer.split.dialects import is_portable
from tokenizer.split.guards import SAMPLE_TIMEOUT_SECONDS, check_cost
from tokenizer.text.regex_budget import RegexBudget
from tokenizer.text.well_formed import well_formed

# The first three as tiktoken 0.14 writes them (tiktoken_ext/openai_public.py): gpt2 is its r50k_pat_str.
# The last as Meta writes it (meta-llama/llama3, llama/tokenizer.py).
PATTERNS = {
    "gpt2": r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s""",
    "cl100k_base": (
        r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
        r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
    ),
    "o200k_base": "|".join(
        [
            r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
            r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
            r"""\p{N}{1,3}""",
            r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
            r"""\s*[\r\n]+""",
            r"""\s+(?!\S)""",
            r"""\s+""",
        ]
    ),
    "llama3": (
        r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"""
        r"""|\s*[\r\n]+|\s+(?!\S)|\s+"""
    ),
}


def _except(excluded: str, characters: str) -> str:
    """Returns a pattern for one of these characters except those, in portable syntax."""
    return rf"(?:(?!{excluded})[{characters}])"


_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_ENDING = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER_BUT_HAN, _LOWER_BUT_HAN = _except(r"\p{Han}", _UPPER), _except(r"\p{Han}", _LOWER)
_CJK = "一-龥぀-ゟ゠-ヿ"
_OTHER_LETTER = _except(f"[{_CJK}]", r"\p{L}\p{M}")

# Those of open models, as splintr-rs 0.22 cuts; tests compare the ids. Kimi's own has set operations where this one
# looks ahead. DeepSeek's tokenizer.json splits three times, at numbers, at CJK, then the rest: here in one pattern.
OPEN_PATTERNS = {
    "qwen2": (
        r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"""
        r"""|\s*[\r\n]+|\s+(?!\S)|\s+"""
    ),
    "qwen35": (
        r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"""
        r"""|\s*[\r\n]+|\s+(?!\S)|\s+"""
    ),
    "kimi": "|".join(
        [
            r"\p{Han}+",
            rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER_BUT_HAN}*{_LOWER_BUT_HAN}+{_ENDING}",
            rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER_BUT_HAN}+{_LOWER_BUT_HAN}*{_ENDING}",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ]
    ),
    "mistral_v3": "|".join(
        [
            rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+",
            rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*",
            r"\p{N}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ]
    ),
    "deepseek_v3": "|".join(
        [
            r"\p{N}{1,3}",
            rf"[{_CJK}]+",
            r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+""",
            _except(f"[{_CJK}]", r"^\r\n\p{L}\p{P}\p{S}\p{N}") + f"?{_OTHER_LETTER}+",
            " ?" + _except(f"[{_CJK}]", r"\p{P}\p{S}") + r"+[\r\n]*",
            r"\s*[\r\n]+",
            rf"\s+(?![^\s\p{{N}}{_CJK}])",
            r"\s+",
            rf"(?:[^\s\p{{L}}\p{{M}}\p{{N}}\p{{P}}\p{{S}}](?!{_OTHER_LETTER}))+",  # characters that theirs leaves out
        ]
    ),
}
KNOWN_PATTERNS = PATTERNS | OPEN_PATTERNS

# tiktoken's regex engine knows Unicode 16; the `regex` module knows a later one. These letters, numbers and
# marks are newer than 16, so tiktoken takes them for unassigned; tests/tokenizer/split/test_split.py checks each code
# point.
NEWER_THAN_TIKTOKEN = regex.compile(
    "["
    r"\u0558\u058B\u058C\u05C8\u05C9\u088F\u0B53\u0B54\u0C5C\u0CDC\u1ACF-\u1AF0\u208F\u209D-\u209F"
    r"\uA7CE\uA7CF\uA7D2\uA7D4\uA7DD\uA7E2\uA7F1\uAB6C\uAB6D"
    r"\U00010940-\U00010959\U000107BB-\U000107BF\U00010EC5-\U00010EC7\U00010ECB-\U00010ECF"
    r"\U00010ED9-\U00010EEE\U00010EF0-\U00010EFB\U00011B0A\U00011B60-\U00011B67\U00011DB0-\U00011DDB"
    r"\U00011DE0-\U00011DE9\U00011DF0-\U00011DF1\U0001246F\U00012475-\U0001247F\U00012550-\U00012686"
    r"\U00016EA0-\U00016EB8\U00016EBB-\U00016ED3\U00016FF2-\U00016FF6\U000187F8-\U000187FF"
    r"\U00018CD6-\U00018CDA\U00018D09-\U00018D20\U00018D80-\U00018DF2\U00018E00-\U00019191"
    r"\U000191A0-\U000191D2\U0001B123-\U0001B128\U0001B168\U0001D127-\U0001D128\U0001D250-\U0001D252"
    r"\U0001D25B-\U0001D25C\U0001D25F\U0001D280-\U0001D281\U0001D6A6\U0001DF1F-\U0001DF24"
    r"\U0001DF2B-\U0001DF81\U0001DF90-\U0001DF96\U0001DFCD-\U0001DFFF\U0001E6C0-\U0001E6DE"
    r"\U0001E6E0-\U0001E6F5\U0001E6FE-\U0001E6FF\U0002B73A-\U0002B73F\U0002B81E\U0002CEA2-\U0002CEAD"
    r"\U000323B0-\U00033479\U0003D000-\U0003FC3F"
    "]"
)

# Where a text may be cut so that its pieces, tokenized one by one, give the same ids as the whole.
# It holds for all patterns above, and for the pieces of Gemma, which has "> </" and reads "▁" as a space; tests compare
# it with tiktoken, and with splintr.
SAFE_CUT = regex.compile(
    r"""
      (?<=[^\s▁])(?<!>(?=[ ]<))(?=[ ]\S)                         # before one space between two words
    | (?<=\S\n)(?=[^\s/])                                       # after a line; o200k_base keeps "!\n/" together
    | (?<=[\p{L}&&[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7A3]])(?=[。，、！？；：])  # before CJK punctuation
    """,
    regex.VERBOSE | regex.V1,
)


class PreToken(NamedTuple):
    """A part of a text that no merge crosses, with its span in UTF-8 bytes."""

    text: str
    start: int
    end: int


def pre_tokens(text: str, pattern: str | None, timeout: float | None = None) -> list[PreToken]:
    """Splits a text by a pattern: a known name, a regular expression, or None for a single pre-token.

    >>> [p.text for p in pre_tokens("Hello world, it's 2026", "cl100k_base")]
    ['Hello', ' world', ',', ' it', "'s", ' ', '202', '6']
    >>> pre_tokens("cafés", "[s]")
    [PreToken(text='café', start=0, end=5), PreToken(text='s', start=5, end=6)]
    """
    found, end = [], 0
    for piece in pieces(well_formed(text)[0], pattern, timeout):
        start, end = end, end + len(piece.encode())
        found.append(PreToken(piece, start, end))
    return found


def pieces(text: str, pattern: str | None, timeout: float | None = None, drop_unmatched: bool = False) -> Iterator[str]:
    """Yields the matches of a pattern and, unless it is dropped, the text between them.

    >>> list(pieces("one, two", "[a-z]+")), list(pieces("one, two", "[a-z]+", drop_unmatched=True))
    (['one', ', ', 'two'], ['one', 'two'])
    """
    end, drop_unmatched = 0, drop_unmatched and pattern is not None
    for match in matches(text, pattern, timeout):
        between = "" if drop_unmatched else text[end : match.start()]
        yield from filter(None, (between, text[match.start() : match.end()]))
        end = match.end()
    if end < len(text) and not drop_unmatched:
        yield text[end:]


def matches(text: str, pattern: str | None, timeout: float | None) -> Iterator[regex.Match]:
    """Yields the pattern's matches; `timeout` limits the seconds of an untrusted pattern."""
    if pattern is None:
        return
    with pattern_errors(pattern, timeout):
        yield from RegexBudget(timeout).finditer(compiled(pattern), as_seen(text, pattern))


@contextmanager
def pattern_errors(pattern: str, timeout: float | None) -> Iterator[None]:
    """Raises BadPattern if a pattern exceeds these seconds or the memory."""
    try:
        yield
    except TimeoutError:
        raise BadPattern(
            pattern, tr("the pattern took longer than {timeout:.1f} seconds on this text", timeout=timeout)
        ) from None
    except MemoryError:
        raise BadPattern(pattern, tr("the pattern needs more memory for this text than is available")) from None


def with_stand_ins(text: str) -> str:
    r"""Returns the text with a stand-in for each character that `regex` and tiktoken classify differently.

    >>> with_stand_ins("aʕ\u088f") == "aə\uffff"
    True
    """
    if text.isascii():
        return text
    return NEWER_THAN_TIKTOKEN.sub("\uffff", text).replace("ʕ", "ə")  # ʕ was a lower-case letter until Unicode 17


def as_seen(text: str, pattern: str | None) -> str:
    """Returns the text for matching a pattern, with stand-ins for patterns that other engines use, too."""
    pattern = KNOWN_PATTERNS.get(pattern, pattern)
    return with_stand_ins(text) if pattern in KNOWN_PATTERNS.values() or is_portable(pattern) else text


def compiled(pattern: str) -> regex.Pattern:
    """Returns the compiled pattern of a name or a regular expression.

    >>> compiled("llama3").pattern == PATTERNS["llama3"]
    True
    """
    if pattern in KNOWN_PATTERNS:
        return regex.compile(KNOWN_PATTERNS[pattern])
    if re.fullmatch(r"[\w-]+", pattern):  # without regex syntax it is a misspelt name
        raise UnknownPattern(pattern, KNOWN_PATTERNS)
    if not pattern:
        raise BadPattern(pattern, tr("it is empty"))
    return compile_untrusted(pattern)


@lru_cache(maxsize=16)  # fewer than the 500 of `regex`, since a hostile pattern takes 16 MB
def compile_untrusted(pattern: str) -> regex.Pattern:
    """Returns a compiled untrusted pattern after a check of its cost; raises BadPattern."""
    check_cost(pattern)
    try:
        found = regex.compile(pattern, cache_pattern=False)
    except regex.error as error:
        raise BadPattern(pattern, translated(error.msg), error.pos) from None
    except (RecursionError, MemoryError, OverflowError):
        raise BadPattern(pattern, tr("the pattern is nested too deeply, or is too large")) from None
    except ValueError as error:  # conflicting version flags
        raise BadPattern(pattern, tr("the pattern cannot be used ({error})", error=translated(str(error)))) from None
    if found.flags & regex.REVERSE:
        reason = tr("the pattern searches backward, which would reverse the order of the pre-tokens; remove (?r)")
        raise BadPattern(pattern, reason)
    return found


def usable_pattern(pattern: str, sample: str) -> str:
    """Returns a pattern if it is valid and fast enough on the sample; raises BadPattern.

    >>> usable_pattern("[a-z]+", "some text")
    '[a-z]+'
    """
    pre_tokens(sample, pattern, timeout=SAMPLE_TIMEOUT_SECONDS)
    return pattern


def has_safe_cuts(pattern: str | None) -> bool:
    """Whether SAFE_CUT is valid for this pattern, given by its name or in full.

    >>> has_safe_cuts("gpt2"), has_safe_cuts(r"\\S+")
    (True, False)
    """
    return pattern in KNOWN_PATTERNS or pattern in KNOWN_PATTERNS.values()
