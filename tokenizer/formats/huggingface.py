"""Hugging Face's `tokenizer.json`, for byte-pair encoding of bytes, or of characters. https://github.com/huggingface/tokenizers"""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.spelling import spell
from tokenizer.errors import BadTokenizerFile, CannotSave
from tokenizer.formats.gpt2 import vocabulary
from tokenizer.formats.merges import build, in_file, merges_of, spelled_vocabulary
from tokenizer.formats.reading import Source, line_of, read_id
from tokenizer.split.dialects import for_oniguruma, reads_alike
from tokenizer.split.patterns import PATTERNS

# what its ByteLevel splits by when it is told to split by itself: the same as "gpt2"
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}


def files(encoding: Encoding, name: str) -> dict[str, bytes]:
    """Returns the file that holds an encoding: `name`.json."""
    found = merges_of(encoding, "huggingface")
    is_bytes = found.alphabet == "bytes"
    unknown = None if encoding.unknown_id is None else encoding.piece(encoding.unknown_id)
    spelled = spell if is_bytes else bytes.decode
    if len(set(encoding.special_tokens.values())) < len(encoding.special_tokens):
        raise CannotSave(encoding.name, "huggingface", "two of its special tokens share an id")
    if encoding.pattern is not None and for_oniguruma(encoding.pattern) is None:
        reason = f"Hugging Face’s regular expressions may read the split pattern {encoding.pattern!r} differently"
        raise CannotSave(encoding.name, "huggingface", reason)
    merges = found.in_order()
    vocab = spelled_vocabulary(encoding, "huggingface", merges, spelled)
    if unknown in vocab:
        raise CannotSave(encoding.name, "huggingface", f"{unknown!r} would be the name of two tokens")
    vocab |= encoding.special_tokens | (
        {} if unknown is None else {unknown: encoding.unknown_id}
    )  # an added token that it has not gets the next free id
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    facts = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": id, "content": token, **added} for token, id in by_id(encoding.special_tokens)],
        "normalizer": None,
        "pre_tokenizer": pre_tokenizer(encoding, is_bytes),
        "post_processor": None,
        "decoder": {**BYTE_LEVEL, "use_regex": True} if is_bytes else {"type": "Fuse"},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": unknown,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": dict(by_id(vocab)),
            "merges": [[spelled(merge.left), spelled(merge.right)] for merge in merges],
        },
    }
    return {f"{name}.json": json.dumps(facts, ensure_ascii=False, indent=1).encode() + b"\n"}


def by_id(ids: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(ids.items(), key=lambda item: item[1])


def pre_tokenizer(encoding: Encoding, is_bytes: bool) -> dict | None:
    """Returns what splits a text there."""
    byte_level = [{**BYTE_LEVEL, "use_regex": False}] if is_bytes else []
    if encoding.pattern is None:
        return byte_level[0] if byte_level else None
    pattern = for_oniguruma(encoding.pattern)
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, *byte_level]}


def read(source: Source, facts: dict) -> Encoding:
    """Returns the encoding that a `tokenizer.json` holds; what it adds around a text is left out."""
    path, data, pattern, _ = source
    model = facts["model"]
    refuse_what_is_unknown(path, data, facts, model)
    is_bytes, own_pattern = splits(path, data, facts.get("pre_tokenizer"), pattern)
    added = facts.get("added_tokens") or []
    if not isinstance(added, list) or not all(isinstance(token, dict) for token in added):
        raise BadTokenizerFile(path, "its added tokens are not a list", line_of(data, "added_tokens"))
    found = {}
    for token in added:
        content = token.get("content")
        line = partial(line_of, data, "added_tokens", str(content))
        if not isinstance(content, str) or content in found:
            raise BadTokenizerFile(path, f"the added token {content!r} is not a string, or appears twice", line())
        found[content] = read_id(path, token.get("id"), line)
    merges = model.get("merges")

    def line_of_merge(position: int) -> int | None:
        halves = merges[position] if isinstance(merges[position], list) else [merges[position]]
        return line_of(data, "merges", *(half for half in halves if isinstance(half, str)))

    unknown = None if is_bytes else model.get("unk_token")
    if not isinstance(unknown, str | None):
        raise BadTokenizerFile(path, "its unknown token is not a string", line_of(data, "unk_token"))
    with in_file(path, line_of_merge):
        parts = vocabulary(source, model.get("vocab"), merges, found, path, line_of_merge, is_bytes, unknown)
        return build(source, path.stem, own_pattern, *parts)


def refuse_what_is_unknown(path: Path, data: bytes, facts: dict, model: object) -> None:
    """Raises an error for each part of the file that would change the ids in a way we do not know."""
    if not isinstance(model, dict) or model.get("type", "BPE") != "BPE":
        kind = model.get("type") if isinstance(model, dict) else model
        raise BadTokenizerFile(path, f"its model is {str(kind)[:40]!r}, not 'BPE'", line_of(data, "model", "type"))
    if facts.get("normalizer") is not None:
        raise BadTokenizerFile(path, "it changes the text with a normalizer first", line_of(data, "normalizer"))
    options = ["continuing_subword_prefix", "end_of_word_suffix", "byte_fallback", "dropout", "ignore_merges"]
    for option in options + ["fuse_unk"] * (model.get("unk_token") is not None):
        if model.get(option):
            raise BadTokenizerFile(path, f"its model has {option}, which is not supported here", line_of(data, option))


def splits(path: Path, data: bytes, step: object, override: str | None) -> tuple[bool, str | None]:
    """Returns whether a pre-tokenizer makes bytes of the text, and the pattern that it splits by."""
    line = line_of(data, "pre_tokenizer")
    steps = step.get("pretokenizers") if isinstance(step, dict) and step.get("type") == "Sequence" else [step]
    is_bytes, pattern = False, None
    for step in steps if isinstance(steps, list) else ["?"]:
        match step:
            case None:
                pass
            case {"type": "ByteLevel", "add_prefix_space": False} if not is_bytes:
                is_bytes = True
                if step.get("use_regex", True):
                    pattern = "gpt2" if pattern is None else "?"
            case {"type": "Split", "pattern": {"Regex": str(found)}, "behavior": "Isolated"} if (
                pattern is None and not is_bytes and not step.get("invert")
            ):
                pattern = override or ours(found)
                if pattern is None:
                    reason = f"its split pattern {found[:80]!r} may mean something else here; choose one"
                    raise BadTokenizerFile(path, f"{reason} (in code, pattern=)", line)
            case _:
                raise BadTokenizerFile(path, f"its pre-tokenizer has an unknown step: {str(step)[:80]}", line)
    if pattern == "?":
        raise BadTokenizerFile(path, "it splits twice", line)
    return is_bytes, pattern


def ours(found: str) -> str | None:
    """Returns the pattern that Oniguruma reads as we read the one returned; a known one by its name.

    >>> ours(for_oniguruma(PATTERNS["cl100k_base"])), ours("[a-z]+| "), ours("[a-z]{2}+")
    ('cl100k_base', '[a-z]+| ', None)
    """
    for name, pattern in PATTERNS.items():
        if found in (pattern, for_oniguruma(pattern)):
            # with the possessive interval as it stands, {1,3}+ would be any number of digits
            return name if found == for_oniguruma(pattern) else None
    return found if reads_alike(found) and for_oniguruma(found) == found else None
