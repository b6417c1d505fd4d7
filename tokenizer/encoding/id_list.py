"""Parsing of pasted token ids, in any common list notation, and decoding them with spans."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import regex

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.tokens import NORMAL, SPECIAL, UNKNOWN, Tokens
from tokenizer.errors import TokenizerError
from tokenizer.i18n import tr
from tokenizer.text.well_formed import as_text

# Commas and quotes of any script, brackets, signs after a key, and invisible characters.
SEPARATORS = regex.compile(r"""[\s,;:=|()\[\]{}<>'"`‘’“”，、；،\u200B\uFEFF]+""")
# before the array in a printed tensor of TensorFlow
SHAPE = r"(?:<tf\.Tensor: [^\[\]<>]{0,100}=\s*)?"
# precedes the ids in the printed output of a `transformers` tokenizer
INPUT_IDS = re.compile(rf"""\binput_ids["']?\s*[:=]\s*{SHAPE}(?:[\w.]+\()?(?=\[)""")
LIST_KEY = re.compile(rf"""\b(\w+)["']?\s*[:=]\s*{SHAPE}(?:[\w.]+\()?(?=\[)""")
# around the ids in a printed tensor of PyTorch or TensorFlow, or array of NumPy
TENSOR = re.compile(rf"\s*{SHAPE}(?:\w+\.)?(?:[tT]ensor|array)\(\s*(?=\[)")
END_OF_TENSOR = re.compile(r"""\s*(?:,\s*\w+=(?:\([\d, ]*\)|['"]?[\w.:]+['"]?)\s*)*\)\s*(?:>\s*)?""")
# keys of other lists in a tokenizer's output
OTHER_LISTS = {"attention_mask", "token_type_ids", "special_tokens_mask", "offset_mapping"}
BRACKET = re.compile(r"[\[\]]")
INTEGER = re.compile(r"[+-]?\d+")  # in the digits of any script
GROUPED = re.compile(r"(?<![\d.])(?<!\d[,'’])(\d{1,3})[,'’](\d{3})(?!\d|[.,'’]\d)")  # one number, or two ids
MAX_ID_DIGITS = 9  # Python refuses to parse numbers of more than 4,300 digits
LAST_ID = 10**MAX_ID_DIGITS - 1


class NoIds(TokenizerError):
    """The lists of a tokenizer's output are there, but not the one with the ids."""

    def __init__(self, keys: Sequence[str]):
        self.keys = keys
        problem = tr(
            "This text contains no list of ids, only {keys}. Paste the list input_ids too.", keys=", ".join(keys)
        )
        super().__init__(problem)


class BadId(NamedTuple):
    """An item of a list that is not an id of the encoding: its position (from 1), its text, and the reason."""

    position: int
    item: str
    reason: str

    def __str__(self) -> str:
        return tr(
            "item {position:,}: {item!r} is {reason}", position=self.position, item=self.item[:40], reason=self.reason
        )


class BadSequence(TokenizerError):
    """Items of a sequence of ids are no ids. None is left out, since its neighbors would become a pair."""

    def __init__(self, bad: Sequence[BadId]):
        self.bad = bad
        more = f" ({tr('and {n:,} more', n=len(bad) - 1)})" if len(bad) > 1 else ""
        super().__init__(
            tr(
                "Write whole numbers with commas or spaces between them, such as 5, 6, 6, 7, 9, 1. Not an id: {bad}.",
                bad=f"{bad[0]}{more}",
            )
        )


def input_ids(source: str) -> str | None:
    """Returns each list after a key `input_ids` in printed output of `transformers`; None if there is none.

    >>> input_ids("{'input_ids': [[1, 2], [3]], 'attention_mask': [[1, 1], [1]]}")
    '[[1, 2], [3]]'
    >>> input_ids('{"input_ids": [1, 2], "attention_mask": [1, 1]}\\n{"input_ids": [3]}')
    '[1, 2] [3]'
    """
    lists, end = [], 0
    while key := INPUT_IDS.search(source, end):
        end = _end_of_list(source, key.end())
        lists.append(source[key.end() : end])
    return " ".join(lists) if lists else None


def _end_of_list(source: str, start: int) -> int:
    """Returns the end of the list that begins at a position; that of the text for a list that is cut off."""
    depth = 0
    for bracket in BRACKET.finditer(source, start):
        depth += 1 if bracket[0] == "[" else -1
        if not depth:
            return bracket.end()
    return len(source)


def in_tensor(source: str) -> str | None:
    """Returns the list in a printed tensor or array, without its type and device; None if the text is something else.

    >>> in_tensor("tensor([[464, 2068]], device='cuda:0')"), in_tensor("tensor([1]) tensor([2])")
    ('[[464, 2068]]', None)
    """
    if not (begin := TENSOR.match(source)):
        return None
    end = _end_of_list(source, begin.end())
    return source[begin.end() : end] if END_OF_TENSOR.fullmatch(source, end) else None


def notes(source: str, encoding: Encoding) -> list[str]:
    """Returns sentences on how `parse_ids` reads a list: in part, cut off, or with commas that may mean thousands.

    >>> from tokenizer import get_encoding
    >>> notes("24,912 2,375", get_encoding("gpt2"))
    ['24,912 is read as two ids. If it is a single id, write 24912.']
    """
    found = []
    if (listed := input_ids(source)) is not None:
        found.append(tr("Only the list `input_ids` is read."))
        source = listed
    if source.count("[") > source.count("]"):
        found.append(tr("The end of the list is missing, so the last id may be incomplete."))
    numbers = {found[0]: found[1] + found[2] for found in GROUPED.finditer(source)}
    are_ids = all(encoding.has_token(int(joined)) for joined in numbers.values())
    if numbers and are_ids and "[" not in source and not re.search(r"\d[,'’]\d", GROUPED.sub("", source)):
        number, joined = next(iter(numbers.items()))
        found.append(
            tr("{number} is read as two ids. If it is a single id, write {joined}.", number=number, joined=joined)
        )
    return found


def parse_ids(source: str, encoding: Encoding) -> tuple[list[int], list[BadId]]:
    """Returns the ids in a pasted list that `encoding` has, in order, and the other items; raises NoIds.

    Of the printed output of a `transformers` tokenizer, only the list `input_ids` is read.

    >>> from tokenizer import get_encoding
    >>> parse_ids("[9906, x, -1, 1917]", get_encoding("gpt-4"))[0]
    [9906, 1917]
    """
    keys = list(dict.fromkeys(LIST_KEY.findall(source)))
    if keys and OTHER_LISTS.issuperset(keys):
        raise NoIds(keys)
    ids, bad, last = [], [], encoding.id_limit - 1
    for position, item, number in _numbers(input_ids(source) or source):
        if number is None:
            bad.append(BadId(position, item, tr("not a whole number")))
        elif not 0 <= number <= last:
            reason = tr("not an id of {encoding}: ids go from 0 to {last:,}", encoding=encoding.name, last=last)
            bad.append(BadId(position, item, reason))
        elif not encoding.has_token(number):
            reason = tr("an unused id of {encoding}: no token has this id", encoding=encoding.name)
            bad.append(BadId(position, item, reason))
        else:
            ids.append(number)
    return ids, bad


def parse_sequence(source: str) -> list[int]:
    """Returns the ids in a list, which need not be those of an encoding; raises BadSequence.

    >>> parse_sequence("[5, 6, 6, 7]")
    [5, 6, 6, 7]
    """
    found = list(_numbers(source))
    bad = [
        BadId(
            position, item, tr("not a whole number") if number is None else tr("not from 0 to {last:,}", last=LAST_ID)
        )
        for position, item, number in found
        if number is None or number < 0
    ]
    if bad:
        raise BadSequence(bad)
    return [number for _, _, number in found]


def _numbers(source: str) -> Iterator[tuple[int, str, int | None]]:
    """Yields each item of a list with its position and number: None if it is none, -1 if it is not 0 to LAST_ID."""
    for position, item in enumerate(filter(None, SEPARATORS.split(in_tensor(source) or source)), start=1):
        digits = "".join(str(unicodedata.decimal(one, one)) for one in item)
        is_long = len(digits.lstrip("+-0")) > MAX_ID_DIGITS
        yield position, item, None if not INTEGER.fullmatch(item) else -1 if is_long else max(-1, int(digits))


def decode_with_spans(ids: Sequence[int], encoding: Encoding) -> Tokens | None:
    """Returns the text of ids with the span of each id; None if the ids are not UTF-8 text, or spans are unknown.

    A model with a dummy prefix strips the space when decoding, so the first token covers one byte less.

    >>> from tokenizer import get_encoding
    >>> decode_with_spans([64, 275], get_encoding("gpt2")).ends.tolist(), decode_with_spans([136], get_encoding("gpt2"))
    ([1, 3], None)
    """
    data, array = encoding.decode_bytes(ids), np.array(ids, np.uint32)
    if (text := as_text(data)) is None:
        return None
    gone = int((ends := encoding.byte_lengths(array).cumsum()).max(initial=0)) - len(data)
    if gone < 0 or b"".join(map(encoding.token_bytes, ids)) != b" " * gone + data:
        return None
    ends = np.maximum(ends - gone, 0)
    kinds = np.where(np.isin(array, list(encoding.special_tokens.values())), SPECIAL, NORMAL)
    kinds[array == encoding.unknown_id] = UNKNOWN
    starts = np.append(0, ends[:-1])[: len(ends)]
    return Tokens(text, array, ends - starts, starts, kinds)
