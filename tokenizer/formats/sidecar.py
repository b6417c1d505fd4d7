"""The file with split pattern, special tokens and name beside a form that cannot contain them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tokenizer.encoding.interface import Encoding
from tokenizer.errors import BadTokenizerFile
from tokenizer.formats.reading import Source, read_bytes, read_id, read_json
from tokenizer.i18n import tr
from tokenizer.split.dialects import is_portable, total
from tokenizer.split.patterns import has_safe_cuts

FORM = "tokenloupe 1"


class Sidecar(NamedTuple):
    """The content of the file."""

    name: str
    pattern: str | None
    special_tokens: Mapping[str, int] | None
    alphabet: str | None = None
    unknown_id: int | None = None


def written(encoding: Encoding) -> bytes:
    """Returns the file: our own facts, and a pat_str for tiktoken, if tiktoken can do the same."""
    pattern = encoding.pattern
    if pattern is None:
        pat_str = r"[\s\S]+"
    elif has_safe_cuts(pattern):
        pat_str = pattern
    else:
        pat_str = total(pattern) if is_portable(pattern) else None  # tiktoken drops unmatched text
    facts = {
        "form": FORM,
        "name": encoding.name,
        "pattern": encoding.pattern_name or pattern,
        "special_tokens": encoding.special_tokens,
        "alphabet": None,
        "rank_table_sha256": encoding.fingerprint,
        "pat_str": pat_str,
    }
    if encoding.merges.alphabet == "characters":
        facts["alphabet"] = "".join(symbol.decode() for symbol in encoding.merges.base)
        facts["unknown_id"] = encoding.unknown_id
    return json.dumps(facts, ensure_ascii=False, indent=1).encode() + b"\n"


def read_sidecar(source: Source) -> Sidecar:
    """Returns the facts beside a file; a given pattern and given special tokens take precedence."""
    path, _, pattern, special_tokens = source
    facts = read(sidecar_path(path))
    if facts is None and pattern is None:
        reason = tr(
            "the file has no split pattern; choose one (in code, pattern=), or put {name}.json in the same folder",
            name=path.name,
        )
        raise BadTokenizerFile(path, reason)
    facts = facts or Sidecar(path.stem, None, {})
    return facts._replace(
        pattern=facts.pattern if pattern is None else pattern,
        special_tokens=facts.special_tokens if special_tokens is None else special_tokens,
    )


def sidecar_path(path: Path) -> Path:
    """Returns the path of such a file.

    >>> sidecar_path(Path("a.tiktoken")).name
    'a.tiktoken.json'
    """
    return path.with_name(f"{path.name}.json")


def read(path: Path) -> Sidecar | None:
    """Returns the content of the file, or None if there is no such file."""
    if not path.exists():
        return None
    facts = read_json(path, read_bytes(path))
    if not isinstance(facts, dict) or facts.get("form") != FORM:
        raise BadTokenizerFile(path, tr('the file must contain "form": "{form}"', form=FORM), 1)
    name, pattern, special_tokens, alphabet = map(facts.get, ("name", "pattern", "special_tokens", "alphabet"))
    if not isinstance(name, str) or not isinstance(special_tokens, dict):
        raise BadTokenizerFile(path, tr("the file must give the name and the special tokens of the encoding"))
    if not all(value is None or isinstance(value, str) for value in (pattern, alphabet)):
        raise BadTokenizerFile(path, tr("the split pattern or the alphabet in the file is not a string"))
    special_tokens = {token: read_id(path, id, None) for token, id in special_tokens.items()}
    unknown_id = facts.get("unknown_id")
    unknown_id = None if unknown_id is None else read_id(path, unknown_id, None)
    return Sidecar(name, pattern, special_tokens, alphabet, unknown_id)
