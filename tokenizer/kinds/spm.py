"""SentencePiece models, encoded by its own library, with the spans of tokens in the original text."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from tokenizer.encoding.interface import MAX_ID, tokens_sentence
from tokenizer.encoding.model import LocalModel, Merges, ModelOutput, Stage
from tokenizer.encoding.segments import allow_safe_cuts
from tokenizer.encoding.tokens import BYTE, NORMAL, UNKNOWN
from tokenizer.errors import TokenizerError, enumerated
from tokenizer.i18n import mark, tr, trn
from tokenizer.paths import read_toml
from tokenizer.text.well_formed import as_text, code_points, utf8_lengths, well_formed

SPACE = "▁"  # how the vocabulary spells a space
MODEL_TYPES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}  # the model types by their numbers in a file
OF_TEXT, OF_UNKNOWN, OF_CONTROL, OF_USER, UNUSED, OF_BYTE = range(1, 7)  # the types of pieces in a file
IN_TEXT = (OF_TEXT, OF_USER)
MAX_SEGMENTED_CHARACTERS = 300  # the best segmentations of a longer text take long
MAX_LATTICE_CHARACTERS = 32  # a larger lattice is unreadable
MAX_SEGMENTATIONS = 50
SPACES_FIRST = re.compile(f"{SPACE}*[^{SPACE}]*").fullmatch
MAX_LISTED_CHANGES = 6
UNKNOWN_PENALTY = 10  # the library scores an unknown character this far below the least likely piece


class BadSentencePiece(TokenizerError):
    """A file is not a SentencePiece model."""

    def __init__(self, reason: str):
        self.reason = reason
        super().__init__(tr("This SentencePiece model cannot be used: {reason}.", reason=reason))


class TooMuchToSegment(TokenizerError):
    """A text is too long to show all its segmentations."""


class SentencePieceModel(LocalModel):
    """A `.model` file that SentencePiece's library runs.

    Spans refer to the original text: the space that the model adds in front covers nothing, white space that it removes
    is a gap, and of a character in byte tokens each token covers one byte.
    """

    engine, split, runs_in_library = "sentencepiece", None, True

    def __init__(self, data: bytes):
        # imported here, so that the app starts without them
        from google.protobuf.message import DecodeError
        from sentencepiece import SentencePieceProcessor, set_min_log_level, set_random_generator_seed
        from sentencepiece.sentencepiece_model_pb2 import ModelProto

        set_min_log_level(2)
        self._seed, self.fingerprint = set_random_generator_seed, hashlib.sha256(data).hexdigest()
        try:
            self._file = ModelProto.FromString(data)
            self._pieces = [one.piece for one in self._file.pieces]
            if len(self._pieces) > MAX_ID:
                raise BadSentencePiece(
                    tr(
                        "the model has {n:,} tokens, more than the {most:,} that can be read",
                        n=len(self._pieces),
                        most=MAX_ID,
                    )
                )
            if any(isinstance(piece, bytes) or well_formed(piece)[1] for piece in self._pieces):
                raise BadSentencePiece(tr("the text of a token is not valid UTF-8"))
            self._library = SentencePieceProcessor()
            self._library.LoadFromSerializedProto(data)
        except (RuntimeError, ValueError, TypeError, DecodeError) as error:
            raise error if isinstance(error, BadSentencePiece) else BadSentencePiece(_plain(error)) from None
        # the library has checked that there is one unknown piece, a piece for each byte, and that names differ
        self._types = np.fromiter((one.type for one in self._file.pieces), np.uint8, len(self._pieces))
        self.type = MODEL_TYPES[self._file.trainer_spec.model_type]
        self.kind = f"sentencepiece-{self.type}"
        self.unknown_id = next(iter(np.flatnonzero(self._types == OF_UNKNOWN).tolist()), None)
        self.unknown_name = "" if self.unknown_id is None else self._pieces[self.unknown_id]
        self.tokens = [self._bytes(id) for id in range(len(self._pieces))]
        self.capabilities = frozenset(CAPABILITIES.get(self.type, ()))
        self.treats_start_specially = self._file.normalizer_spec.add_dummy_prefix
        self.safe_cuts = self._reads_as_typed() and allow_safe_cuts(
            piece.replace(SPACE, " ") for piece, kind in zip(self._pieces, self._types, strict=True) if kind in IN_TEXT
        )

    def _reads_as_typed(self) -> bool:
        """Whether the tokens of a segment do not depend on the text around it, and no character is unknown.

        Unigram adds up likelihoods as floats from the beginning on; between two equally likely segmentations, earlier
        text decides by the last bit.
        """
        normal, trained = self._file.normalizer_spec, self._file.trainer_spec
        changes = normal.precompiled_charsmap or normal.remove_extra_whitespaces or not normal.escape_whitespaces
        has_bytes = int((self._types == OF_BYTE).sum()) == 256
        return self.type == "bpe" and has_bytes and not (changes or trained.treat_whitespace_as_suffix)

    def _bytes(self, id: int) -> bytes | None:
        kind, spelled = self._types[id], self._pieces[id]
        if kind == OF_CONTROL:
            return None
        if kind == OF_BYTE:
            return bytes([int(spelled[1:-1], 16)])
        return (self._file.trainer_spec.unk_surface if kind == OF_UNKNOWN else spelled.replace(SPACE, " ")).encode()

    @property
    def special_tokens(self) -> dict[str, int]:
        """The control pieces, which no text produces."""
        return {self._pieces[id]: id for id in np.flatnonzero(self._types == OF_CONTROL).tolist()}

    # From text

    def encode(self, text: str) -> ModelOutput:
        pieces = self._library.encode(text, return_type="proto").pieces
        rows = [(one.id, one.begin, one.end) for one in pieces]
        ids, starts, ends = np.array(rows, np.int64).reshape(-1, 3).T
        kinds = KIND_OF_TYPE[self._types[ids]]
        starts, ends = _shared(starts, ends, kinds == BYTE)
        if self.type == "word" and BYTE in kinds:
            self._share_words(text, pieces, starts, ends)
        return ModelOutput(ids.astype(np.uint32), ends - starts, starts, self.normalized(text), kinds)

    def _share_words(self, text: str, pieces: Sequence, starts: np.ndarray, ends: np.ndarray) -> None:
        """Gives each byte token of a word one byte of its character as its span."""
        _, places = self._library.normalize(text, with_offsets=True)
        at_byte = np.concatenate([[0], np.cumsum(utf8_lengths(code_points(text)), dtype=np.int64)])
        at, group = 0, []  # index of a character that the model reads, and the tokens that spell it
        for i, one in enumerate(pieces):
            if self._types[one.id] != OF_BYTE:
                at += len(one.piece)
                continue
            group.append(i)
            if as_text(b"".join(self.tokens[pieces[j].id] for j in group)):
                start, end = at_byte[places[at]], at_byte[places[at + 1]]
                for k, j in enumerate(group):
                    starts[j] = min(start + k, end)
                    ends[j] = end if k == len(group) - 1 else min(start + k + 1, end)
                at, group = at + 1, []

    def normalized(self, text: str) -> str:
        """Returns the text that the model reads, with each `▁` as a space."""
        return self._library.normalize(text).replace(SPACE, " ")

    def pieces(self, text: str) -> Iterator[tuple[int, str]]:
        yield from [(0, text)] if text else []

    def stages(self, text: str) -> list[Stage]:
        ids = self._library.encode(text)
        description = "\n".join(filter(None, [self._changes(text), self._front(text)]))
        read = self._library.normalize(text)
        model = Stage("model", [self._pieces[id] for id in ids], tokens_sentence(len(ids)))
        return [Stage("normalizer", [read] if read else [], description), model]

    def _front(self, text: str) -> str:
        spec = self._file.normalizer_spec
        if not spec.add_dummy_prefix or not self._library.normalize(text):
            return ""
        if self._file.trainer_spec.treat_whitespace_as_suffix:
            return tr("A space is added after the text.")
        return tr("A space is added before the text.")

    def _changes(self, text: str) -> str:
        """Returns a sentence on the characters that normalization changed; "" without any."""
        changed = dict.fromkeys(changes(text, *self._library.normalize(text, with_offsets=True)))
        first = list(changed)[:MAX_LISTED_CHANGES]
        listed = "; ".join(_change(was, now) for was, now in first)
        if len(changed) > len(first):
            sentence = tr("{changes}, and {n} more.", changes=listed, n=len(changed) - len(first))
        else:
            sentence = tr("{changes}.", changes=listed)
        return sentence[0].upper() + sentence[1:] if listed else ""

    @cached_property
    def merges(self) -> Merges | None:
        """The merges of BPE in the order of their scores; None where the file does not determine them."""
        ids = np.flatnonzero(self._types == OF_TEXT).tolist()
        known = {self._pieces[id]: id for id in ids}
        made = [id for id in ids if len(self._pieces[id]) > 1]
        scores = [self._file.pieces[id].score for id in made]
        is_in_order = all(before > after for before, after in pairwise(scores))
        has_characters = set("".join(known)) <= known.keys()
        if self.type != "bpe" or UNUSED in self._types or not is_in_order or not has_characters:
            return None
        if not all(map(SPACES_FIRST, known)):
            return None
        ranks = {self.tokens[id]: id for id in ids}
        base = {token: id for token, id in ranks.items() if len(self._pieces[id]) == 1}
        return Merges("characters", base, ranks, self.tokens)

    # To text

    def piece(self, id: int) -> str:
        return self._pieces[id]

    def text_of(self, ids: Sequence[int]) -> str:
        return self._library.decode([int(id) for id in ids])

    # Only for some kinds

    def segmentations(self, text: str, num: int = 5) -> list[list]:
        """Returns the most likely ways to cut a text, the best first: its score (a log likelihood), ids and pieces."""
        self._bounded(text, MAX_SEGMENTED_CHARACTERS)
        if not self._library.normalize(text):
            return []
        num = max(1, min(num, MAX_SEGMENTATIONS))
        found = self._library.nbest_encode(text, nbest_size=num, return_type="proto").nbests
        return [[one.score, [p.id for p in one.pieces], [p.piece for p in one.pieces]] for one in found]

    def lattice(self, text: str) -> dict:
        """Returns the lattice of a short text: every piece that fits, and the best segmentation.

        `text` is what the model reads. `edges` have piece, id, start and end in characters of `text`, and score; `best`
        has indices of edges.
        """
        self._bounded(text, MAX_LATTICE_CHARACTERS)
        read, edges = self._library.normalize(text), []
        for start in range(len(read)):
            ends = [end for end in range(start + 1, len(read) + 1) if read[start:end] in self._known]
            edges += [self._edge(self._known[read[start:end]], start, end) for end in ends]
            if ends[:1] != [start + 1]:
                edges.append([read[start], self.unknown_id, start, start + 1, self._unknown_score])
        return {"text": read, "edges": edges, "best": self._way(text, edges)}

    def _edge(self, id: int, start: int, end: int) -> list:
        return [self._pieces[id], id, start, end, self._file.pieces[id].score]

    def sample(self, text: str, alpha: float = 0.1, seed: int = 0) -> list[list]:
        """Returns ids and pieces of a random segmentation, the same for the same seed within a process.

        For Unigram, a small `alpha` draws from all segmentations equally, a large one prefers the best; for BPE it is
        the share of skipped merges.
        """
        self._bounded(text, MAX_SEGMENTED_CHARACTERS)
        self._seed(seed)
        drawn = self._library.encode(text, enable_sampling=True, alpha=alpha, nbest_size=-1) if text else []
        return [drawn, [self._pieces[id] for id in drawn]]

    def _bounded(self, text: str, max_characters: int) -> None:
        if (length := len(self._library.normalize(text))) > max_characters:
            raise TooMuchToSegment(
                trn(
                    "The model reads this text as {n:,} character, more than the {most} characters that can be shown."
                    " Try a shorter text.",
                    "The model reads this text as {n:,} characters, more than the {most} characters that can be shown."
                    " Try a shorter text.",
                    length,
                    most=max_characters,
                )
            )

    @cached_property
    def _known(self) -> dict[str, int]:
        """The ids of the pieces in a lattice, by their text."""
        text_pieces = np.flatnonzero((self._types == OF_TEXT) | (self._types == OF_USER)).tolist()
        return {self._pieces[id]: id for id in text_pieces}

    @cached_property
    def _unknown_score(self) -> float:
        scores = [self._file.pieces[id].score for id in np.flatnonzero(self._types == OF_TEXT).tolist()]
        return min(scores, default=0.0) - UNKNOWN_PENALTY

    def _way(self, text: str, edges: Sequence[Sequence]) -> list[int]:
        """Returns the indices of the edges that the library chooses; it joins unknown characters or uses bytes."""
        place = {(start, end): i for i, (_, _, start, end, _) in enumerate(edges)}
        way, at, spelled = [], 0, b""
        for one in self._library.encode(text, return_type="proto").pieces:
            if self._types[one.id] == OF_BYTE:
                spelled += self.tokens[one.id]
                parts = as_text(spelled) or ""
                spelled = b"" if parts else spelled
            else:
                parts = one.piece if one.id == self.unknown_id else [one.piece]
            for part in parts:
                way.append(place[at, at + len(part)])
                at += len(part)
        return way

    # Notes on the file

    @property
    def notes(self) -> list[str]:
        normal, trained = self._file.normalizer_spec, self._file.trainer_spec
        users = [self._pieces[id] for id in np.flatnonzero(self._types == OF_USER).tolist()]
        notes = [tr(TYPE_NOTES[self.type]), *super().notes, self._space_note()]
        if normal.remove_extra_whitespaces:
            notes.append(tr("Several spaces in a row become one space; spaces at both ends of a text are removed."))
        notes.append(_normalization(normal.name, bool(normal.precompiled_charsmap)))
        if (self._types == OF_BYTE).any():
            notes.append(tr("Unknown characters become byte tokens (byte fallback)."))
        else:
            notes.append(tr("Unknown characters become {name}, and are lost.", name=self.unknown_name))
        if trained.split_digits:
            notes.append(tr("No learned token joins a digit from 0 to 9 to another character."))
        if len(users) > 5:
            notes.append(tr("The model never splits {n:,} tokens that the makers of the model chose.", n=len(users)))
        elif users:
            notes.append(tr("The model never splits {pieces}.", pieces=enumerated(users)))
        if names := list(self.special_tokens)[:4]:
            names += [tr("other tokens")] if len(self.special_tokens) > 4 else []
            notes.append(
                tr(
                    "Programs that run the model add the special tokens {names} where the model expects them;"
                    " Tokenloupe adds none.",
                    names=enumerated(names),
                )
            )
        return notes

    def _space_note(self) -> str:
        if not self._file.normalizer_spec.add_dummy_prefix:
            return tr("The model adds no space before a text.")
        if self._file.trainer_spec.treat_whitespace_as_suffix:
            return tr("The model adds a space after every text.")
        return tr("The model adds a space before every text.")


KIND_OF_TYPE = np.full(8, NORMAL, np.uint8)
KIND_OF_TYPE[[OF_UNKNOWN, OF_BYTE]] = UNKNOWN, BYTE
CAPABILITIES = {"unigram": ("segmentations", "lattice", "sample"), "bpe": ("sample",)}
NOTES = read_toml("steps.toml")
TYPE_NOTES, NORMALIZATIONS = NOTES["sentencepiece_types"], NOTES["sentencepiece_normalizations"]

CHARACTER_NAMES = {
    " ": mark("a space"),
    "\n": mark("a line feed"),
    "\t": mark("a tab"),
    "\r\n": mark("a line ending (CR LF)"),
}


def quoted(text: str) -> str:
    r"""Returns characters in quotes, or their code points where they are invisible.

    >>> quoted("ﬁ"), quoted("\n"), quoted(" ")
    ('“ﬁ”', 'a line feed', 'a space')
    """
    if text in CHARACTER_NAMES:
        return tr(CHARACTER_NAMES[text])
    return f"“{text}”" if text.strip() and text.isprintable() else " ".join(f"U+{ord(one):04X}" for one in text)


def _change(was: str, now: str) -> str:
    if now:
        return tr("{before} becomes {after}", before=quoted(was), after=quoted(now))
    return tr("{what} is removed", what=quoted(was))


def _normalization(name: str, has_rules: bool) -> str:
    return tr(NORMALIZATIONS.get(name if has_rules else "identity", NORMALIZATIONS["other"]))


def _plain(error: Exception) -> str:
    """Returns the library's message, without the position in its source."""
    words = str(error).rsplit("] ", 1)[-1].removeprefix("INTERNAL: ").strip(" .")
    is_plain = words and "src/" not in words and "parsing message" not in words and len(words) < 200
    return words if is_plain else tr("the bytes are not a protobuf of a SentencePiece model")


