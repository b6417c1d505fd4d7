"""Loads tokenizers from files that visitors bring; the files are untrusted, so time, memory and sizes are bounded."""

import io
import itertools
import re
import struct
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from server.encodings import sidecar_files
from tokenizer import Encoding, list_encoding_names
from tokenizer.errors import BadTokenizerFile
from tokenizer.formats import huggingface, rank_file, timeline
from tokenizer.formats.reading import as_utf8
from tokenizer.formats.sandboxed_model import load_sandboxed
from tokenizer.i18n import mark, tr
from tokenizer.kinds import open_models

MAX_FILE_BYTES = 40_000_000  # of the files together; Gemma's tokenizer.json has 33 million
MAX_FILES_IN_ZIP = 100  # files in a zip
MAX_ENTRIES_IN_ZIP = 1_000  # the same with folders, and with files that macOS adds
ZIP_ENTRY = b"PK\1\2"  # begins an entry in the directory of a zip
# Python unpacks the other methods whole, whatever number of bytes is read: 254 bytes of BZIP2 may be 150 MB
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
MAX_IDS = 300_000
UNREADABLE = (  # what a zip may raise, found by mutating some
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    LookupError,
    RuntimeError,
)
METADATA_OF_MAC = re.compile(r"(?:^|/)(?:__MACOSX/|\.(?!/))")  # files that macOS adds to a zip; not "./a"
GPT2_FILES = {"vocab.json", "encoder.json", "merges.txt", "vocab.bpe"}  # each program names its two in its own way
KNOWN_NAMES = {"tokenizer.json", "vocab.txt", *GPT2_FILES, *sidecar_files.NAMES}
NUMBER_OF_COPY = re.compile(r" ?\(\d+\)(?=\.)")  # browsers add it to the name of another download
# What the name of a tokenizer's file ends with; a text may be a .json, .txt or .csv, too
ENDINGS = (".model", ".spm", ".tiktoken", ".tokenloupe", ".zip", *GPT2_FILES, *sidecar_files.TOKEN_FILES)
VOCABULARY_IN_JSON = re.compile(rb'"(?:vocab|merges)"\s*:\s*[\[{]')  # in a tokenizer.json or tekken.json
MAX_SPECIAL_TOKENS, MAX_SPECIAL_TOKEN_CHARACTERS = 2_500, 100_000  # special tokens, and characters of all their names


def load(
    files: Mapping[str, bytes], pattern: str | None = None, called: str = "", seconds: float | None = None
) -> Encoding:
    """Returns the encoding in these files: one file of any form, GPT-2's two, or one with a file for its pattern.

    `pattern` and `called` replace the file's own. Its name is safe to show and to write; raises TokenizerError within
    `seconds`, 5 where they are not given.

    >>> from tokenizer import encoding_files, encoding_from_merges
    >>> files = encoding_files(encoding_from_merges([(b"a", b"b")], name="toy"), "minbpe")
    >>> load({"../my <toy>.model": files["toy.model"]}).name
    'my-toy'
    """
    if (size := sum(map(len, files.values()))) > MAX_FILE_BYTES:
        raise BadTokenizerFile(
            tr("these files"),
            tr("the files have {size:,} bytes together; the limit is {most:,} bytes", size=size, most=MAX_FILE_BYTES),
        )
    duplicates = sidecar_files.duplicates(files)
    files = {name: data for name, data in files.items() if name not in duplicates}
    named = {_safe(name): data for name, data in _as_gpt2(files).items()}
    main = _main(named)
    found = load_sandboxed(named, main, pattern, seconds)
    specials = found.special_tokens
    if found.id_limit > MAX_IDS:
        problem = mark("the largest id is {last:,}; the limit is {most:,}")
        raise BadTokenizerFile(main, tr(problem, last=found.id_limit - 1, most=MAX_IDS - 1))
    if (n := len(specials)) > (most := MAX_SPECIAL_TOKENS):
        problem = mark("the tokenizer has {n:,} special tokens; the limit is {most:,} special tokens")
        raise BadTokenizerFile(main, tr(problem, n=n, most=most))
    if (n := sum(map(len, specials))) > (most := MAX_SPECIAL_TOKEN_CHARACTERS):
        problem = mark(
            "the names of the special tokens have {n:,} characters together; the limit is {most:,} characters"
        )
        raise BadTokenizerFile(main, tr(problem, n=n, most=most))
    found.name = _safe(called or found.name)
    if found.name in (*list_encoding_names(), *open_models.BY_KEY):
        found.name += "-file"
    return found


