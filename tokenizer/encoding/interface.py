"""`Encoding`: a model with special tokens. It has what all kinds share: spans, decoding, special tokens, tables.

Test whether `merges` or `split` is None, not the class of the model.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, wraps
from itertools import groupby

import numpy as np

from tokenizer.encoding.model import Merges, Model, ModelOutput, Stage
from tokenizer.encoding.tokens import SPECIAL, UNKNOWN, Tokens
from tokenizer.errors import (
    BadSpecialMode,
    BadSpecialTokens,
    OutOfMemory,
    SpecialTokenInText,
    UnknownTokenIds,
    shown,
)
from tokenizer.i18n import mark, tr, trn
from tokenizer.text.well_formed import code_points, utf8_lengths, well_formed

# The table of tokens has one entry for every id up to the largest; no known vocabulary is near this size.
MAX_ID = 999_999
BYTE_SPELLING = mark("Each byte is written as one character, a space as Ġ.")


def tokens_sentence(count: int) -> str:
    """Returns a sentence on what a model does, with the number of tokens.

    >>> tokens_sentence(2)
    'The text becomes tokens of the vocabulary: 2 tokens.'
    """
    return tr("The text becomes tokens of the vocabulary: {count}.", count=trn("{n:,} token", "{n:,} tokens", count))


def is_id(id: object) -> bool:
    """Whether this can be a token id."""
    return isinstance(id, int) and not isinstance(id, bool) and 0 <= id <= MAX_ID


def report_out_of_memory(method):
    """Turns a MemoryError of a method that reads a text into OutOfMemory."""

    @wraps(method)
    def wrapper(self, text, special="text"):
        try:
            return method(self, text, special)
        except MemoryError:
            raise OutOfMemory(self.name, len(text)) from None

    return wrapper


class Encoding:
    """A named, ready tokenizer.

    The argument `special` of its methods sets how the name of a special token in a text is read: "text" (as ordinary
    text), "special" (as the token) or "error" (raises SpecialTokenInText). `unknown_id` is the id of the token for
    characters that the vocabulary lacks, or None. Spans are in bytes of UTF-8.

    >>> from tokenizer.kinds.byte_bpe import byte_bpe
    >>> toy = byte_bpe("toy", r"\\w+", {bytes([i]): i for i in range(256)} | {b"ab": 256}, {"<|end|>": 257})
    >>> toy.encode("abc"), toy.encode("ab<|end|>", special="special")
    ([256, 99], [256, 257])
    """

    def __init__(self, name: str, model: Model, special_tokens: Mapping[str, int]):
        self.name, self.model, self.special_tokens = name, model, dict(special_tokens)
        self.kind, self.engine, self.unknown_id = model.kind, model.engine, model.unknown_id
        self.split = model.split

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    def with_special_tokens(self, special_tokens: Mapping[str, int]) -> "Encoding":
        """Returns a copy of this encoding with these special tokens added; raises BadSpecialTokens."""
        owners = {id: token for token, id in self.special_tokens.items()}
        for token, id in special_tokens.items():
            self._check_new_special_token(token, id, owners)
        return Encoding(self.name, self.model, self.special_tokens | dict(special_tokens))

    # From text

    def encode(self, text: str, special: str = "text") -> list[int]:
        """Returns the ids of a text; raises SpecialTokenInText, OutOfMemory.

        >>> from tokenizer import get_encoding
        >>> get_encoding("gpt2").encode("hello world")
        [31373, 995]
        """
        return self.encode_array(text, special).tolist()

    @report_out_of_memory
    def encode_array(self, text: str, special: str = "text") -> np.ndarray:
        """Returns the ids of a text as a uint32 array of shape (tokens,), without building a Python list."""
        found = [
            self._read(segment, options).ids if id is None else np.array([id], dtype=np.uint32)
            for segment, id, options in self._parts(well_formed(text)[0], special)
        ]
        return found[0] if len(found) == 1 else np.concatenate(found)

    @report_out_of_memory
    def tokenize(self, text: str, special: str = "text") -> Tokens:
        """Returns the tokens of a text, each with its span in UTF-8 bytes."""
        text, replaced = well_formed(text)
        found = self._joined(self._parts(text, special))
        found.replaced, found.encoding = replaced, self.name
        return found

    def tokenize_segments(self, segments: Iterable[tuple[str, int | None]]) -> Tokens:
        """Returns the tokens of one text from its segments, as `split_special_tokens` returns them.

        A segment with an id is that special token; special names in other segments are read as text.
        """
        parts = []
        for text, id in segments:
            parts.append(
                (well_formed(text)[0], id, {"is_inside": True} if parts and self.model.native_special_tokens else {})
            )
        found = self._joined(parts or [("", None, {})])
        found.encoding = self.name
        return found

    def _joined(self, parts: Iterable[tuple[str, int | None, Mapping[str, bool]]]) -> Tokens:
        found = [self._tokens(*part) for part in parts]
        return found[0] if len(found) == 1 else Tokens.joined(found)

    def _read(self, segment: str, options: Mapping[str, bool]) -> ModelOutput:
        return self.model.encode(segment, **options)

    def _tokens(self, segment: str, special_id: int | None, options: Mapping[str, bool]) -> Tokens:
        if special_id is not None:
            size, kinds = len(segment.encode()), np.full(1, SPECIAL, np.uint8)
            return Tokens(segment, np.array([special_id], np.uint32), np.array([size]), kinds=kinds)
        ids, lengths, starts, changed, kinds = self._read(segment, options)
        if kinds is None and self.unknown_id is not None:
            kinds = (ids == self.unknown_id) * np.uint8(UNKNOWN)
        return Tokens(segment, ids, self.byte_lengths(ids) if lengths is None else lengths, starts, kinds, changed)

    @report_out_of_memory
    def pre_tokens(self, text: str, special: str = "text") -> list[tuple[int, int]]:
        """Returns the spans, in UTF-8 bytes, of the pieces that no merge crosses; there can be gaps between them."""
        spans, start = [], 0
        for segment, id, options in self._parts(well_formed(text)[0], special):
            at = 0
            for position, piece in self.model.pieces(segment, **options) if id is None else [(0, segment)]:
                start += len(segment[at:position].encode())
                spans.append((start, start + len(piece.encode())))
                start, at = spans[-1][1], position + len(piece)
            start += len(segment[at:].encode())
        return spans

    def prefetch(self, texts: Iterable[str]) -> None:
        """Encodes these texts in one request if the model runs in another process; later calls use the results."""
        self.model.prefetch([well_formed(text)[0] for text in texts])

    def stages(self, text: str) -> list[Stage]:
        """Returns each step from a text to its tokens; special names are read as text.

        >>> from tokenizer import get_encoding
        >>> [(stage.name, stage.output) for stage in get_encoding("gpt2").stages("two words")]
        [('split', ['two', ' words']), ('model', ['two', 'Ġwords'])]
        """
        text = well_formed(text)[0]
        if found := self.model.stages(text):
            return found
        pieces, ids = [piece for _, piece in self.model.pieces(text)], self.encode(text)
        cut = trn(
            "{n:,} pre-token. No token crosses the end of a pre-token.",
            "{n:,} pre-tokens. No token crosses the end of a pre-token.",
            len(pieces),
        )
        description = tokens_sentence(len(ids))
        if self.merges_bytes:
            description += " " + tr(BYTE_SPELLING)
        split = [Stage("split", pieces, cut)] if self.split else []
        return [*split, Stage("model", [self.piece(id) for id in ids], description)]

    def contains_special_token(self, text: str) -> bool:
        """Whether the text contains the name of a special token."""
        return self._special_token.search(text) is not None

    def unknown_characters(self, text: str, special: str = "text") -> list[tuple[int, str]]:
        """Returns the texts that became the unknown token, each with its position in characters.

        A character that several unknown tokens share is in one of these texts only.
        """
        tokens = self.tokenize(text, special)
        sizes = utf8_lengths(code_points(tokens.text))
        ends, found, done = sizes.cumsum(), [], 0
        at = np.flatnonzero(tokens.kinds == UNKNOWN)
        firsts = np.searchsorted(ends, tokens.starts[at], side="right")
        lasts = np.where(tokens.starts[at] < tokens.ends[at], np.searchsorted(ends - sizes, tokens.ends[at]), firsts)
        for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
            if (begin := max(first, done)) < last:
                found.append((begin, tokens.text[begin:last]))
                done = last
        return found

    # To text

    def decode(self, ids: Sequence[int]) -> str:
        """Returns the text of the ids; bytes that are not UTF-8 become U+FFFD. Raises UnknownTokenIds.

        The unknown token becomes U+FFFD too, or its name if the tokenizer file has a decoder.
        """
        text = self._text_of(self._known(ids))
        return self.decode_bytes(ids).decode(errors="replace") if text is None else text

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        """Returns the bytes of the ids' text: for most models the tokens' bytes, joined. Raises UnknownTokenIds."""
        text = self._text_of(ids := self._known(ids))
        return b"".join(map(self.table.__getitem__, ids)) if text is None else text.encode()

    def _text_of(self, ids: list[int]) -> str | None:
        """Returns the model's own decoding of the ids, special tokens it lacks by name; None if it has none."""
        if not self._special_ids_unknown_to_model.intersection(ids):
            return self.model.text_of(ids)
        parts = [
            (own, list(part)) for own, part in groupby(ids, lambda id: id not in self._special_ids_unknown_to_model)
        ]
        texts = [self.model.text_of(part) if own else "".join(map(self._names.get, part)) for own, part in parts]
        return None if self.model.text_of([]) is None else "".join(texts)

    @cached_property
    def _special_ids_unknown_to_model(self) -> frozenset[int]:
        """The ids of special tokens that the model has no token for."""
        known = self.model.tokens
        return frozenset(id for id in self._names if id >= len(known) or known[id] is None)

    def _known(self, ids: Sequence[int]) -> list[int]:
        """Returns the ids as a list; raises UnknownTokenIds if any is not a token."""
        ids, table = list(ids), self.table
        try:
            if set(map(type, ids)) <= {int} and min(ids, default=0) >= 0 and None not in map(table.__getitem__, ids):
                return ids
        except IndexError:
            pass  # some are unknown; the next lines find which
        if unknown := {position: id for position, id in enumerate(ids) if not self.has_token(id)}:
            raise UnknownTokenIds(unknown, self.name, self.id_limit)
        return ids

    def token_bytes(self, id: int) -> bytes:
        """Returns the bytes of one token; raises UnknownTokenIds."""
        [id] = self._known([id])
        return self.table[id]

    def bytes_of(self, id: int) -> bytes | None:
        """Returns the bytes of a token; None for the unknown token and for an id without a token."""
        return self.table[id] if self.has_token(id) and id != self.unknown_id else None

    def byte_lengths(self, ids: np.ndarray) -> np.ndarray:
        """Returns the length in bytes of each of these ids, an int32 array; all must be tokens."""
        return self._length_table.take(ids)

    def byte_values(self, ids: np.ndarray) -> np.ndarray:
        """Returns the joined bytes of these ids as a uint8 array; all must be tokens.

        The same as `decode_bytes` for models without a decoder of their own, but several times as fast.

        >>> from tokenizer import get_encoding
        >>> get_encoding("gpt2").byte_values(np.array([5303, 0])).tobytes()
        b'hi!'
        """
        lengths = self.byte_lengths(ids)
        ends = lengths.cumsum()
        shifts = self._begin_table.take(ids) - (ends - lengths)
        return self._byte_table.take(np.arange(lengths.sum()) + shifts.repeat(lengths))

    def piece(self, id: int) -> str:
        """Returns a token as the vocabulary spells it: `Ġhello`, `<unk>`; raises UnknownTokenIds."""
        [id] = self._known([id])
        name = self.model.unknown_name if id == self.unknown_id else self._names.get(id)
        return self.model.piece(id) if name is None else name

    # Facts

    @property
    def merges(self) -> Merges | None:
        """All that a replay of the merges needs; None if there are none, or if they cannot be replayed."""
        return self.model.merges

    @property
    def drops_unmatched(self) -> bool:
        """Whether text that its split pattern does not match has no token."""
        return self.split is not None and self.split.drops_unmatched

    @property
    def merges_bytes(self) -> bool:
        """Whether its merges start from bytes, so that its tokens can be compared with those of others."""
        return self.merges is not None and self.merges.alphabet == "bytes"

    @property
    def runs_in_library(self) -> bool:
        """Whether a library encodes the text, from a tokenizer file that can have any author."""
        return self.model.runs_in_library

    @property
    def ranks(self):
        """The ids of ordinary tokens by their bytes; None if there are no merges."""
        return self.merges and self.merges.ranks

    @property
    def pattern(self) -> str | None:
        """The split pattern, or None."""
        return self.split and self.split.pattern

    @property
    def pattern_name(self) -> str | None:
        """The name of the split pattern, if it is a known one."""
        return self.split and self.split.name

    @cached_property
    def byte_tokens(self) -> Mapping[bytes, int]:
        """The ids of byte-fallback tokens, spelled `<0xE0>` and so on, by their byte."""
        if self.merges is None or self.merges.alphabet != "characters":
            return {}
        spelled = {f"<0x{byte:02X}>": bytes([byte]) for byte in range(256)}
        found = {spelled.get(self.model.piece(id)): id for id, token in enumerate(self.model.tokens) if token}
        return {byte: id for byte, id in found.items() if byte is not None and self.model.tokens[id] == byte}

    @property
    def fingerprint(self) -> str:
        """The sha256 of all ordinary tokens, as a .tiktoken file has them, and of merges if these add information."""
        return self.model.fingerprint

    @property
    def vocab_size(self) -> int:
        """The number of tokens, special tokens included."""
        return len(self.ids())

    @property
    def id_limit(self) -> int:
        """The largest id + 1; some ids below can be unused."""
        return len(self.table)

    @property
    def safe_cuts(self) -> bool:
        """Whether a text can be cut at SAFE_CUT and tokenized in segments, special tokens included."""
        return self.model.safe_cuts and not any(
            re.search(r"[\s。，、！？；：]", token) for token in self.special_tokens
        )

    def ids(self) -> list[int]:
        """Returns the ids that have a token, in order."""
        return [id for id, token in enumerate(self.table) if token is not None]

    def has_token(self, id: object) -> bool:
        """Whether `id` is a token of this encoding; False for anything that is not an id."""
        is_int = isinstance(id, int | np.integer) and not isinstance(id, bool)
        return is_int and 0 <= id < len(self.table) and self.table[id] is not None

    # Private

    @cached_property
    def _names(self) -> dict[int, str]:
        """The names of special tokens by id; of two names of one id the first, to which it decodes."""
        return {id: token for token, id in reversed(self.special_tokens.items())}

    @cached_property
    def table(self) -> Sequence[bytes | None]:
        """The bytes of every token by id, None for an unused id; special tokens have the bytes of their names."""
        table = self.model.tokens
        if self._names:
            table = [*table, *[None] * (max(self._names) + 1 - len(table))]
            for id, name in self._names.items():
                table[id] = table[id] or name.encode()
        return table

    @cached_property
    def _length_table(self) -> np.ndarray:
        return np.fromiter((len(token or b"") for token in self.table), dtype=np.int32, count=len(self.table))

    @cached_property
    def _begin_table(self) -> np.ndarray:
        return self._length_table.cumsum() - self._length_table

    @cached_property
    def _byte_table(self) -> np.ndarray:
        return np.frombuffer(b"".join(token or b"" for token in self.table), np.uint8)

    @cached_property
    def _special_token(self) -> re.Pattern:
        return any_of(self.special_tokens)

    @cached_property
    def _found_by_model(self) -> Mapping[str, int]:
        """The special tokens that the model finds itself; none if it would find some that this encoding lacks."""
        return (
            self.model.native_special_tokens
            if self.model.native_special_tokens.items() <= self.special_tokens.items()
            else {}
        )

    @cached_property
    def _found_here(self) -> re.Pattern:
        return any_of(name for name in self.special_tokens if name not in self._found_by_model)

    def split_special_tokens(self, text: str, special: str) -> list[tuple[str, int | None]]:
        """Returns a text as ordinary segments, with id None, and the special tokens between them, with their ids.

        Of overlapping special tokens the leftmost is found; of several that start there, the longest.
        """
        found: list[tuple[str, int | None]] = []
        for segment, id, options in self._parts(text, special):
            found += self._split_by_model(segment, options) if options.get("special") else [(segment, id)]
        return found

    def _split_by_model(self, text: str, options: Mapping[str, bool]) -> Iterator[tuple[str, int | None]]:
        """Yields the segments of a text in which the model finds the special tokens."""
        data, end, tokens = text.encode(), 0, self._tokens(text, None, options)
        for i in np.flatnonzero(tokens.kinds == SPECIAL).tolist():
            yield data[end : tokens.starts[i]].decode(), None
            end = tokens.ends[i]
            yield data[tokens.starts[i] : end].decode(), int(tokens.id_array[i])
        yield data[end:].decode(), None

    def _parts(self, text: str, special: str) -> list[tuple[str, int | None, Mapping[str, bool]]]:
        """Returns a text cut at the special tokens found here: each part, its id, and options for the model."""
        if special == "text":
            return [(text, None, {})]
        if special not in ("special", "error"):
            raise BadSpecialMode(special)
        if special == "error":
            if match := self._special_token.search(text):
                start = match.start()
                raise SpecialTokenInText(match.group(), start, len(text[:start].encode()))
            return [(text, None, {})]
        options = {"special": True} if self._found_by_model else {}
        found, end = [], 0
        for match in self._found_here.finditer(text):
            found += [
                (text[end : match.start()], None, options),
                (match.group(), self.special_tokens[match.group()], {}),
            ]
            options, end = options and options | {"is_inside": True}, match.end()
        return [*found, (text[end:], None, options)]

    def _check_new_special_token(self, token: str, id: int, owners: dict[int, str]) -> None:
        if not isinstance(token, str) or not token:
            raise BadSpecialTokens(token, id, tr("its name must be a string that is not empty"))
        if token != well_formed(token)[0]:
            reason = mark(
                "its name contains lone surrogates (halves of UTF-16 characters), which cannot be written in UTF-8"
            )
            raise BadSpecialTokens(token, id, tr(reason))
        if not is_id(id):
            raise BadSpecialTokens(token, id, tr("its id must be a whole number from 0 to {largest:,}", largest=MAX_ID))
        if token in self.special_tokens:
            raise BadSpecialTokens(
                token,
                id,
                tr("this encoding already has this special token, with id {id}", id=self.special_tokens[token]),
            )
        if self.has_token(id) and (id, token) != (self.unknown_id, self.model.unknown_name):
            raise BadSpecialTokens(
                token, id, tr("this id belongs to the token {token}", token=shown(self.token_bytes(id)))
            )
        if (other := owners.setdefault(id, token)) != token:
            raise BadSpecialTokens(token, id, tr("the special token {other!r} has the same id", other=other))


def any_of(names: Iterable[str]) -> re.Pattern:
    """Returns a pattern that finds the leftmost of these names, and the longest of those that start there.

    >>> any_of(["<a>", "<a>b", "b"]).findall("b<a>b<a>")
    ['b', '<a>b', '<a>']
    """
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
