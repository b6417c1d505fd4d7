"""GPT-2's two files: `vocab.json` and `merges.txt`; OpenAI's own are called `encoder.json` and `vocab.bpe`."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from tokenizer.encoding.from_merges import SINGLE_BYTES
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.spelling import spell, unspell
from tokenizer.errors import BadTokenizerFile
from tokenizer.formats import sidecar
from tokenizer.formats.merges import build, merges_of, spelled_vocabulary
from tokenizer.formats.reading import line_of, read_bytes, read_id, read_json, read_lines

VOCABULARIES = {"vocab.json": "merges.txt", "encoder.json": "vocab.bpe"}
BESIDE = "tokenloupe.json"


def files(encoding: Encoding, name: str) -> dict[str, bytes]:
    """Returns the files that hold an encoding: vocab.json, merges.txt, and ours with the split pattern."""
    found = merges_of(encoding, "gpt2", ["bytes"])
    tokens = spelled_vocabulary(encoding, "gpt2", found, spell) | encoding.special_tokens
    vocab = dict(sorted(tokens.items(), key=lambda item: item[1]))
    lines = ["#version: 0.2", *(f"{spell(merge.left)} {spell(merge.right)}" for merge in found.in_order())]
    return {
        "vocab.json": json.dumps(vocab).encode(),
        "merges.txt": "".join(f"{line}\n" for line in lines).encode(),
        BESIDE: sidecar.written(encoding),
    }


def find(path: Path) -> tuple[Path, Path] | None:
    """Returns the two files, given their folder or one of them."""
    folder = path if path.is_dir() else path.parent
    for vocab, merges in VOCABULARIES.items():
        if (path.is_dir() or path.name in (vocab, merges)) and (folder / vocab).exists() and (folder / merges).exists():
            return folder / vocab, folder / merges
    return None


def read(path: Path, merges_path: Path, pattern: str | None, special_tokens: Mapping[str, int] | None) -> Encoding:
    """Returns the encoding that the two files hold; the pattern is GPT-2's unless it is said otherwise."""
    data = read_bytes(path)
    pairs, numbers = [], []
    for number, line in enumerate(read_lines(merges_path, read_bytes(merges_path)), start=1):
        if line and not (number == 1 and line.startswith("#version")):
            pairs.append(line)
            numbers.append(number)
    facts = sidecar.read(path.with_name(BESIDE))
    if pattern is None:
        pattern = facts.pattern if facts else "gpt2"
    name = facts.name if facts else "gpt2" if path.name == "encoder.json" else path.resolve().parent.name
    found = facts.special_tokens if facts else None
    return encoding_from_vocabulary(
        path, data, name, pattern, read_json(path, data), pairs, found, special_tokens, True, None, merges_path, numbers
    )


def encoding_from_vocabulary(
    path: Path,
    data: bytes,
    name: str,
    pattern: str | None,
    vocab: object,
    merges: object,
    found: Mapping[str, int] | None,
    special_tokens: Mapping[str, int] | None,
    is_bytes: bool,
    unknown: str | None,
    merges_path: Path | None = None,
    numbers: list[int] | None = None,
) -> Encoding:
    """Returns the encoding of a vocabulary, spelled token -> id, and of merges, spelled "left right" or [left, right].

    What is neither a base symbol nor made by a merge is a special token.
    """
    if not isinstance(vocab, dict) or not isinstance(merges, list):
        raise BadTokenizerFile(path, "its vocabulary is no object, or its merges are no list", line_of(data, "vocab"))
    if "" in vocab:
        raise BadTokenizerFile(path, "its vocabulary has a token without text")
    ids = {token: read_id(path, id, partial(line_of, data, token)) for token, id in vocab.items()}
    if len(set(ids.values())) < len(ids):
        seen: set[int] = set()
        token = next(token for token, id in ids.items() if id in seen or seen.add(id))
        raise BadTokenizerFile(path, f"the id {ids[token]} comes twice, with {token!r} too", line_of(data, token))

    where = merges_path or path

    def line_of_merge(position: int) -> int | None:
        if numbers is not None:
            return numbers[position]
        merge = merges[position]
        halves = [merge] if isinstance(merge, str) else [half for half in merge if isinstance(half, str)]
        return line_of(data, "merges", *halves)

    pairs, pair_ids = [], []
    for position, merge in enumerate(merges):
        halves = merge.split(" ") if isinstance(merge, str) else merge
        try:
            left, right = halves
            pair_ids.append(ids[left + right])
            pairs.append((unspell(left), unspell(right)) if is_bytes else (left.encode(), right.encode()))
        except (TypeError, ValueError, AttributeError, KeyError):
            reason = "is not a merge of two spelled tokens into one that the vocabulary has"
            line = line_of_merge(position) if isinstance(merge, str | list) else None
            raise BadTokenizerFile(where, f"{str(merge)[:80]!r} {reason}", line) from None

    base, special = {}, {}
    made = set(pair_ids)
    for token, id in ids.items():
        if found is not None and token in found or id in made:
            continue
        if len(token) == 1 and token != unknown:
            base[read_symbol(path, data, token, is_bytes)] = id
        else:
            special[token] = id
    if is_bytes and (missing := SINGLE_BYTES.keys() - base):
        raise BadTokenizerFile(path, f"there is no token for the byte {min(missing)!r}")
    special.pop(unknown, None)
    if found is not None:
        if special:
            raise BadTokenizerFile(path, f"no merge makes the token {min(special)!r}", line_of(data, min(special)))
        special = found
    if unknown is not None and unknown not in ids:
        raise BadTokenizerFile(path, f"it has no token {unknown!r} for what is unknown", line_of(data, "unk_token"))
    return build(
        where,
        name,
        pattern,
        base,
        pairs,
        pair_ids,
        special if special_tokens is None else special_tokens,
        line_of_merge,
        (None, "") if unknown is None else (ids[unknown], unknown),
    )


def read_symbol(path: Path, data: bytes, token: str, is_bytes: bool) -> bytes:
    """Returns the base symbol that one character spells."""
    try:
        return unspell(token) if is_bytes else token.encode()
    except (KeyError, UnicodeEncodeError):
        raise BadTokenizerFile(path, f"{token!r} spells no byte, and no merge makes it", line_of(data, token)) from None
