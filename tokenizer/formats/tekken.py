"""Mistral's `tekken.json`: a rank table in JSON, with the split pattern. https://github.com/mistralai/mistral-common"""

from binascii import Error, a2b_base64
from functools import partial
from typing import Any

from tokenizer.encoding.interface import Encoding
from tokenizer.errors import BadTokenizerFile
from tokenizer.formats.merges import in_file
from tokenizer.formats.reading import Source, read_id, require_bytes
from tokenizer.i18n import mark, tr
from tokenizer.kinds.byte_bpe import byte_bpe

# for files without names, from before November 2024
USUAL_SPECIAL_TOKENS = [
    "<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]",
    "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]",
]  # fmt: skip
UNNAMED = mark("The file does not name special tokens, so Mistral’s usual special tokens are used.")


def recognises(facts: Any) -> bool:
    """Whether a JSON object is of this form.

    >>> recognises({"config": {"pattern": "a"}, "vocab": []}), recognises({"model": {}})
    (True, False)
    """
    return (
        isinstance(facts.get("config"), dict) and "pattern" in facts["config"] and isinstance(facts.get("vocab"), list)
    )


def read(source: Source, facts: dict) -> Encoding:
    """Returns the encoding in the file; the ids of special tokens precede the ranks."""
    path, config = source.path, facts["config"]
    size, num_special = (
        read_id(path, config.get(f"default_{name}"), None) for name in ("vocab_size", "num_special_tokens")
    )
    pattern = config["pattern"] if source.pattern is None else source.pattern
    if not isinstance(pattern, str):
        raise BadTokenizerFile(path, tr("the split pattern in the file is not a string"))
    if not num_special <= size <= len(facts["vocab"]) + num_special:
        listed = len(facts["vocab"]) + num_special
        words = tr("the file says that there are {size:,} tokens, but lists {listed:,}", size=size, listed=listed)
        raise BadTokenizerFile(path, words)
    ranks: dict[bytes, int] = {}
    for rank, entry in enumerate(facts["vocab"][: size - num_special]):
        try:
            token = a2b_base64(entry["token_bytes"])
            is_next = entry["rank"] == rank
        except (Error, ValueError, TypeError, KeyError):
            is_next = False
        if not is_next or not token or token in ranks:
            reason = tr(
                "the token number {n:,} in the file has the wrong rank, or the bytes of another token, or no bytes",
                n=rank + 1,
            )
            raise BadTokenizerFile(path, reason)
        ranks[token] = rank + num_special
    require_bytes(path, ranks)
    listed = facts.get("special_tokens")
    specials = special_tokens(source, listed, num_special) if source.special_tokens is None else source.special_tokens
    with in_file(path):
        made = byte_bpe(path.stem, pattern, ranks).with_special_tokens(specials)
    made.model.lazy_notes = [] if listed is not None else [partial(tr, UNNAMED)]
    return made


def special_tokens(source: Source, listed: object, count: int) -> dict[str, int]:
    """Returns the special tokens with their ids; unnamed ones get names with a number."""
    if listed is None:
        listed = [{"rank": id, "token_str": name} for id, name in enumerate(USUAL_SPECIAL_TOKENS[:count])]
    if not isinstance(listed, list) or len(listed) > count:
        raise BadTokenizerFile(
            source.path,
            tr(
                "the special tokens in the file must be a list of at most {most:,} tokens, the number in the field"
                " default_num_special_tokens",
                most=count,
            ),
        )
    found: dict[str, int] = {}
    for entry in listed:
        name, id = (entry.get("token_str"), entry.get("rank")) if isinstance(entry, dict) else (None, None)
        if not isinstance(name, str) or name in found:
            raise BadTokenizerFile(
                source.path, tr("the special token {token!r} is not a string, or is listed twice", token=name)
            )
        found[name] = read_id(source.path, id, None)
    return found | {f"<SPECIAL_{id}>": id for id in range(len(listed), count)}
