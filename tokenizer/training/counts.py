"""A `.counts` file: the pre-tokens of a corpus with their counts, for a training without the corpus.

It is gzip over lines of JSON in UTF-8. The first line is an object: `form`, the split `pattern`, the `floor`, how many
pre-tokens are `distinct` and how often they occur in `total`, and both for those that the floor left out. Each further
line is a pre-token and its count, `[" the", 53842]`, in the order of first occurrence, which decides ties.
"""

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tokenizer.errors import TokenizerError, shown
from tokenizer.i18n import mark, tr
from tokenizer.split.patterns import compiled
from tokenizer.text.well_formed import well_formed

SUFFIX = ".counts"
FORM = "tokenloupe counts 1"
HEAD = f'{{"form": "{FORM}"'  # the start of the uncompressed text
MAX_TEXT_BYTES = 4_000_000_000  # uncompressed; a reader may set a lower limit
MAX_NUMBER = (1 << 53) - 1  # exact in every JSON parser
FACTS = {"pattern": str | None, "floor": int, "distinct": int, "total": int, "left_out": int, "left_out_total": int}


class BadCountsFile(TokenizerError):
    """Counts cannot be read; `line` is the wrong one, from 1, if there is one."""

    def __init__(self, reason: str, line: int | None = None):
        self.reason, self.line = reason, line
        if line is None:
            problem = tr("Cannot read these counts: {reason}.", reason=reason)
        else:
            problem = tr("Cannot read line {line:,} of these counts: {reason}.", line=line, reason=reason)
        super().__init__(f"{problem} {tr('Open another file, or count the corpus again.')}")


@dataclass(frozen=True)
class Counts:
    """The counts of the pre-tokens of a corpus, in the order of their first occurrence.

    Pre-tokens with fewer than `floor` occurrences are left out: `left_out` distinct ones, `left_out_total` in all.

    >>> Counts({"to": 2, " be": 2}, "gpt2").total
    4
    """

    counts: dict[str, int] = field(repr=False)
    pattern: str | None
    floor: int = 1
    left_out: int = 0
    left_out_total: int = 0

    @property
    def total(self) -> int:
        """The sum of the counts."""
        return sum(self.counts.values())

    @property
    def num_bytes(self) -> int:
        """The UTF-8 bytes of all occurrences."""
        return sum(len(pre_token.encode()) * n for pre_token, n in self.counts.items())

    def to_text(self) -> str:
        """Returns the lines of the file.

        >>> print(Counts({"to": 2, " be": 2}, "gpt2", 2, 2, 3).to_text())
        {"form": "tokenloupe counts 1", "pattern": "gpt2", "floor": 2, "distinct": 2, "total": 4, "left_out": 2, \
"left_out_total": 3}
        ["to", 2]
        [" be", 2]
        <BLANKLINE>
        """
        facts = {"form": FORM, "pattern": self.pattern, "floor": self.floor, "distinct": len(self.counts)}
        facts |= {"total": self.total, "left_out": self.left_out, "left_out_total": self.left_out_total}
        lines = [facts, *([pre_token, n] for pre_token, n in self.counts.items())]
        return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)

    def to_bytes(self) -> bytes:
        """Returns the file, the same for the same counts.

        >>> Counts.from_bytes(Counts({"to": 2}, "gpt2").to_bytes()).counts
        {'to': 2}
        """
        return gzip.compress(self.to_text().encode(), 6, mtime=0)

    @classmethod
    def from_bytes(cls, data: bytes, most_bytes: int = MAX_TEXT_BYTES) -> "Counts":
        """Returns the counts in a file with at most `most_bytes` uncompressed bytes; raises BadCountsFile."""
        return cls.from_text(unpacked(data, most_bytes))

    @classmethod
    def from_text(cls, text: str) -> "Counts":
        """Returns the counts in the lines of an untrusted file, with all checks."""
        first, *lines = text.removesuffix("\n").split("\n")
        facts = _facts(first)
        counts: dict[str, int] = {}
        for number, line in enumerate(lines, 2):
            pre_token, count = _entry(line, number)
            if pre_token in counts:
                raise BadCountsFile(tr("{pre_token} appears twice", pre_token=shown(pre_token)), number)
            if count < facts["floor"]:
                words = mark("the count {count:,} is smaller than {floor:,}, the minimum that the file states")
                raise BadCountsFile(tr(words, count=count, floor=facts["floor"]), number)
            counts[pre_token] = count
        found = cls(counts, *(facts[name] for name in ("pattern", "floor", "left_out", "left_out_total")))
        if (len(counts), found.total) != (facts["distinct"], facts["total"]):
            words = mark(
                "the first line states {distinct:,} pre-tokens with {total:,} occurrences in all, but the other lines "
                "list {n:,} pre-tokens with {found:,} occurrences"
            )
            stated = {"distinct": facts["distinct"], "total": facts["total"]}
            raise BadCountsFile(tr(words, **stated, n=len(counts), found=found.total))
        if (size := found.num_bytes) > MAX_NUMBER:
            words = mark("the counts stand for {size:,} bytes of text, more than a training can count exactly")
            raise BadCountsFile(tr(words, size=size))
        return found


