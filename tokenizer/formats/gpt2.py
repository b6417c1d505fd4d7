"""GPT-2's two files: `vocab.json` and `merges.txt`; OpenAI's own are called `encoder.json` and `vocab.bpe`."""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from tokenizer.encoding.interface import Encoding, is_id
from tokenizer.encoding.spelling import BYTES, spell, unspell
from tokenizer.errors import BadTokenizerFile
from tokenizer.formats import pairs, sidecar
from tokenizer.formats.merges import build, ids_of, in_file, merges_of, spelled_vocabulary
from tokenizer.formats.reading import Source, line_of, read_bytes, read_id, read_json, read_lines, require_bytes
from tokenizer.i18n import tr

VOCABULARIES = {"vocab.json": "merges.txt", "encoder.json": "vocab.bpe"}
SIDECAR_NAME = "tokenloupe.json"
ADDED_TOKENS_FILE = "added_tokens.json"


def files(encoding: Encoding, name: str) -> dict[str, bytes]:
    """Returns the files of an encoding: vocab.json, merges.txt, and ours with the split pattern."""
    merges = merges_of(encoding, "gpt2", ["bytes"]).in_order()
    tokens = spelled_vocabulary(encoding, ids_of(encoding, merges), spell) | encoding.special_tokens
    vocab = dict(sorted(tokens.items(), key=lambda item: item[1]))
    lines = ["#version: 0.2", *(f"{spell(merge.left)} {spell(merge.right)}" for merge in merges)]
    return {
        "vocab.json": json.dumps(vocab).encode(),
        "merges.txt": "".join(f"{line}\n" for line in lines).encode(),
        SIDECAR_NAME: sidecar.written(encoding),
    }


def find(path: Path) -> tuple[Path, Path] | None:
    """Returns the paths of the two files from their folder or one of them."""
    folder = path if path.is_dir() else path.parent
    for vocab, merges in VOCABULARIES.items():
        if (path.is_dir() or path.name in (vocab, merges)) and (folder / vocab).exists() and (folder / merges).exists():
            return folder / vocab, folder / merges
    return None


def other_half(path: Path) -> str | None:
    """Returns the name of the other one of the two files; None for any other file.

    >>> other_half(Path("merges.txt")), other_half(Path("vocab.json")), other_half(Path("a.json"))
    ('vocab.json', 'merges.txt', None)
    """
    return (VOCABULARIES | {merges: vocab for vocab, merges in VOCABULARIES.items()}).get(path.name)


def read(source: Source, merges_path: Path) -> Encoding:
    """Returns the encoding in the two files; the default pattern is GPT-2's.

    Hugging Face's library reads pairs that our own merging cannot replay, such as RoBERTa's, Whisper's and CLIP's.
    """
    path = source.path
    lines = enumerate(read_lines(merges_path, read_bytes(merges_path)), start=1)
    merges = {number: " ".join(line.split()) for number, line in lines if not line.startswith("#version")}
    merges = {number: line for number, line in merges.items() if line}
    name = "gpt2" if path.name == "encoder.json" else path.resolve().parent.name
    sidecar_facts = sidecar.read(path.with_name(SIDECAR_NAME))
    facts = sidecar_facts or sidecar.Sidecar(name, "gpt2", None)
    vocab, line_of_merge = read_json(path, source.data), list(merges).__getitem__
    if isinstance(vocab, dict) and vocab and all(key.isdecimal() and type(vocab[key]) is not int for key in vocab):
        raise BadTokenizerFile(path, tr("the file maps ids to tokens; write it again with the tokens mapped to ids"))
    added = {} if sidecar_facts else read_added_tokens(path.with_name(ADDED_TOKENS_FILE))
    if not sidecar_facts and pairs.marks_word_ends(vocab, merges.values()):
        return pairs.read(source, facts.name, vocab, list(merges.values()), added)
    strips = any(name.isspace() for name in added) or (not sidecar_facts and pairs.has_robertas_names(vocab))
    if strips and is_sound(vocab, merges.values()):  # our own reader's special tokens do not strip white space
        return pairs.read(source, facts.name, vocab, list(merges.values()), added)
    try:
        with in_file(merges_path, line_of_merge):
            found = vocabulary(source, vocab, list(merges.values()), facts.special_tokens, merges_path, line_of_merge)
            *parts, special_tokens, unknown = found
            return build(source, facts.name, facts.pattern, *parts, {**special_tokens, **added}, unknown)
    except BadTokenizerFile:
        if sidecar_facts or not is_sound(vocab, merges.values()):
            raise
    return pairs.read(source, facts.name, vocab, list(merges.values()), added)


