"""Expected facts of the lessons `oddities` and `beyond`, computed independently: one function a view."""

import json
import re
import string
import unicodedata
from functools import cache

import numpy as np
import regex
import yaml
from oracles import official, oracle
from tokenizers import AddedToken, Tokenizer

from tokenizer import encoding_files, get_encoding
from tokenizer.lessons.beyond_views import learned
from tokenizer.lessons.pictures import face
from tokenizer.measure.small_changes import changes


def numbers_in(sentence):
    """Returns the names of the facts in a sentence of a lesson."""
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def ids(text, encoding="o200k_base"):
    return oracle(encoding).encode(text, disallowed_special=())


def count(text, encoding="o200k_base"):
    return len(ids(text, encoding))


def ends(text, encoding):
    """Where tokens end, in bytes."""
    return np.cumsum([len(oracle(encoding).decode_single_token_bytes(id)) for id in ids(text, encoding)]).tolist()


def letters(text, encoding="o200k_base", letter="r", turned=True):
    places = ends(text, encoding)
    inside = [i for i in range(1, len(text)) if len(text[:i].encode()) in places]
    return {
        "tokens": count(text, encoding),
        "characters": len([*text]),
        "backwards": count("".join(regex.findall(r"\X", text)[::-1]), encoding),
        "times": sum(one == letter for one in text.casefold()),
        "cuts": tuple(inside),
    }


def digits(text, encoding="o200k_base"):
    found = {"tokens": count(text, encoding)}
    if "Cn" not in map(unicodedata.category, text):  # newer than this Python's Unicode
        found["digits"] = sum(unicodedata.category(one) == "Nd" for one in text)
    if text.isascii():
        found["cut"] = " | ".join(oracle(encoding).decode([id]) for id in ids(text, encoding))
    return found


def variants(text, encoding="o200k_base", spelled=False):
    parts = text.split("|")
    texts = parts[:7] + ["|".join(parts[7:])] * (len(parts) > 7)
    sizes = [count(one, encoding) for one in texts]
    return {
        "variants": len(texts),
        "distinct": len({str(ids(one, encoding)) for one in texts}),
        "composed": len({unicodedata.normalize("NFC", one) for one in texts}),
        "ids": len(set(sum((ids(one, encoding) for one in texts), []))),
        "fewest": sorted(sizes)[0],
        "most": sorted(sizes)[-1],
        "best": min(texts, key=lambda one: count(one, encoding)),
    }


def trailing(text, then):
    with_space = count(text + " ")
    return {
        "tokens": count(text),
        "together": count(text + " " + then),
        "with_space": with_space,
        "apart": with_space + count(then),
        "then": then,
    }


def endings(text):
    whole = ids(text)
    beginnings = [text[:-i] for i in range(1, 13) if text[:-i]]
    others = [one for one in beginnings if any(a != b for a, b in zip(ids(one), [*whole, *[None] * 99], strict=False))]
    return {"tokens": len(whole), "beginnings": len(beginnings), "unstable": len(others)}


@cache
def texts_of_tokens(encoding):
    """The tokens that tiktoken decodes to a text, by id, without special ones."""
    found = oracle(encoding)
    texts = {}
    for id in range(found.max_token_value + 1):
        try:
            texts[id] = found.decode_single_token_bytes(id).decode()
        except (KeyError, UnicodeDecodeError):
            continue
    return {id: text for id, text in texts.items() if text not in found.special_tokens_set}


@cache
def unreachable_ids(encoding):
    """The ids that tiktoken decodes to a text which it encodes otherwise."""
    encode = oracle(encoding).encode
    return [id for id, text in texts_of_tokens(encoding).items() if encode(text, disallowed_special=()) != [id]]


def lost(text, encoding="o200k_base"):
    with_text, unreachable = len(texts_of_tokens(encoding)), unreachable_ids(encoding)
    return {"tokens": count(text), "with_text": with_text, "unreachable": len(unreachable)}


def forms(text):
    data = json.loads(text)
    pretty, minified = json.dumps(data, ensure_ascii=False, indent=2), "".join(map(str, minify(data)))
    is_odd = any(one in json.dumps(data, ensure_ascii=False) for one in "\x85\u2028\u2029")
    as_yaml = yaml.dump(data, Dumper=yaml.SafeDumper, allow_unicode=not is_odd, sort_keys=False, width=10**9)
    assert yaml.safe_load(as_yaml) == data
    sizes = {"pretty": count(pretty), "minified": count(minified), "yaml": count(as_yaml)}
    return sizes | {"fewest": min(sizes, key=sizes.get)}


