"""Runs a tokenizer from an untrusted file in a process of its own (`python -m` with this module), bounded in time and
memory: neither an endless loop nor a crash of a library reaches the caller.

A message, in either direction, is a line of JSON, `[value, sizes]`, and blobs of these sizes; an array or bytes stand
in the value as `{"blob": i, "dtype": …}`. The process first says that it is there. Then the first question is `open`;
the others are methods of the model.
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
from tokenizer.parent_watchdog import answer_stream, exit_with_parent

ANSWER_SECONDS = 5  # for opening a file, and for any question
USUAL_START_SECONDS = 0.5  # of those for opening a file, for the start of its process
MODEL_SECONDS = 30  # for an open model, whose makers are known
START_SECONDS = 30  # for the start of a process, and for room in memory, on a busy machine
MAX_PROCESSES = 8  # processes; one that was ended starts again with the next question
IDLE_SECONDS = 600  # without a question until a process ends
MAX_LINE_BYTES = 32_000_000  # of the JSON of an answer: Python's objects take several times as much
MAX_BLOB_BYTES = 256_000_000  # of all arrays of an answer
OUT_OF_MEMORY = (b"memory allocation of", b"bad_alloc", b"MemoryError")  # what libraries write before they abort


class SandboxStopped(TokenizerError):
    """A tokenizer's process needed more time or memory than it may have, or crashed."""


class ServerBusy(TokenizerError):
    """Other processes take all the memory or time that there is."""

    def __init__(self):
        super().__init__(tr("The server is busy with other tokenizers. Try again in a moment."))


STOPPED = {  # by what was asked, and by the reason
    "open": {
        "time": mark("Opening this file takes more than {seconds:g} seconds, so it was stopped. Try less of it."),
        "memory": mark("Opening this file takes more than the {n:,} MB of memory that it may use. Try less of it."),
        "crash": mark("The library that reads this tokenizer crashed on this file, which is probably damaged."),
    },
    "open model": {
        "time": mark("Loading this model takes more than {seconds:g} seconds, so it was stopped."),
        "memory": mark("Loading this model takes more than the {n:,} MB of memory that it may use."),
        "crash": mark("The library that reads this model crashed while it was loaded."),
    },
    "text": {
        "time": mark("This text takes more than {seconds:g} seconds, so it was stopped. Try less of it."),
        "memory": mark("This text takes more than the {n:,} MB of memory that it may use. Try less of it."),
        "crash": mark("The library that runs this tokenizer crashed on this text. Try another text or tokenizer."),
    },
}

# Both ends


class TooLarge(Exception):
    """A message has more bytes than one may have."""


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


def read(file: BinaryIO, max_line_bytes: int = -1, max_blob_bytes: float = math.inf) -> Any:
    """Reads one message; raises EOFError where none comes, and TooLarge where it is larger than it may be.

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


# The end that has the tokenizer


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Opens the files that the first question brings, and answers the others, each in the language that it names."""
    encoding: Encoding | None = None
    with contextlib.suppress(EOFError):
        write(sink, {"found": "here"})
        while True:
            spoken, name, *values = read(source)
            with contextlib.suppress(OSError):  # there it is no file
                os.ftruncate(2, 0)  # what libraries wrote of other questions
            with using_language(spoken):
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
                    said = {"found": found}
                except TokenizerError as error:
                    said = {"error": str(error)}
                except MemoryError:
                    said = {"stopped": "memory"}
                except Exception as error:  # a library's own, on a file or text that it cannot take
                    said = {"error": tr("It cannot be read: {reason}", reason=str(error)[:200])}
            write(sink, said)


def _open(files: Sequence[tuple[str, bytes]], main: str, pattern: str | None) -> Encoding:
    from tokenizer.formats import load_encoding

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "vocab-merges")  # a pair of files is named after its folder
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
    """Returns what the other end knows of an encoding; one whose model is our own code goes there as it is."""
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
        "pieces": b"".join(pieces),  # many strings as JSON would hold up who reads them
        "capabilities": sorted(model.capabilities),
        "native_special_tokens": model.native_special_tokens,
        "notes": model.notes,
        "merges": merges
        and [
            merges.alphabet,
            np.array(sorted(merges.base.values()), np.int64),
            np.array(sorted(merges.ranks.values()), np.int64),
            None if merges.pairs is None else np.array([(*pair, id) for pair, id in merges.pairs.items()], np.int64),
        ],
    }


# The end that asks


