"""Files next to a tokenizer on the Hub: their role, and which of their contents are not used."""

import json
from collections.abc import Collection, Iterable, Mapping

from tokenizer import Encoding
from tokenizer.chat.reading import id_of
from tokenizer.errors import enumerated, shown
from tokenizer.i18n import tr, trn

CONFIG = "tokenizer_config.json"
NAMES = frozenset(
    (
        CONFIG,
        "special_tokens_map.json",
        "added_tokens.json",
        "config.json",
        "generation_config.json",
        "preprocessor_config.json",
        "normalizer.json",
        "chat_template.jinja",
        "chat_template.json",
        "README.md",
        "LICENSE",
        "LICENSE.txt",
        "model.safetensors.index.json",
        "modules.json",
        "sentence_bert_config.json",
        "config_sentence_transformers.json",
        "processor_config.json",
        "video_preprocessor_config.json",
        "params.json",
        "SYSTEM_PROMPT.txt",
    )
)
OLDER_FORMATS = {
    b'"BPE"': {"vocab.json", "merges.txt"},
    b'"WordPiece"': {"vocab.txt"},
}  # files with the same content, by the model's type in tokenizer.json
TOKEN_FILES = (CONFIG, "special_tokens_map.json", "added_tokens.json")
MAX_TOKENS_NAMED = 5  # special tokens
MAX_PARSED_BYTES = 2_000_000  # Gemma's tokenizer_config.json has 1.2 million; parsing 40 MB of [] takes a gigabyte


def has_no_tokenizer(files: Collection[str]) -> bool:
    """Whether there is no tokenizer among these files.

    >>> has_no_tokenizer(["tokenizer_config.json"]), has_no_tokenizer(["config.json", "vocab.txt"])
    (True, False)
    """
    return all(name in NAMES for name in files)


def duplicates(files: Mapping[str, bytes]) -> list[str]:
    """Returns the files of an older form whose contents a tokenizer.json repeats.

    >>> both = {"vocab.json": b"{}", "merges.txt": b""}
    >>> duplicates(both), duplicates({**both, "tokenizer.json": b'{"model": {"type": "BPE"}}'})
    ([], ['vocab.json', 'merges.txt'])
    """
    data = files.get("tokenizer.json", b"")
    found = [one for model, names in OLDER_FORMATS.items() if model in data and files.keys() >= names for one in names]
    return [name for name in files if name in found]


def notes(files: Mapping[str, bytes], encoding: Encoding, used: Collection[str]) -> list[str]:
    """Returns sentences on the unused files next to an encoding, and on special tokens that it lacks.

    Parts of the files in `used` are in use; other sentences describe those.

    >>> from tokenizer import get_encoding
    >>> files = {"special_tokens_map.json": b'{"pad_token": "<pad>", "eos_token": {"content": "<|endoftext|>"}}'}
    >>> notes(files, get_encoding("gpt2"), [])[0].split(". ", 1)[1]
    "The settings file lists a special token that the tokenizer does not have: '<pad>'."
    """
    unused = [name for name in files if name in NAMES and name not in used]
    named = dict.fromkeys(name for file in TOKEN_FILES if file in files for name in special_tokens(files[file]))
    lacking = [name for name in named if id_of(encoding, name) is None]
    sentences = [tr("Files that were not needed: {files}.", files=enumerated(unused))] if unused else []
    if lacking:
        names = ", ".join(map(shown, lacking[:MAX_TOKENS_NAMED])) + (" …" if len(lacking) > MAX_TOKENS_NAMED else "")
        sentences.append(_missing_tokens_sentence(len(files.keys() & set(TOKEN_FILES)), len(lacking), names))
    elif named and unused:
        sentences.append(tr("The tokenizer already has every special token that its settings contain."))
    if repeated := duplicates(files):
        sentences.append(
            tr(
                "Files that were not read: {files}. The file tokenizer.json was read instead.",
                files=enumerated(repeated),
            )
        )
    return [" ".join(sentences)] if sentences else []


def _missing_tokens_sentence(num_files: int, num_tokens: int, names: str) -> str:
    if num_files == 1:
        return trn(
            "The settings file lists a special token that the tokenizer does not have: {names}.",
            "The settings file lists {n:,} special tokens that the tokenizer does not have: {names}.",
            num_tokens,
            names=names,
        )
    return trn(
        "The settings files list a special token that the tokenizer does not have: {names}.",
        "The settings files list {n:,} special tokens that the tokenizer does not have: {names}.",
        num_tokens,
        names=names,
    )


def special_tokens(data: bytes) -> list[str]:
    """Returns the names of special tokens in such a file; none where its content is of another form, or too large.

    >>> special_tokens(b'{"<a>": 7}'), special_tokens(b'{"cls_token": "[CLS]", "model_max_length": 512}')
    (['<a>'], ['[CLS]'])
    >>> special_tokens(b'{"added_tokens_decoder": {"1": {"content": "<s>"}}}'), special_tokens(b"[")
    (['<s>'], [])
    """
    try:
        facts = json.loads(data) if len(data) <= MAX_PARSED_BYTES else None
    except (ValueError, RecursionError):
        return []
    if not isinstance(facts, dict):
        return []
    if facts and all(type(id) is int for id in facts.values()):  # added_tokens.json
        return list(facts)
    tokens = [facts[key] for key in facts if key.endswith("_token")]
    for key in ("additional_special_tokens", "added_tokens_decoder"):
        listed = facts.get(key)
        tokens += listed.values() if isinstance(listed, dict) else listed if isinstance(listed, list) else ()
    return list(dict.fromkeys(_contents(tokens)))


def _contents(tokens: Iterable[object]) -> Iterable[str]:
    for token in tokens:
        content = token.get("content") if isinstance(token, dict) else token
        if isinstance(content, str) and content:
            yield content