def joined(several: Iterable[Counts], floor: int = 1) -> Counts:
    """Joins the counts of the parts of a corpus, in their order, with a floor on their sums.

    Raises BadCountsFile for a part with another pattern, or with a floor, since its left-out counts are unknown.

    >>> joined([Counts({"to": 2}, "gpt2"), Counts({" be": 1, "to": 1}, "gpt2")])
    Counts(pattern='gpt2', floor=1, left_out=0, left_out_total=0)
    """
    several = list(several)
    if len({one.pattern for one in several}) > 1:
        raise BadCountsFile("they were cut by different split patterns")
    if any(one.left_out for one in several):
        raise BadCountsFile("a floor has left something out of them; the sums would be too low")
    sums: Counter[str] = Counter()
    for one in several:
        sums.update(one.counts)
    rare = [n for n in sums.values() if n < floor]
    return Counts({one: n for one, n in sums.items() if n >= floor}, several[0].pattern, floor, len(rare), sum(rare))


def is_counts(text: str) -> bool:
    """Whether a text is the content of a `.counts` file."""
    return text.startswith(HEAD)


def unpacked(data: bytes, most_bytes: int) -> str:
    """Returns the uncompressed text of a file up to a limit; raises BadCountsFile."""
    unpack = zlib.decompressobj(wbits=31)  # only gzip
    try:
        found = unpack.decompress(data, most_bytes + 1)
    except zlib.error:
        raise BadCountsFile(tr("this is not a .counts file, or it is damaged")) from None
    if len(found) > most_bytes:
        words = mark(
            "the unpacked file is larger than the limit of {most:,} bytes; a higher minimum count makes the file"
            " smaller"
        )
        raise BadCountsFile(tr(words, most=most_bytes))
    if not unpack.eof or unpack.unused_data:
        raise BadCountsFile(tr("the file is incomplete, or has extra data at the end"))
    try:
        return found.decode()
    except UnicodeDecodeError as error:
        raise BadCountsFile(
            tr("the unpacked file is not valid UTF-8 at byte {at:,}", at=error.start + 1),
            found.count(b"\n", 0, error.start) + 1,
        ) from None


def _facts(line: str) -> dict:
    facts = _json(line, 1) if is_counts(line) else None
    if not isinstance(facts, dict) or facts.get("form") != FORM:
        raise BadCountsFile(tr("the file does not begin like a .counts file of this version"), 1)
    for name, kind in FACTS.items():
        value = facts.get(name, b"")
        if not isinstance(value, kind) or isinstance(value, bool) or kind is int and not 0 <= value <= MAX_NUMBER:
            raise BadCountsFile(tr("the first line has no valid value for {name}", name=name), 1)
    if facts["pattern"] is not None:
        compiled(facts["pattern"])
    return facts


def _entry(line: str, number: int) -> tuple[str, int]:
    match _json(line, number):
        case [str(pre_token), int(count)] if pre_token and not isinstance(count, bool) and 1 <= count <= MAX_NUMBER:
            if well_formed(pre_token) == (pre_token, 0):
                return pre_token, count
    raise BadCountsFile(tr("this line should be a pre-token and a count: {line}", line=shown(line)), number)


def _json(line: str, number: int) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):  # also a number with thousands of digits
        raise BadCountsFile(tr("this line is not valid JSON: {line}", line=shown(line)), number) from None
