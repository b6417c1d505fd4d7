"""One token under the loupe: the piece of text that it was cut from, its merges, and what ended the piece, as plain
values for a browser."""

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.rungs import MOST_WITH_RIVALS, rungs
from tokenizer.encoding.tokens import Token
from tokenizer.errors import TokenizerError
from tokenizer.split.alternatives import around
from tokenizer.split.guards import SECONDS
from tokenizer.text.well_formed import well_formed

BEGINS = "The text begins here."
SPECIAL = "This is a special token: no pattern cut it, and no merges made it."
DROPPED = "No token holds this: the encoding leaves it out."
MOST_SPELLED = 2_000  # tokens
OTHER_FORM = "The encoding changes this piece before reading it, so its merges are not those of the text shown here."
TOO_LONG = "This piece has {:,} bytes. Merges are shown for pieces of up to {:,}."


def loupe(text: str, at: int, encoding: Encoding, special: str = "text") -> dict:
    """Returns the piece that has the byte `at`: its span in bytes, why it begins and ends there, its merges.

    `merges` are those of `rungs`, or None; then `problem` says why not. `spelled` has, by id, how the vocabulary spells
    those of its tokens whose text is another. Other pieces of the text are not looked into.

    >>> from tokenizer import get_encoding
    >>> found = loupe("the cat sat", 5, get_encoding("gpt2"))
    >>> found["start"], found["end"], found["merges"]["tokens"]
    (3, 7, [[3797, 4]])
    >>> print(*found["walls"], sep="\\n")
    A space ends the piece before, which is a run of letters.
    A space ends this piece, which is a run of letters after a space.
    """
    text, offset, after_special = well_formed(text)[0], 0, None
    for stretch, id in encoding.stretches(text, special):
        size = len(stretch.encode())
        if offset <= at < offset + size:
            if id is not None:
                return _found(offset, offset + size, ["", ""], None, SPECIAL)
            break
        offset, after_special = offset + size, stretch if id is not None else after_special
    *before, piece = around(stretch, encoding.pattern, at - offset, SECONDS)
    left = BEGINS if not offset else f"The special token {after_special} ends here."
    if before:
        left = before[0].plain.replace("his piece", "he piece before").replace("this stretch", "the stretch before")
    right = piece.plain
    if piece.end == size and offset + size < len(text.encode()):
        right = "A special token comes next."
    start, end = offset + piece.start, offset + piece.end
    own = [token for token in encoding.tokenize(text, special) if start <= token.start < end]
    merges, problem = _merges(piece.text, own, encoding)
    return _found(start, end, [left, right], merges, problem) | {"spelled": _spelled(own, encoding)}


def _found(start: int, end: int, walls: list[str], merges: dict | None, problem: str) -> dict:
    return {"start": start, "end": end, "walls": walls, "merges": merges, "problem": problem, "spelled": {}}


def _spelled(own: list[Token], encoding: Encoding) -> dict[str, str]:
    ids = list(dict.fromkeys(token.id for token in own))[:MOST_SPELLED]
    found = {id: (encoding.bytes_of(id), encoding.piece(id)) for id in ids}
    return {str(id): piece for id, (data, piece) in found.items() if data != piece.encode()}


def _merges(piece: str, own: list[Token], encoding: Encoding) -> tuple[dict | None, str]:
    """The merges of a piece, or why they are not shown: they must end in the tokens that the text has there."""
    data = piece.encode()
    if encoding.merges is not None and len(data) > MOST_WITH_RIVALS:
        return None, TOO_LONG.format(len(data), MOST_WITH_RIVALS)
    try:
        found = rungs(data, encoding)
    except TokenizerError as error:
        return None, str(error)
    if not own:
        return None, DROPPED
    if [[token.id, token.end - token.start] for token in own] != found["tokens"]:
        return None, OTHER_FORM
    return found, ""
