"""minbpe's `.model`, which programs load, and `.vocab`, which people read. https://github.com/karpathy/minbpe"""

import re
import string
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import regex

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.model import Split
from tokenizer.errors import BadTokenizerFile
from tokenizer.formats.merges import DoesNotFit, build, in_file, merges_of
from tokenizer.formats.reading import Source, read_id, read_lines
from tokenizer.i18n import tr
from tokenizer.kinds.from_merges import SINGLE_BYTES
from tokenizer.split.dialects import total, without_total
from tokenizer.split.guards import SAMPLE_TIMEOUT_SECONDS
from tokenizer.split.patterns import PATTERNS, compiled, has_safe_cuts, pattern_errors
from tokenizer.text.regex_budget import RegexBudget

FIRST_LINES = ("minbpe v1", "thai tokenizer v1.0")  # the second is from a Thai notebook with minbpe's code


def files(encoding: Encoding, name: str) -> dict[str, bytes]:
    """Returns the files of an encoding: `name`.model and `name`.vocab."""
    found = merges_of(encoding, "minbpe", ["bytes"])
    merges, ids = found.in_order(), found.ranks
    if found.base != SINGLE_BYTES:
        raise DoesNotFit(tr("this format needs the bytes 0 to 255 to have the ids 0 to 255"))
    if [merge.rank for merge in merges] != list(range(256, 256 + len(merges))):
        raise DoesNotFit(tr("this format needs the merges to have the ids from 256 on, without a gap"))
    if encoding.pattern and re.search(r"[\r\n]", encoding.pattern):
        raise DoesNotFit(tr("the split pattern has more than one line, but this format allows only one"))
    if encoding.split and not _is_kept_by_findall(encoding.split):
        reason = tr(
            "this format needs a split pattern without capturing groups (write (?:…) instead of (…)), without the flag"
            " x and without \\K; the pattern must never match an empty text"
        )
        raise DoesNotFit(reason)
    for token in encoding.special_tokens:
        if len(token.split()) != 1 or token != token.strip():
            raise DoesNotFit(
                tr("the special token {token!r} contains white space, which this format does not allow", token=token)
            )
    lines = [FIRST_LINES[0], written_pattern(encoding.split), str(len(encoding.special_tokens))]
    longest_first = sorted(encoding.special_tokens.items(), key=lambda item: -len(item[0]))  # minbpe takes the first
    lines += [f"{token} {id}" for token, id in longest_first]
    lines += [f"{ids[merge.left]} {ids[merge.right]}" for merge in merges]
    model = "".join(f"{line}\n" for line in lines)
    return {f"{name}.model": model.encode(), f"{name}.vocab": vocabulary(encoding, merges).encode()}


def _is_kept_by_findall(split: Split) -> bool:
    r"""Whether minbpe, which calls `findall` of `regex`, gets our pieces from `written_pattern`.

    With groups, `findall` returns their texts instead of the match. With the flag x, a comment at the end would contain
    the alternative that `total` appends; an empty match would prevent that this alternative is tried. The text
    before \K would be in no match.
    """
    if has_safe_cuts(split.pattern):
        return True
    found = compiled(split.pattern)
    if found.groups or found.flags & regex.VERBOSE:
        return False
    if split.drops_unmatched:
        return True
    clock = RegexBudget(SAMPLE_TIMEOUT_SECONDS)
    with pattern_errors(split.pattern, SAMPLE_TIMEOUT_SECONDS):
        is_empty = any(not one[0] for sample in ("", string.printable) for one in clock.finditer(found, sample))
    return not is_empty and r"\K" not in split.pattern


def written_pattern(split: Split | None) -> str:
    """Returns a pattern with which minbpe splits like us: it drops unmatched text, and strips the line."""
    if split is None or has_safe_cuts(split.pattern):
        return split.pattern if split else ""
    pattern = split.pattern if split.drops_unmatched else total(split.pattern)
    return pattern if pattern == pattern.strip() else f"(?:{pattern})"


