"""An encoding: the whole way from text to tokens with spans and back, exactly as tiktoken goes it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, wraps

import numpy as np
import tiktoken

from tokenizer.encoding.bpe import Ranks
from tokenizer.encoding.tokens import Tokens
from tokenizer.errors import BadSpecialMode, BadSpecialTokens, OutOfMemory, SpecialTokenInText, UnknownTokenIds
from tokenizer.split.guards import timeout_for
from tokenizer.split.patterns import PATTERNS, compiled, has_safe_cuts, pieces
from tokenizer.text.well_formed import well_formed

# No vocabulary is near this size; the table of byte lengths has one entry for every id up to the largest.
LARGEST_ID = 999_999
WHOLE = r"[\s\S]+"  # a split pattern for tiktoken that leaves everything in one pre-token
# Characters of a pre-token, of a text: from here on others get turns during one call, which is slower for short ones.
LONG = 1_000, 200_000


def in_words(method):
    """Says in words that a text takes more memory than there is."""

    @wraps(method)
    def said(self, text, special="text"):
        try:
            return method(self, text, special)
        except MemoryError:
            raise OutOfMemory(self.name, len(text)) from None

    return said


class Encoding:
    """A named, ready tokenizer: a thin class over a `tiktoken.Encoding`.

    `pattern` is a known name, a regular expression, or None: then the whole text is one pre-token. Text that the
    pattern does not match is a pre-token of its own (tiktoken drops it).

    >>> toy = Encoding("toy", r"\\w+", {bytes([i]): i for i in range(256)} | {b"ab": 256}, {"<|end|>": 257})
    >>> toy.encode("abc"), toy.encode("ab<|end|>", special="special")
    ([256, 99], [256, 257])
    """

    def __init__(
        self,
        name: str,
        pattern: str | None,
        ranks: Ranks,
        special_tokens: Mapping[str, int],
        rank_table_sha256: str | None = None,
    ):
        if pattern is not None:
            compiled(pattern)  # a bad one is an error now, not on the first text
        self.name = name
        self.pattern = PATTERNS.get(pattern, pattern)
        self.pattern_name = next((name for name, known in PATTERNS.items() if known == self.pattern), None)
        self.ranks = ranks
        self.special_tokens = dict(special_tokens)
        self.rank_table_sha256 = rank_table_sha256
        # in there nothing can end a pattern that takes hours, so only those that are known to take no time go there
        self._splits_in_tiktoken = has_safe_cuts(self.pattern)
        self._tiktoken = self._make_engine()
        self.vocab_size = self._tiktoken.n_vocab  # the largest id + 1; a few ids below may be unused

    def _make_engine(self) -> tiktoken.Encoding:
        pattern = self.pattern if self._splits_in_tiktoken else WHOLE
        return tiktoken.Encoding(
            self.name, pat_str=pattern, mergeable_ranks=self.ranks, special_tokens=self.special_tokens
        )

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    def with_special_tokens(self, special_tokens: Mapping[str, int]) -> "Encoding":
        """Returns an encoding of the same name and ranks that knows these special tokens too."""
        for token, id in special_tokens.items():
            self._check_new_special_token(token, id, special_tokens)
        return Encoding(
            self.name,
            self.pattern_name or self.pattern,
            self.ranks,
            self.special_tokens | dict(special_tokens),
            self.rank_table_sha256,
        )

    # Encoding: `special` says what the name of a special token is when the text contains it:
    # "text" (ordinary text), "special" (the token itself) or "error" (SpecialTokenInText is raised).

    def encode(self, text: str, special: str = "text") -> list[int]:
        """Returns the ids of a text."""
        return self.encode_array(text, special).tolist()

    @in_words
    def encode_array(self, text: str, special: str = "text") -> np.ndarray:
        """Returns the ids of a text as a uint32 array, made without a Python list."""
        text = well_formed(text)[0]
        self._check_special_mode(text, special)
        allowed = "all" if special == "special" else set()
        if self._splits_in_tiktoken:
            try:
                return self._tiktoken.encode_to_numpy(text, allowed_special=allowed, disallowed_special=())
            except ValueError:
                # tiktoken's regex engine runs out of stack on some texts, such as a million spaces and a letter.
                # Here it says so; in tiktoken's own encode_ordinary it panics, so that one is never used.
                pass
        return np.array(self.encode_in_pieces(text, special), dtype=np.uint32)

    def encode_in_pieces(self, text: str, special: str = "text") -> list[int]:
        """Returns the same ids as `encode` in a slower way that no text is too much for.

        The `regex` module does the splitting, and tiktoken only the merging.
        """
        text = well_formed(text)[0]
        self._check_special_mode(text, special)
        ids: list[int] = []
        for piece, is_special in self._stretches(text, special):
            if is_special:
                ids.append(self.special_tokens[piece])
            else:
                for pre_token in pieces(piece, self.pattern, self._timeout(piece)):
                    ids += self._encode_piece(pre_token)
        return ids

    def tokenize(self, text: str, special: str = "text") -> Tokens:
        """Returns the tokens of a text with the UTF-8 bytes that each covers."""
        text, replaced = well_formed(text)
        ids = self.encode_array(text, special)
        lengths = self.byte_lengths(ids)
        if special == "special" and len(self._special_ids) < len(self.special_tokens):
            # o200k_harmony has an id with two names, 200018: only the text tells which one it was
            names = [match.group() for match in self._special_token.finditer(text)]
            lengths[np.isin(ids, list(self._special_ids))] = [len(name.encode()) for name in names]
        return Tokens(text, ids, lengths, self._special_ids, replaced)

    @in_words
    def pre_tokens(self, text: str, special: str = "text") -> list[tuple[int, int]]:
        """Returns the spans, in UTF-8 bytes, of the stretches that no merge may cross."""
        text = well_formed(text)[0]
        self._check_special_mode(text, special)
        spans, end = [], 0
        for stretch, is_special in self._stretches(text, special):
            for piece in [stretch] if is_special else pieces(stretch, self.pattern, self._timeout(stretch)):
                start, end = end, end + len(piece.encode())
                spans.append((start, end))
        return spans

    # Decoding

    def decode(self, ids: Sequence[int]) -> str:
        """Returns the text of the ids; bytes that are not UTF-8 become U+FFFD."""
        return self.decode_bytes(ids).decode(errors="replace")

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        """Returns the bytes of the ids, one after the other."""
        ids = list(ids)
        if set(map(type, ids)) <= {int}:
            try:
                return self._tiktoken.decode_bytes(ids)
            except (KeyError, OverflowError):
                pass  # some are unknown: which ones?
        unknown = {position: id for position, id in enumerate(ids) if not self.knows(id)}
        if unknown:
            raise UnknownTokenIds(unknown, self.name, self.vocab_size)
        return self._tiktoken.decode_bytes(ids)

    def token_bytes(self, id: int) -> bytes:
        """Returns the bytes of one token."""
        return self.decode_bytes([id])

    def byte_lengths(self, ids: np.ndarray) -> np.ndarray:
        """Returns how many bytes each of these ids stands for; all must be known.

        >>> toy = Encoding("toy", r"\\w+", {bytes([i]): i for i in range(256)} | {b"ab": 256}, {})
        >>> toy.byte_lengths([256, 99]).tolist()
        [2, 1]
        """
        return self._length_table[np.asarray(ids, dtype=np.intp)]

    # Facts

    def knows(self, id: object) -> bool:
        """Whether `id` is a token of this encoding."""
        whole = isinstance(id, int | np.integer) and not isinstance(id, bool)
        return whole and 0 <= id < self.vocab_size and self._length_table[id] > 0

    def spells_special(self, text: str) -> bool:
        """Whether the text contains the name of a special token.

        >>> toy = Encoding("toy", None, {bytes([i]): i for i in range(256)}, {"<|end|>": 256})
        >>> toy.spells_special("the <|end|>"), toy.spells_special("the end")
        (True, False)
        """
        return self._special_token.search(text) is not None

    @property
    def safe_cuts(self) -> bool:
        """Whether a text may be cut at SAFE_CUT and tokenized piece by piece, special tokens included."""
        return has_safe_cuts(self.pattern) and not any(
            re.search(r"[\s/。，、！？；：]", token) for token in self.special_tokens
        )

    @property
    def engine(self) -> str:
        """What makes the ids: all of it tiktoken, tiktoken's merging after our own splitting, or our own code alone.

        >>> Encoding("toy", r"\\X", {bytes([i]): i for i in range(256)}, {}).engine
        'our own splitting, then tiktoken'
        """
        return "tiktoken" if self._splits_in_tiktoken else "our own splitting, then tiktoken"

    # Private

    def _timeout(self, text: str) -> float | None:
        return None if has_safe_cuts(self.pattern) and len(text) < LONG[1] else timeout_for(text)

    def _encode_piece(self, pre_token: str) -> Sequence[int]:
        if len(pre_token) < LONG[0] or self._whole is None:
            return self._tiktoken._encode_single_piece(pre_token)
        # the same ids, without Python's lock: a million spaces are half a second in which nobody else could do a thing
        return self._whole.encode_to_numpy(pre_token, disallowed_special=()).tolist()

    @cached_property
    def _whole(self) -> tiktoken.Encoding | None:
        """An engine that does not split, where pre-tokens can be given to one."""
        if not isinstance(self._tiktoken, tiktoken.Encoding):
            return None
        return tiktoken.Encoding(self.name, pat_str=WHOLE, mergeable_ranks=self.ranks, special_tokens={})

    @cached_property
    def _special_ids(self) -> frozenset[int]:
        return frozenset(self.special_tokens.values())

    @cached_property
    def _special_token(self) -> re.Pattern:
        longest_first = sorted(self.special_tokens, key=len, reverse=True)
        return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")

    @cached_property
    def _length_table(self) -> np.ndarray:
        return self._make_length_table()

    def _make_length_table(self) -> np.ndarray:
        table = np.zeros(self.vocab_size, dtype=np.int32)
        table[list(self.ranks.values())] = [len(token) for token in self.ranks]
        for id in self._special_ids:
            table[id] = len(self._tiktoken.decode_single_token_bytes(id))
        return table

    def _stretches(self, text: str, special: str) -> Iterator[tuple[str, bool]]:
        """Yields the text as ordinary stretches and the special tokens between them."""
        end = 0
        if special == "special":
            for match in self._special_token.finditer(text):
                yield text[end : match.start()], False
                yield match.group(), True
                end = match.end()
        yield text[end:], False

    def _check_special_mode(self, text: str, special: str) -> None:
        if special not in ("text", "special", "error"):
            raise BadSpecialMode(special)
        if special == "error" and (match := self._special_token.search(text)):
            before = text[: match.start()]
            raise SpecialTokenInText(match.group(), len(before), len(before.encode()))

    def _check_new_special_token(self, token: str, id: int, added: Mapping[str, int]) -> None:
        if not isinstance(token, str) or not token:
            raise BadSpecialTokens(token, id, "its name must be a str that is not empty")
        if token != well_formed(token)[0]:
            raise BadSpecialTokens(token, id, "its name contains surrogates")
        if isinstance(id, bool) or not isinstance(id, int) or not 0 <= id <= LARGEST_ID:
            raise BadSpecialTokens(token, id, f"its id must be a whole number from 0 to {LARGEST_ID}")
        if token in self.special_tokens:
            raise BadSpecialTokens(token, id, f"this encoding has it, with id {self.special_tokens[token]}")
        if id < self.vocab_size and self._length_table[id] > 0:
            raise BadSpecialTokens(token, id, f"this id belongs to the token {self.token_bytes(id)!r}")
        for other, other_id in (self.special_tokens | dict(added)).items():
            if other != token and other_id == id:
                raise BadSpecialTokens(token, id, f"this id goes to {other!r} too")
            if other != token and (other.startswith(token) or token.startswith(other)):
                # tiktoken tries them in no known order, and might find either
                raise BadSpecialTokens(token, id, f"one of it and {other!r} begins with the other")