def read_added_tokens(path: Path) -> dict[str, int]:
    """Returns the tokens in added_tokens.json with their ids; empty without that file."""
    if not path.exists():
        return {}
    data = read_bytes(path)
    found = read_json(path, data)
    if not isinstance(found, dict) or "" in found:
        raise BadTokenizerFile(
            path, tr("the file must be a JSON object that maps tokens to ids, and no token may be empty")
        )
    return {token: read_id(path, id, partial(line_of, data, token)) for token, id in found.items()}


def is_sound(vocab: object, merges: Iterable[str]) -> bool:
    """Whether all bytes have tokens, ids are unique, and each merge joins two tokens to a third."""
    if not isinstance(vocab, dict) or not all(map(is_id, vocab.values())) or not BYTES.keys() <= vocab.keys():
        return False
    halves = [merge.split(" ") for merge in merges]
    known = all(len(pair) == 2 and {*pair, "".join(pair)} <= vocab.keys() for pair in halves)
    return known and len(set(vocab.values())) == len(vocab)


def vocabulary(
    source: Source,
    vocab: object,
    merges: object,
    special_tokens: Mapping[str, int] | None,
    merges_path: Path,
    line_of_merge: Callable[[int], int | None],
    is_bytes: bool = True,
    unknown: str | None = None,
) -> tuple[dict[bytes, int], list[tuple[bytes, bytes]], list[int], Mapping[str, int], tuple[int | None, str]]:
    """Returns base symbols, merges, their ids, special tokens and the unknown token, as arguments of `build`.

    The vocabulary maps spelled tokens to ids; merges are "left right" or [left, right]. Unless special tokens are
    given, tokens that are neither base symbols nor results of merges are special.
    """
    path, line = source.path, partial(line_of, source.data)
    if not isinstance(vocab, dict) or not isinstance(merges, list):
        raise BadTokenizerFile(
            path, tr("in the file, the vocabulary is not a JSON object, or the merges are not a list"), line("vocab")
        )
    if "" in vocab:
        raise BadTokenizerFile(path, tr("the vocabulary in the file has a token without text"))
    ids = {token: read_id(path, id, partial(line, token)) for token, id in vocab.items()}
    if len(set(ids.values())) < len(ids):
        seen: set[int] = set()
        token = next(token for token, id in ids.items() if id in seen or seen.add(id))
        raise BadTokenizerFile(
            path,
            tr("two tokens have the id {id}; the second is {token!r}", id=ids[token], token=token),
            line(token),
        )

    pairs, pair_ids = [], []
    for position, merge in enumerate(merges):
        halves = merge.split(" ") if isinstance(merge, str) else merge
        try:
            left, right = halves
            pair_ids.append(ids[left + right])
            pairs.append((unspell(left), unspell(right)) if is_bytes else (left.encode(), right.encode()))
        except (TypeError, ValueError, AttributeError, KeyError):
            written = " ".join(map(str, merge)) if isinstance(merge, list) else str(merge)
            is_known = ids.keys() >= {*written.split(" "), written.replace(" ", "")}
            if is_known and not BYTES.keys() >= set(written.replace(" ", "")):
                reason = tr(
                    "the vocabulary has characters that are not bytes, such as those of {merge!r}, and does not say how"
                    " text is split; open the model’s tokenizer.json",
                    merge=written[:80],
                )
                raise BadTokenizerFile(path, reason) from None
            reason = tr(
                "{merge!r} should join two tokens into one token; all three must be in the vocabulary",
                merge=written[:80],
            )
            raise BadTokenizerFile(merges_path, reason, line_of_merge(position)) from None

    made = {*pair_ids, *(ids.get(token) for token in special_tokens or ()), ids.get(unknown)}
    base, others = {}, {}
    for token, id in ids.items():
        if id in made:
            continue
        if len(token) > 1:
            others[token] = id
            continue
        try:
            base[unspell(token) if is_bytes else token.encode()] = id
        except (KeyError, UnicodeEncodeError):
            raise BadTokenizerFile(
                path, tr("the token {token!r} is not a byte, and no merge makes this token", token=token), line(token)
            ) from None
    if is_bytes:
        require_bytes(path, base)
    if special_tokens is not None and others:
        raise BadTokenizerFile(path, tr("no merge makes the token {token!r}", token=min(others)), line(min(others)))
    if unknown is not None and unknown not in ids:
        raise BadTokenizerFile(
            path,
            tr("the vocabulary has no token {token!r}, which the file names as the unknown token", token=unknown),
            line("unk_token"),
        )
    special_tokens = others if special_tokens is None else special_tokens
    return base, pairs, pair_ids, special_tokens, (None, "") if unknown is None else (ids[unknown], unknown)
