"""Runs a tokenizer from an untrusted file in a process of its own (`python -m` with this module), bounded in time and
memory, so that neither an endless loop nor a crash of a library reaches the caller.

A message, in either direction, is a line of JSON, `[value, sizes]`, followed by blobs of these sizes. The value has
`{"blob": i, "dtype": …}` in place of an array or bytes. The process sends one message when it has started. Then the
first request is `open`; later requests name methods of the model.
"""

import contextlib
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from tokenizer import workers
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.model import Merges, ModelOutput, Split, Stage
from tokenizer.errors import TokenizerError
from tokenizer.i18n import language, mark, tr, using_language
from tokenizer.kinds import panics
from tokenizer.parent_watchdog import answer_stream, exit_with_parent

ANSWER_SECONDS = 5  # for any request but opening a file
OPENING_SECONDS = 15  # for opening a file: the tokenizer.json of gpt-oss, 28 MB, takes 5 s of a slow core
USUAL_START_SECONDS = 0.5  # part of the time for opening a file that the start of its process takes
MODEL_SECONDS = 30  # for loading an open model, which is trusted
START_SECONDS = 30  # for the start of a process, and for waiting for memory, on a busy machine
MAX_PROCESSES = 8  # an ended process starts again at the next request
IDLE_SECONDS = 600  # without a request until a process ends
MAX_LINE_BYTES = 32_000_000  # of the JSON of an answer: Python's objects take several times as much
MAX_BLOB_BYTES = 256_000_000  # of all arrays of an answer
OUT_OF_MEMORY = (b"memory allocation of", b"bad_alloc", b"MemoryError")  # messages of libraries before they abort


class SandboxStopped(TokenizerError):
    """A tokenizer's process exceeded its time or memory, or crashed."""


class ServerBusy(TokenizerError):
    """Other processes use all available memory or time."""

    def __init__(self):
        super().__init__(tr("The server is running as many tokenizers as it can. Try again in a moment."))


STOPPED = {  # by request, and by reason
    "open": {
        "time": mark("Opening this file was stopped after {seconds:g} seconds, the limit. Try a smaller file."),
        "memory": mark("Opening this file needs more than the limit of {n:,} MB of memory. Try a smaller file."),
        "crash": mark(
            "The library that reads this tokenizer crashed on this file, which is probably damaged. "
            "Download the file again, or open another."
        ),
    },
    "open model": {
        "time": mark(
            "Loading this model was stopped after {seconds:g} seconds, the limit. Try again, or choose another model."
        ),
        "memory": mark("Loading this model needs more than {n:,} MB of memory, the limit. Choose another model."),
        "crash": mark("This model could not be loaded: the library that reads it crashed. Choose another model."),
    },
    "text": {
        "time": mark(
            "This text could not be encoded within {seconds:g} seconds, the limit. Try another text or tokenizer."
        ),
        "memory": mark(
            "This text could not be encoded with {n:,} MB of memory, the limit. Try another text or tokenizer."
        ),
        "crash": mark("The library that runs this tokenizer crashed on this text. Try another text or tokenizer."),
    },
}

# Both ends


class TooLarge(Exception):
    """A message exceeds the limit in bytes."""


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
    for blob in blobs:  # not joined: copying many megabytes blocks all threads
        file.write(blob)
    file.flush()


def read(file: BinaryIO, max_line_bytes: int = -1, max_blob_bytes: float = math.inf) -> Any:
    """Reads one message; raises EOFError at the end of the stream, and TooLarge beyond the limits.

    >>> import io
    >>> file = io.BytesIO()
    >>> write(file, [1, b"ab", {"ids": np.array([7, 8], np.uint32)}]); _ = file.seek(0)
    >>> read(file)
    [1, b'ab', {'ids': array([7, 8], dtype=uint32)}]
    """
    if not (line := file.readline(max_line_bytes)).endswith(b"\n"):
        raise TooLarge if len(line) == max_line_bytes else EOFError
    value, sizes = json.loads(line)
    if sum(sizes) > max_blob_bytes:
        raise TooLarge
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


