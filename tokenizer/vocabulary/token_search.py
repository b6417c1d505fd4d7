"""Search in a vocabulary by text, bytes, regular expression and other facts, combined with AND."""

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import regex

from tokenizer.errors import BadPattern, TokenizerError
from tokenizer.i18n import tr
from tokenizer.split.patterns import compile_untrusted
from tokenizer.split.regexes import QUANTIFIER, Item, constructs, quantified
from tokenizer.text.regex_budget import RegexBudget, hold_gil
from tokenizer.text.well_formed import well_formed
from tokenizer.vocabulary.facts import BYTE, CATEGORY_NAMES, ORDINARY, SPECIAL, UNKNOWN, Facts

Range = tuple[int | None, int | None]  # both ends are included; None is an open end
ANY: Range = (None, None)
TOKENS = (ORDINARY, BYTE, SPECIAL, UNKNOWN)
SORTS = ("id", "text", "bytes", "characters", "script", "categories", "space", "wholeness", "role")
SEARCH_SECONDS = 2.0  # CPU time; a sound expression takes a tenth of it for 200,000 tokens
MAX_UNTIMED_CHARACTERS = 32  # of a token that is searched without measuring the time
MAX_UNTIMED_STEPS = 1_000_000  # of such a search, about 0.01 s


class BadHex(TokenizerError):
    """The input is not hexadecimal bytes."""

    def __init__(self, typed: str):
        self.typed = typed
        super().__init__(
            tr(
                "{typed} is not a sequence of bytes. Write each byte as two digits of 0 to 9 and A to F: E0 B8 97.",
                typed=repr(typed[:40]),
            )
        )


class BadExpression(TokenizerError):
    """The regular expression is invalid, or too slow."""

    def __init__(self, expression: str, reason: str, position: int | None = None):
        self.expression, self.reason, self.position = expression, reason, position
        found = {"expression": expression[:40], "reason": reason, "at": (position or 0) + 1}
        if position is None:
            problem = tr("Cannot search with the regular expression {expression!r}: {reason}.", **found)
        else:
            problem = tr(
                "Cannot search with the regular expression {expression!r}: {reason} (character {at:,}).", **found
            )
        super().__init__(problem + " " + tr("Correct the expression, or search for plain text."))


@dataclass(frozen=True)
class Query:
    """The conditions of a search; a token must meet all of them. Empty fields are no conditions.

    `text` and `hex` stand anywhere within the token; `expression` is searched in tokens that are whole characters, of a
    special token in its name. `categories` are general categories, or groups of them such as "L"; a token meets them if
    it has a character of any. `among` are the rows to search. `sort` is one of SORTS; equal rows are
    ordered by id, also when descending.
    """

    text: str = ""
    ignores_case: bool = False
    hex: str = ""
    expression: str = ""
    ids: Range = ANY
    num_bytes: Range = ANY
    num_characters: Range = ANY
    scripts: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()
    leading_space: bool | None = None
    wholeness: frozenset[int] = frozenset()
    roles: frozenset[int] = frozenset(TOKENS)
    among: np.ndarray | None = None
    sort: str = "id"
    descending: bool = False


def find(facts: Facts, query: Query, seconds: float = SEARCH_SECONDS) -> np.ndarray:
    """Returns the rows that meet a query, sorted, an int64 array; raises BadHex, BadExpression.

    `seconds` limits the CPU time of an expression over all tokens.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.vocabulary.facts import facts_of
    >>> facts = facts_of(get_encoding("gpt2"))
    >>> [facts.texts[row] for row in find(facts, Query(text="token"))]
    [' token', ' tokens', 'token']
    >>> [facts.texts[row] for row in find(facts, Query(expression="^ un.*able$", sort="characters"))][:2]
    [' unable', ' unstable']
    """
    matches = np.isin(facts.role, list(query.roles))
    if query.among is not None:
        matches &= np.isin(np.arange(len(facts)), query.among)
    for column, (low, high) in (
        (np.arange(len(facts)), query.ids),
        (facts.num_bytes, query.num_bytes),
        (facts.num_characters, query.num_characters),
    ):
        matches &= (column >= (0 if low is None else low)) & (column <= (np.inf if high is None else high))
    if query.scripts:
        matches &= np.isin(facts.script, [i for i, name in enumerate(facts.scripts) if name in query.scripts])
    if query.categories:
        matches &= facts.categories & bits_of(query.categories) > 0
    if query.leading_space is not None:
        matches &= (facts.leading_space == query.leading_space) & (facts.num_bytes > 0)
    if query.wholeness:
        matches &= np.isin(facts.wholeness, list(query.wholeness)) & (facts.num_bytes > 0)
    rows = np.flatnonzero(matches)
    if query.text:
        text = well_formed(query.text)[0]
        needle = text.casefold() if query.ignores_case else text
        rows = with_bytes(rows, needle.encode(), *(facts.folded if query.ignores_case else (facts.data, facts.starts)))
    if query.hex.strip():
        rows = with_bytes(rows, bytes_of(query.hex), facts.data, facts.starts)
    if query.expression:
        rows = with_match(rows, query.expression, facts, seconds)
    return in_order(rows, facts, query.sort, query.descending)


