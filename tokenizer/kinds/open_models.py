"""Tokenizers of open models from splintr-rs and two more packages; assets/models.toml is the table of models.

Packages are optional: a model without its package is listed, and loading it raises an error with the install command.
"""

import hashlib
import importlib.util
import re
from binascii import a2b_base64
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.lru_cache import LruCache
from tokenizer.errors import DamagedEncodingFile, NeedsPackage
from tokenizer.i18n import mark, tr
from tokenizer.kinds import packages, series
from tokenizer.kinds.byte_bpe import RankModel
from tokenizer.kinds.open_pieces import PieceModel
from tokenizer.paths import read_toml

if TYPE_CHECKING:
    from splintr import AnyTokenizer

PACKAGE, COMMAND = "splintr", "pip install splintr-rs"
MAX_LOADED_MODELS = 8  # each takes up to 80 MB; the least recently used one is evicted
IN_BRACKETS = re.compile(rb"<(?!unused)[\w/][^<>]*>|\[(?!unused)[^\[\]]+\]")


class RankFile(NamedTuple):
    """The file with the ranks of a model in another package than splintr, and its special tokens."""

    package: str  # import name
    path: str
    distribution: str  # name for pip
    special_tokens: list[list[int | str]]  # a row has an id and the names of the tokens from it on
    options: str = ""  # of pip

    @property
    def command(self) -> str:
        """The command that installs it."""
        return f"pip install {self.options}{self.distribution}"

    @property
    def repair_command(self) -> str:
        """The command that replaces the files of an installed package."""
        return f"pip install --force-reinstall --no-deps {self.distribution}"


@dataclass(frozen=True)
class OpenModel:
    """One vocabulary: key, display name, owner and origin.

    `source` and `licence` are from LICENSE-OTHERS of splintr-rs. `pattern` is None if pieces are merged over the whole
    text. `same_file` is a second source with the same ids; `same` is the key of a sentence about it in SAME.
    """

    key: str
    display_name: str
    maker: str
    licence: str
    source: str
    year: int | None = None
    pattern: str | None = None
    sha256: str = ""  # of its ranks as a .tiktoken file
    aliases: tuple[str, ...] = ()  # other names for input
    versions: tuple[str, ...] = ()  # further versions with this vocabulary, for lists
    same: str = ""
    same_file: str = ""
    notes: tuple[str, ...] = ()
    num_ids: int = 0  # of the model, where it keeps more ids for special tokens than are known here
    file: RankFile | None = None  # None for models in splintr

    @property
    def versions_label(self) -> str:
        """The label in lists of models, with the other versions that use its vocabulary.

        >>> BY_KEY["llama3"].versions_label
        'Llama 3, 3.1, 3.2, 3.3'
        """
        return ", ".join([self.display_name, *self.versions])

    @property
    def command(self) -> str:
        """The command that installs its package."""
        return self.file.command if self.file else COMMAND

    @property
    def is_here(self) -> bool:
        """Whether its package is installed."""
        return packages.is_installed(self.file.package) if self.file else is_installed()

    @property
    def family(self) -> str:
        """The kind of its algorithm, in a word."""
        return "Byte-level BPE" if self.pattern else "SentencePiece BPE"

    @property
    def checked(self) -> str:
        """A sentence on the second source with the same ids, and the number of texts; "" without one."""
        return self.same and tr(SAME[self.same], file=tr(self.same_file))


SAME = {
    "file": mark("a rank file with the same bytes, in the package {file}"),
    "ids": mark("{file}: the ids are the same for 3,161 texts in 113 languages"),
    "hash": mark(
        "{file}: other programs publish the sha256 of this file, and the ranks used here have the same sha256"
    ),
    "ranks": mark("Tokenloupe’s encoding {file}, which has the same ranks"),
}


def _model(facts: dict[str, Any]) -> OpenModel:
    """Returns a model from its facts in assets/models.toml."""
    facts |= facts.pop("in_words", {})
    facts = {name: tuple(value) if isinstance(value, list) else value for name, value in facts.items()}
    if "file" in facts:
        facts["file"] = RankFile(**facts["file"])
    return OpenModel(**facts)


_FILE = read_toml("models.toml")
MODELS = [_model(facts) for facts in _FILE["model"]]
BY_KEY = {model.key: model for model in MODELS}


class Name(NamedTuple):
    """A model that uses the vocabulary of another: display name, owner, and the source of that fact."""

    display_name: str
    key: str  # of an open model
    description: str
    base: str
    url: str


RELATIONS = {
    "takes": mark("The page of this model says that the model uses the tokenizer of {base}."),
    "based": mark("The page of this model says that the model is based on {base}, which has this vocabulary."),
    "local": mark("Google’s own library counts Gemini’s tokens locally, with the tokenizer of {base}."),
}
NAMES = {  # by their names in links
    facts.pop("name"): Name(**facts | {"description": RELATIONS[facts["description"]]}) for facts in _FILE["name"]
}
_KEYS = {name: model.key for model in MODELS for name in (model.key, *model.aliases)}
_KEYS |= {name: one.key for name, one in NAMES.items()}