# In the process of the tokenizer


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Opens the files of the first request, and answers later ones, each in the language that it names."""
    encoding: Encoding | None = None
    with contextlib.suppress(EOFError):
        write(sink, {"found": "here"})
        while True:
            tag, name, *values = read(source)
            with contextlib.suppress(OSError):  # not a file on every system
                os.ftruncate(2, 0)  # messages of libraries on earlier requests
            with using_language(tag):
                try:
                    if name in OPENING:
                        encoding = OPENING[name](*values)
                        found = facts(encoding)
                    elif name == "encode_each":
                        found = list(map(encoding.model.encode, *values))
                    elif name == "notes":
                        found = encoding.model.notes
                    else:
                        found = getattr(encoding.model, name)(*values)
                        found = list(found) if name == "pieces" else found
                    answer = {"found": found}
                except TokenizerError as error:
                    answer = {"error": str(error)}
                except MemoryError:
                    answer = {"stopped": "memory"}
                except Exception as error:  # libraries raise their own on a file or text that they cannot read
                    answer = {
                        "error": tr(
                            "The file or the text cannot be read; try another. The library says: {reason}",
                            reason=str(error)[:200],
                        )
                    }
            write(sink, answer)


def _open(files: Sequence[tuple[str, bytes]], main: str, pattern: str | None) -> Encoding:
    from tokenizer.formats import load_encoding

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "vocab-merges")  # names a pair of files
        folder.mkdir()
        for file, data in files:
            (folder / Path(file).name).write_bytes(data)
        try:
            return load_encoding(folder / main, pattern)
        except TokenizerError as error:
            raise TokenizerError(str(error).replace(f"{folder}/", "")) from None


def _open_model(key: str) -> Encoding:
    from tokenizer.kinds.registry import get_encoding

    return get_encoding(key)


OPENING = {"open": _open, "open model": _open_model}


def facts(encoding: Encoding) -> dict:
    """Returns the facts of an encoding for the caller; an encoding whose model is our own code is sent as a whole."""
    model = encoding.model
    if not model.runs_in_library:
        return {"foreign": False, "encoding": pickle.dumps(encoding, pickle.HIGHEST_PROTOCOL)}
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
        "treats_start_specially": model.treats_start_specially,
        "sizes": np.array([-1 if token is None else len(token) for token in tokens], np.int32),
        "tokens": b"".join(token or b"" for token in tokens),
        "piece_ends": np.cumsum(list(map(len, pieces)), dtype=np.int64),
        "pieces": b"".join(pieces),  # parsing many strings as JSON would block the caller
        "capabilities": sorted(model.capabilities),
        "native_special_tokens": model.native_special_tokens,
        "notes": model.notes,
        "ignored_settings": dict(model.ignored_settings),
        "shared_id": model.shared_id,
        "moved_id": model.moved_id,
        "merges": merges
        and [
            merges.alphabet,
            np.array(sorted(merges.base.values()), np.int64),
            np.array(sorted(merges.ranks.values()), np.int64),
            None if merges.pairs is None else np.array([(*pair, id) for pair, id in merges.pairs.items()], np.int64),
        ],
    }


# In the process of the caller


class SandboxProcess:
    """A tokenizer's process: started at the first request, ended when one takes too long or none comes."""

    def __init__(self, *opening: Any, seconds: float | None = None):
        self.opening, self.seconds = opening, seconds
        self.facts: dict = {}
        self.is_busy, self.held_bytes = False, 0  # the lock of the pool protects both
        self._process: subprocess.Popen | None = None
        self._errors: BinaryIO | None = None  # messages of libraries while they crash
        self._lock = threading.Lock()

    def __reduce__(self):
        return _unpickle, (self.opening, self.seconds, self.facts)

    @property
    def is_running(self) -> bool:
        """Whether the process has started and not ended."""
        return self._process is not None and self._process.poll() is None

    def ask(self, name: str, *values: Any) -> Any:
        """Returns the tokenizer's answer; raises its TokenizerError, SandboxStopped or ServerBusy."""
        with self._lock, pool.busy(self):
            if not self.is_running:
                self._open()
            return self._request(self.seconds or ANSWER_SECONDS, name, *values)

    def open(self, seconds: float | None = None) -> "SandboxProcess":
        """Opens the files within `seconds` after the start of the process, and stores the facts."""
        with self._lock, pool.busy(self):
            self._open(seconds)
        return self

    def end(self) -> None:
        """Ends the process; the next request starts another."""
        pool.forget(self)

    def kill(self) -> None:
        """Kills the process; called by the pool or by the thread that has sent a request."""
        process, self._process = self._process, None
        if process:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, self._errors):
                with contextlib.suppress(OSError):
                    pipe.close()

    def resident_bytes(self) -> int:
        """Returns the resident memory of the process in bytes."""
        return workers.resident_bytes(self._process.pid) if self.is_running else 0

    def _open(self, seconds: float | None = None) -> None:
        self.kill()
        self._errors = tempfile.TemporaryFile("ab+")  # noqa: SIM115, `kill` closes it
        arguments = ["-m", "tokenizer.formats.sandboxed_model", str(os.getpid())]
        started = _spawner.submit(workers.start, arguments, workers.SHARES.process, 0, stderr=self._errors)
        self._process = started.result()
        try:
            self._exchange("open", START_SECONDS)
        except SandboxStopped:
            raise ServerBusy from None
        workers.lower_priority(self._process.pid, workers.NICENESS)  # later: a start takes seconds then
        try:
            self.facts = self._request(seconds or self.seconds or OPENING_SECONDS, *self.opening)
        except TokenizerError:
            self.kill()
            raise

    def _request(self, seconds: float, name: str, *values: Any) -> Any:
        return self._exchange(name, seconds, [language(), name, *values])

    def _exchange(self, name: str, seconds: float, question: Sequence[Any] = ()) -> Any:
        process, took_long = self._process, threading.Event()
        clock = threading.Timer(seconds, lambda: (took_long.set(), process.kill()))
        clock.daemon = True
        clock.start()
        try:
            if question:
                write(process.stdin, question)
            answer = read(process.stdout, MAX_LINE_BYTES, MAX_BLOB_BYTES)
        except TooLarge:
            answer = {"stopped": "memory"}
        except (OSError, EOFError, ValueError):
            answer = {"stopped": "time" if took_long.is_set() else self._exit_reason(process)}
        finally:
            clock.cancel()
        if "error" in answer:
            raise TokenizerError(answer["error"])
        if reason := answer.get("stopped"):
            self.kill()
            limit = workers.allowed(workers.SHARES.process) // 10**6
            problem = tr(STOPPED.get(name, STOPPED["text"])[reason], seconds=float(f"{seconds:.2g}"), n=limit)
            raise SandboxStopped(problem)
        return answer["found"]

    def _exit_reason(self, process: subprocess.Popen) -> str:
        """Returns why the process ended: "memory" if a library or the system reports it, otherwise "crash"."""
        process.kill()  # a process that sent an invalid message still runs
        was_killed, written = process.wait() == -getattr(signal, "SIGKILL", 9), b""
        with contextlib.suppress(OSError, ValueError):
            self._errors.seek(0)
            written = self._errors.read(100_000)
        if b"panicked" not in written and any(one in written for one in OUT_OF_MEMORY):
            return "memory"
        return "memory" if was_killed and not written else "crash"  # the system kills when out of memory


