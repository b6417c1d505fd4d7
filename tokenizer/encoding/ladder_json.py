"""The merge ladder of one pre-token as plain numbers, from which the browser draws any of its rows."""

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.ladder import Ladder, Part, ladder
from tokenizer.encoding.merging import Joined
from tokenizer.encoding.spelling import PRINTABLE
from tokenizer.i18n import tr

MAX_PARTS_WITH_RIVALS = 12_000  # about 400 kB with the ranks of all neighbors
NO_MERGE = -1


def ladder_json(pre_token: bytes, encoding: Encoding) -> dict:
    """Returns the ladder of a pre-token: `positions` and `ranks` of the merges, and the ranks of all candidates.

    `gaps` are the ranks of neighboring base parts, `lefts` and `rights` those of each step's new part with the part
    before and after it; NO_MERGE (-1) if no merge joins two. A rank is the id of the token that the merge makes.
    Raises what `ladder` raises.

    >>> from tokenizer.kinds.byte_bpe import byte_bpe
    >>> toy = byte_bpe("toy", None, {bytes([i]): i for i in range(256)} | {b"lo": 256, b"ow": 257, b"low": 258})
    >>> found = ladder_json(b"slow", toy)
    >>> {name: found[name] for name in ("positions", "ranks", "gaps", "lefts")}
    {'positions': [1, 1], 'ranks': [256, 258], 'gaps': [-1, 256, 257], 'lefts': [-1, -1]}
    """
    return ladder_to_json(ladder(pre_token, encoding), encoding)


def ladder_to_json(replayed: Ladder, encoding: Encoding) -> dict:
    """Returns the same from a ladder that was made already."""
    lengths = [len(part.bytes) for part in replayed.base]
    rivals = {}
    if len(replayed.base) <= MAX_PARTS_WITH_RIVALS and not replayed.taken_whole:
        rivals = ranks_of_neighbors(replayed, encoding.merges.joined)
    return {
        "hex": replayed.pre_token.hex(),
        "base": [part.id for part in replayed.base],
        "lengths": None if encoding.merges.alphabet == "bytes" else lengths,  # of characters; bytes are 1 long
        "positions": [step.position for step in replayed.steps],
        "ranks": [step.rank for step in replayed.steps],
        **rivals,
        "tokens": [[token.id, len(token.bytes)] for token in replayed.tokens],
        "others": replayed.neighbors_spelling_a_token(),
        "whole": replayed.taken_whole,
    }


def ranks_of_neighbors(replayed: Ladder, rule: Joined) -> dict[str, list[int]]:
    """Returns the ranks of neighboring base parts, and of each step's new part with its two neighbors."""
    parts = list(replayed.base)

    def rank(i: int) -> int:
        """The rank of parts i and i + 1."""
        found = rule(parts[i].id, parts[i + 1].id) if 0 <= i < len(parts) - 1 else None
        return NO_MERGE if found is None else found

    gaps, lefts, rights = [rank(i) for i in range(len(parts) - 1)], [], []
    for step in replayed.steps:
        at = step.position
        parts[at : at + 2] = [Part(step.rank, step.left + step.right, parts[at].start)]
        lefts.append(rank(at - 1))
        rights.append(rank(at))
    return {"gaps": gaps, "lefts": lefts, "rights": rights}


def byte_note(pre_token: bytes, encoding: Encoding) -> str:
    """Returns a note for the reader if the ids of single bytes are not the bytes' values; else nothing.

    >>> from tokenizer import get_encoding
    >>> byte_note(b" a", get_encoding("cl100k_base"))
    'In this encoding the id of a single byte is not the value of the byte. As in GPT-2’s files, the 188 printable \
bytes come first, starting with ! as id 0, and the other 68 bytes follow. So byte 20 (32 in decimal) has id 220.'
    """
    if encoding.merges is None:
        return ""
    ids = {byte: encoding.merges.ranks.get(bytes([byte])) for byte in range(256)}
    moved = next((byte for byte in pre_token if ids[byte] not in (byte, None)), None)
    if moved is None or None in ids.values():
        return ""
    byte = {"byte": f"{moved:02X}", "id": ids[moved], "value": moved}
    order = sorted(ids, key=ids.__getitem__)
    if order[: len(PRINTABLE)] != PRINTABLE or ids[order[0]] != 0:
        return tr(
            "In this encoding the id of a single byte is not the value of the byte: byte {byte}"
            " ({value} in decimal) has id {id:,}.",
            **byte,
        )
    return tr(
        "In this encoding the id of a single byte is not the value of the byte. As in GPT-2’s files, the"
        " {printable} printable bytes come first, starting with ! as id 0, and the other {others}"
        " bytes follow. So byte {byte} ({value} in decimal) has id {id:,}.",
        printable=len(PRINTABLE),
        others=256 - len(PRINTABLE),
        **byte,
    )
