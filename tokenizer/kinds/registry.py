"""Encodings by name: OpenAI's, from the tables in assets/encodings, and the open models of `open_models.py`."""

import gzip
import hashlib
import re
import threading
import zlib
from binascii import a2b_base64
from functools import cache
from pathlib import Path

from tiktoken.model import MODEL_PREFIX_TO_ENCODING, MODEL_TO_ENCODING, encoding_name_for_model

from tokenizer.encoding.bpe import Ranks
from tokenizer.encoding.interface import Encoding
from tokenizer.errors import DamagedEncodingFile, OnlyCounted, Unavailable, UnknownEncoding
from tokenizer.i18n import mark, tr
from tokenizer.kinds import counters, open_models, series
from tokenizer.kinds.byte_bpe import RankModel
from tokenizer.paths import ASSETS, read_toml

FOLDER = ASSETS / "encodings"
_FACTS = read_toml("encodings/openai.toml")
SHA256: dict[str, str] = _FACTS["sha256"]  # of the rank tables
MODELS: dict[str, str] = _FACTS["models"]  # names of models with their latest versions, the newest first
OTHER_NAMES: dict[str, str] = _FACTS["other_names"]  # of models, by their names in MODELS
ENCODINGS: dict[str, tuple[str, str, dict[str, int]]] = {  # split pattern, rank table, special tokens
    name: (one["pattern"], one["ranks"], one["special_tokens"]) for name, one in _FACTS["encodings"].items()
}
HARMONY = ENCODINGS["o200k_harmony"][2]
RESERVED = [200000, 200001, 200004, 200009, 200010, 200011, *range(200013, 201088)]  # 200018 has two names
HARMONY |= {f"<|reserved_{id}|>": id for id in RESERVED}
# the model of a fine-tuned one, today's name and that of 2023: ft:gpt-4o-2024-08-06:org::id, davinci:ft-org-2023-07-01
FINE_TUNED = re.compile(r"(?<![^/])(?:ft:([^:/]+)|([^:/]+):ft-).*", re.IGNORECASE)  # in linear time
# tiktoken takes those of GPT-4 for GPT-4 itself
HYPHENATED = [(r"^gpt-(3(?=-5)|4)-([15])(?=-|$)", r"gpt-\1.\2"), (r"^gpt-4-o(mni)?(?=-|$)", "gpt-4o")]
# names of models that tiktoken lacks, or has only in longer forms
ALIASES = dict.fromkeys(["gpt2-medium", "gpt2-large", "gpt2-xl", "distilgpt2", "distilbert/distilgpt2"], "gpt2")
ALIASES["gpt-oss"] = "o200k_harmony"


@cache
def model(pattern: str, table: str) -> RankModel:
    """Returns the model of a rank table; encodings that differ only in their special tokens share it."""
    return RankModel(pattern, ranks(table), SHA256[table])


@cache
def ranks(table: str) -> Ranks:
    """Returns the ranks of a table in assets/encodings; encodings with the same table share them.

    >>> ranks("r50k_base")[b" world"]
    995
    """
    if table == "p50k_base":  # r50k_base with runs of 2 to 25 spaces for code
        return ranks("r50k_base") | {b" " * length: 50255 + length for length in range(2, 26)}
    lines = read_table(FOLDER / f"{table}.tiktoken.gz", SHA256[table]).splitlines()
    return {a2b_base64(token): int(rank) for token, rank in map(bytes.split, lines)}


def read_table(path: Path, expected: str) -> bytes:
    """Returns the uncompressed bytes of a rank table; checks their hash."""
    remedy = tr("Get the file again from the repository of Tokenloupe.")
    try:
        data = gzip.decompress(path.read_bytes())
    except FileNotFoundError:
        raise DamagedEncodingFile(path, tr("the file is missing"), remedy) from None
    except (OSError, EOFError, zlib.error) as error:
        reason = tr("the file cannot be unzipped ({error})", error=error)
        raise DamagedEncodingFile(path, reason, remedy) from error
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        sentence = mark("the sha256 of its unzipped bytes is {found}, but should be {expected}")
        raise DamagedEncodingFile(path, tr(sentence, found=found, expected=expected), remedy)
    return data


loaded: dict[str, Encoding] = {}  # OpenAI's, by name
_loading = threading.Lock()


def list_encoding_names() -> list[str]:
    """Returns the names of the encodings, oldest first.

    >>> list_encoding_names()[0]
    'gpt2'
    """
    return list(ENCODINGS)


