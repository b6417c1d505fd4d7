"""SentencePiece vocabularies of open models, merged by splintr: `▁` is a space, bytes spell other characters."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from tokenizer.encoding.interface import tokens_sentence
from tokenizer.encoding.model import BytewiseModel, Merges, ModelOutput, Stage
from tokenizer.encoding.segments import allow_safe_cuts
from tokenizer.encoding.tokens import BYTE
from tokenizer.encoding.vocabulary import rank_table
from tokenizer.i18n import tr

SPACE = "▁"
EVERY_BYTE = [bytes([byte]) for byte in range(256)]


class Engine(Protocol):
    """The methods of splintr in use."""

    def encode_ordinary(self, text: str) -> list[int]: ...


class PieceModel(BytewiseModel):
    """Pieces merged by their scores over the whole text; spans refer to the original text.

    `table` has the bytes of each id as splintr decodes it, and None for special tokens. With a dummy prefix, the
    model reads a space before the text: the first token covers one byte less than it has.
    """

    kind, split, unknown_id, unknown_name = "sentencepiece-bpe", None, None, ""
    engine, runs_in_library = "splintr", True

    def __init__(self, splintr: Engine, table: Sequence[bytes | None], special_tokens: Mapping[str, int]):
        self.splintr = splintr
        self.tokens = [token and token.replace(SPACE.encode(), b" ") for token in table]  # Gemma 4's contain ▁
        self.first_byte = next(id for id in range(len(table)) if self.tokens[id : id + 256] == EVERY_BYTE)
        self.has_prefix = self.treats_start_specially = self.tokens[splintr.encode_ordinary("a")[0]].startswith(b" ")
        self.safe_cuts = allow_safe_cuts(token.decode(errors="replace") for token in self.tokens if token)
        self.names = {id: name for name, id in special_tokens.items()}

    def encode(self, text: str) -> ModelOutput:
        read, widths = self._as_read(text)
        ids = np.array(self.splintr.encode_ordinary(text), dtype=np.uint32)
        is_byte = (ids >= self.first_byte) & (ids < self.first_byte + 256)
        ends = np.cumsum(self._read_lengths.take(ids))
        # for each byte that the model reads, the end of its character in the text; a ▁ has three bytes
        in_text = np.concatenate([[0], np.cumsum(widths)])
        ends = in_text[ends]
        starts = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
        kinds = is_byte * np.uint8(BYTE)
        return ModelOutput(ids, ends - starts, starts, read.replace(SPACE, " "), kinds)

    def ids_of(self, text: str) -> list[int]:
        return self.splintr.encode_ordinary(text)

    def _as_read(self, text: str) -> tuple[str, np.ndarray]:
        """Returns what the model reads, and for each of its bytes how many bytes of the text it covers: 0 or 1."""
        read = (SPACE if self.has_prefix and text else "") + text.replace(" ", SPACE)
        data = np.frombuffer(text.encode(), np.uint8)
        widths = np.ones(len(data) + 2 * text.count(" "), np.int64)
        spaces = np.flatnonzero(data == ord(" "))
        leads = spaces + 2 * np.arange(len(spaces))
        widths[leads + 1] = widths[leads + 2] = 0
        return read, np.concatenate([np.zeros(len(read.encode()) - len(widths), np.int64), widths])

    @cached_property
    def _read_lengths(self) -> np.ndarray:
        """The bytes of each token in the model's spelling, where a space has three."""
        lengths = [len(token or b"") + 2 * (token or b"").count(b" ") for token in self.tokens]
        lengths[self.first_byte : self.first_byte + 256] = [1] * 256
        return np.array(lengths, dtype=np.int64)

    @cached_property
    def merges(self) -> Merges:
        """The merges in the order of ids, which is that of the scores, except for runs of spaces if they come last."""
        ids = [id for id, token in enumerate(self.tokens) if token and not 0 <= id - self.first_byte < 256]
        if self.piece(self.splintr.encode_ordinary("  t")[-1]) == f"{SPACE}t":
            ids = [id for id in ids if len(self.tokens[id]) == 1 or self.tokens[id].strip(b" ")]
        ranks = {self.tokens[id]: id for id in reversed(ids)}
        base = {token: id for token, id in ranks.items() if len(token.decode(errors="replace")) == 1}
        return Merges("characters", base, ranks, self.tokens)

    def pieces(self, text: str) -> Iterator[tuple[int, str]]:
        if text:
            yield 0, text

    def piece(self, id: int) -> str:
        if 0 <= id - self.first_byte < 256:
            return f"<0x{id - self.first_byte:02X}>"
        return self.tokens[id].decode(errors="backslashreplace").replace(" ", SPACE)

    def text_of(self, ids: Sequence[int]) -> str | None:
        """Returns the text without the dummy prefix; None if the joined bytes are the text."""
        if not self.has_prefix or not ids or max(ids) >= len(self.tokens):  # an added token
            return None
        if not (self.tokens[ids[0]] or b"").startswith(b" "):
            return None
        return b"".join(self.tokens[id] or self.names[id].encode() for id in ids)[1:].decode(errors="replace")

    def stages(self, text: str) -> list[Stage]:
        read = self._as_read(text)[0]
        description = tr("Each space is written as ▁.")
        if self.has_prefix:
            description += " " + tr("One ▁ is added before the text.")
        ids = self.splintr.encode_ordinary(text)
        return [
            Stage("normalizer", [read] if read else [], description if read != text else ""),
            Stage("model", [self.piece(id) for id in ids], tokens_sentence(len(ids))),
        ]

    @cached_property
    def fingerprint(self) -> str:
        known = [token or b"" for token in self.tokens]
        return hashlib.sha256(rank_table(known) + f"{self.kind} {self.has_prefix}".encode()).hexdigest()