def bits_of(categories: Iterable[str]) -> int:
    """Returns the bits of general categories, and of groups of them.

    >>> bin(bits_of(["Lu", "N"]))
    '0b11100000001'
    """
    prefixes = tuple(categories)
    return sum(1 << i for i, name in enumerate(CATEGORY_NAMES) if name.startswith(prefixes))


def bytes_of(typed: str) -> bytes:
    r"""Returns hexadecimal input as bytes; spaces, 0x, \x and commas are allowed. Raises BadHex.

    >>> bytes_of("E0 b8"), bytes_of(r"\xe0\xb8"), bytes_of("0xE0, 0xB8")
    (b'\xe0\xb8', b'\xe0\xb8', b'\xe0\xb8')
    """
    try:
        return bytes.fromhex(regex.sub(r"0[xX]|\\x|,", " ", typed))
    except ValueError:
        raise BadHex(typed) from None


def with_bytes(rows: np.ndarray, needle: bytes, data: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Returns the rows that contain these bytes."""
    if not needle or len(needle) > len(data):
        return rows if not needle else rows[:0]
    places = np.flatnonzero(data[: len(data) - len(needle) + 1] == needle[0])
    for i, byte in enumerate(needle[1:], 1):
        places = places[data[places + i] == byte]
    owners = np.searchsorted(starts, places, side="right") - 1
    found = np.zeros(len(starts), bool)
    found[owners[places + len(needle) <= starts[owners + 1]]] = True
    return rows[found[rows]]


def with_match(rows: np.ndarray, expression: str, facts: Facts, seconds: float) -> np.ndarray:
    """Returns the rows whose text an expression matches; raises BadExpression, also if it is too slow."""
    try:
        return np.array(list(_matching(rows, compile_untrusted(expression), facts.texts, seconds)), np.int64)
    except BadPattern as error:
        raise BadExpression(expression, error.reason, error.position) from None
    except TimeoutError:
        problem = tr("it took longer than {seconds:.1f} seconds", seconds=seconds)
        raise BadExpression(expression, problem) from None


def _matching(rows: np.ndarray, pattern: regex.Pattern, texts: Sequence[str | None], seconds: float) -> Iterator[int]:
    at_once, in_time = hold_gil(pattern.search), partial(RegexBudget(seconds).run, pattern.search)
    is_quick, end = work(pattern.pattern, MAX_UNTIMED_CHARACTERS) < MAX_UNTIMED_STEPS, time.thread_time() + seconds
    for row in rows.tolist():
        if (text := texts[row]) is None:
            continue
        # measuring the time of each token would take longer than the searches
        if (at_once if is_quick and len(text) <= MAX_UNTIMED_CHARACTERS else in_time)(text):
            yield row
        if time.thread_time() > end:
            raise TimeoutError


def work(expression: str, length: int) -> float:
    """Returns an upper bound on the steps of a search in a text of `length` characters; infinite for repeated groups.

    Each repeat of one character can end at every position, in combination with those of the other repeats.

    >>> work("ing$", 32), work(".*a.*", 32), work("(a|a)*", 32)
    (128, 174240, inf)
    """
    steps, last = len(expression) * length, ""
    for part in constructs(expression):
        source = expression[part.start : part.end]
        if part.kind == "quantifier":
            if last in ("close", "quantifier") or not QUANTIFIER.fullmatch(source):
                return math.inf
            repeats = quantified(Item("one", "."), source)
            steps *= 1 + (length if repeats.high is None else min(length, repeats.high - repeats.low))
        elif source == "{":  # it may allow for errors
            return math.inf
        last = part.kind
    return steps


def in_order(rows: np.ndarray, facts: Facts, sort: str = "id", descending: bool = False) -> np.ndarray:
    """Returns rows, given by id, sorted by one of SORTS."""
    columns = {
        "id": lambda: rows,
        "bytes": lambda: facts.num_bytes[rows],
        "characters": lambda: facts.num_characters[rows],
        "script": lambda: np.argsort(np.argsort(facts.scripts))[facts.script[rows]],
        "text": lambda: facts.alphabetical[rows],
        "categories": lambda: facts.categories[rows],
        "space": lambda: ~facts.leading_space[rows],
        "wholeness": lambda: facts.wholeness[rows],
        "role": lambda: facts.role[rows],
    }
    column = columns[sort]().astype(np.int64)
    return rows[np.argsort(-column if descending else column, kind="stable")]