def get_encoding(name: str) -> Encoding:
    """Returns the encoding of this name, or the one that a model of this name uses.

    Encodings are loaded at the first use; only the most recently used open models stay loaded. Raises UnknownEncoding,
    OnlyCounted, and NeedsPackage for an open model without its package.

    >>> get_encoding("gpt-4").name
    'cl100k_base'
    """
    name = encoding_name(name)
    if name in open_models.BY_KEY:
        return open_models.load(name)
    if name not in loaded:
        with _loading:
            if name not in loaded:
                pattern, table, special_tokens = ENCODINGS[name]
                loaded[name] = Encoding(name, model(pattern, table), special_tokens)
    return loaded[name]


def is_loaded(name: str) -> bool:
    """Whether the encoding of this name, not a model's, is loaded."""
    return name in loaded or open_models.is_loaded(name)


def encoding_name(name: str) -> str:
    """Returns the name of the encoding for the name of an encoding or a model.

    Raises UnknownEncoding, OnlyCounted for a model whose tokens can only be counted, and Unavailable for a known one
    whose vocabulary no package has.

    >>> encoding_name("gpt-4o"), encoding_name("gpt2"), encoding_name("llama-3.1")
    ('o200k_base', 'gpt2', 'llama3')
    """
    if isinstance(name, str) and name in ENCODINGS:
        return name
    if found := open_models.key_of(name):
        return found
    if counter := counters.key_of(name):
        problem = mark(
            "With {name}, tokens can only be counted: its vocabulary, token boundaries and ids are not public."
        )
        raise OnlyCounted(tr(problem, name=counters.BY_KEY[counter].display_name))
    if absent := series.find({key: key for key in series.UNAVAILABLE}, name):
        problem = mark(
            "The tokenizer of {name} is not available: no package used here has its vocabulary. Choose another model."
        )
        raise Unavailable(tr(problem, name=series.UNAVAILABLE[absent]))
    try:
        plain = series.plain(FINE_TUNED.sub(r"\1\2", name.strip()))
        for hyphenated, spelled in HYPHENATED:
            plain = re.sub(hyphenated, spelled, plain)
        return ENCODINGS.get(plain) and plain or ALIASES.get(plain) or encoding_name_for_model(plain)
    except (KeyError, AttributeError):  # the latter: not a str
        known = [*MODEL_TO_ENCODING, *open_models.known_names(), *counters.names()]
        raise UnknownEncoding(name, ENCODINGS, known) from None


def list_models() -> dict[str, tuple[str, str]]:
    """Returns label and encoding of well-known models by name: OpenAI's, the newest first, then open ones.

    Open models are included if the package with their vocabulary is installed, followed by models that use one of these
    vocabularies.

    >>> next(iter(list_models().items()))
    ('gpt-5', ('GPT-5', 'o200k_base'))
    """
    openai_models = {model: (called, encoding_name(model)) for model, called in MODELS.items()}
    installed = {model.key for model in open_models.MODELS if model.is_here}
    named = {name: (one.display_name, one.key) for name, one in open_models.NAMES.items() if one.key in installed}
    return (
        openai_models
        | {model.key: (model.display_name, model.key) for model in open_models.MODELS if model.key in installed}
        | named
    )


def of_ranks(sha256: str) -> tuple[str, str, dict[str, int]] | None:
    """Returns name, split pattern and special tokens of the encoding whose rank table has this hash, or None.

    >>> of_ranks(SHA256["cl100k_base"])[:2]
    ('cl100k_base', 'cl100k_base')
    """
    for table, known in SHA256.items():
        if known == sha256:
            pattern, _, special_tokens = ENCODINGS[table]
            return table, pattern, special_tokens
    found = open_models.of_ranks(sha256)
    return found and (found.key, found.pattern, {})


def model_names(encoding_name: str) -> list[str]:
    """Returns the models that use an encoding, GPT models first; `*` means any suffix.

    >>> model_names("o200k_base")[:3], model_names("o200k_harmony")
    (['gpt-5', 'gpt-4.1', 'gpt-4o'], ['gpt-oss-*'])
    """
    if encoding_name in open_models.BY_KEY:
        others = [name for name, one in open_models.NAMES.items() if one.key == encoding_name]
        return [*open_models.BY_KEY[encoding_name].aliases, *others]
    models = [model for model, encoding in MODEL_TO_ENCODING.items() if encoding == encoding_name]
    families = [
        f"{prefix}*"
        for prefix, encoding in MODEL_PREFIX_TO_ENCODING.items()
        if encoding == encoding_name and not prefix.startswith("ft:") and prefix.rstrip("-") not in MODEL_TO_ENCODING
    ]
    return sorted(models + families, key=lambda model: not model.startswith("gpt"))


def known_as(name: str) -> str:
    """Returns the label of an encoding's best-known model; other names are returned unchanged.

    >>> known_as("cl100k_base"), known_as("mine")
    ('GPT-4', 'mine')
    """
    return next((called for called, encoding in list_models().values() if encoding == name), name)