def is_tokenizer(name: str, data: bytes) -> bool:
    """Whether a file, by its name or contents, is one of a tokenizer rather than a text.

    >>> is_tokenizer("tokenizer.json", b'{"model": {"vocab": {}}}'), is_tokenizer("chat.json", b'{"model": "gpt-4o"}')
    (True, False)
    >>> is_tokenizer("merges.txt", b"#version: 0.2"), is_tokenizer("merges in class.txt", b"Today we merge pairs.")
    (True, False)
    """
    data = as_utf8(data)
    if name.lower().endswith(ENDINGS) or data.startswith(b"#version:"):  # merges in a file of any name
        return True
    if timeline.recognises(data) or huggingface.is_vocabulary(Path(name), data):
        return True
    is_object = data[:100].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    return is_object and (b'"model"' in data or b'"config"' in data) and bool(VOCABULARY_IN_JSON.search(data))


def by_name(uploads: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    """Returns files by their names, those of a zip, too; of several that have one name, all but the first get a number.

    A known name loses the number that a browser has added.

    >>> by_name([("tokenizer.json", b"a"), ("b.model", b""), ("tokenizer.json", b"c")])
    {'tokenizer.json': b'a', 'b.model': b'', 'tokenizer-2.json': b'c'}
    >>> by_name([("a.tiktoken", "YQ== 0".encode("utf-16"))])
    {'a.tiktoken': b'YQ== 0'}
    >>> by_name([("vocab (1).txt", b"a"), ("notes (1).txt", b"b")])
    {'vocab.txt': b'a', 'notes (1).txt': b'b'}
    """
    found: dict[str, bytes] = {}
    numbers = defaultdict(partial(itertools.count, 2))  # by name: the next one to try
    for name, data in _unpacked(uploads):
        plain = NUMBER_OF_COPY.sub("", name)
        name = plain if plain in KNOWN_NAMES else name
        stem, dot, ending = name.partition(".")
        others = (f"{stem}-{number}{dot}{ending}" for number in numbers[name])
        found[next(one for one in itertools.chain([name], others) if one not in found)] = data
    return found


def _unpacked(uploads: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Yields files, and of a zip those in it, UTF-16 text as UTF-8.

    A zip that is damaged, locked or too large stays packed, and is refused.
    """
    room = MAX_FILE_BYTES
    for name, data in uploads:
        inside = [(name, data)]
        if name.lower().endswith(".zip"):
            with suppress(*UNREADABLE):
                inside = _inside(data, room)
                room -= sum(len(found) for _, found in inside)
        yield from ((name, as_utf8(data)) for name, data in inside)


def _inside(data: bytes, room: int) -> list[tuple[str, bytes]]:
    """Returns the files of a zip by their own names; raises ValueError where there are too many, or too many bytes."""
    found = []
    if data.count(ZIP_ENTRY) > MAX_ENTRIES_IN_ZIP:  # before Python makes an object of each
        raise ValueError(MAX_ENTRIES_IN_ZIP)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for one in archive.infolist():
            one.filename = one.filename.replace("\\", "/")  # older programs of Windows write backslashes
        members = [one for one in archive.infolist() if not one.is_dir() and not METADATA_OF_MAC.search(one.filename)]
        if not 0 < len(members) <= MAX_FILES_IN_ZIP:
            raise ValueError(len(members))
        if any(one.compress_type not in ZIP_METHODS for one in members):
            raise ValueError(ZIP_METHODS)
        for one in sorted(members, key=lambda one: by_number(one.filename)):
            with archive.open(one) as file:
                found.append((one.filename.rpartition("/")[2], file.read(room + 1)))
            if (room := room - len(found[-1][1])) < 0:
                raise ValueError(room)
    return found


def by_number(name: str) -> list:
    """Returns a key that sorts names by the values of the numbers in them.

    >>> sorted(["a-10.model", "a-2.model", "a.model"], key=by_number)
    ['a-2.model', 'a-10.model', 'a.model']
    """
    parts = enumerate(re.split("([0-9]+)", name))  # every second one is a number
    return [(len(digits := part.lstrip("0")), digits) if i % 2 else part for i, part in parts]


def sets(files: Mapping[str, bytes]) -> list[dict[str, bytes]]:
    """Returns files that were opened together as one set for each tokenizer, in the order of their names.

    A file belongs to the one that it is named after; GPT-2's two belong together. A file that the Hub
    has next to a tokenizer belongs to tokenizer.json, or to the only tokenizer. Sets without a tokenizer come last, so
    that they do not take the time of the others.

    >>> [list(one) for one in sets(dict.fromkeys(["b.model", "a.tiktoken", "b.vocab", "a.tiktoken.json"], b""))]
    [['a.tiktoken', 'a.tiktoken.json'], ['b.model', 'b.vocab']]
    >>> [list(one) for one in sets(dict.fromkeys(["merges.txt", "tokenizer.json", "vocab.json"], b'"BPE"'))]
    [['tokenizer.json', 'merges.txt', 'vocab.json']]
    >>> [list(one) for one in sets(dict.fromkeys(["config.json", "vocab.txt", "a.model", "tokenizer.json"], b""))]
    [['a.model'], ['tokenizer.json', 'config.json'], ['vocab.txt']]
    """
    duplicates = sidecar_files.duplicates(files)
    names = sorted(files, key=by_number)
    sidecars = {name: files[name] for name in names if name in sidecar_files.NAMES or name in duplicates}
    files = {name: files[name] for name in names if name not in sidecars}
    found: dict[str, dict[str, bytes]] = {}
    for name in files:
        is_pair = len(files) == 2 and _as_gpt2(files) is not files
        found.setdefault("GPT-2" if is_pair else _belongs_to(name, files), {})[name] = files[name]
    readable = [key for key, one in found.items() if any(is_tokenizer(*file) for file in one.items())]
    hosts = [key for key in found if key == "tokenizer.json"] or readable or list(found)
    if sidecars and len(hosts) == 1:
        found[hosts[0]] |= sidecars
    elif sidecars:
        found[""] = sidecars
    return [found[key] for key in sorted(found, key=lambda key: key not in readable)]


def _belongs_to(name: str, names: Collection[str]) -> str:
    if name in (*GPT2_FILES, "tokenloupe.json") and len(GPT2_FILES & set(names)) == 2:
        return "GPT-2"
    stem, _, ending = name.rpartition(".")
    if ending == "vocab" and f"{stem}.model" in names:
        return f"{stem}.model"
    return stem if ending == "json" and stem in names else name


def needs_pattern(files: Mapping[str, bytes]) -> bool:
    """Whether these files are only a rank table, and its split pattern is not known.

    >>> needs_pattern({"a.tiktoken": b"YQ== 0\\n"}), needs_pattern({"a.model": b"minbpe v1"})
    (True, False)
    """
    own = [data for name, data in files.items() if name not in (*sidecar_files.NAMES, *sidecar_files.duplicates(files))]
    return len(own) == 1 and rank_file.needs_pattern(own[0])


def lacks_pattern(files: Mapping[str, bytes]) -> bool:
    """Whether these files are GPT-2's two without our third one, which has the split pattern.

    >>> pair = {"vocab.json": b"{}", "merges.txt": b""}
    >>> lacks_pattern(pair), lacks_pattern(pair | {"tokenloupe.json": b"{}"})
    (True, False)
    """
    named = _as_gpt2(files)
    return _main(named) in GPT2_FILES and "tokenloupe.json" not in named


def _as_gpt2(files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Returns the files; GPT-2's two get their usual names."""
    named = files.keys() - sidecar_files.NAMES - {"tokenizer.json", "vocab.txt"}
    merges = [name for name in named if name.endswith((".txt", ".bpe"))]
    merges = [name for name in merges if not huggingface.is_vocabulary(Path(name), files[name])]
    vocabularies = [name for name in named if name.endswith(".json") and not name.endswith("tokenloupe.json")]
    if len(merges) != 1 or len(vocabularies) != 1:
        return files
    known = {merges[0]: "merges.txt", vocabularies[0]: "vocab.json"}
    return {known.get(name, name): data for name, data in files.items()}


def _main(names: Iterable[str]) -> str:
    """Returns the name of the main file."""
    names = [name for name in names if name not in sidecar_files.NAMES] or list(names)
    return next((name for name in names if not name.endswith((".json", ".vocab", ".txt"))), min(names, key=len))


def _safe(name: str) -> str:
    """Returns a name with letters, digits, and - _ . only."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name.rsplit("/", 1)[-1]).strip("-._")[-40:] or "tokenizer"
