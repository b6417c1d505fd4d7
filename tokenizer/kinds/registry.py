"""Encodings by name: the table of OpenAI's is here, that of open models in `open_models.py`."""

import gzip
import hashlib
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
from tokenizer.paths import ASSETS

FOLDER = ASSETS / "encodings"

# The sha256 of the official .tiktoken files, as tiktoken_ext/openai_public.py states them.
SHA256 = {
    "r50k_base": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    "p50k_base": "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}

ENDOFTEXT, ENDOFPROMPT = "<|endoftext|>", "<|endofprompt|>"
FILL_IN = ["<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"]

HARMONY = {
    "<|startoftext|>": 199998,
    "<|endoftext|>": 199999,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
    "<|endofprompt|>": 200018,
}
RESERVED = [200000, 200001, 200004, 200009, 200010, 200011, *range(200013, 201088)]  # 200018 has two names

CL100K = {ENDOFTEXT: 100257, ENDOFPROMPT: 100276} | dict(zip(FILL_IN, range(100258, 100261), strict=True))

# Split pattern, rank table, special tokens; the ranks of GPT-2's own two files are those of r50k_base.
ENCODINGS = {
    "gpt2": ("gpt2", "r50k_base", {ENDOFTEXT: 50256}),
    "r50k_base": ("gpt2", "r50k_base", {ENDOFTEXT: 50256}),
    "p50k_base": ("gpt2", "p50k_base", {ENDOFTEXT: 50256}),
    "p50k_edit": ("gpt2", "p50k_base", {ENDOFTEXT: 50256} | dict(zip(FILL_IN, range(50281, 50284), strict=True))),
    "cl100k_base": ("cl100k_base", "cl100k_base", CL100K),
    "o200k_base": ("o200k_base", "o200k_base", {ENDOFTEXT: 199999, ENDOFPROMPT: 200018}),
    "o200k_harmony": ("o200k_base", "o200k_base", HARMONY | {f"<|reserved_{id}|>": id for id in RESERVED}),
}

ALIASES = {"gpt-oss": "o200k_harmony"}  # names of which tiktoken knows only longer forms

# Names of models with their latest versions, the newest first; tiktoken's table has the encoding of each.
MODELS = {
    "gpt-5": "GPT-5",
    "gpt-oss-120b": "gpt-oss",
    "o4-mini": "o4-mini",
    "o3": "o3",
    "gpt-4.1": "GPT-4.1",
    "o1": "o1",
    "gpt-4o": "GPT-4o",
    "gpt-4": "GPT-4",
    "text-embedding-3-large": "Embeddings 3",
    "gpt-3.5-turbo": "GPT-3.5",
    "text-davinci-003": "GPT-3 davinci-003",
    "text-davinci-edit-001": "GPT-3 edit",
    "davinci": "GPT-3",
    "gpt2": "GPT-2",
}


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
    try:
        data = gzip.decompress(path.read_bytes())
    except FileNotFoundError:
        raise DamagedEncodingFile(path, expected, reason=tr("the file is missing")) from None
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedEncodingFile(
            path, expected, reason=tr("the file cannot be unzipped ({error})", error=error)
        ) from error
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise DamagedEncodingFile(path, expected, found)
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
        problem = mark("The tokenizer of {name} is not available: no package has its vocabulary. Choose another model.")
        raise Unavailable(tr(problem, name=series.UNAVAILABLE[absent]))
    try:
        plain = series.plain(name)
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
