"""Encodings by key: those that every visitor has, and those that were trained here.

The key of a trained one is a hash of all that it was made from: who has it, by training or by link, may use it.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakValueDictionary

from tokenizer import Encoding, get_encoding
from tokenizer.errors import TokenizerError
from tokenizer.training.story import Story
from ui.server.jobs import Job

TRAINED = "trained-"
MOST_MERGES = 100_000  # of all encodings that are kept although they may lie on no desk; a merge takes 2 or 3 KB


class TrainedIsGone(TokenizerError):
    """An encoding that was trained here is not there any more."""

    def __init__(self):
        super().__init__(
            "This encoding was trained here, and the server has forgotten it. Train it again: its page has the choices."
        )


@dataclass(frozen=True, eq=False)
class Entry:
    """An encoding, and the key under which `find` has it."""

    key: str
    encoding: Encoding

    @property
    def name(self) -> str:
        """The encoding's name, which another one may have, too."""
        return self.encoding.name


@dataclass(frozen=True, eq=False)
class Trained(Entry):
    """An encoding that was trained here, and the training."""

    job: Job
    parent: dict | None = (
        None  # of a fork: key and name of the one it left, at how many merges, all merges chosen by hand
    )

    @property
    def story(self) -> Story:
        """Its training, merge by merge."""
        return self.job.story

    @property
    def learned_from(self) -> tuple[str, ...]:
        """The texts that the merges were learned from."""
        return self.job.texts[: len(self.job.texts) - self.job.order.held_out]

    @cached_property
    def sample(self) -> tuple[str, int]:
        """What it was trained on, from its beginning, and how many characters that had in all."""
        if not self.job.order.counted:
            return self.learned_from[0], sum(map(len, self.learned_from))
        counts = self.job.order.counts(self.learned_from)
        return " ".join(counts), sum(len(word) * n for word, n in counts.items())

    @cached_property
    def story_rows(self) -> list:
        """The story as rows of numbers, for the timeline; see `ui/server/answers.py`."""
        story = self.story
        facts = [int(story.alphabet != "bytes"), story.rivals.shape[1], story.num_symbols, story.num_bytes]
        facts.append(len(story.base))
        arrays = [story.base, story.left, story.right, story.count, story.saved, story.rivals.ravel(), story.uses]
        return [facts, *arrays]


_trained: WeakValueDictionary[str, Trained] = WeakValueDictionary()  # as long as a desk holds it, or
_lately: OrderedDict[str, Trained] = OrderedDict()  # as one of those used last
_lock = threading.Lock()


def put(job: Job, pattern: str | None, special_tokens: Iterable[str], name: str, parent: dict | None = None) -> Trained:
    """Returns the encoding that a finished training makes, and keeps it under its key."""
    special_tokens = list(special_tokens)
    parts = [job.key, name, *special_tokens]
    key = TRAINED + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
    found = _trained.get(key) or Trained(key, job.story.encoding(pattern, special_tokens, name), job, parent)
    _trained[key] = found
    return _used(found)


def trained(key: str) -> Trained:
    """Returns what was trained under this key; raises TrainedIsGone."""
    found = _trained.get(key)
    if found is None:
        raise TrainedIsGone
    return _used(found)


def find(key: str) -> Entry:
    """Returns the encoding of this key: that of a trained one, the name of an encoding, or of a model.

    >>> find("gpt-4").key
    'cl100k_base'
    """
    if key.startswith(TRAINED):
        return trained(key)
    encoding = get_encoding(key)
    return Entry(encoding.name, encoding)


def _used(found: Trained) -> Trained:
    with _lock:
        _lately[found.key] = found
        _lately.move_to_end(found.key)
        while len(_lately) > 1 and sum(len(kept.story) for kept in _lately.values()) > MOST_MERGES:
            _lately.popitem(last=False)
    return found
