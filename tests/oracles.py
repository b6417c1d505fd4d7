"""Oracles: the libraries themselves, and naive implementations."""

import gzip
import json
import os
import re
import tempfile
from functools import cache
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import regex
import tiktoken
import tiktoken.load
from tiktoken_ext import openai_public

from tokenizer import Merge, load_encoding, merge_steps, replay, save_encoding
from tokenizer.encoding.ladder import Part
from tokenizer.encoding.spelling import CHARACTERS
from tokenizer.kinds import registry
from tokenizer.split.patterns import with_stand_ins

RGB = r"rgb\((\d+), (\d+), (\d+)\)"


def official(name):
    """The arguments that tiktoken passes to tiktoken.Encoding, with our rank tables instead of downloads."""

    def load(url, expected_hash):
        table = Path(url).stem
        assert expected_hash == registry.SHA256[table]
        return registry.ranks(table)

    with patch.multiple(
        openai_public,
        load_tiktoken_bpe=load,
        data_gym_to_mergeable_bpe_ranks=lambda **files: registry.ranks("r50k_base"),
    ):
        return openai_public.ENCODING_CONSTRUCTORS[name]()


@cache
def oracle(name):
    return tiktoken.Encoding(**official(name))


def tiktoken_of_file(path):
    """What tiktoken makes of a file that was saved here, and of the facts beside it."""
    facts = json.loads(Path(f"{path}.json").read_text("utf-8"))
    with patch.dict(os.environ, {"TIKTOKEN_CACHE_DIR": ""}):
        ranks = tiktoken.load.load_tiktoken_bpe(str(path))
    special = facts["special_tokens"]
    return tiktoken.Encoding("saved", pat_str=facts["pat_str"], mergeable_ranks=ranks, special_tokens=special)


def assert_saved_files_are_read_alike(encoding, folder, texts):
    """Saves an encoding for tiktoken and for Hugging Face's library, and compares ids and decoded texts."""
    tokenizers = pytest.importorskip("tokenizers")
    for name in ("saved.tiktoken", "saved.json"):
        save_encoding(encoding, folder / name)
        back = load_encoding(folder / name)
        assert (back.pattern, back.ranks) == (encoding.pattern, encoding.ranks)
        assert back.special_tokens == encoding.special_tokens
    theirs = tiktoken_of_file(folder / "saved.tiktoken")
    library = tokenizers.Tokenizer.from_file(str(folder / "saved.json"))
    for text in texts:
        ids = encoding.encode(text, "special")
        assert theirs.encode(text, allowed_special="all") == ids
        assert library.encode(text).ids == ids
        assert library.decode(ids, skip_special_tokens=False) == text


@cache
def harmony():
    """The module openai_harmony and its encoding of gpt-oss, with our rank table for the downloaded one."""
    module = pytest.importorskip("openai_harmony")
    with tempfile.TemporaryDirectory() as folder:
        ranks = gzip.decompress((registry.FOLDER / "o200k_base.tiktoken.gz").read_bytes())
        Path(folder, "o200k_base.tiktoken").write_bytes(ranks)
        with patch.dict(os.environ, {"TIKTOKEN_ENCODINGS_BASE": folder}):
            return module, module.load_harmony_encoding(module.HarmonyEncodingName.HARMONY_GPT_OSS)


def pre_tokens(name, text):
    """The pre-tokens by an encoding's pattern, with tiktoken's version of Unicode; `regex` has a later one."""
    return [text[slice(*one.span())] for one in regex.finditer(pattern_of(name), with_stand_ins(text))]


def pattern_of(name):
    """The pattern of an encoding from tiktoken, or from splintr for Qwen."""
    if not name.startswith("qwen"):
        return oracle(name)._pat_str
    return getattr(pytest.importorskip("splintr"), f"{name.upper()}_PATTERN")


def linear(color):
    """Linear RGB of "#rrggbb" or, as browsers write it, "rgb(r, g, b)"."""
    parts = [int(color[i : i + 2], 16) for i in (1, 3, 5)] if color[0] == "#" else re.fullmatch(RGB, color).groups()
    srgb = np.array(parts, float) / 255
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def contrast(color, other):
    """The contrast ratio of two colors, 1 to 21."""
    dark, light = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (color, other))
    return (light + 0.05) / (dark + 0.05)


def joined(parts, left, right):
    """The parts after merging every such pair, from the left."""
    if left not in parts or right not in parts:
        return parts
    found, i = [], 0
    while i < len(parts):
        size = 1 + (parts[i : i + 2] == [left, right])
        found.append(b"".join(parts[i : i + size]))
        i += size
    return found


