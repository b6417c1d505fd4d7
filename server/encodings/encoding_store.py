"""Encodings by key: those that every visitor has, and those that were trained here or loaded from a file.

The key of such an encoding is a hash of all its inputs: every visitor with the key, by training or link, may use it.
"""

import hashlib
import re
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from server.encodings import uploads
from server.limits.share import MAX_ADDRESS_SHARE, is_within_share
from server.training.jobs import Job
from server.wire_format import as_32_bit_rows
from tokenizer import Encoding, get_encoding
from tokenizer.encoding.lru_cache import LruCache
from tokenizer.errors import TokenizerError, shown
from tokenizer.formats.sandboxed_model import open_model_sandboxed
from tokenizer.i18n import SOURCE_LANGUAGE, mark, tr, using_language
from tokenizer.kinds.from_merges import typed_specials
from tokenizer.kinds.open_models import needs_own_process
from tokenizer.kinds.registry import encoding_name, is_loaded
from tokenizer.training.counts import is_counts
from tokenizer.training.makers import MAKERS
from tokenizer.training.train import TIES
from tokenizer.training.training_history import TrainingHistory

BASE_KINDS = ("bytes", "characters", "tokens")  # of the base symbols of a training, in its rows
TRAINED, LOADED, EXTENDED, MERGES = "trained-", "loaded-", "extended-", "merges-"
EXTERNALLY_TRAINED_GONE = mark(
    "The server does not have this encoding, which was trained with {maker}. Train it again on the Train page."
)
ORIGINS = {  # by the prefix of the key: how it was made, the message when it is evicted, and who made it
    TRAINED: (
        mark("trained here"),
        mark(
            "The server does not have this encoding, which was trained with Tokenloupe. Train it again on the Train"
            " page."
        ),
        "",
    ),
    LOADED: (
        mark("opened or downloaded"),
        mark(
            "The server does not have this encoding, which was opened from a file or downloaded. Open or download it"
            " again."
        ),
        "",
    ),
    EXTENDED: (
        mark("with special tokens added"),
        mark(
            "The server does not have this encoding, to which special tokens were added. Add the special tokens again."
        ),
        "",
    ),
    MERGES: (
        mark("received by link or file"),
        mark(
            "The server does not have this encoding, which came with a link or a saved page. Open the link or the saved"
            " page again."
        ),
        "",
    ),
    **{f"{name}-": (mark("trained by {maker}"), EXTERNALLY_TRAINED_GONE, one.label) for name, one in MAKERS.items()},
}
MAX_OPEN_MODELS = 4  # open models in processes of their own
MIN_SIZE_MERGES = 500  # the least that an encoding counts: tiktoken compiles its pattern once for each thread
OLD_TOKENS_PER_MERGE = 10  # an old token of an encoding that was continued takes a tenth of a merge
MAX_RECENT_MERGES = 60_000  # of recently used encodings that no visitor may hold; a merge takes 2 or 3 KB
MAX_LOADED_MERGES = 500_000  # of all encodings that visitors have loaded; an address has a share of it


def origin_sentence(key: str) -> str:
    """Returns how an encoding of this key was made, in the current language.

    >>> origin_sentence("sentencepiece-12ab")
    'trained by SentencePiece'
    """
    sentence, _, maker = _origin(key)
    return tr(sentence, maker=maker)


def _origin(key: str) -> tuple[str, str, str]:
    return next(words for prefix, words in ORIGINS.items() if key.startswith(prefix))


class Evicted(TokenizerError):
    """An encoding that was made here has been evicted."""

    def __init__(self, key: str):
        _, problem, maker = _origin(key)
        super().__init__(tr(problem, maker=maker))


class UnknownKey(TokenizerError):
    """A link names a key that no encoding has had."""

    def __init__(self, key: str):
        super().__init__(
            tr(
                "The link asks for a training named {key}, which this server does not know. Check the link, or train a"
                " tokenizer.",
                key=shown(key),
            )
        )


