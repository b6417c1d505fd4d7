"""The tokens of a vocabulary by script, with the longest ones of each script."""

from collections import Counter
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from tokenizer.encoding.interface import Encoding
from tokenizer.text.scripts import PART_OF_CHARACTER, WITH_PART_OF_CHARACTER, script, script_of_letter
from tokenizer.text.well_formed import as_text

SPECIAL_TOKEN = "special token"


class ScriptGroup(NamedTuple):
    """The tokens of one kind: how many there are, their bytes together, and the ids of the longest, longest first.

    `beginnings` are tokens of other groups, of partial characters, that could only be of this script.
    """

    tokens: int
    bytes: int
    longest: list[int]
    beginnings: int = 0


def census(encoding: Encoding, num_longest: int = 50) -> dict[str, ScriptGroup]:
    """Returns the tokens of an encoding by what `scripts.script` calls them, the largest group first.

    Every token is in one group; special tokens, and that of what is unknown, are in a group of their own. Length is
    counted in characters, or in bytes if a token is not text; of equally long tokens the one with the smaller id
    comes first.

    >>> ranks = {bytes([i]): i for i in range(256)} | {b"ab": 256, "ก".encode(): 257}
    >>> from tokenizer.kinds.byte_bpe import byte_bpe
    >>> toy = byte_bpe("toy", None, ranks, {"<|e|>": 258})
    >>> {name: group.tokens for name, group in census(toy).items() if name in ("Latin", "Thai", SPECIAL_TOKEN)}
    {'Latin': 53, 'Thai': 1, 'special token': 1}
    """
    groups: dict[str, list[tuple[int, int, int]]] = {}
    beginnings: Counter[str | None] = Counter()
    special = {id: name for name, id in encoding.special_tokens.items()}
    if encoding.unknown_id is not None:
        special[encoding.unknown_id] = encoding.piece(encoding.unknown_id)
    for id in encoding.ids():
        if id in special:
            continue
        token = encoding.bytes_of(id)
        name = script(token)
        groups.setdefault(name, []).append((-len(as_text(token) or token), id, len(token)))
        if name in (PART_OF_CHARACTER, WITH_PART_OF_CHARACTER):
            beginnings[could_only_be(token)] += 1
    if special:
        groups[SPECIAL_TOKEN] = [(-len(name), id, len(name.encode())) for id, name in special.items()]
    names = [*groups, *(name for name in beginnings if name and name not in groups)]
    found = {}
    for name in names:
        rows = sorted(groups.get(name, []))
        longest = [id for _, id, _ in rows[:num_longest]]
        found[name] = ScriptGroup(len(rows), sum(size for *_, size in rows), longest, beginnings[name])
    return dict(sorted(found.items(), key=lambda item: (-item[1].tokens, item[0])))


def could_only_be(token: bytes) -> str | None:
    r"""Returns the one script that a token with a part of a character must be of, or None where bytes leave it open.

    This is so if the token ends inside a character and has letters of one script at most before, and every letter
    that UTF-8 can spell from the bytes it ends with is of that same script. A token that begins inside one can
    continue any script: None.

    >>> [could_only_be(token) for token in ("ท".encode()[:2], "ทท".encode()[:5], b"\xe0", b"\x97")]
    ['Thai', 'Thai', None, None]
    """
    text = token.decode(errors="ignore")
    if not token.startswith(text.encode()) or not (rest := token[len(text.encode()) :]):
        return None
    found = set(_scripts_after(rest))
    if text:
        found |= {name for name in map(script_of_letter, text) if name}
    return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=1_000)
def _scripts_after(lead: bytes) -> frozenset[str]:
    missing = next((length for first, length in ((0xF0, 4), (0xE0, 3), (0xC2, 2)) if lead[0] >= first), 0) - len(lead)
    if not 0 < missing < 3:  # no beginning of a character, or the first of four bytes, which many scripts have
        return frozenset()
    found = set()
    for tail in product(range(0x80, 0xC0), repeat=missing):
        try:
            found.add(script_of_letter((lead + bytes(tail)).decode()))
        except UnicodeDecodeError:  # too long a spelling, or a surrogate
            continue
    return frozenset(name for name in found if name)
