"""Tokens of a rendered chat: wrapping or text, message by message, and special tokens injected by messages."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tokenizer.chat.messages import Part
from tokenizer.encoding.interface import MAX_ID, Encoding
from tokenizer.encoding.tokens import SPECIAL, Tokens
from tokenizer.errors import BadSpecialTokens
from tokenizer.i18n import tr
from tokenizer.text.well_formed import well_formed

SPECIAL_TOKEN_NAME = re.compile(r"<\|[^\s<>|]{1,40}\|>")  # as most models spell special tokens
NATIVE, DOCUMENTED, SYNTHETIC = "native", "documented", "synthetic"  # origins of the id of a special token


@dataclass(frozen=True)
class Marks:
    """An encoding with the special tokens of a template, and the origin of each of their ids.

    NATIVE: the encoding has the token. DOCUMENTED: it lacks the token, but the id is published. SYNTHETIC: the first
    free id; the token count is exact if the model has such a token, the id is not. `missing` could not be added.
    """

    encoding: Encoding
    origins: Mapping[str, str]
    missing: tuple[str, ...]


def with_marks(encoding: Encoding, marks: Iterable[str], documented: Mapping[str, int] | None = None) -> Marks:
    """Returns an encoding with these special tokens added.

    >>> from tokenizer import get_encoding
    >>> found = with_marks(get_encoding("gpt2"), ["<|endoftext|>", "<|im_start|>"])
    >>> found.encoding.special_tokens["<|im_start|>"], found.origins
    (50257, {'<|endoftext|>': 'native', '<|im_start|>': 'synthetic'})
    """
    documented, origins, missing = documented or {}, {}, []
    for mark in dict.fromkeys(marks):
        if mark in encoding.special_tokens:
            origins[mark] = NATIVE
        elif (id := id_of(encoding, mark)) is not None:  # the vocabulary has it, among its other tokens
            encoding = Encoding(encoding.name, encoding.model, encoding.special_tokens | {mark: id})
            origins[mark] = NATIVE
        else:
            encoding, origin = _added(encoding, mark, documented.get(mark))
            if origin:
                origins[mark] = origin
            else:
                missing.append(mark)
    return Marks(encoding, origins, tuple(missing))


def _added(encoding: Encoding, mark: str, documented: int | None) -> tuple[Encoding, str]:
    """The encoding with one more token and the origin of its id; if it cannot be added, the same encoding and ""."""
    for id, origin in ((documented, DOCUMENTED), (min(encoding.id_limit, MAX_ID), SYNTHETIC)):
        if id is not None:
            try:
                return encoding.with_special_tokens({mark: id}), origin
            except BadSpecialTokens:
                continue
    return encoding, ""


def origin_remarks(name: str, synthetic: str, missing: str) -> list[str]:
    """Returns sentences on the special tokens that the encoding `name` lacks, which are enumerated or empty.

    >>> origin_remarks("gpt2", "<|im_start|>", "")
    ['gpt2 does not contain <|im_start|>: each is counted as one token, with a made-up id.']
    """
    found = []
    if synthetic:
        found.append(
            tr(
                "{name} does not contain {marks}: each is counted as one token, with a made-up id.",
                name=name,
                marks=synthetic,
            )
        )
    if missing:
        found.append(tr("{name} does not contain {marks}: each is encoded as ordinary text.", name=name, marks=missing))
    return found


def id_of(encoding: Encoding, name: str) -> int | None:
    """Returns the id of the token with this text, special or not; None if there is none.

    >>> from tokenizer import get_encoding
    >>> id_of(get_encoding("gpt2"), " world"), id_of(get_encoding("gpt2"), "<|im_start|>")
    (995, None)
    """
    if name in encoding.special_tokens:
        return encoding.special_tokens[name]
    try:
        return encoding.model.tokens.index(name.encode())
    except ValueError:
        return None


@dataclass(frozen=True)
class Prompt:
    """A rendered chat and its tokens.

    Names of special tokens are special in wrapping and plain text in messages. Between two special tokens, wrapping
    and text are encoded together, as inference programs do, so one token may hold both: it counts as text.
    """

    parts: Sequence[Part]
    encoding: Encoding

    @cached_property
    def text(self) -> str:
        """The whole prompt, well-formed."""
        return "".join(text for text, _ in self._segments)

    @cached_property
    def segments(self) -> list[str]:
        """The whole prompt, cut before and after each special token."""
        return [text for text, _ in self._segments]

    @cached_property
    def tokens(self) -> Tokens:
        """The tokens of the whole prompt."""
        if self.encoding.model.native_special_tokens and not self.injected:
            # encode all at once: a special token may strip spaces around it, or affect the text after it
            found = self.encoding.tokenize(self.text, "special")
            if np.count_nonzero(found.kinds == SPECIAL) == sum(id is not None for _, id in self._segments):
                return found
        return self.encoding.tokenize_segments(self._segments)

    @cached_property
    def part_indices(self) -> np.ndarray:
        """For each token the index of its part: the first text part it overlaps, else the part it begins in."""
        parts = self.parts
        return np.array(
            [
                next((i for i in range(first, last + 1) if not parts[i].is_wrapping), first)
                for first, last in zip(*(row.tolist() for row in self._part_range), strict=True)
            ],
            np.int64,
        )

    @cached_property
    def is_wrapping(self) -> np.ndarray:
        """For each token whether it is wrapping only."""
        return np.array([part.is_wrapping for part in self.parts], bool)[self.part_indices]

    @cached_property
    def num_shared(self) -> int:
        """The number of tokens that contain both wrapping and text of a message."""
        first, last = self._part_range
        wrapping = np.cumsum([0, *(part.is_wrapping for part in self.parts)])
        numbers = wrapping[last + 1] - wrapping[first]  # of the parts with wrapping in each token
        return int(np.count_nonzero((numbers > 0) & (numbers <= last - first)))

    def counts(self, message: int | None) -> tuple[int, int]:
        """Returns the numbers of text and of wrapping tokens of a message; for None, of the parts of no message.

        >>> from tokenizer import get_encoding
        >>> parts = [Part("user: ", True, 0), Part("two words", False, 0), Part("assistant:", True)]
        >>> [Prompt(parts, get_encoding("gpt2")).counts(message) for message in (0, None)]
        [(2, 2), (0, 3)]
        """
        own = np.array([part.message == message for part in self.parts], bool)[self.part_indices]
        wrapping = int(np.count_nonzero(own & self.is_wrapping))
        return int(np.count_nonzero(own)) - wrapping, wrapping

    @cached_property
    def generation_prompt(self) -> str:
        """The generation prompt: the wrapping after the last message, which begins the assistant's turn."""
        return "".join(part.text for part in self.parts[self._generation_start :])

    @cached_property
    def num_generation_tokens(self) -> int:
        """The number of tokens of the generation prompt.

        >>> from tokenizer import get_encoding
        >>> parts = [Part("Today is Monday.", True), Part("hi", False, 0), Part("assistant:", True)]
        >>> Prompt(parts, get_encoding("gpt2")).num_generation_tokens
        3
        """
        return int(np.count_nonzero(self.part_indices >= self._generation_start))

    @cached_property
    def _generation_start(self) -> int:
        """The index of the first part of the generation prompt; the number of parts if there is no message."""
        at = len(self.parts)
        while at and self.parts[at - 1].is_wrapping and self.parts[at - 1].message is None:
            at -= 1
        return at or len(self.parts)

    @cached_property
    def injected(self) -> list[tuple[int, str]]:
        """Names of special tokens in the text of messages, in order, each with the index of its message."""
        return [
            (part.message, name)
            for part in self.parts
            if not part.is_wrapping and part.message is not None
            for name, id in self.encoding.split_special_tokens(well_formed(part.text)[0], "special")
            if id is not None
        ]

    @cached_property
    def unknown_names(self) -> list[str]:
        """Names in the wrapping that look like special tokens but are encoded as text.

        >>> from tokenizer import get_encoding
        >>> Prompt([Part("<|user|>\\n<|endoftext|>", True, 0)], get_encoding("gpt2")).unknown_names
        ['<|user|>']
        """
        names = [
            name
            for part in self.parts
            if part.is_wrapping
            for text, id in self.encoding.split_special_tokens(well_formed(part.text)[0], "special")
            if id is None
            for name in SPECIAL_TOKEN_NAME.findall(text)
        ]
        return list(dict.fromkeys(names))

    @cached_property
    def tokens_with_injection(self) -> Tokens:
        """The tokens if names of special tokens are special in messages too: the effect of an injection."""
        return self.encoding.tokenize(self.text, "special")

    @cached_property
    def num_special(self) -> int:
        """The number of special tokens in the wrapping."""
        return int(np.count_nonzero(self.tokens.kinds == SPECIAL))

    @cached_property
    def _segments(self) -> list[tuple[str, int | None]]:
        """The whole prompt as segments that are encoded separately; special tokens with their ids."""
        found: list[tuple[str, int | None]] = []
        for part in self.parts:
            mode = "special" if part.is_wrapping else "text"
            for text, id in self.encoding.split_special_tokens(well_formed(part.text)[0], mode):
                if text and id is None and found and found[-1][1] is None:
                    found[-1] = (found[-1][0] + text, None)
                elif text or id is not None:  # a normalizer that splits a character may leave a token without text
                    found.append((text, id))
        return found

    @cached_property
    def _part_range(self) -> tuple[np.ndarray, np.ndarray]:
        """For each token the indices of the parts that hold its first and its last byte.

        A token without text, as a normalizer leaves where it splits a character, is in the part of that character; the
        one with which a model begins the text after a special token is in the part of that text.
        """
        ends = np.cumsum([len(well_formed(part.text)[0].encode()) for part in self.parts], dtype=np.int64)
        starts, lasts = self.tokens.starts, np.maximum(self.tokens.ends - 1, self.tokens.starts)
        first, last = (np.searchsorted(ends, at, side="right").clip(0, max(0, len(ends) - 1)) for at in (starts, lasts))
        kinds = self.tokens.kinds
        for k in np.flatnonzero(starts == self.tokens.ends).tolist():
            if k and (kinds[k] == SPECIAL or kinds[k - 1] != SPECIAL):
                first[k] = last[k] = last[k - 1]
        return first, last