class StoreFull(TokenizerError):
    """The visitors of an address have loaded as much as their share of what the server holds."""


@dataclass(frozen=True, eq=False)
class StoredEncoding:
    """An encoding, and the key under which `find` has it."""

    key: str
    encoding: Encoding

    def __reduce__(self):
        if not is_made(self.key):  # the process that unpickles it finds the encoding by its key
            return find, (self.key,)
        return super().__reduce__()

    @property
    def name(self) -> str:
        """The encoding's name, which is not unique."""
        return self.encoding.name

    @property
    def size(self) -> int:
        """The memory it takes, in merges of a training; a token of a file takes about half as much as a merge."""
        return MIN_SIZE_MERGES + self.encoding.id_limit // 2


@dataclass(frozen=True, eq=False)
class FromTraining(StoredEncoding):
    """An encoding that a training made, and the training."""

    job: Job
    # of the texts, if ours; server/encodings/recipes.py
    source: Mapping[str, Any] | None = field(default=None, kw_only=True)

    @property
    def learned_from(self) -> tuple[str, ...]:
        """The texts that it was learned from."""
        return self.job.texts[: len(self.job.texts) - self.job.order.held_out]

    @cached_property
    def sample(self) -> tuple[str, int]:
        """The beginning of its training text, and the number of characters of the whole text."""
        return self.learned_from[0], sum(map(len, self.learned_from))


@dataclass(frozen=True, eq=False)
class ExternallyTrained(FromTraining):
    """An encoding that another program trained; its training has the file."""


@dataclass(frozen=True, eq=False)
class Trained(FromTraining):
    """An encoding that our own code trained."""

    # of a fork: key and name of the one it left, at how many merges, all merges chosen by hand
    parent: dict | None = None

    @property
    def history(self) -> TrainingHistory:
        """Its training, merge by merge."""
        return self.job.history

    @property
    def typed_specials(self) -> list[str]:
        """Its special tokens, as they are typed, without those of the encoding from which the training began."""
        order, own = self.job.order, self.encoding.special_tokens
        if order.begin:
            own = {token: id for token, id in own.items() if token not in order.base.special_tokens}
        return typed_specials(own, self.history.first_special_id(order.kind))

    @property
    def has_timeline(self) -> bool:
        """Whether its merges can be shown on a text, each part of which has a token."""
        return self.encoding.kind == "bpe" and not self.encoding.drops_unmatched

    @property
    def size(self) -> int:
        """The memory it takes, in merges."""
        old = len(self.history.base) // OLD_TOKENS_PER_MERGE if self.job.order.begin else 0
        return MIN_SIZE_MERGES + len(self.history) + old

    @cached_property
    def sample(self) -> tuple[str, int]:
        """The beginning of its training text, and the number of characters of the whole text."""
        if not self.job.order.counted:
            return super().sample
        counts = self.job.order.counts(self.learned_from)
        return ("" if is_counts(self.learned_from[0]) else " ").join(counts), sum(
            len(word) * n for word, n in counts.items()
        )

    def beginning(self, max_characters: int) -> str:
        """Returns the beginning of its training texts, a line or more for each."""
        if self.job.order.counted:
            return self.sample[0][:max_characters]
        found = ""
        for text in self.learned_from:
            found += "\n" * bool(found) + text[:max_characters]
            if len(found) >= max_characters:
                break
        return found[:max_characters]

    @property
    def facts(self) -> dict:
        """The facts of the training that the timeline shows."""
        _, characters = self.sample
        ties = self.job.order.ties
        return {
            "key": self.key,
            "name": self.name,
            "ties": {"name": ties, "words": tr(TIES[ties][1])},
            "corpusBytes": self.history.num_bytes,
            "corpusCharacters": characters,
            "parent": self.parent,
        }

    @cached_property
    def history_rows(self) -> list:
        """The history as rows of numbers, for the timeline; see `server/editor_api/questions.py`."""
        history = self.history
        kind, base = BASE_KINDS.index(history.alphabet), history.base
        facts = [kind, history.rivals.shape[1], history.num_symbols, history.num_bytes, len(base)]
        facts += [history.lift, history.lifted_tokens]
        rows = [history.left, history.right, history.count, history.saved, history.rivals.ravel(), history.uses]
        if history.alphabet == "tokens":  # four bytes in a number
            base, padding = history.old_lengths, np.zeros(-len(history.old_bytes) % 4, np.uint8)
            rows.append(np.concatenate([history.old_bytes, padding]).view("<u4"))
        return as_32_bit_rows(facts, base, *rows)


