"""A corpus for training: distinct pre-tokens with their counts, in the order of their first occurrence."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.errors import TokenizerError, shown
from tokenizer.i18n import mark, tr
from tokenizer.kinds.extending import first_new_id
from tokenizer.split.blocks import blocks_of
from tokenizer.split.dialects import in_ascii
from tokenizer.split.guards import timeout_for
from tokenizer.split.patterns import KNOWN_PATTERNS, compiled, has_safe_cuts, pieces, with_stand_ins
from tokenizer.text.well_formed import code_points, well_formed
from tokenizer.training.counts import Counts, is_counts

MAX_WORD_BYTES = 1_000_000_000  # of typed words, times their counts
ENTRY = re.compile(  # a word and its count: hug 10, "hug": 10, ("hug", 10); a file may begin with a byte order mark
    r"""[\s\ufeff,;(\[{]*+["'“]?([^\s,;:=()\[\]{}"“”]+?)["'”]?[\s,;:=]++(\d{1,9})(?=[\s,;)\]}]|$)[\s,;)\]}]*+"""
)
NO_COUNT = mark("Line {line:,} is not a word followed by a number from 1 to 999,999,999: {text}.")
FORMS: dict[str, Callable[[str], str]] = {  # normal forms for training
    "as-is": str,
    "lower": str.lower,
    "nfc": lambda text: unicodedata.normalize("NFC", text),
}


def count_pre_tokens(
    texts: str | Iterable[str], pattern: str | None = "cl100k_base", drop_unmatched: bool = False
) -> dict[str, int]:
    """Counts pre-tokens in the order of their first occurrence; each text is split separately.

    >>> count_pre_tokens("to be or not to be", "gpt2")
    {'to': 1, ' be': 2, ' or': 1, ' not': 1, ' to': 1}
    >>> count_pre_tokens("to be. Or?", "[a-z]+", drop_unmatched=True)
    {'to': 1, 'be': 1, 'r': 1}
    """
    counts: Counter[str] = Counter()
    for text in [texts] if isinstance(texts, str) else texts:
        text, _ = well_formed(text)
        if has_safe_cuts(pattern):
            for block in blocks_of(text):
                counts.update(all_pieces(block, pattern))
        else:
            counts.update(pieces(text, pattern, timeout_for(text), drop_unmatched))
    return dict(counts)


class BadWordCounts(TokenizerError):
    """Words with counts cannot be read; `line` is the wrong one, from 1."""

    def __init__(self, line: int, reason: str):
        self.line = line
        super().__init__(
            tr(
                "{reason} On each line, write a word and how often it occurs, such as: hug 10",
                reason=reason,
            )
        )


def word_counts(text: str) -> dict[str, int]:
    """Returns words with their counts from lines of a word and its count; duplicates are added up.

    The text of a `.counts` file is read as such.

    >>> word_counts("hug 10\\npug 5"), word_counts('("hug", 10), ("pug", 5)')
    ({'hug': 10, 'pug': 5}, {'hug': 10, 'pug': 5})
    """
    if is_counts(text):
        return Counts.from_text(text).counts
    counts: Counter[str] = Counter()
    text, size = well_formed(text)[0].rstrip(), 0
    position = re.match(r"[\s\ufeff]*", text).end()  # so that an error in the first line with text has its number
    while position < len(text):
        found = ENTRY.match(text, position)
        if not found or not int(found[2]):
            line, excerpt = text.count("\n", 0, position) + 1, shown(text[position : position + 40].lstrip())
            raise BadWordCounts(line, tr(NO_COUNT, line=line, text=excerpt))
        counts[found[1]] += int(found[2])
        size += len(found[1].encode()) * int(found[2])
        if size > MAX_WORD_BYTES:
            line, problem = (
                text.count("\n", 0, position) + 1,
                mark(
                    "Up to line {line:,}, the words times their counts make more than {most:,} bytes of text, the"
                    " limit. Use smaller counts or fewer words."
                ),
            )
            raise BadWordCounts(line, tr(problem, line=line, most=MAX_WORD_BYTES))
        position = found.end()
    return dict(counts)


def hold_out(texts: Sequence[str], percent: int = 20) -> tuple[list[str], list[str]]:
    """Splits `percent` of the characters off the end of the texts, at the start of a line or word.

    >>> hold_out(["one two three four five"])
    (['one two three '], ['four five'])
    """
    left = sum(map(len, texts)) * (100 - percent) // 100
    for i, text in enumerate(texts):
        if left < len(text):
            cuts = [text.rfind(end, 0, left) + 1 for end in "\n "]
            cut = next((cut for cut in cuts if cut and left - cut < max(40, left // 10)), left)
            return [one for one in (*texts[:i], text[:cut]) if one], [text[cut:], *texts[i + 1 :]]
        left -= len(text)
    return list(texts), []


def hold_out_words(text: str, percent: int = 20) -> tuple[list[str], list[str]]:
    """Splits about `percent` of the characters off the end of words with counts, between two of them.

    >>> hold_out_words("hug 10, pug 5, pun 12, bun 4, hugs 5"), hold_out_words("hug 10")
    ((['hug 10, pug 5, pun 12, '], ['bun 4, hugs 5']), ([], ['hug 10']))
    """
    most, cut = len(text) * (100 - percent) // 100, 0
    while (found := ENTRY.match(text, cut)) and found.end() <= most:
        cut = found.end()
    return [text[:cut]] if cut else [], [text[cut:]]


def all_pieces(text: str, pattern: str) -> list[str]:
    """Returns the pre-tokens of a text by a named pattern, whose matches cover the text.

    >>> all_pieces("it's 10", "gpt2"), all_pieces("ที่ʕ", "gpt2")
    (['it', "'s", ' 10'], ['ท', 'ี่', 'ʕ'])
    """
    if text.isascii():
        # twice as fast: the `re` module lacks \\p{L}, but the letters of ASCII can be listed
        return in_ascii(KNOWN_PATTERNS.get(pattern, pattern)).findall(text)
    split = compiled(pattern).findall
    letters = "".join(set(text))
    if with_stand_ins(letters) == letters:
        return split(text)
    ends = [*accumulate(map(len, split(with_stand_ins(text))))]
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def lay_out(counts: Mapping[str, int], alphabet: str | Encoding) -> tuple[np.ndarray, np.ndarray, list[bytes]]:
    """Returns the pre-tokens end to end as numbers of base symbols, a weight for each position, and the base symbols.

    The first base symbol has the number 1; 0 is before, between and after the pre-tokens. The base symbols of an
    encoding are its tokens in the order of their ids, with b"" for the ids that no merge may use.

    >>> row, weights, symbols = lay_out({"to": 1, " be": 2}, "characters")
    >>> row.tolist(), weights.tolist(), symbols
    ([0, 5, 4, 0, 1, 2, 3, 0], [1, 1, 1, 2, 2, 2, 2, 0], [b' ', b'b', b'e', b'o', b't'])
    """
    if isinstance(alphabet, Encoding):
        ids = list(map(alphabet.model.encode_pre_token, counts))
        lengths, numbers = list(map(len, ids)), np.array([id + 1 for found in ids for id in found], dtype=np.int32)
        symbols = [token or b"" for token in alphabet.model.tokens]
        symbols += [b""] * (first_new_id(alphabet) - len(symbols))
    elif alphabet == "bytes":
        units = np.frombuffer("".join(counts).encode(), dtype=np.uint8)
        lengths = [len(pre_token.encode()) for pre_token in counts]
        numbers, symbols = units.astype(np.int32) + 1, [bytes([i]) for i in range(256)]
    else:
        units, lengths = code_points("".join(counts)), [len(pre_token) for pre_token in counts]
        seen = np.unique(units)
        numbers, symbols = np.searchsorted(seen, units) + 1, [chr(unit).encode() for unit in seen]
    ends = np.cumsum([0, *(length + 1 for length in lengths)])
    row = np.zeros(ends[-1] + 1, dtype=np.int32)
    inside = np.ones(len(row), dtype=bool)
    inside[ends] = False
    row[inside] = numbers
    return row, np.append(np.repeat(list(counts.values()), np.diff(ends)), 0), symbols