def _shared(starts: np.ndarray, ends: np.ndarray, is_byte: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns spans in which each byte token covers one byte; before, the last one covered the whole character.

    >>> spans = _shared(np.array([0, 1, 1, 1]), np.array([1, 1, 1, 4]), np.array([False, True, True, True]))
    >>> [span.tolist() for span in spans]
    [[0, 1, 2, 3], [1, 2, 3, 4]]
    """
    at = np.flatnonzero(is_byte)
    closes = starts[at] < ends[at]
    begins = np.diff(at, prepend=-2) > 1
    begins[1:] |= closes[:-1]
    lasts = np.flatnonzero(np.append(begins[1:], True)[: len(at)])  # index of the last token of each group
    last = at[lasts[np.cumsum(begins) - 1]]  # the one of each token's group
    within = at - at[np.flatnonzero(begins)][np.cumsum(begins) - 1]
    shared, at_end = starts[last] < ends[last], at == last
    low, high = np.minimum(starts[last] + within, ends[last]), np.minimum(starts[last] + within + 1, ends[last])
    starts, ends = starts.copy(), ends.copy()
    starts[at[shared]], ends[at[shared]] = low[shared], np.where(at_end, ends[last], high)[shared]
    return starts, ends


def changes(text: str, read: str, places: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Yields original texts and what the model reads instead; `places` are offsets of the read characters, and the end.

    The space in front and `▁` for a space are not changes.

    >>> list(changes("① a  b", "▁1▁a▁b", [0, 0, 1, 2, 3, 5, 6]))
    [('①', '1'), ('  ', ' ')]
    """
    read, places = read.replace(SPACE, " "), list(places)
    if read.startswith(" ") and len(places) > 1 and places[0] == places[1]:
        read, places = read[1:], places[1:]
    if places and places[0] > 0:
        yield text[: places[0]], ""
    at = 0
    while at < len(read):
        end = at + 1
        while end < len(read) and places[end] == places[at]:
            end += 1
        stop = places[end] if end < len(places) else len(text)
        if (was := text[places[at] : stop]) != (now := read[at:end]):
            yield was, now
        at = end
    if places and places[-1] < len(text):
        yield text[places[-1] :], ""