@dataclass(frozen=True, eq=False)
class MergesOnly(StoredEncoding):
    """An encoding whose merges came without their training text."""

    file: tuple[str, bytes]  # that holds them, and its name


_entries: WeakValueDictionary[str, StoredEncoding] = WeakValueDictionary()  # while a visitor holds it, or while
_recent: OrderedDict[str, StoredEncoding] = OrderedDict()  # it is among those used last
_loaded_by: WeakKeyDictionary[StoredEncoding, str] = WeakKeyDictionary()  # the address that loaded an encoding first
_open_models = LruCache(open_model_sandboxed, MAX_OPEN_MODELS)
_lock = threading.Lock()
Made = TypeVar("Made", bound=StoredEncoding)


def reset() -> None:
    """Removes all encodings, as a restart of the server does."""
    with _lock:
        _entries.clear()
        _loaded_by.clear()
        _recent.clear()


def add_trained(
    job: Job,
    pattern: str | None,
    special_tokens: Iterable[str],
    name: str,
    parent: dict | None = None,
    source: Mapping[str, Any] | None = None,
) -> Trained:
    """Returns the encoding that a finished training makes, and keeps it under its key."""
    special_tokens = list(special_tokens)
    key = _key(TRAINED, job.key, name, *special_tokens)
    if found := _entries.get(key):
        return _touch(found)
    order = job.order
    options = {"start": order.base} if order.begin else {}
    encoding = job.history.encoding(pattern, special_tokens, name, order.kind, order.drop_unmatched, **options)
    return _insert(Trained(key, encoding, job, parent, source=source))


def add_external(job: Job, name: str, source: Mapping[str, Any] | None = None, address: str = "") -> ExternallyTrained:
    """Returns the encoding in the file that another program's training made, and keeps it; raises TokenizerError.

    It counts in the share of `address`, but is never refused: a training would be lost.
    """
    key = _key(f"{job.order.maker}-", job.key, name)
    if found := _entries.get(key):
        return _touch(found)
    encoding = uploads.load({f"{name}{MAKERS[job.order.maker].suffix}": job.file})
    encoding.name = name
    return _insert(ExternallyTrained(key, encoding, job, source=source), address)


def add_merges(name: str, file: str, data: bytes, address: str = "") -> MergesOnly:
    """Returns the encoding in a file that came with a link, and keeps it under its key; raises TokenizerError."""
    encoding = uploads.load({file: data}, called=name)
    return add(encoding, MERGES, lambda *facts: MergesOnly(*facts, (file, data)), address)


def add(
    encoding: Encoding,
    prefix: str,
    make: Callable[[str, Encoding], StoredEncoding] = StoredEncoding,
    address: str = "",
) -> StoredEncoding:
    """Stores an encoding that is LOADED, EXTENDED or MERGES, under a key with that prefix; raises StoreFull.

    It counts in the share of the address or network that loads it first; "" is that of the server.
    """
    specials = [f"{token} {id}" for token, id in encoding.special_tokens.items()]
    with using_language(SOURCE_LANGUAGE):  # a key is the same in every language
        about = encoding.model.notes
    key = _key(prefix, encoding.name, encoding.fingerprint, str(encoding.split), *specials, *about)
    if found := _entries.get(key):
        return _touch(found)
    return _insert(make(key, encoding), address, is_bounded=True)


