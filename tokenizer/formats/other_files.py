"""Recognizes files that people mistake for tokenizers, and names the right file."""

import json
from collections.abc import Callable, Mapping

from tokenizer.errors import enumerated
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
_PACKED, _PICTURE = mark("it is packed; bring the tokenizer’s own files, unpacked"), mark("it is a picture")
_PAGE = mark("it is a web page; bring the file that its Download leads to")
_ANSWER = mark(
    "it is what a web server answered instead of the file; download the file again, signed in if it asks for it"
)
_TEMPLATE = mark("it is a chat template; bring the tokenizer.json that stands beside it")
_WEIGHTS = mark("it holds a model’s weights; bring the tokenizer.json that stands beside them")
BY_FIRST_BYTES = {
    b"PK\x03\x04": _PACKED,
    b"\x1f\x8b": _PACKED,
    b"7z\xbc\xaf": _PACKED,
    b"BZh": _PACKED,
    b"\xfd7zXZ": _PACKED,
    b"\x28\xb5\x2f\xfd": _PACKED,
    b"\x89PNG": _PICTURE,
    b"\xff\xd8\xff": _PICTURE,
    b"%PDF": mark("it is a PDF"),
    b"version https://git-lfs": mark(
        "it only says where the file is, for Git LFS; bring the file that a browser downloads"
    ),
    b"GGUF": mark("it holds a model’s weights (GGUF); bring the tokenizer.json that stands beside them"),
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
    "#version": mark("it holds merges alone; bring the vocab.json that stands beside it, together with it"),
    "<unk>\t": mark("it lists the pieces of a SentencePiece model; bring its .model, which says more"),
}
TOKEN_NAMES = {f"{kind}_token" for kind in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")}
BY_KEYS: dict[str, Callable[[Mapping], bool]] = {  # of a JSON object
    mark("it is a tokenizer of Keras, which numbers whole words; bring one that Hugging Face’s library wrote"): (
        lambda facts: facts.get("class_name") == "Tokenizer" or "word_index" in facts
    ),
    mark("it says where a model’s weights are; bring the tokenizer.json that stands beside it"): (
        lambda facts: "weight_map" in facts
    ),
    mark("it holds the settings of an adapter; bring the tokenizer.json of the model that it is for"): (
        lambda facts: "peft_type" in facts
    ),
    mark("it says how images or sound are prepared; bring the tokenizer.json that stands beside it"): (
        lambda facts: any(key.endswith(("processor_type", "extractor_type")) for key in facts)
    ),
    mark("it holds the settings of a tokenizer but not its tokens; bring the tokenizer.json that stands beside it"): (
        lambda facts: not facts.keys().isdisjoint({"tokenizer_class", "added_tokens_decoder", "chat_template"})
    ),
    mark("it holds the settings of a model; bring the tokenizer.json that stands beside it"): (
        lambda facts: not facts.keys().isdisjoint({"model_type", "architectures"})
    ),
    mark("it says how a model writes; bring the tokenizer.json that stands beside it"): (
        lambda facts: any(key.endswith("_token_id") for key in facts)
    ),
    mark("it only names the special tokens; bring the tokenizer.json that stands beside it"): (
        lambda facts: bool(facts) and facts.keys() <= {*TOKEN_NAMES, "additional_special_tokens"}
    ),
    _ANSWER: lambda facts: not facts.keys().isdisjoint({"error", "message", "detail"}),
    mark("it only has tokens that are added to a vocabulary; bring its vocab.json and merges.txt together with it"): (
        lambda facts: is_vocabulary(facts) and all(name.startswith(("<", "[")) or name.isspace() for name in facts)
    ),
    mark("it is a vocabulary without its merges; bring the merges.txt that stands beside it, together with it"): (
        lambda facts: is_vocabulary(facts)
    ),
}


def is_vocabulary(facts: Mapping) -> bool:
    return bool(facts) and all(type(id) is int for id in facts.values())


def explain_wrong_file(data: bytes) -> str:
    r"""Returns a sentence on what a file is, and which one to use instead.

    >>> explain = explain_wrong_file
    >>> explain(b"%PDF-1.7"), explain(b""), explain(b'"{\\"class_name\\": \\"Tokenizer\\"}"')[:27]
    ('it is a PDF', 'it is empty', 'it is a tokenizer of Keras,')
    """
    if not data.strip():
        return tr("it is empty")
    if words := _by_beginning(data) or _by_keys(_object(data)):
        return tr(words)
    return tr("it is not a tokenizer in a known form: {forms}", forms=enumerated(list(map(tr, KNOWN_FILES)), "or"))


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
