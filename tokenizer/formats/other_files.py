"""Recognizes files that people mistake for tokenizers, and names the right file."""

import json
from collections.abc import Callable, Mapping

from tokenizer.errors import enumerated
from tokenizer.formats.reading import DAMAGED_UTF_16, UTF_16
from tokenizer.i18n import mark, tr

KNOWN_FILES = (
    "tokenizer.json",
    mark("a .model of SentencePiece or minbpe"),
    ".tiktoken",
    mark("vocab.json with merges.txt"),
    "vocab.txt",
    "tekken.json",
    ".tokenloupe",
    ".csv",
)
_PACKED, _PICTURE = mark("it is an archive; unpack it and open the tokenizer’s own files"), mark("it is a picture")
_PAGE = mark("it is a web page; open the file that its Download link leads to")
_ANSWER = mark("it is a web server’s answer instead of the file; download the file again, and sign in if necessary")
_TEMPLATE = mark("it is a chat template; open the tokenizer.json from the same folder")
_WEIGHTS = mark("it contains a model’s weights; open the tokenizer.json from the same folder")
BY_FIRST_BYTES = {
    b"PK\x03\x04": _PACKED,
    b"\x1f\x8b": _PACKED,
    b"7z\xbc\xaf": _PACKED,
    b"BZh": _PACKED,
    b"\xfd7zXZ": _PACKED,
    b"\x28\xb5\x2f\xfd": _PACKED,
    b"\x89PNG": _PICTURE,
    b"\xff\xd8\xff": _PICTURE,
    **dict.fromkeys(UTF_16, DAMAGED_UTF_16),
    b"%PDF": mark("it is a PDF"),
    b"version https://git-lfs": mark("it is a Git LFS pointer, not the file itself; download the file in a browser"),
    b"GGUF": mark("it contains a model’s weights (GGUF); open the tokenizer.json from the same folder"),
}
BY_FIRST_WORDS = {  # in lower case, after white space
    "<!doctype": _PAGE,
    "<html": _PAGE,
    "<?xml": _PAGE,
    "entry not found": _ANSWER,
    "repository not found": _ANSWER,
    "invalid username or password": _ANSWER,
    "access to model": _ANSWER,
    "404: not found": _ANSWER,
    "not found": _ANSWER,
    "{%": _TEMPLATE,
    "{{": _TEMPLATE,
    "{#": _TEMPLATE,
    "#version": mark("it contains only merges; open it together with the vocab.json from the same folder"),
    "<unk>\t": mark("it lists the tokens of a SentencePiece model; open the .model file, which contains more"),
}
TOKEN_NAMES = {f"{kind}_token" for kind in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")}
BY_KEYS: dict[str, Callable[[Mapping], bool]] = {  # of a JSON object
    mark("it is a Keras tokenizer, which numbers whole words; open one that Hugging Face’s library wrote"): (
        lambda facts: facts.get("class_name") == "Tokenizer" or "word_index" in facts
    ),
    mark("it says where a model’s weights are; open the tokenizer.json from the same folder"): (
        lambda facts: "weight_map" in facts
    ),
    mark("it contains the settings of an adapter; open the tokenizer.json of the model that the adapter is for"): (
        lambda facts: "peft_type" in facts
    ),
    mark("it says how images or sound are prepared; open the tokenizer.json from the same folder"): (
        lambda facts: any(key.endswith(("processor_type", "extractor_type")) for key in facts)
    ),
    mark("it contains the settings of a tokenizer but not its tokens; open the tokenizer.json from the same folder"): (
        lambda facts: not facts.keys().isdisjoint({"tokenizer_class", "added_tokens_decoder", "chat_template"})
    ),
    mark("it contains the settings of a model; open the tokenizer.json from the same folder"): (
        lambda facts: not facts.keys().isdisjoint({"model_type", "architectures"})
    ),
    mark("it says how a model generates text; open the tokenizer.json from the same folder"): (
        lambda facts: any(key.endswith("_token_id") for key in facts)
    ),
    mark("it only names the special tokens; open the tokenizer.json from the same folder"): (
        lambda facts: bool(facts) and facts.keys() <= {*TOKEN_NAMES, "additional_special_tokens"}
    ),
    _ANSWER: lambda facts: not facts.keys().isdisjoint({"error", "message", "detail"}),
    mark("it contains only added tokens; open it together with its vocab.json and merges.txt"): (
        lambda facts: is_vocabulary(facts) and all(name.startswith(("<", "[")) or name.isspace() for name in facts)
    ),
    mark("it is a vocabulary without its merges; open it together with the merges.txt from the same folder"): (
        lambda facts: is_vocabulary(facts)
    ),
}


def is_vocabulary(facts: Mapping) -> bool:
    return bool(facts) and all(type(id) is int for id in facts.values())


def explain_wrong_file(data: bytes) -> str:
    r"""Returns a sentence on what a file is, and which one to use instead.

    >>> explain = explain_wrong_file
    >>> explain(b"%PDF-1.7"), explain(b""), explain(b'"{\\"class_name\\": \\"Tokenizer\\"}"')[:27]
    ('it is a PDF', 'it is empty', 'it is a Keras tokenizer, wh')
    """
    if not data.strip():
        return tr("it is empty")
    if words := _by_beginning(data) or _by_keys(_object(data)):
        return tr(words)
    return tr("it is not a tokenizer in a known format: {forms}", forms=enumerated(list(map(tr, KNOWN_FILES)), "or"))


def _by_beginning(data: bytes) -> str | None:
    if found := next((words for begins, words in BY_FIRST_BYTES.items() if data.startswith(begins)), None):
        return found
    if 0 < int.from_bytes(data[:8], "little") <= len(data) and data[8:10] == b'{"':  # safetensors
        return _WEIGHTS
    text = data[:100].decode("utf-8-sig", "ignore").lstrip().lower()
    return next((words for begins, words in BY_FIRST_WORDS.items() if text.startswith(begins)), None)


def _object(data: bytes | str) -> Mapping:
    """Returns the object in a JSON file, also if it is in a string; {} for any other content."""
    try:
        found = json.loads(data)
        found = json.loads(found) if isinstance(found, str) else found
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _by_keys(facts: Mapping) -> str | None:
    return next((words for words, fits in BY_KEYS.items() if fits(facts)), None)