def _makes_room(size: int, address: str) -> bool:
    """Whether an address may load an encoding of this size, if need be without its own that no visitor holds."""
    if _has_room(size, address):
        return True
    for key in [key for key, one in _recent.items() if _loaded_by.get(one) == address and not key.startswith(TRAINED)]:
        del _recent[key]
    return _has_room(size, address)


def _has_room(size: int, address: str) -> bool:
    """Whether an address may load an encoding of this size; those that our own code trained do not count."""
    held = Counter()
    for one in list(_entries.values()):
        if not one.key.startswith(TRAINED):
            held[_loaded_by.get(one, "")] += one.size
    own = held.pop(address, 0)
    # another address may hold more than its share by trainings of other programs
    others = sum(min(one, MAX_ADDRESS_SHARE * MAX_LOADED_MERGES) for one in held.values())
    return is_within_share(own + size, others, MAX_LOADED_MERGES)


def _key(prefix: str, *parts: str) -> str:
    # names of special tokens may contain the separator
    escaped = (part.replace("\1", "\1\1").replace("\0", "\1\0") for part in parts)
    return prefix + hashlib.sha256("\0".join(escaped).encode()).hexdigest()[:32]


def trained(key: str) -> Trained:
    """Returns the encoding trained under this key; raises Evicted, or UnknownKey where it is no key of a training."""
    found = _entries.get(key)
    if isinstance(found, Trained):
        return _touch(found)
    raise Evicted(key) if re.fullmatch(f"{TRAINED}[0-9a-f]{{32}}", key) else UnknownKey(key)


def of_training(key: str) -> FromTraining:
    """Returns the encoding that any program trained here under this key; raises as `trained` does."""
    found = _entries.get(key)
    if isinstance(found, FromTraining):
        return _touch(found)
    raise Evicted(key) if re.fullmatch(r"[a-z]+-[0-9a-f]{32}", key) and is_made(key) else UnknownKey(key)


def is_made(key: str) -> bool:
    """Whether a key is one of an encoding that was made here."""
    return key.startswith(tuple(ORIGINS))


def find(key: str) -> StoredEncoding:
    """Returns the encoding of this key: one that was made here, or the name of an encoding or a model; raises Evicted.

    >>> find("gpt-4").key
    'cl100k_base'
    """
    if is_made(key):
        if not (found := _entries.get(key)):
            raise Evicted(key)
        return _touch(found)
    name = encoding_name(key)
    encoding = _open_models.get(name) if needs_own_process(name) else get_encoding(name)
    return StoredEncoding(name, encoding)


def is_ready(key: str) -> bool:
    """Whether `find` answers at once, or raises: all but encodings and models that have to be loaded first."""
    if is_made(key):
        return True
    try:
        name = encoding_name(key)
    except TokenizerError:
        return True
    return name in _open_models if needs_own_process(name) else is_loaded(name)


def _insert(found: Made, address: str = "", is_bounded: bool = False) -> Made:
    """Stores an entry under its key, or returns the one that another thread has stored meanwhile.

    Raises StoreFull where it is bounded, and the share of the address has no room.
    """
    with _lock:
        if is_bounded and found.key not in _entries and not _makes_room(found.size, address):
            problem = mark(
                "The server cannot keep more tokenizers from your network. Remove one that you loaded, close other tabs"
                " of Tokenloupe, or try again later."
            )
            raise StoreFull(tr(problem))
        found = _entries.setdefault(found.key, found)
        _loaded_by.setdefault(found, address)
    return _touch(found)


def _touch(found: Made) -> Made:
    with _lock:
        _recent[found.key] = found
        _recent.move_to_end(found.key)
        while len(_recent) > 1 and sum(kept.size for kept in _recent.values()) > MAX_RECENT_MERGES:
            _recent.popitem(last=False)
    return found