def read_pattern(line: str) -> tuple[str | None, bool]:
    """Returns the pattern that `written_pattern` was given, and whether minbpe drops text that it does not match.

    >>> read_pattern(written_pattern(Split(" ?[a-z]+", None))), read_pattern("[a-z]+")
    ((' ?[a-z]+', False), ('[a-z]+', True))
    """
    if not line:
        return None, False
    inner = line[3:-1] if line.startswith("(?:") and line.endswith(")") else ""
    for pattern in (without_total(inner), without_total(line)):
        if pattern and written_pattern(Split(pattern, None)) == line:
            return next((name for name, known in PATTERNS.items() if known == pattern), pattern), False
    drops = bool(inner) and written_pattern(Split(inner, None, drops_unmatched=True)) == line
    return inner if drops else line, True


def vocabulary(encoding: Encoding, merges) -> str:
    """Returns minbpe's `.vocab`: a line for each token with the two tokens of its merge."""
    halves = {merge.rank: (merge.left, merge.right) for merge in merges}
    tokens = dict(enumerate(encoding.merges.tokens)) | {
        id: name.encode() for name, id in encoding.special_tokens.items()
    }
    lines = []
    for id, token in sorted(tokens.items()):
        made_of = "".join(f"[{shown(half)}]" for half in halves.get(id, ()))
        lines.append(f"{made_of} -> [{shown(token)}] {id}\n" if made_of else f"[{shown(token)}] {id}\n")
    return "".join(lines)


def shown(token: bytes) -> str:
    """Returns a token as text on one line.

    >>> shown(b"a\\n"), shown(b"\\xe0")
    ('a\\\\u000a', '�')
    """
    text = token.decode(errors="replace")
    return "".join(c if unicodedata.category(c)[0] != "C" else f"\\u{ord(c):04x}" for c in text)


def recognises(data: bytes) -> bool:
    """Whether a file begins like this form."""
    return data.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].strip().decode(errors="replace") in FIRST_LINES


def read(source: Source) -> Encoding:
    """Returns the encoding in a `.model` file."""
    path, lines = source.path, read_lines(source.path, source.data)
    if len(lines) < 3:
        raise BadTokenizerFile(
            path, tr("the file ends before the line that gives the number of special tokens"), len(lines)
        )
    num_special = read_id(path, lines[2].strip(), 3)
    if len(lines) < 3 + num_special:
        raise BadTokenizerFile(
            path,
            tr("the file ends before all {num_special:,} special tokens are listed", num_special=num_special),
            len(lines),
        )
    found: dict[str, int] = {}
    for number, line in enumerate(lines[3 : 3 + num_special], start=4):
        parts = line.split()
        if len(parts) != 2 or parts[0] in found:
            raise BadTokenizerFile(
                path,
                tr("{line!r} must be a special token and its id, and no token may be listed twice", line=line[:80]),
                number,
            )
        found[parts[0]] = read_id(path, parts[1], number)
    numbers: list[int] = []
    pairs, ids = pairs_of(path, lines, 3 + num_special, numbers), range(256, 253 + len(lines) - num_special)
    with in_file(path, numbers.__getitem__):
        pattern, drops = read_pattern(lines[1].strip())
        return build(source, path.stem, pattern, SINGLE_BYTES, pairs, ids, found, drop_unmatched=drops)


def pairs_of(path: Path, lines: list[str], first: int, numbers: list[int]) -> Iterator[tuple[bytes, bytes]]:
    """Yields the merges from the lines `first` on, and appends their line numbers to `numbers`."""
    tokens = list(SINGLE_BYTES)
    for number, line in enumerate(lines[first:], start=first + 1):
        parts = line.split()
        if len(parts) != 2:
            raise BadTokenizerFile(path, tr("{line!r} should be two ids, separated by a space", line=line[:80]), number)
        ids = [read_id(path, part, number) for part in parts]
        if max(ids) >= len(tokens):
            raise BadTokenizerFile(
                path,
                tr(
                    "the merge uses the id {id}, but only the ids below {made} exist before this line",
                    id=max(ids),
                    made=len(tokens),
                ),
                number,
            )
        left, right = (tokens[id] for id in ids)
        numbers.append(number)
        yield left, right  # the caller stops iterating when a token becomes too long
        tokens.append(left + right)