def _unpickle(opening: Sequence[Any], seconds: float | None, facts: dict) -> SandboxProcess:
    """Returns a process that is not started, with the facts of another one."""
    found = SandboxProcess(*opening, seconds=seconds)
    found.facts = facts
    return found


class SandboxPool:
    """The running processes, which together stay within the memory share of models.

    A busy process counts with its limit, an idle one with its resident memory. The least recently used idle processes
    are ended to make room."""

    def __init__(self):
        self.alive: OrderedDict[SandboxProcess, float] = OrderedDict()  # time of the last request, the oldest first
        self._changed = threading.Condition(threading.RLock())
        self._is_watched = False

    @contextlib.contextmanager
    def busy(self, process: SandboxProcess) -> Iterator[None]:
        """Waits for room for a busy process, and reserves it in the block; raises ServerBusy after a timeout."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._make_room(process), START_SECONDS):
                raise ServerBusy
            process.is_busy, process.held_bytes = True, workers.SHARES.process
            self.alive[process] = time.monotonic()
            self.alive.move_to_end(process)
            if not self._is_watched:
                self._is_watched = True
                threading.Thread(target=self._keep_watch, name="sandboxes", daemon=True).start()
        try:
            yield
        finally:
            resting = process.resident_bytes()
            with self._changed:
                process.is_busy, process.held_bytes = False, resting
                if not resting:
                    self.alive.pop(process, None)
                self._changed.notify_all()

    def forget(self, process: SandboxProcess) -> None:
        """Ends a process, even a busy one."""
        with self._changed:
            self.alive.pop(process, None)
            process.kill()
            self._changed.notify_all()

    def _make_room(self, process: SandboxProcess) -> bool:
        """Ends idle processes if that makes enough room for this one; returns whether there is room."""
        others = [one for one in self.alive if one is not process]
        room = workers.SHARES.models - workers.SHARES.process
        held = sum(one.held_bytes for one in others)
        if sum(one.held_bytes for one in others if one.is_busy) > room:
            return False
        for one in [one for one in others if not one.is_busy]:
            if held <= room and len(self.alive.keys() - {process}) < MAX_PROCESSES:
                break
            held -= one.held_bytes
            del self.alive[one]
            one.kill()
        return True

    def _keep_watch(self) -> None:
        while True:
            time.sleep(10)
            self.end_idle()

    def end_idle(self) -> None:
        """Ends processes that have been idle for IDLE_SECONDS."""
        with self._changed:
            now = time.monotonic()
            for one in [one for one, at in self.alive.items() if now - at > IDLE_SECONDS and not one.is_busy]:
                self.forget(one)


pool = SandboxPool()
_spawner = ThreadPoolExecutor(1, "spawner")  # the system ends a process with the thread that started it


def end_all() -> None:
    """Ends all processes."""
    for one in list(pool.alive):
        one.end()


class SubprocessModel:
    """A model that runs in a process of its own."""

    runs_in_library = True
    extends = None

    def __init__(self, process: SandboxProcess):
        known = process.facts
        self.process = process
        self.kind, self.engine, self.fingerprint = known["kind"], known["engine"], known["fingerprint"]
        self.safe_cuts, self.treats_start_specially = known["safe_cuts"], known["treats_start_specially"]
        self.ignored_settings, self.shared_id = known["ignored_settings"], known["shared_id"]
        self.moved_id = known["moved_id"]
        self._notes = {language(): known["notes"]}  # of the answer to `open`
        self.unknown_id, self.unknown_name = known["unknown"]
        self.split = Split(*known["split"]) if known["split"] else None
        self.tokens = _tokens(known["sizes"].tolist(), known["tokens"])
        self._pieces, self._piece_ends = known["pieces"], known["piece_ends"]
        self.capabilities, self.native_special_tokens = frozenset(known["capabilities"]), known["native_special_tokens"]
        self._prefetched: dict[str, list] = {}

    @cached_property
    def merges(self) -> Merges | None:
        return self.process.facts["merges"] and self._merges(*self.process.facts["merges"])

    def _merges(self, alphabet: str, base: np.ndarray, ranks: np.ndarray, pairs: np.ndarray | None) -> Merges:
        symbols, known = ({self.tokens[id]: id for id in ids.tolist()} for ids in (base, ranks))
        made = None if pairs is None else {(left, right): id for left, right, id in pairs.reshape(-1, 3).tolist()}
        return Merges(alphabet, symbols, known, self.tokens, None, made)

    @property
    def notes(self) -> list[str]:
        if (tag := language()) not in self._notes:
            self._notes[tag] = self.process.ask("notes")
        return self._notes[tag]

    def encode(self, text: str, special: bool = False, is_inside: bool = False) -> ModelOutput:
        if special or is_inside:
            return ModelOutput(*self.process.ask("encode", text, special, is_inside))
        known = self._prefetched.get(text)
        return ModelOutput(*(self.process.ask("encode", text) if known is None else known))

    def prefetch(self, texts: Sequence[str]) -> None:
        self._prefetched = dict(zip(texts, self.process.ask("encode_each", list(texts)), strict=True))

    def pieces(self, text: str, special: bool = False, is_inside: bool = False) -> Iterable[tuple[int, str]]:
        options = (special, is_inside) if self.native_special_tokens else ()
        return [(position, piece) for position, piece in self.process.ask("pieces", text, *options)]

    def piece(self, id: int) -> str:
        return self._pieces[self._piece_ends[id - 1] if id else 0 : self._piece_ends[id]].decode()

    def text_of(self, ids: Sequence[int]) -> str | None:
        return self.process.ask("text_of", list(ids))

    def reencode(self, ids: Sequence[int]) -> Iterable[tuple[str, list[int]] | None]:
        return self.process.ask("reencode", list(ids))

    def stages(self, text: str) -> list[Stage] | None:
        found = self.process.ask("stages", text)
        return found and [Stage(*stage) for stage in found]

    def __getattr__(self, name: str):
        if name.startswith("_") or name not in self.capabilities:
            raise AttributeError(name)
        return partial(self.process.ask, name)


def _tokens(sizes: Sequence[int], joined: bytes) -> list[bytes | None]:
    tokens, at = [], 0
    for size in sizes:
        tokens.append(None if size < 0 else joined[at : at + size])
        at += max(0, size)
    return tokens


def load_sandboxed(
    files: Mapping[str, bytes], main: str, pattern: str | None = None, seconds: float | None = None
) -> Encoding:
    """Returns the encoding in untrusted files; third-party code runs in a process of its own.

    Raises TokenizerError within OPENING_SECONDS, or `seconds`, for any files; on a busy machine the start
    of the process adds to that.
    """
    process = SandboxProcess("open", list(files.items()), main, pattern)
    process.open((seconds or OPENING_SECONDS) - USUAL_START_SECONDS)
    if process.facts["foreign"]:
        return _encoding(process)
    process.end()
    return pickle.loads(process.facts["encoding"])  # from our own code: no third-party code has run there


def open_model_sandboxed(key: str) -> Encoding:
    """Returns an open model that splintr runs, in a process of its own, since splintr blocks other threads."""
    return _encoding(SandboxProcess("open model", key, seconds=MODEL_SECONDS).open())


def _encoding(process: SandboxProcess) -> Encoding:
    return Encoding(process.facts["name"], SubprocessModel(process), process.facts["specials"])


if __name__ == "__main__":
    panics.is_hiding = False  # the caller reads them
    exit_with_parent(int(sys.argv[1]))
    with contextlib.suppress(BrokenPipeError):
        serve(sys.stdin.buffer, answer_stream())