def is_installed() -> bool:
    """Whether splintr-rs, the package with most of the vocabularies, is installed."""
    return packages.is_installed(PACKAGE)


def key_of(name: object) -> str | None:
    """Returns the key of the open model of this name, or None.

    >>> key_of("Llama-3.1"), key_of("Qwen/Qwen2.5-7B-Instruct"), key_of("gpt-4")
    ('llama3', 'qwen3', None)
    """
    return series.find(_KEYS, name)


def known_names() -> list[str]:
    """Returns the names of the open models, and of those that use one of their vocabularies.

    >>> known_names()[:2]
    ['llama4', 'llama-4']
    """
    return list(_KEYS)


def of_ranks(sha256: str) -> OpenModel | None:
    """Returns the open model whose ranks, as a .tiktoken file, have this hash."""
    return next((model for model in MODELS if model.sha256 == sha256), None)


def needs_own_process(key: str) -> bool:
    """Whether this is the key of a model that splintr runs, which blocks all other threads."""
    return key in BY_KEY and BY_KEY[key].pattern is None and is_installed()


def merges_bytes(key: str) -> bool:
    """Whether merges start from bytes; open models of pieces merge characters."""
    return key not in BY_KEY or BY_KEY[key].pattern is not None


def is_loaded(key: str) -> bool:
    """Whether an open model is loaded."""
    return key in loaded


def load(key: str) -> Encoding:
    """Returns the encoding of an open model, loaded at the first use; raises NeedsPackage.

    At most MAX_LOADED_MODELS stay loaded; the least recently used one is evicted.
    """
    return loaded.get(key)


def build(key: str) -> Encoding:
    """Returns a new encoding of an open model; raises NeedsPackage and DamagedEncodingFile."""
    known = BY_KEY[key]
    if not known.is_here:
        package = known.file.package if known.file else PACKAGE
        raise NeedsPackage(tr("The tokenizer of {name}", name=known.display_name), package, known.command)
    if known.file:
        return _read(known, known.file)
    from splintr import Tokenizer, base_vocab_size

    found = Tokenizer.from_pretrained(known.key)
    size = base_vocab_size(known.key)  # later ids are added by splintr for its own use
    specials = {name: id for name, id in found.special_tokens().items() if id < size}
    table = [_bytes(found, id) for id in range(size)]
    first_byte = next(id for id, token in enumerate(table) if token and len(token) == 1)
    specials |= _out_of_reach(found, table[:first_byte] if known.pattern else table)
    for id in specials.values():
        table[id] = None
    if known.pattern:
        model = RankModel(known.pattern, {token: id for id, token in enumerate(table) if token})
        model.engine = mark("tiktoken, with the ranks from the package splintr")
    else:
        model = PieceModel(found, table, specials)
    model.lazy_notes = [partial(tr, note) for note in known.notes]
    return Encoding(known.key, model, dict(sorted(specials.items(), key=lambda one: one[1])))


def _read(known: OpenModel, file: RankFile) -> Encoding:
    """Reads the ranks from a file of a package without importing it; raises DamagedEncodingFile."""
    [folder] = importlib.util.find_spec(file.package).submodule_search_locations
    path = Path(folder) / file.path
    remedy = tr("Install its package again with {command}.", command=file.repair_command)
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = tr("the file is missing") if isinstance(error, FileNotFoundError) else error.strerror
        raise DamagedEncodingFile(path, reason, remedy) from None
    if (found := hashlib.sha256(data).hexdigest()) != known.sha256:
        reason = tr("its sha256 is {found}, but should be {expected}", found=found, expected=known.sha256)
        raise DamagedEncodingFile(path, reason, remedy)
    ranks = {a2b_base64(token): int(rank) for token, rank in map(bytes.split, data.splitlines())}
    model = RankModel(known.pattern, ranks, known.sha256)
    model.engine = mark("tiktoken, with the ranks from the package of the model")
    model.lazy_notes = [partial(tr, note) for note in known.notes]
    special_tokens = {name: first + i for first, *names in file.special_tokens for i, name in enumerate(names)}
    return Encoding(known.key, model, special_tokens)


def _bytes(found: "AnyTokenizer", id: int) -> bytes | None:
    try:
        return bytes(found.decode_token_bytes(id)) or None
    except ValueError:  # an id without a token
        return None


def _out_of_reach(found: "AnyTokenizer", table: list[bytes | None]) -> dict[str, int]:
    """Returns tokens with a name in brackets that no merge produces, such as <start_of_turn>, except unused ones."""
    named = {id: token.decode() for id, token in enumerate(table) if token and IN_BRACKETS.fullmatch(token)}
    return {name: id for id, name in named.items() if found.encode_ordinary(name)[-1] != id}


loaded = LruCache(build, MAX_LOADED_MODELS)
