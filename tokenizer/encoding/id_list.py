"""Ids as people paste them: a list in any common writing, with whatever else came along."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import regex

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.tokens import NORMAL, SPECIAL, UNKNOWN, Tokens
from tokenizer.i18n import tr
from tokenizer.text.well_formed import as_text

# Commas and quotes of any script, brackets, what stands after a key, and what comes along unseen.
SEPARATORS = regex.compile(r"""[\s,;:=|()\[\]{}<>'"`‘’“”，、；،\u200B\uFEFF]+""")
# before the ids that a tokenizer of transformers prints
INPUT_IDS = re.compile(r"""\binput_ids["']?\s*[:=]\s*(?:[\w.]+\()?(?=\[)""")
MOST_DIGITS = 9  # no id is longer, and Python refuses to read numbers of some thousand digits


class BadId(NamedTuple):
    """Something in a list that is no id of the encoding: where it stands (from 1), what it is, why it was left out."""

    position: int
    item: str
    reason: str

    def __str__(self) -> str:
        return tr(
            "item {position:,}: {item!r} is {reason}", position=self.position, item=self.item[:40], reason=self.reason
        )


def input_ids(source: str) -> str | None:
    """Returns the list after the key `input_ids`, as a tokenizer of transformers prints it; None where there is none.

    >>> input_ids("{'input_ids': [[1, 2], [3]], 'attention_mask': [[1, 1], [1]]}")
    '[[1, 2], [3]]'
    """
    if (key := INPUT_IDS.search(source)) is None:
        return None
    found, depth = source[key.end() :], 0
    for bracket in re.finditer(r"[\[\]]", found):
        depth += 1 if bracket[0] == "[" else -1
        if not depth:
            return found[: bracket.end()]
    return found


def read_ids(source: str, encoding: Encoding) -> tuple[list[int], list[BadId]]:
    """Returns the ids in a pasted list that `encoding` knows, in order, and what else stood there.

    Of the output of a tokenizer of transformers, only the list `input_ids` is read.

    >>> from tokenizer import get_encoding
    >>> read_ids("[9906, x, -1, 1917]", get_encoding("gpt-4"))[0]
    [9906, 1917]
    """
    ids, bad, last = [], [], encoding.id_limit - 1
    for position, item in enumerate(filter(None, SEPARATORS.split(input_ids(source) or source)), start=1):
        if not re.fullmatch(r"[+-]?[0-9]+", item):
            bad.append(BadId(position, item, tr("not a whole number")))
        elif len(item.lstrip("+-0")) > MOST_DIGITS or not 0 <= int(item) <= last:
            reason = tr("not an id of {encoding}: they go from 0 to {last:,}", encoding=encoding.name, last=last)
            bad.append(BadId(position, item, reason))
        elif not encoding.knows(int(item)):
            reason = tr("an unused id of {encoding}: no token has it", encoding=encoding.name)
            bad.append(BadId(position, item, reason))
        else:
            ids.append(int(item))
    return ids, bad


def decoded(ids: Sequence[int], encoding: Encoding) -> Tokens | None:
    """Returns the text of ids with the bytes of it that each stands for; None where it cannot be told, or is no text.

    A model that puts a space in front of a text takes it away again: what is left of the first token is its own.

    >>> from tokenizer import get_encoding
    >>> decoded([64, 275], get_encoding("gpt2")).ends.tolist(), decoded([136], get_encoding("gpt2"))
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
