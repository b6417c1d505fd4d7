"""The loupe: the pre-token around one token, its merges, and why it was cut there, as JSON for the browser."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.ladder import replay_to
from tokenizer.encoding.ladder_json import MAX_PARTS_WITH_RIVALS, ladder_json, ladder_to_json
from tokenizer.encoding.segments import dummy_prefix
from tokenizer.encoding.tokens import SPECIAL as SPECIAL_KIND
from tokenizer.encoding.tokens import Token, Tokens
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.split.alternatives import PieceReason, explain, explain_at
from tokenizer.split.guards import SAMPLE_TIMEOUT_SECONDS
from tokenizer.split.patterns import SAFE_CUT
from tokenizer.split.plain import OWN_STEPS, TEXT_ENDS
from tokenizer.text.well_formed import well_formed

TEXT_BEGINS = mark("The text begins here.")
SPECIAL_TOKEN = mark("This is a special token: the encoding looks up its name, without a split pattern or merges.")
DROPPED = mark("The encoding drops this text: no token contains it.")
MAX_SPELLED_TOKENS = 2_000
OTHER_FORM = mark(
    "The encoding changes this pre-token before encoding it, so the merges of the text shown here would give"
    " other tokens. No merges are shown."
)
SPECIAL_NEXT = mark("A special token comes next.")
SPACE_NEXT = mark("A space comes next, and no merge crosses the place before that space.")
SPACE_FIRST = mark("This pre-token begins with a space, and no merge crosses the place before that space.")
NOTHING_OVER = mark("No merge crosses this place, because no token of this vocabulary covers the text on both sides.")
TOO_LONG = mark("This pre-token has {n:,} bytes. Merges are shown only for pre-tokens of up to {most:,} bytes.")


def loupe(text: str, at: int, encoding: Encoding, special: str = "text", is_inside: bool = False) -> dict:
    """Returns the pre-token that contains the byte `at`: its span in bytes, why it starts and ends there, its merges.

    `merges` are those of `ladder_json`, or None; then `problem` says why not. `spelled` has, by id, how the vocabulary
    spells those of its tokens whose text is another. Other pieces of the text are not read. `is_inside` says
    that the text is a segment of a longer one and follows a safe cut there.

    >>> from tokenizer import get_encoding
    >>> found = loupe("the cat sat", 5, get_encoding("gpt2"))
    >>> found["start"], found["end"], found["merges"]["tokens"]
    (3, 7, [[3797, 4]])
    >>> print(*found["walls"], sep="\\n")
    The previous pre-token (a run of letters) ends before a space.
    This pre-token (a space, then a run of letters) ends before a space.
    """
    text, offset, after_special = well_formed(text)[0], 0, None
    if _has_unknown_pieces(encoding):
        lead = dummy_prefix(text, encoding, is_inside)
        size = len(lead.encode())
        found = _library_piece(at + size, encoding.tokenize(lead + text, special), encoding)
        return found | {"start": found["start"] - size, "end": found["end"] - size}
    for segment, id in encoding.split_special_tokens(text, special):
        size = len(segment.encode())
        if offset <= at < offset + size:
            if id is not None:
                return _found(offset, offset + size, ["", ""], None, tr(SPECIAL_TOKEN))
            break
        offset, after_special = offset + size, segment if id is not None else after_special
    *before, piece = explain_at(segment, encoding.pattern, at - offset, SAMPLE_TIMEOUT_SECONDS)
    left = before[0] if before else after_special
    return _piece_details(left, piece, offset, offset + size, encoding.tokenize(text, special), encoding)


def loupes(text: str, encoding: Encoding, special: str = "text") -> Iterator[dict]:
    """Yields what `loupe` returns for each pre-token of a text, in order, tokenizing the text once.

    >>> from tokenizer import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> list(loupes("the cat", gpt2)) == [loupe("the cat", 0, gpt2), loupe("the cat", 3, gpt2)]
    True
    """
    tokens, end, after_special = encoding.tokenize(text, special), 0, None
    if _has_unknown_pieces(encoding):
        cuts, size = _cuts_of(tokens, encoding), len(tokens.text.encode())
        while end < size:
            found = _library_piece(end, tokens, encoding, cuts)
            end = found["end"]
            yield found
        return
    for segment, id in encoding.split_special_tokens(tokens.text, special):
        start, end = end, end + len(segment.encode())
        if id is not None:
            yield _found(start, end, ["", ""], None, tr(SPECIAL_TOKEN))
            after_special = segment
            continue
        left = after_special
        for piece in explain(segment, encoding.pattern, SAMPLE_TIMEOUT_SECONDS):
            yield _piece_details(left, piece, start, end, tokens, encoding)
            left = piece


def _has_unknown_pieces(encoding: Encoding) -> bool:
    """Whether a library splits the text and the split pattern is not known."""
    return bool(encoding.split is None and encoding.merges and encoding.model.runs_in_library)


def _piece_details(
    left: PieceReason | str | None,
    piece: PieceReason,
    offset: int,
    segment_end: int,
    tokens: Tokens,
    encoding: Encoding,
) -> dict:
    """The details of a piece; `left` is the piece or special token before it, `offset` its segment's first byte."""
    if isinstance(left, PieceReason):
        before = left.plain_before
    else:
        before = (
            tr(TEXT_BEGINS)
            if left is None
            else tr("The special token {token} comes before this pre-token.", token=left)
        )
    after = tr(OWN_STEPS) if encoding.split is None and encoding.runs_in_library else piece.plain
    start, end = offset + piece.start, offset + piece.end
    if end == segment_end and end < len(tokens.text.encode()):
        after = tr(SPECIAL_NEXT)
    first, last = np.searchsorted(tokens.starts, (start, end)).tolist()
    own = tokens[first:last]
    merges, problem = _merges(piece.text, own, encoding)
    return _found(start, end, [before, after], merges, problem) | {"spelled": _spelled(own, encoding)}


