"""A rendered chat as tokens: which are wrapping and which are text, message by message, and what an attack would do."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tokenizer.chat.messages import Part
from tokenizer.encoding.interface import LARGEST_ID, Encoding
from tokenizer.encoding.tokens import SPECIAL, Tokens
from tokenizer.errors import BadSpecialTokens
from tokenizer.text.well_formed import well_formed

NAME = re.compile(r"<\|[^\s<>|]{1,40}\|>")  # as most models spell special tokens
OWN, DOCUMENTED, LENT = "own", "documented", "lent"  # where the id of a mark is from


@dataclass(frozen=True)
class Marks:
    """An encoding that knows the special tokens of a template, and where the id of each of these is from.

    OWN: the encoding has it. DOCUMENTED: it has not, but the id is published. LENT: the id is made up, after all
    others; then the count is right where the model has such a token, and the id is not. `missing` cannot be added.
    """

    encoding: Encoding
    origins: Mapping[str, str]
    missing: tuple[str, ...]


def with_marks(encoding: Encoding, marks: Iterable[str], documented: Mapping[str, int] | None = None) -> Marks:
    """Returns an encoding that knows these special tokens too.

    >>> from tokenizer import get_encoding
    >>> found = with_marks(get_encoding("gpt2"), ["<|endoftext|>", "<|im_start|>"])
    >>> found.encoding.special_tokens["<|im_start|>"], found.origins
    (50257, {'<|endoftext|>': 'own', '<|im_start|>': 'lent'})
    """
    documented, origins, missing = documented or {}, {}, []
    for mark in dict.fromkeys(marks):
        if mark in encoding.special_tokens:
            origins[mark] = OWN
        elif (id := id_of(encoding, mark)) is not None:  # the vocabulary has it, among its other tokens
            encoding = Encoding(encoding.name, encoding.model, encoding.special_tokens | {mark: id})
            origins[mark] = OWN
        else:
            encoding, origin = _added(encoding, mark, documented.get(mark))
            if origin:
                origins[mark] = origin
            else:
                missing.append(mark)
    return Marks(encoding, origins, tuple(missing))


def _added(encoding: Encoding, mark: str, documented: int | None) -> tuple[Encoding, str]:
    """The encoding with a token more, and where its id is from; the same and nothing where it cannot be added."""
    for id, origin in ((documented, DOCUMENTED), (min(encoding.id_limit, LARGEST_ID), LENT)):
        if id is not None:
            try:
                return encoding.with_special_tokens({mark: id}), origin
            except BadSpecialTokens:
                continue
    return encoding, ""


def id_of(encoding: Encoding, name: str) -> int | None:
    """Returns the id of the token that is spelled so, special or not; None where there is none.

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

    The names of special tokens are read as such in wrapping, and as text in what messages say: what somebody writes
    stays text. Between two special tokens wrapping and text are read as one, as programs read them, so a token may hold
    the end of one and the beginning of the other: it counts as the message's text.
    """

    parts: Sequence[Part]
    encoding: Encoding

    @cached_property
    def text(self) -> str:
        """The whole, well-formed."""
        return "".join(text for text, _ in self._stretches)

    @cached_property
    def stretches(self) -> list[str]:
        """The whole, cut at special tokens: those are stretches of their own, and no merge goes over a cut."""
        return [text for text, _ in self._stretches]

    @cached_property
    def tokens(self) -> Tokens:
        """The tokens of the whole."""
        if self.encoding.model.finds and not self.spelled:
            # a special token can take the space around it, or decide how the text after it is read
            found = self.encoding.tokenize(self.text, "special")
            if np.count_nonzero(found.kinds == SPECIAL) == sum(id is not None for _, id in self._stretches):
                return found
        return self.encoding.tokenize_stretches(self._stretches)

    @cached_property
    def owners(self) -> np.ndarray:
        """Of each token the index of its part: the first with text that it holds any of, else the one it begins in."""
        parts = self.parts
        return np.array(
            [
                next((i for i in range(first, last + 1) if not parts[i].is_wrapping), first)
                for first, last in zip(*(row.tolist() for row in self._reach), strict=True)
            ],
            np.int64,
        )

    @cached_property
    def is_wrapping(self) -> np.ndarray:
        """Of each token whether all of it is wrapping."""
        return np.array([part.is_wrapping for part in self.parts], bool)[self.owners]

    @cached_property
    def num_shared(self) -> int:
        """How many tokens hold both wrapping and text, or text of two messages."""
        first, last = self._reach
        return int(np.count_nonzero(first != last))

    def counts(self, message: int | None) -> tuple[int, int]:
        """Returns how many tokens a message has: of text, of wrapping; those of no message for None.

        >>> from tokenizer import get_encoding
        >>> parts = [Part("user: ", True, 0), Part("two words", False, 0), Part("assistant:", True)]
        >>> [Prompt(parts, get_encoding("gpt2")).counts(message) for message in (0, None)]
        [(2, 2), (0, 3)]
        """
        own = np.array([part.message == message for part in self.parts], bool)[self.owners]
        wrapping = int(np.count_nonzero(own & self.is_wrapping))
        return int(np.count_nonzero(own)) - wrapping, wrapping

    @cached_property
    def turn(self) -> str:
        """What an assistant's turn begins with: the wrapping after the last message; empty where there is none."""
        return "".join(part.text for part in self.parts[self._turn_begins :])

    @cached_property
    def num_turn(self) -> int:
        """How many tokens an assistant's turn begins with.

        >>> from tokenizer import get_encoding
        >>> parts = [Part("Today is Monday.", True), Part("hi", False, 0), Part("assistant:", True)]
        >>> Prompt(parts, get_encoding("gpt2")).num_turn
        3
        """
        return int(np.count_nonzero(self.owners >= self._turn_begins))

    @cached_property
    def _turn_begins(self) -> int:
        """The index of the first part of the assistant's turn; after the last one where no message is before it."""
        at = len(self.parts)
        while at and self.parts[at - 1].is_wrapping and self.parts[at - 1].message is None:
            at -= 1
        return at or len(self.parts)

    @cached_property
    def spelled(self) -> list[tuple[int, str]]:
        """The names of special tokens that messages spell, each with the index of its message, in order."""
        return [
            (part.message, name)
            for part in self.parts
            if not part.is_wrapping and part.message is not None
            for name, id in self.encoding.stretches(well_formed(part.text)[0], "special")
            if id is not None
        ]

    @cached_property
    def unread(self) -> list[str]:
        """What looks like the name of a special token in the wrapping, and is read as text.

        >>> from tokenizer import get_encoding
        >>> Prompt([Part("<|user|>\\n<|endoftext|>", True, 0)], get_encoding("gpt2")).unread
        ['<|user|>']
        """
        names = [
            name
            for part in self.parts
            if part.is_wrapping
            for text, id in self.encoding.stretches(well_formed(part.text)[0], "special")
            if id is None
            for name in NAME.findall(text)
        ]
        return list(dict.fromkeys(names))

    @cached_property
    def attacked(self) -> Tokens:
        """The tokens where a program reads all names of special tokens as such, also those that messages spell."""
        return self.encoding.tokenize(self.text, "special")

    @cached_property
    def num_marks(self) -> int:
        """How many special tokens the wrapping has."""
        return int(np.count_nonzero(self.tokens.kinds == SPECIAL))

    @cached_property
    def _stretches(self) -> list[tuple[str, int | None]]:
        """The whole as stretches that are read by themselves, each with its id where it is a special token."""
        found: list[tuple[str, int | None]] = []
        for part in self.parts:
            mode = "special" if part.is_wrapping else "text"
            for text, id in self.encoding.stretches(well_formed(part.text)[0], mode):
                if text and id is None and found and found[-1][1] is None:
                    found[-1] = (found[-1][0] + text, None)
                elif text:
                    found.append((text, id))
        return found

    @cached_property
    def _reach(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each token the index of the part that its first byte is in, and of the one that its last byte is in."""
        ends = np.cumsum([len(well_formed(part.text)[0].encode()) for part in self.parts], dtype=np.int64)
        starts, lasts = self.tokens.starts, np.maximum(self.tokens.ends - 1, self.tokens.starts)
        first, last = (np.searchsorted(ends, at, side="right").clip(0, max(0, len(ends) - 1)) for at in (starts, lasts))
        return first, last