class Process:
    """A tokenizer's process: started when it is asked something, ended when it takes too long or nobody asks."""

    def __init__(self, *opening: Any, seconds: float | None = None):
        self.opening, self.seconds = opening, seconds
        self.facts: dict = {}
        self.is_busy, self.held_bytes = False, 0  # both under the lock of the pool
        self._process: subprocess.Popen | None = None
        self._errors: BinaryIO | None = None  # what libraries write while they crash
        self._lock = threading.Lock()

    def __reduce__(self):
        return _unpickle, (self.opening, self.seconds, self.facts)

    def ask(self, name: str, *values: Any) -> Any:
        """Returns what the tokenizer answers; raises TokenizerError in its words, SandboxStopped, or ServerBusy."""
        with self._lock, _pool.busy(self):
            if self._process is None or self._process.poll() is not None:
                self._open()
            return self._say(self.seconds or ANSWER_SECONDS, name, *values)

    def open(self, seconds: float | None = None) -> "Process":
        """Opens the files, in so many seconds after the start of the process, and knows the facts then."""
        with self._lock, _pool.busy(self):
            self._open(seconds)
        return self

    def end(self) -> None:
        """Ends the process; the next question starts another."""
        _pool.forget(self)

    def kill(self) -> None:
        """Kills the process; the pool or who is asking does so."""
        process, self._process = self._process, None
        if process:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, self._errors):
                with contextlib.suppress(OSError):
                    pipe.close()

    def resident_bytes(self) -> int:
        """Returns how much memory the process takes now."""
        return workers.resident_bytes(self._process.pid) if self._process and self._process.poll() is None else 0

    def _open(self, seconds: float | None = None) -> None:
        self.kill()
        self._errors = tempfile.TemporaryFile("ab+")  # noqa: SIM115, `kill` closes it
        arguments = ["-m", "tokenizer.formats.sandboxed_model", str(os.getpid())]
        started = _spawner.submit(workers.start, arguments, workers.SHARES.process, 0, stderr=self._errors)
        self._process = started.result()
        try:
            self._hear("open", START_SECONDS)
        except SandboxStopped:
            raise ServerBusy from None
        workers.lower_priority(self._process.pid, workers.NICENESS)  # so late, for a start takes seconds else
        try:
            self.facts = self._say(seconds or self.seconds or ANSWER_SECONDS, *self.opening)
        except TokenizerError:
            self.kill()
            raise

    def _say(self, seconds: float, name: str, *values: Any) -> Any:
        return self._hear(name, seconds, [language(), name, *values])

    def _hear(self, name: str, seconds: float, question: Sequence[Any] = ()) -> Any:
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
            answer = {"stopped": "time" if took_long.is_set() else self._why_it_ended(process)}
        finally:
            clock.cancel()
        if "error" in answer:
            raise TokenizerError(answer["error"])
        if reason := answer.get("stopped"):
            self.kill()
            limit = workers.allowed(workers.SHARES.process) // 10**6
            said = tr(STOPPED.get(name, STOPPED["text"])[reason], seconds=float(f"{seconds:.2g}"), n=limit)
            raise SandboxStopped(said)
        return answer["found"]

    def _why_it_ended(self, process: subprocess.Popen) -> str:
        """Why the process ended by itself: for lack of memory, which libraries say as they abort, or by a crash."""
        process.kill()  # one that sent nonsense may still be there
        was_killed, written = process.wait() == -getattr(signal, "SIGKILL", 9), b""
        with contextlib.suppress(OSError, ValueError):
            self._errors.seek(0)
            written = self._errors.read(100_000)
        if b"panicked" not in written and any(one in written for one in OUT_OF_MEMORY):
            return "memory"
        return "memory" if was_killed and not written else "crash"  # the system kills so where it has no memory left


def _unpickle(opening: Sequence[Any], seconds: float | None, facts: dict) -> Process:
    """Returns a process that is not started, and knows what another one knows."""
    found = Process(*opening, seconds=seconds)
    found.facts = facts
    return found


class Pool:
    """The processes that are alive. Together they stay within the share of the models: one at work counts with all that
    it may take, one at rest with what it takes. Those at rest that were asked longest ago end to make room."""

    def __init__(self):
        self.alive: OrderedDict[Process, float] = OrderedDict()  # when each was asked last, the longest ago first
        self._changed = threading.Condition(threading.RLock())
        self._is_watched = False

    @contextlib.contextmanager
    def busy(self, process: Process) -> Iterator[None]:
        """Waits until there is room for a process to work, and keeps it meanwhile; raises ServerBusy if none comes."""
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

    def forget(self, process: Process) -> None:
        """Ends a process, in the middle of its work too."""
        with self._changed:
            self.alive.pop(process, None)
            process.kill()
            self._changed.notify_all()

    def _make_room(self, process: Process) -> bool:
        """Ends processes at rest, if that makes room for this one to work; returns whether there is."""
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
        """Ends the processes that nobody has asked for a while."""
        with self._changed:
            now = time.monotonic()
            for one in [one for one, at in self.alive.items() if now - at > IDLE_SECONDS and not one.is_busy]:
                self.forget(one)


_pool = Pool()
_spawner = ThreadPoolExecutor(1, "spawner")  # a process lasts as long as the thread that started it


def end_all() -> None:
    """Ends all processes."""
    for one in list(_pool.alive):
        one.end()


class SubprocessModel:
    """A model that answers from its process."""

    runs_in_library = True

    def __init__(self, process: Process):
        known = process.facts
        self.process = process
        self.kind, self.engine, self.fingerprint = known["kind"], known["engine"], known["fingerprint"]
        self.safe_cuts, self.treats_start_specially = known["safe_cuts"], known["treats_start_specially"]
        self._notes = {language(): known["notes"]}  # it was opened just now
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
        if (spoken := language()) not in self._notes:
            self._notes[spoken] = self.process.ask("notes")
        return self._notes[spoken]

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
    """Returns the encoding that untrusted files hold; another program's code runs in a process of its own.

    Raises TokenizerError within ANSWER_SECONDS, or `seconds`, whatever is in the files; on a busy machine the start of
    the process comes on top.
    """
    process = Process("open", list(files.items()), main, pattern)
    process.open((seconds or ANSWER_SECONDS) - USUAL_START_SECONDS)
    if process.facts["foreign"]:
        return _encoding(process)
    process.end()
    return pickle.loads(process.facts["encoding"])  # of our own code, which alone has run there


def open_model_sandboxed(key: str) -> Encoding:
    """Returns an open model whose texts splintr reads, in a process of its own: it holds up what runs beside it."""
    return _encoding(Process("open model", key, seconds=MODEL_SECONDS).open())


def _encoding(process: Process) -> Encoding:
    return Encoding(process.facts["name"], SubprocessModel(process), process.facts["specials"])


if __name__ == "__main__":
    exit_with_parent(int(sys.argv[1]))
    with contextlib.suppress(BrokenPipeError):
        serve(sys.stdin.buffer, answer_stream())