def _library_piece(at: int, tokens: Tokens, encoding: Encoding, cuts: frozenset[int] | None = None) -> dict:
    """The tokens around a byte between two places that no merge crosses, and the merges of what the library read there.

    `places` has, for each token that covers text, the byte of the piece where it starts, and its span in the bytes that
    the library read. `cuts` are those of `_cuts_of`, if they are known already.
    """
    text = tokens.text
    k = int(np.searchsorted(tokens.ends, at, side="right"))
    if k >= len(tokens) or tokens.starts[k] > at:
        return _found(at, at + 1, ["", ""], None, tr(DROPPED))
    if tokens.kinds[k] == SPECIAL_KIND:
        return _found(int(tokens.starts[k]), int(tokens.ends[k]), ["", ""], None, tr(SPECIAL_TOKEN))
    first, last, cuts = k, k + 1, _cuts_of(tokens, encoding) if cuts is None else cuts
    while first and not _begins(tokens, first, encoding, cuts):
        first -= 1
    while last < len(tokens) and not _begins(tokens, last, encoding, cuts):
        last += 1
    start, end, data = int(tokens.starts[first]), int(tokens.ends[last - 1]), text.encode()
    left = SPACE_FIRST if data[start:].startswith(b" ") else NOTHING_OVER
    right = SPACE_NEXT if data[end:].startswith(b" ") else NOTHING_OVER
    if first and tokens.kinds[first - 1] == SPECIAL_KIND:
        left = mark("A special token comes before.")
    if last < len(tokens) and tokens.kinds[last] == SPECIAL_KIND:
        right = SPECIAL_NEXT
    walls = [tr(left if first else TEXT_BEGINS), tr(right if last < len(tokens) else TEXT_ENDS)]
    try:
        replayed = replay_to(tokens.ids[first:last], encoding)
    except TokenizerError as error:
        return _found(start, end, walls, None, str(error))
    if len(replayed.pre_token) > MAX_PARTS_WITH_RIVALS:
        return _found(start, end, walls, None, tr(TOO_LONG, n=len(replayed.pre_token), most=MAX_PARTS_WITH_RIVALS))
    places = [
        [int(tokens.starts[i]) - start, part.start, part.start + len(part.bytes)]
        for i, part in zip(range(first, last), replayed.tokens, strict=True)
        if tokens.starts[i] < tokens.ends[i]
    ]
    if replayed.pre_token != data[start:end]:
        walls[1] = (
            tr("The encoding reads this pre-token as “{text}”.", text=replayed.pre_token.decode(errors="replace"))
            + " "
            + walls[1]
        )
    found = _found(start, end, walls, ladder_to_json(replayed, encoding), "")
    return found | {"places": places, "spelled": _spelled(tokens[first:last], encoding)}


def _cuts_of(tokens: Tokens, encoding: Encoding) -> frozenset[int]:
    """The byte offsets of safe cuts, if the encoding has any."""
    if not encoding.safe_cuts:
        return frozenset()
    text = tokens.text
    places, found, at = [cut.start() for cut in SAFE_CUT.finditer(text, concurrent=False)], [], 0
    for before, place in pairwise([0, *places]):
        at += len(text[before:place].encode())
        found.append(at)
    return frozenset(found)


def _begins(tokens: Tokens, k: int, encoding: Encoding, cuts: frozenset[int]) -> bool:
    """Whether no merge crosses the start of a token."""
    if int(tokens.starts[k]) in cuts and tokens.starts[k] == tokens.ends[k - 1]:
        return True
    token = encoding.bytes_of(tokens.ids[k]) or b""
    before = encoding.bytes_of(tokens.ids[k - 1]) or b""
    is_new = token.startswith(b" ") and before.strip(b" ") != b""
    return is_new or SPECIAL_KIND in tokens.kinds[k - 1 : k + 1]


def _found(start: int, end: int, walls: list[str], merges: dict | None, problem: str) -> dict:
    return {"start": start, "end": end, "walls": walls, "merges": merges, "problem": problem, "spelled": {}}


def _spelled(own: list[Token], encoding: Encoding) -> dict[str, str]:
    ids = list(dict.fromkeys(token.id for token in own))[:MAX_SPELLED_TOKENS]
    found = {id: (encoding.bytes_of(id), encoding.piece(id)) for id in ids}
    return {str(id): piece for id, (data, piece) in found.items() if data != piece.encode()}


def _merges(piece: str, own: list[Token], encoding: Encoding) -> tuple[dict | None, str]:
    """The merges of a piece, or why they are not shown: they must end in the tokens of the text."""
    data = piece.encode()
    if encoding.merges is not None and len(data) > MAX_PARTS_WITH_RIVALS:
        return None, tr(TOO_LONG, n=len(data), most=MAX_PARTS_WITH_RIVALS)
    try:
        found = ladder_json(data, encoding)
    except TokenizerError as error:
        return None, str(error)
    if not own:
        return None, tr(DROPPED)
    if [[token.id, token.end - token.start] for token in own] != found["tokens"]:
        return None, tr(OTHER_FORM)
    return found, ""