def naive_parts(pre_token, ranks):
    """The tokens of a pre-token: itself if it is one, or else merged by the lowest rank again and again."""
    parts = [pre_token] if pre_token in ranks else [bytes([byte]) for byte in pre_token]
    while found := [(ranks[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in ranks]:
        i = min(found)[1]
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return parts


def naive_train(words, num_merges, ties="first-seen", alphabet="bytes", replay=(), base=None, barred=()):
    """Naive byte-pair encoding: counts all pairs, merges the best, repeats; `words` maps each word to its count.

    With `base`, a table of tokens by id, the words are first encoded by it; then a pair is passed over where its token
    exists, or is barred.
    """

    def key(pair):
        if ties == "first-seen":
            return 0  # max() returns the first of equal pairs, and `seen` is in text order
        if ties == "largest-bytes":
            return pair
        return tuple(-places[token] for token in pair)

    words = {word: count for word, count in words.items() if word}
    rows = [[c.encode() for c in w] if alphabet == "characters" else [bytes([b]) for b in w.encode()] for w in words]
    ids = sorted({token for row in rows for token in row})
    if alphabet == "bytes":
        ids = sorted((bytes([i]) for i in range(256)), key=lambda byte: CHARACTERS[byte[0]])
    if base:
        ranks, ids, taken = {token: id for id, token in enumerate(base) if token}, list(base), {*base, *barred}
        rows = [naive_parts(word.encode(), ranks) for word in words]
    replay = list(replay)
    for _ in range(num_merges):
        seen = {}
        for row, count in zip(rows, words.values(), strict=True):
            for pair in zip(row, row[1:], strict=False):
                seen[pair] = seen.get(pair, 0) + count
        if base:
            seen = {pair: count for pair, count in seen.items() if b"".join(pair) not in taken}
        if not seen and not replay:
            return
        if ties == "smallest-ids":
            places = {token: place for place, token in reversed([*enumerate(ids)])}  # the first of equal tokens
        best = replay.pop(0) if replay else max(seen, key=lambda pair: (seen[pair], key(pair)))
        before = sum(len(row) * count for row, count in zip(rows, words.values(), strict=True))
        rows = [joined(row, *best) for row in rows]
        after = sum(len(row) * count for row, count in zip(rows, words.values(), strict=True))
        yield Merge(len(ids), *best, best[0] + best[1], seen.get(best, 0), before - after)
        ids.append(best[0] + best[1])
        if base:
            taken.add(ids[-1])


def rule(encoding):
    """An independent rule that joins two parts: by the list of merges, or by the rank of the joined bytes."""
    if encoding.engine != "Tokenloupe’s own code":
        return lambda left, right: encoding.ranks.get(left.bytes + right.bytes)
    made_of = {}
    first_id = dict(encoding.merges.base)
    for merge in encoding.merges.learned:
        made_of[first_id[merge.left], first_id[merge.right]] = merge.rank
        first_id.setdefault(merge.token, merge.rank)
    return lambda left, right: made_of.get((left.id, right.id))


def ladder_rows(replayed, encoding):
    """Yields the parts before each step and at the end, with the sorted ranks and positions of possible merges."""
    joins, parts = rule(encoding), list(replayed.base)
    for step in [*replayed.steps, None]:
        ranks = [joins(left, right) for left, right in pairwise(parts)]
        yield list(parts), sorted((rank, i) for i, rank in enumerate(ranks) if rank is not None)
        if step:
            place = slice(step.position, step.position + 2)
            parts[place] = [Part(step.rank, step.left + step.right, parts[step.position].start)]


def merge_by_merge(pre_token, ranks):
    """The ids at the end of our own merge steps."""
    *_, tokens = replay(pre_token, merge_steps(pre_token, ranks))
    return [ranks[token] for token in tokens]


def naive_first_merges(pre_token, ranks, n):
    """The ids by the first n merges of a rank table: the whole pre-token, or else the lowest merge again and again."""
    merges = sorted((rank, token) for token, rank in ranks.items() if len(token) > 1)[:n]
    known = {token: rank for rank, token in merges}
    parts = [bytes([byte]) for byte in pre_token]
    while len(parts) > 1 and pre_token not in known:
        found = [(known[left + right], i) for i, (left, right) in enumerate(pairwise(parts)) if left + right in known]
        if not found:
            return [ranks[part] for part in parts]
        i = min(found)[1]
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return [ranks[pre_token]] if pre_token else []


def random_ranks(draw):
    """A rank table that no training has made: single bytes at any rank, and tokens that no merges lead to."""
    tokens = [bytes([byte]) for byte in range(256)]
    for _ in range(draw.randint(20, 150)):
        made = draw.choice([b"", *tokens[256:]]) + draw.choice([*b" abcd\xe0\xb8\x81"]).to_bytes() * draw.randint(1, 2)
        tokens += [made] * (len(made) > 1 and made not in tokens)
    draw.shuffle(tokens)
    return {token: rank for rank, token in enumerate(tokens)}


def naive_pairs(ids, pairs):
    """Encodes as minbpe does: merges all pairs with the lowest id, and repeats."""
    ids = list(ids)
    while known := [pairs[pair] for pair in pairwise(ids) if pair in pairs]:
        new, merged, i = min(known), [], 0
        while i < len(ids):
            found = pairs.get(tuple(ids[i : i + 2])) == new
            merged.append(new if found else ids[i])
            i += 1 + found
        ids = merged
    return ids
