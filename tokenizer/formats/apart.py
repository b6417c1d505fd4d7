"""A tokenizer that nobody vouches for, in a process of its own that can be ended, as `python -m` with this module.

A message, there and back, is a line of JSON, `[value, sizes]`, and blobs of these sizes; an array or bytes stand in the
value as `{"blob": i, "dtype": …}`. The process says first that it is there. Then the first question is `open`; the
others are methods of the model.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.model import Merges, Read, Split, Stage
from tokenizer.errors import TokenizerError
from tokenizer.lifeline import end_with
from tokenizer.words import language, mark, speaking, tr

ROOT = Path(__file__).parents[2]
SECONDS = 5  # for opening a file, and for any question
PATIENCE = 30  # seconds for an open model, whose makers are known, and until a process is there, on a busy machine
MOST_MEMORY = 2_500_000_000  # bytes of address space, where the system can limit it
MOST_ALIVE = 8  # processes, of some 80 MB; who is asked again comes back
IDLE = 600  # seconds without a question until a process ends


class TookTooLong(TokenizerError):
    """A tokenizer needed more time or memory than it may have."""


TOO_MUCH = {  # of memory, and of time
    "open": (
        mark("Opening this file takes more than the memory that it may use, so it was stopped. Try less of it."),
        mark("Opening this file takes more than {seconds} seconds, so it was stopped. Try less of it."),
    ),
    "open model": (
        mark("Loading this model takes more than the memory that it may use, so it was stopped. Try less of it."),
        mark("Loading this model takes more than {seconds} seconds, so it was stopped. Try less of it."),
    ),
    "text": (
        mark("This text takes more than the memory that it may use, so it was stopped. Try less of it."),
        mark("This text takes more than {seconds} seconds, so it was stopped. Try less of it."),
    ),
}

# Both ends


def write(file: BinaryIO, value: Any) -> None:
    """Writes one message."""
    blobs: list[bytes] = []

    def packed(one: object) -> object:
        if isinstance(one, np.ndarray):
            blobs.append(one.tobytes())
            return {"blob": len(blobs) - 1, "dtype": one.dtype.str}
        if isinstance(one, bytes):
            blobs.append(one)
            return {"blob": len(blobs) - 1, "dtype": ""}
        if isinstance(one, Mapping):
            return {name: packed(value) for name, value in one.items()}
        return [packed(value) for value in one] if isinstance(one, list | tuple) else one

    head = json.dumps([packed(value), list(map(len, blobs))])
    file.write(head.encode() + b"\n")
    for blob in blobs:  # not joined: a copy of many megabytes holds up every thread
        file.write(blob)
    file.flush()


def read(file: BinaryIO) -> Any:
    """Reads one message; raises EOFError where none comes.

    >>> import io
    >>> file = io.BytesIO()
    >>> write(file, [1, b"ab", {"ids": np.array([7, 8], np.uint32)}]); _ = file.seek(0)
    >>> read(file)
    [1, b'ab', {'ids': array([7, 8], dtype=uint32)}]
    """
    if not (line := file.readline()).endswith(b"\n"):
        raise EOFError
    value, sizes = json.loads(line)
    blobs = [file.read(size) for size in sizes]
    if list(map(len, blobs)) != sizes:
        raise EOFError

    def unpacked(one: object) -> object:
        if isinstance(one, list):
            return [unpacked(value) for value in one]
        if not isinstance(one, dict):
            return one
        if one.keys() == {"blob", "dtype"}:
            data = blobs[one["blob"]]
            return np.frombuffer(data, one["dtype"]) if one["dtype"] else data
        return {name: unpacked(value) for name, value in one.items()}

    return unpacked(value)


# The end that has the tokenizer


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Opens the files that the first question brings, and answers the others, each in the language that it names."""
    encoding: Encoding | None = None
    with contextlib.suppress(EOFError):
        write(sink, {"found": "here"})
        while True:
            spoken, name, *values = read(source)
            with speaking(spoken):
                try:
                    if name in OPENING:
                        encoding = OPENING[name](*values)
                        found = facts(encoding)
                    elif name == "encode_each":
                        found = list(map(encoding.model.encode, *values))
                    elif name == "about":
                        found = encoding.model.about
                    else:
                        found = getattr(encoding.model, name)(*values)
                        found = list(found) if name == "pieces" else found
                    said = {"found": found}
                except TokenizerError as error:
                    said = {"error": str(error)}
                except MemoryError:
                    said = {"error": tr("This takes more than the {n:,} MB that it may use.", n=MOST_MEMORY // 10**6)}
                except Exception as error:  # a library's own, on a file or text that it cannot take
                    said = {"error": tr("It cannot be read: {reason}", reason=str(error)[:200])}
            write(sink, said)


def _open(files: Sequence[tuple[str, bytes]], main: str, pattern: str | None) -> Encoding:
    from tokenizer.formats import load_encoding

    with tempfile.TemporaryDirectory() as folder:
        for file, data in files:
            Path(folder, Path(file).name).write_bytes(data)
        try:
            return load_encoding(Path(folder, main), pattern)
        except TokenizerError as error:
            raise TokenizerError(str(error).replace(f"{folder}/", "")) from None


def _open_model(key: str) -> Encoding:
    from tokenizer.kinds.registry import get_encoding

    return get_encoding(key)


OPENING = {"open": _open, "open model": _open_model}


def facts(encoding: Encoding) -> dict:
    """Returns what the other end knows of an encoding; of one whose model is our own code, only that it is."""
    model = encoding.model
    if not model.is_foreign:
        return {"foreign": False}
    merges, tokens = model.merges, list(model.tokens)
    pieces = [b"" if token is None else model.piece(id).encode() for id, token in enumerate(tokens)]
    return {
        "foreign": True,
        "name": encoding.name,
        "specials": encoding.special_tokens,
        "kind": model.kind,
        "engine": model.engine,
        "split": model.split and list(model.split),
        "unknown": [model.unknown_id, model.unknown_name],
        "fingerprint": model.fingerprint,
        "safe_cuts": model.safe_cuts,
        "has_front": model.has_front,
        "sizes": np.array([-1 if token is None else len(token) for token in tokens], np.int32),
        "tokens": b"".join(token or b"" for token in tokens),
        "piece_ends": np.cumsum(list(map(len, pieces)), dtype=np.int64),
        "pieces": b"".join(pieces),  # many strings as JSON would hold up who reads them
        "also": sorted(model.also),
        "about": model.about,
        "merges": merges
        and [
            merges.alphabet,
            np.array(sorted(merges.base.values()), np.int64),
            np.array(sorted(merges.ranks.values()), np.int64),
            None if merges.pairs is None else np.array([(*pair, id) for pair, id in merges.pairs.items()], np.int64),
        ],
    }


def be_bounded() -> None:
    """Bounds the memory of this process, and lets others go first."""
    with contextlib.suppress(AttributeError, OSError):  # not on every system
        os.nice(5)
    with contextlib.suppress(ImportError, OSError, ValueError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


# The end that asks


class Process:
    """A tokenizer's process: begun when it is asked something, ended when it takes too long or nobody asks."""

    def __init__(self, *opening: Any, seconds: float | None = None):
        self.opening, self.seconds = opening, seconds
        self.facts: dict = {}
        self._process: subprocess.Popen | None = None
        self._lock = threading.Lock()

    def __reduce__(self):
        return _asleep, (self.opening, self.seconds, self.facts)

    def ask(self, name: str, *values: Any) -> Any:
        """Returns what the tokenizer answers; raises TokenizerError in its words, or TookTooLong."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._begin()
            else:
                _use(self)
            return self._say(name, *values)

    def open(self) -> "Process":
        """Opens the files, and knows the facts then."""
        with self._lock:
            self._begin()
        return self

    def end(self) -> None:
        """Ends the process; the next question begins another."""
        process, self._process = self._process, None
        with _room:
            _alive.pop(self, None)
        if process:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()

    def _begin(self) -> None:
        self.end()
        _use(self)
        self._process = _births.submit(
            subprocess.Popen,
            [sys.executable, "-m", "tokenizer.formats.apart", str(os.getpid())],
            cwd=ROOT,
            env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ).result()
        try:
            self._hear(self.opening[0], PATIENCE)
            self.facts = self._say(*self.opening)
        except TokenizerError:
            self.end()
            raise

    def _say(self, name: str, *values: Any) -> Any:
        return self._hear(name, self.seconds or SECONDS, [language(), name, *values])

    def _hear(self, name: str, seconds: float, question: Sequence[Any] = ()) -> Any:
        took_long = threading.Event()
        clock = threading.Timer(seconds, lambda process: (took_long.set(), process.kill()), [self._process])
        clock.daemon = True
        clock.start()
        try:
            if question:
                write(self._process.stdin, question)
            answer = read(self._process.stdout)
        except (OSError, EOFError, ValueError):
            self.end()
            reason = TOO_MUCH.get(name, TOO_MUCH["text"])[took_long.is_set()]
            raise TookTooLong(tr(reason, seconds=seconds)) from None
        finally:
            clock.cancel()
        if "error" in answer:
            raise TokenizerError(answer["error"])
        return answer["found"]


def _asleep(opening: Sequence[Any], seconds: float | None, facts: dict) -> Process:
    """A process as another one that knows what it knows."""
    found = Process(*opening, seconds=seconds)
    found.facts = facts
    return found


_alive: OrderedDict[Process, float] = OrderedDict()  # when each was asked last, the longest ago first
_room = threading.Lock()
_births = ThreadPoolExecutor(1, "births")  # a process lasts as long as the thread that began it
_is_watched = False


def _use(process: Process) -> None:
    """Notes that a process is asked; those that were asked longest ago end where there are too many."""
    global _is_watched
    with _room:
        _alive[process] = time.monotonic()
        _alive.move_to_end(process)
        extra = [other for other in list(_alive)[:-MOST_ALIVE] if not other._lock.locked()]
        for other in extra:
            del _alive[other]
        if not _is_watched:
            _is_watched = True
            threading.Thread(target=_keep_watch, name="apart", daemon=True).start()
    _end_idle(extra)


def _keep_watch() -> None:
    while True:
        time.sleep(10)
        with _room:
            old = [one for one, at in _alive.items() if time.monotonic() - at > IDLE and not one._lock.locked()]
            for one in old:
                del _alive[one]
        _end_idle(old)


def _end_idle(processes: Iterable[Process]) -> None:
    for one in processes:
        if one._lock.acquire(blocking=False):  # else it is asked something after all
            try:
                one.end()
            finally:
                one._lock.release()


class ApartModel:
    """A model that answers from its process."""

    is_foreign = True

    def __init__(self, process: Process):
        known = process.facts
        self.process = process
        self.kind, self.engine, self.fingerprint = known["kind"], known["engine"], known["fingerprint"]
        self.safe_cuts, self.has_front = known["safe_cuts"], known["has_front"]
        self._about = {language(): known["about"]}  # it was opened just now
        self.unknown_id, self.unknown_name = known["unknown"]
        self.split = Split(*known["split"]) if known["split"] else None
        self.tokens = _tokens(known["sizes"].tolist(), known["tokens"])
        self._pieces, self._piece_ends = known["pieces"], known["piece_ends"]
        self.also = frozenset(known["also"])
        self._ahead: dict[str, list] = {}

    @cached_property
    def merges(self) -> Merges | None:
        return self.process.facts["merges"] and self._merges(*self.process.facts["merges"])

    def _merges(self, alphabet: str, base: np.ndarray, ranks: np.ndarray, pairs: np.ndarray | None) -> Merges:
        symbols, known = ({self.tokens[id]: id for id in ids.tolist()} for ids in (base, ranks))
        made = None if pairs is None else {(left, right): id for left, right, id in pairs.reshape(-1, 3).tolist()}
        return Merges(alphabet, symbols, known, self.tokens, None, made)

    @property
    def about(self) -> list[str]:
        if (spoken := language()) not in self._about:
            self._about[spoken] = self.process.ask("about")
        return self._about[spoken]

    def encode(self, text: str) -> Read:
        known = self._ahead.get(text)
        return Read(*(self.process.ask("encode", text) if known is None else known))

    def ahead(self, texts: Sequence[str]) -> None:
        self._ahead = dict(zip(texts, self.process.ask("encode_each", list(texts)), strict=True))

    def pieces(self, text: str) -> Iterable[tuple[int, str]]:
        return [(position, piece) for position, piece in self.process.ask("pieces", text)]

    def piece(self, id: int) -> str:
        return self._pieces[self._piece_ends[id - 1] if id else 0 : self._piece_ends[id]].decode()

    def text_of(self, ids: Sequence[int]) -> str | None:
        return self.process.ask("text_of", list(ids))

    def read_back(self, ids: Sequence[int]) -> Iterable[tuple[str, list[int]] | None]:
        return self.process.ask("read_back", list(ids))

    def stages(self, text: str) -> list[Stage] | None:
        found = self.process.ask("stages", text)
        return found and [Stage(*stage) for stage in found]

    def __getattr__(self, name: str):
        if name.startswith("_") or name not in self.also:
            raise AttributeError(name)
        return partial(self.process.ask, name)


def _tokens(sizes: Sequence[int], joined: bytes) -> list[bytes | None]:
    tokens, at = [], 0
    for size in sizes:
        tokens.append(None if size < 0 else joined[at : at + size])
        at += max(0, size)
    return tokens


def load_apart(files: Mapping[str, bytes], main: str, pattern: str | None = None) -> Encoding | None:
    """Returns the encoding that files hold, in a process of its own; None where our own code reads them, and may.

    Raises TokenizerError within some SECONDS, whatever is in the files.
    """
    process = Process("open", list(files.items()), main, pattern).open()
    if process.facts["foreign"]:
        return _encoding(process)
    process.end()
    return None


def open_model_apart(key: str) -> Encoding:
    """Returns an open model whose texts splintr reads, in a process of its own: it holds up what runs beside it."""
    return _encoding(Process("open model", key, seconds=PATIENCE).open())


def _encoding(process: Process) -> Encoding:
    return Encoding(process.facts["name"], ApartModel(process), process.facts["specials"])


if __name__ == "__main__":
    end_with(int(sys.argv[1]))
    be_bounded()
    # what a library prints goes nowhere: the pipe is for answers
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with contextlib.suppress(BrokenPipeError):
        serve(sys.stdin.buffer, answers)
