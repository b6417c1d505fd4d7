"""Recognizes files that people mistake for tokenizers, and names the right file."""

import json
import re
from collections.abc import Callable, Mapping

from tokenizer.errors import enumerated
from tokenizer.formats.reading import DAMAGED_UTF_16, UTF_16
from tokenizer.i18n import mark, tr

KNOWN_FILES = (
    "tokenizer.json",
    mark("a .model file of SentencePiece or minbpe"),
    ".tiktoken",
    mark("vocab.json with merges.txt"),
    "vocab.txt",
    "tekken.json",
    ".tokenloupe",
    ".csv",
)
_PACKED, _PICTURE = (
    mark("the file is an archive; unpack the archive and open the tokenizer’s files"),
    mark("the file is a picture; open a tokenizer’s file instead"),
)
_PAGE = mark("the file is a web page; download the tokenizer’s file with the Download link on that page")
_ANSWER = mark(
    "the file looks like an error message of a web server; download the file again, and sign in if necessary"
)
_TEMPLATE = mark("the file is a chat template; open the tokenizer’s file, such as tokenizer.json")
_WEIGHTS = mark("the file contains the weights of a model; open the tokenizer’s file, such as tokenizer.json")
_LISTED = mark("the file only lists the tokens of a SentencePiece model; open the .model file from the same folder")
ZIP = b"PK\x03\x04"
BY_FIRST_BYTES = {
    ZIP: _PACKED,
    b"\x1f\x8b": _PACKED,
    b"7z\xbc\xaf": _PACKED,
    b"Rar!\x1a\x07": _PACKED,
    b"BZh": _PACKED,
    b"\xfd7zXZ": _PACKED,
    b"\x28\xb5\x2f\xfd": _PACKED,
    b"\x89PNG": _PICTURE,
    b"\xff\xd8\xff": _PICTURE,
    **dict.fromkeys(UTF_16, DAMAGED_UTF_16),
    b"%PDF": mark("the file is a PDF; open a tokenizer’s file instead"),
    b"version https://git-lfs": mark(
        "the file only says where Git LFS stores the real file; download the real file in a browser"
    ),
    b"GGUF": mark(
        "the file contains the weights of a model (GGUF); open the tokenizer.json of the model that it was made from"
    ),
    b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.": _WEIGHTS,  # PyTorch before 1.6
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
    "#version": mark("the file contains only merges; if there is a vocab.json in the same folder, open both together"),
}
ADDED_TOKENS = mark("the file contains only added tokens; open it together with the other files of the tokenizer")
VOCABULARY = mark(
    "the file is a vocabulary without merges; if there is a merges.txt in the same folder, open both together"
)
MIN_VOCABULARY = 256  # entries, one for each byte; other files of names and numbers have fewer
TOKEN_NAMES = {f"{kind}_token" for kind in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")}
BY_KEYS: dict[str, Callable[[Mapping], bool]] = {  # of a JSON object
    mark("the file is a tokenizer of Keras, which is not supported; open one that Hugging Face’s library wrote"): (
        lambda facts: facts.get("class_name") == "Tokenizer" or "word_index" in facts
    ),
    mark("the file says only where the weights of a model are; open the tokenizer’s file, such as tokenizer.json"): (
        lambda facts: "weight_map" in facts
    ),
    mark(
        "the file contains the settings of an adapter (PEFT); open the tokenizer.json of the model that the adapter"
        " changes"
    ): (lambda facts: "peft_type" in facts),
    mark("the file says how images or sound are prepared; open the tokenizer’s file, such as tokenizer.json"): (
        lambda facts: any(key.endswith(("processor_type", "extractor_type")) for key in facts)
    ),
    mark(
        "the file contains the settings of a tokenizer but no vocabulary; open the tokenizer’s file, such as"
        " tokenizer.json"
    ): (lambda facts: not facts.keys().isdisjoint({"tokenizer_class", "added_tokens_decoder", "chat_template"})),
    mark("the file contains the settings of a model; open the tokenizer’s file, such as tokenizer.json"): (
        lambda facts: not facts.keys().isdisjoint({"model_type", "architectures"})
    ),
    mark("the file says how a model generates text; open the tokenizer’s file, such as tokenizer.json"): (
        lambda facts: any(key.endswith("_token_id") for key in facts)
    ),
    mark("the file contains only the names of special tokens; open the tokenizer’s file, such as tokenizer.json"): (
        lambda facts: bool(facts) and facts.keys() <= {*TOKEN_NAMES, "additional_special_tokens"}
    ),
    _ANSWER: lambda facts: not facts.keys().isdisjoint({"error", "message", "detail"}),
    ADDED_TOKENS: (
        lambda facts: is_vocabulary(facts) and all(name.startswith(("<", "[")) or name.isspace() for name in facts)
    ),
    VOCABULARY: lambda facts: is_vocabulary(facts),
}


def is_vocabulary(facts: Mapping) -> bool:
    return bool(facts) and all(type(id) is int for id in facts.values())


def explain_wrong_file(data: bytes) -> str:
    r"""Returns a sentence on what a file is, and which one to use instead.

    >>> explain = explain_wrong_file
    >>> explain(b"%PDF-1.7"), explain(b"")
    ('the file is a PDF; open a tokenizer’s file instead', 'the file is empty; open another file')
    >>> explain(b'"{\\"class_name\\": \\"Tokenizer\\"}"')[:28]
    'the file is a tokenizer of K'
    """
    if not data.strip():
        return tr("the file is empty; open another file")
    if words := _by_beginning(data) or _by_keys(_object(data)):
        return tr(words)
    return tr(
        "the file is not a tokenizer in one of the known formats: {forms}",
        forms=enumerated(list(map(tr, KNOWN_FILES)), "or"),
    )


def _by_beginning(data: bytes) -> str | None:
    if data.startswith(ZIP) and data[30 : 30 + int.from_bytes(data[26:28], "little")].endswith(b"/data.pkl"):
        return _WEIGHTS  # of PyTorch, which writes this file first
    if found := next((words for begins, words in BY_FIRST_BYTES.items() if data.startswith(begins)), None):
        return found
    if 0 < int.from_bytes(data[:8], "little") <= len(data) and data[8:10] == b'{"':  # safetensors
        return _WEIGHTS
    text = data[:100].decode("utf-8-sig", "ignore").lstrip().lower()
    if re.match(r"\S+\t-?0\r?\n($|\S+\t[-0])", text):  # special tokens come first, with the score 0; an id 1 is none
        return _LISTED
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
    # the tokens of a vocabulary may be named like the keys of other files
    kinds = (ADDED_TOKENS, VOCABULARY) if len(facts) >= MIN_VOCABULARY and is_vocabulary(facts) else BY_KEYS
    return next((words for words in kinds if BY_KEYS[words](facts)), None)
