"""Tokens of each row of a table: sums, quantiles, a histogram, the longest rows."""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from heapq import heappushpop
from itertools import islice
from typing import NamedTuple

import numpy as np

from tokenizer.chat.messages import BadChat
from tokenizer.chat.reading import Prompt, with_marks
from tokenizer.chat.records import chat_of
from tokenizer.chat.templates import Family, family_of
from tokenizer.encoding.interface import Encoding
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.kinds import counters
from tokenizer.kinds.counters import Counter
from tokenizer.text.rows import Cell, NotText
from tokenizer.text.tables import csv_text
from tokenizer.text.well_formed import well_formed

MAX_EXCERPTS = 1_000  # rows whose beginnings are stored
BEGINNING_CHARACTERS = 200
PERCENTILES = (25, 50, 75, 90, 95, 99)  # percent of the rows
MAX_REASONS = 5  # stored of the rows that are left out
CSV_BATCH_ROWS = 10_000


class OnlyTexts(TokenizerError):
    """Chats cannot be counted by a model whose template is not public."""


class LeftOut(NamedTuple):
    """Rows that could not be counted: their number, and line and reason of the first of them."""

    count: int
    reasons: tuple[tuple[int, str], ...]


class RowCounts(NamedTuple):
    """The tokens of each row, `tokens` of shape (rows, encodings), and the numbers of the rows in `places`, from 1.

    `beginnings` has the first characters of the rows that are longest in the first encoding, by row number. `empty`
    rows have no text. If rows are chats, `chats` has the template that each encoding uses.
    """

    names: tuple[str, ...]
    tokens: np.ndarray
    places: np.ndarray
    beginnings: Mapping[int, str]
    empty: int
    left_out: LeftOut
    chats: Mapping[str, str]


def count_rows(
    cells: Iterable[tuple[int, Cell]], encodings: Mapping[str, Encoding | Counter], special: str = "text"
) -> RowCounts:
    """Returns the tokens of texts or chats in each encoding; only the beginnings of texts are stored.

    A chat is rendered by the template of each encoding's family, with the generation prompt. Left out are rows that are
    neither text nor a chat, chats without a message, and chats that a template cannot render. In chats, names of
    special tokens are always encoded as text. Raises NeedsPackage, and OnlyTexts at a chat, where one only counts.

    >>> from tokenizer import get_encoding
    >>> found = count_rows([(2, "one two"), (3, "")], {"gpt2": get_encoding("gpt2")})
    >>> found.tokens.tolist(), found.places.tolist(), found.empty
    ([[2], [0]], [1, 2], 1)
    """
    ways = [_Reconstructed(one) if isinstance(one, Counter) else _Encoded(one, special) for one in encodings.values()]
    counts, places, longest = array("L"), array("L"), [(-1, 0, "")] * MAX_EXCERPTS
    empty, left, reasons = 0, 0, []
    for place, (line, cell) in enumerate(cells, 1):
        try:
            text, own = _counted(cell, ways)
        except BadChat as error:
            left += 1
            if len(reasons) < MAX_REASONS:
                reasons.append((line, str(error)))
            continue
        counts.extend(own)
        places.append(place)
        empty += not text
        heappushpop(longest, (own[0], -place, text[:BEGINNING_CHARACTERS]))
    tokens = np.array(counts, np.int64).reshape(-1, len(ways))
    beginnings = {-place: text for tokens, place, text in longest if tokens >= 0}
    chats = {name: one.template for name, one in zip(encodings, ways, strict=True) if one.template}
    facts = np.array(places, np.int64), beginnings, empty, LeftOut(left, tuple(reasons)), chats
    return RowCounts(tuple(encodings), tokens, *facts)


def _counted(cell: Cell, ways: list["_Encoded | _Reconstructed"]) -> tuple[str, list[int]]:
    """Returns the text of a row and its tokens in each encoding; raises BadChat."""
    if isinstance(cell, str):
        text = well_formed(cell)[0]
        return text, [one.of_text(text) for one in ways]
    if isinstance(cell, NotText):
        raise BadChat(cell.reason)
    messages = chat_of(cell, cell.system)
    return "\n".join(one.text for one in messages), [one.of_chat(messages) for one in ways]