def small_changes(text, encoding="o200k_base", seed=0):
    changed = changes(text, seed)  # tests/tokenizer/measure/test_small_changes.py checks them
    distances = {one.kind: levenshtein(ids(text, encoding), ids(one.text, encoding)) for one in changed}
    most = max(distances.values(), default=0)
    return {
        "tokens": count(text, encoding),
        "kinds": len(distances),
        "fewest": min(distances.values(), default=0),
        "most": most,
        "worst": next((kind for kind, distance in distances.items() if distance == most), ""),
    }


def levenshtein(one, other):
    """The edit distance by the table of all beginnings; only equal beginnings and ends are left out."""
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    rows = [[*range(len(other) + 1)]]
    for i, a in enumerate(one, 1):
        rows.append([i])
        for j, b in enumerate(other, 1):
            rows[i].append(min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a != b)))
    return rows[-1][-1]


def minify(data):
    """The parts of JSON without spaces, written by hand."""
    if isinstance(data, dict):
        inner = [[json.dumps(key, ensure_ascii=False), ":", *minify(value)] for key, value in data.items()]
        return ["{", *joined(inner), "}"]
    if isinstance(data, list):
        return ["[", *joined([minify(one) for one in data]), "]"]
    return [json.dumps(data, ensure_ascii=False)]


def joined(lists):
    return [one for i, found in enumerate(lists) for one in [","] * (i > 0) + found]


def escaped(text):
    units = [f"\\u{unit:04x}" for unit in memoryview(text.encode("utf-16-le")).cast("H")]
    written = json.dumps(text, ensure_ascii=False)
    plain = count(written)
    if all(ord(one) > 127 for one in text):
        size = count(f'"{"".join(units)}"')
    else:
        size = count(json.dumps(text, ensure_ascii=True))
    return {"plain": plain, "escaped": size, "times": size / plain, "about": round(size / plain)}


def rows(text, width, encoding="cl100k_base"):
    known = official(encoding)
    new = list({name for name in text.split() if name not in known["special_tokens"]})
    before = oracle(encoding).n_vocab
    with_new = known["special_tokens"] | {name: before + i for i, name in enumerate(new)}
    # Longest first: tiktoken takes any of the names that match, in the order of a hash map.
    names = "|".join(map(re.escape, sorted(with_new, key=len, reverse=True)))
    parts = re.split(f"({names})", text)
    return {
        "added": len(new),
        "width": width,
        "before": before,
        "after": before + len(new),
        "numbers": len(new) * width,
        "as_text": count(text, encoding),
        "as_special": sum(1 if part in with_new else count(part, encoding) for part in parts),
    }


@cache
def without_added():
    """Hugging Face's own tokenizer of cl100k_base, without its special tokens."""
    [file] = encoding_files(get_encoding("cl100k_base"), "huggingface").values()
    return Tokenizer.from_str(json.dumps(json.loads(file) | {"added_tokens": []}))


@cache
def with_added(pieces):
    """The same with pieces as added tokens."""
    found = Tokenizer(without_added().model)
    found.pre_tokenizer, found.decoder = without_added().pre_tokenizer, without_added().decoder
    found.add_tokens([AddedToken(piece, normalized=False) for piece in learned("cl100k_base")[:pieces]])
    return found


def thai(text, pieces, width, encoding):
    after, most = (len(with_added(size).encode(text).ids) for size in (pieces, None))
    before = count(text, encoding)
    return {
        "tokens": before,
        "after": after,
        "most": most,
        "added": pieces,
        "all": len(learned("cl100k_base")),
        "numbers": pieces * width,
        "width": width,
        "change": ["more", "same", "fewer"][1 + (after < before) - (after > before)],
    }


def gist(text, gists, window, encoding, compared=True):
    size = count(text, encoding)
    left = [window - size, 0][size > window]
    found = {"tokens": size, "gists": gists, "window": window, "left": left, "times": size / gists}
    return found | {"left_with_gists": window - gists}


def patches(text, entries):
    different = {face(text)[y : y + 4, x : x + 4].tobytes() for y in range(0, 32, 4) for x in range(0, 32, 4)}
    return {"ids": 8 * 8, "entries": min(entries, len(different)), "pixels": 32 * 32, "numbers": 32 * 32 * 3}


def without_tokens(text, percent=100):
    text = text[: len(text) * percent // 100]
    size, tokens = len([*text.encode()]), count(text)
    times = size / tokens if text else 1
    pairs = {"byte_pairs": size * size, "token_pairs": tokens * tokens}
    return pairs | {"bytes": size, "tokens": tokens, "times": times, "squared": times**2, "about": round(times**2)}


BY_HAND = {
    one.__name__: one
    for one in (letters, digits, variants, trailing, endings, lost, forms, escaped, small_changes)
    + (rows, thai, gist, patches, without_tokens)
}


def covers(name, step):
    """Whether this module computes the facts of a step."""
    return name in ("oddities", "beyond") and step.view in BY_HAND