class _Reconstructed:
    """Counts texts whose tokens are only counted."""

    template = ""

    def __init__(self, counter: Counter):
        self.counter = counter

    def of_text(self, text: str) -> int:
        return counters.count(self.counter.key, text)

    def of_chat(self, messages: list) -> int:
        problem = mark(
            "For {model}, only texts can be counted, because the chat template of the model is not public. Leave out"
            " this model, or choose a column of texts."
        )
        raise OnlyTexts(tr(problem, model=self.counter.display_name))


class _Encoded:
    """Counts texts and chats in one encoding."""

    def __init__(self, encoding: Encoding, special: str):
        self.encoding, self.special, self.template = encoding, special, ""
        self._family: Family | None = None

    def of_text(self, text: str) -> int:
        return len(self.encoding.encode_array(text, self.special))

    def of_chat(self, messages: list) -> int:
        if self._family is None:
            self._family = family_of(self.encoding)
            ids = self._family.ids.get(self.encoding.name)
            self._marked = with_marks(self.encoding, self._family.marks, ids).encoding
            label = self._family.label
            is_known = self._family.is_known_of(self.encoding)
            self.template = label if is_known else tr("{name} · may not match the model", name=label)
        return len(Prompt(self._family.render(messages), self._marked).tokens)


class Summary(NamedTuple):
    """Tokens of the rows in one encoding; `quantiles` by percent."""

    total: int
    mean: float
    least: int
    quantiles: Mapping[int, int]
    largest: int


def summary(tokens: np.ndarray) -> Summary:
    """Returns the summary of the rows of one encoding, at least one; a quantile is the count of a row (nearest rank).

    >>> summary(np.array([5, 1, 3, 100]))
    Summary(total=109, mean=27.25, least=1, quantiles={25: 1, 50: 3, 75: 5, 90: 100, 95: 100, 99: 100}, largest=100)
    """
    found = np.percentile(tokens, PERCENTILES, method="inverted_cdf").tolist()
    quantiles = dict(zip(PERCENTILES, map(int, found), strict=True))
    return Summary(int(tokens.sum()), float(tokens.mean()), int(tokens.min()), quantiles, int(tokens.max()))


def histogram(tokens: np.ndarray) -> list[tuple[int, int, list[int]]]:
    """Returns least and most tokens of each bin (0, 1, 2 to 3, 4 to 7, …), and its rows in each encoding.

    >>> histogram(np.array([[5], [1], [6], [0]]))
    [(0, 0, [1]), (1, 1, [1]), (2, 3, [0]), (4, 7, [2])]
    """
    bins = np.frexp(tokens.astype(float))[1]  # 0 for 0, 1 for 1, 2 for 2 and 3, …
    last = int(bins.max(initial=0))
    counts = [np.bincount(own, minlength=last + 1).tolist() for own in bins.T]
    return [(2**k >> 1, max(0, 2**k - 1), list(own)) for k, own in enumerate(zip(*counts, strict=True))]


def longest_first(found: RowCounts) -> np.ndarray:
    """Returns the indices of the rows, sorted by their tokens in the first encoding, the most first."""
    return np.argsort(-found.tokens[:, 0], kind="stable")


def as_csv(found: RowCounts) -> Iterator[str]:
    r"""Yields the rows as CSV without formulas, the longest first, the first of them with their beginnings.

    >>> "".join(as_csv(RowCounts(("=a",), np.array([[2], [3]]), np.array([1, 2]), {2: "@b"}, 0, LeftOut(0, ()), {})))
    "row,'=a,text\n2,3,'@b\n1,2,\n"
    """
    yield csv_text([["row", *found.names, "text"]])
    order = iter(longest_first(found).tolist())
    while some := list(islice(order, CSV_BATCH_ROWS)):
        rows = ((int(found.places[i]), *found.tokens[i].tolist()) for i in some)
        yield csv_text([*row, found.beginnings.get(row[0])] for row in rows)
