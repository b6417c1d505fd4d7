"""Random `tokenizer.json` files with every kind of step, and texts that these steps and tokens change."""

from base64 import b64encode
from collections.abc import Callable
from functools import cache
from random import Random

import sentencepieces

from tokenizer.encoding.spelling import CHARACTERS, spell

LETTERS = "abcABé É12!',.\n\t▁ก。ﬁ½İß"
CHUNKS = [*LETTERS, " ", "  ", "   ", " a", "e\u0301", "👍", "한", "\u200c", "\u3000", "\r\n", "'s", "##"]
CHUNKS += ["</w>", "<0x61>"]
NAMES = ["<x>", "a<x>", "<x>b", "<MASK>", "<mask>", "ab", " b", "b ", "\n", "  ", "é", "É", "[UNK]"]
NAMES += ["e\u0301", "▁a", "\u200c", "1", "Ġ"]
SPACES = ["▁", " ", "Ġ"]
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
REGEXES = [r"\s+", r"\d", r"[a-z]+", r"\p{L}+", r" ?\p{L}+|\s+", r"\w+|[^\w\s]", "▁", r"'s|\p{N}{1,2}| "]


def maybe(draw: Random, share: float = 0.5) -> bool:
    return draw.random() < share


@cache
def charsmap() -> str:
    """The normalization table of SentencePiece's models, in base64."""
    from sentencepiece.sentencepiece_model_pb2 import ModelProto

    spec = ModelProto.FromString(sentencepieces.model()).normalizer_spec
    return b64encode(spec.precompiled_charsmap).decode()


# Steps


def string_or_regex(draw: Random) -> dict:
    return {"Regex": draw.choice(REGEXES)} if maybe(draw) else {"String": draw.choice([" ", "a", "▁", "é", "!", "\n"])}


def byte_level(draw: Random) -> dict:
    flags = {name: maybe(draw) for name in ("add_prefix_space", "trim_offsets", "use_regex")}
    return {"type": "ByteLevel", **flags}


def metaspace(draw: Random) -> dict:
    scheme = draw.choice(["always", "first", "never"])
    return {
        "type": "Metaspace",
        "replacement": draw.choice(["▁", "▁", "_"]),
        "prepend_scheme": scheme,
        "split": maybe(draw),
    }


def bert_normalizer(draw: Random) -> dict:
    flags = {name: maybe(draw) for name in ("clean_text", "handle_chinese_chars", "lowercase")}
    return {"type": "BertNormalizer", **flags, "strip_accents": draw.choice([None, True, False])}


Step = Callable[[Random], dict]
NORMALIZERS: list[Step] = [
    *(
        lambda draw, kind=kind: {"type": kind}
        for kind in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt")
    ),
    bert_normalizer,
    lambda draw: {"type": "Strip", "strip_left": maybe(draw), "strip_right": maybe(draw)},
    lambda draw: {
        "type": "Replace",
        "pattern": string_or_regex(draw),
        "content": draw.choice(["▁", "", " ", "bb", "é"]),
    },
    lambda draw: {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    lambda draw: {"type": "Prepend", "prepend": draw.choice(["▁", " ", "a"])},
    lambda draw: {"type": "ByteLevel"},
    lambda draw: {"type": "Precompiled", "precompiled_charsmap": charsmap()},
]
PRE_TOKENIZERS: list[Step] = [
    *(
        lambda draw, kind=kind: {"type": kind}
        for kind in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts")
    ),
    byte_level,
    metaspace,
    metaspace,
    lambda draw: {"type": "Punctuation", "behavior": draw.choice(BEHAVIORS)},
    lambda draw: {"type": "Digits", "individual_digits": maybe(draw)},
    lambda draw: {"type": "CharDelimiterSplit", "delimiter": draw.choice(" a▁!")},
    lambda draw: {
        "type": "Split",
        "pattern": string_or_regex(draw),
        "behavior": draw.choice(BEHAVIORS),
        "invert": maybe(draw, 0.2),
    },
]
DECODERS: list[Step] = [
    byte_level,
    lambda draw: {"type": "WordPiece", "prefix": "##", "cleanup": maybe(draw)},
    lambda draw: {"type": "BPEDecoder", "suffix": "</w>"},
    metaspace,
    lambda draw: {"type": "Fuse"},
    lambda draw: {"type": "ByteFallback"},
    lambda draw: {"type": "Replace", "pattern": string_or_regex(draw), "content": draw.choice([" ", "", "x"])},
    lambda draw: {
        "type": "Strip",
        "content": draw.choice(" a"),
        "start": draw.randint(0, 2),
        "stop": draw.randint(0, 1),
    },
    lambda draw: {"type": "CTC", "pad_token": "[UNK]", "word_delimiter_token": "▁", "cleanup": maybe(draw)},
]


def some(draw: Random, steps: list[Step], inside: str) -> dict | None:
    """None, one step, or a few as a Sequence."""
    count = draw.choice([0, 0, 1, 1, 1, 2, 3])
    found = [draw.choice(steps)(draw) for _ in range(count)]
    if count == 1 and maybe(draw, 0.9):
        return found[0]
    return {"type": "Sequence", inside: found} if count or maybe(draw, 0.1) else None


def post_processor(draw: Random, name: str, id: int) -> dict | None:
    kind = draw.choice([None, None, "ByteLevel", "TemplateProcessing", "BertProcessing", "RobertaProcessing"])
    if kind == "ByteLevel":
        return byte_level(draw)
    if kind == "BertProcessing":
        return {"type": kind, "sep": [name, id], "cls": [name, id]}
    if kind == "RobertaProcessing":
        flags = {"trim_offsets": maybe(draw), "add_prefix_space": maybe(draw)}
        return {"type": kind, "sep": [name, id], "cls": [name, id], **flags}
    if kind:
        mark, text, pair = (
            {"SpecialToken": {"id": name, "type_id": 0}},
            *({"Sequence": {"id": one, "type_id": 0}} for one in "AB"),
        )
        known = {name: {"id": name, "ids": [id], "tokens": [name]}}
        return {"type": kind, "single": [mark, text], "pair": [text, pair], "special_tokens": known}
    return None


# Models


def numbered(draw: Random, names: list[str], is_odd: bool) -> dict[str, int]:
    """Ids in order; if `is_odd`, shuffled, with a gap, or with one id twice."""
    ids = list(range(len(names)))
    odd = draw.choice(["shuffled", "gaps", "twice"]) if is_odd and names else ""
    if odd == "shuffled":
        draw.shuffle(ids)
    if odd == "gaps":
        at = draw.randrange(len(names))
        ids = [id + 7 * (i >= at) for i, id in enumerate(ids)]
    if odd == "twice":
        ids[draw.randrange(len(names))] = draw.choice(ids)
    return dict(zip(names, ids, strict=True))


def merged(draw: Random, base: list[str], count: int, prefix: str, suffix: str) -> tuple[list[str], list[list[str]]]:
    """The base with more tokens, and the merges that make them."""
    tokens, merges = list(base), []
    known = set(base)
    for _ in range(count):
        left, right = draw.choice(tokens), draw.choice(tokens)
        if prefix and not right.startswith(prefix) or suffix and left.endswith(suffix):
            continue
        made = left + right[len(prefix) :]
        if len(made) > 12 or [left, right] in merges:
            continue
        merges.append([left, right])
        if made not in known:
            tokens.append(made)
            known.add(made)
    return tokens, merges


def bpe(draw: Random, is_bytes: bool, is_plain: bool) -> dict:
    odd = not is_plain
    prefix = "##" if odd and maybe(draw, 0.15) else None
    suffix = "</w>" if odd and maybe(draw, 0.15) else None
    fallback = odd and not is_bytes and maybe(draw, 0.3)
    letters = sorted(CHARACTERS.values()) if is_bytes else draw.sample(LETTERS + " ", draw.randint(1, len(LETTERS)))
    base = [
        *letters,
        *(f"{prefix}{one}" for one in letters if prefix),
        *(f"{one}{suffix}" for one in letters if suffix),
    ]
    some_bytes = 255 if maybe(draw, 0.8) else draw.randint(0, 255)
    names = [f"<0x{byte:02X}>" for byte in range(some_bytes + 1)] if fallback else []
    likely = [spell(one.encode()) for one in CHUNKS] if is_bytes else base
    start = [one for one in base if one in "".join(likely)] if is_bytes else base
    tokens, merges = merged(draw, start, draw.randint(0, 25), prefix or "", suffix or "")
    made = [token for token in tokens if token not in set(base)]
    unknown = None if is_bytes or maybe(draw, 0.4) else "[UNK]"
    vocab = numbered(
        draw, [*([unknown] if unknown else []), *names, *dict.fromkeys(base), *made], odd and maybe(draw, 0.25)
    )
    if odd and maybe(draw, 0.1):
        draw.shuffle(merges)
    return {
        "type": "BPE",
        "dropout": 0.1 if odd and maybe(draw, 0.1) else None,
        "unk_token": unknown,
        "continuing_subword_prefix": prefix,
        "end_of_word_suffix": suffix,
        "fuse_unk": odd and maybe(draw, 0.3),
        "byte_fallback": fallback,
        "ignore_merges": odd and maybe(draw, 0.15),
        "vocab": vocab,
        "merges": [" ".join(merge) for merge in merges]
        if maybe(draw, 0.3) and not any(" " in "".join(m) for m in merges)
        else merges,
    }


def pieces(draw: Random, prefix: str = "") -> list[str]:
    chosen = draw.sample(LETTERS + " ", draw.randint(2, len(LETTERS)))
    longer = ["".join(draw.choices(chosen, k=draw.randint(2, 4))) for _ in range(draw.randint(0, 20))]
    return list(dict.fromkeys([*chosen, *longer, *(prefix + one for one in [*chosen, *longer] if prefix)]))


def word_piece(draw: Random) -> dict:
    prefix = draw.choice(["##", "##", "@"])
    vocab = numbered(draw, ["[UNK]", *pieces(draw, prefix)], maybe(draw, 0.2))
    most = draw.choice([100, 3])
    return {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": most,
        "vocab": vocab,
    }


def word_level(draw: Random) -> dict:
    return {
        "type": "WordLevel",
        "unk_token": "[UNK]",
        "vocab": numbered(draw, ["[UNK]", *pieces(draw)], maybe(draw, 0.2)),
    }


def unigram(draw: Random) -> dict:
    fallback = maybe(draw, 0.3)
    names = [f"<0x{byte:02X}>" for byte in range(256)] if fallback else []
    vocab = [[one, round(-draw.random() * 9, 3)] for one in ["<unk>", *names, *pieces(draw)]]
    return {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": fallback}


# Files


def added(draw: Random, vocab: list[str], is_plain: bool) -> list[dict]:
    found, next_id = [], len(vocab)
    if is_plain:
        names = draw.sample(
            ["<x>", "<|end|>", "<mask>", "a<x>", "<x>b", "<｜a｜>", "é!", "two words"], draw.randint(0, 3)
        )
    else:
        names = draw.choices([*NAMES, *vocab[-3:], *vocab[:1]], k=draw.choice([0, 1, 1, 2, 3, 5]))
    for name in names:
        flags = {flag: not is_plain and maybe(draw, 0.25) for flag in ("single_word", "lstrip", "rstrip", "normalized")}
        flags["special"] = is_plain or maybe(draw)
        id = vocab.index(name) if name in vocab else next_id
        next_id += name not in vocab
        found.append({"id": id + 40 * (not is_plain and maybe(draw, 0.05)), "content": name, **flags})
    return found


def random_file(draw: Random) -> dict:
    """Returns the content of a file; some are plain, so our own reader may read them."""
    is_plain, is_bytes = maybe(draw, 0.25), maybe(draw, 0.4)
    if is_plain:
        steps = {"normalizer": None, "pre_tokenizer": plain_split(draw, is_bytes)}
        decoder = {**byte_level(draw), "type": "ByteLevel"} if is_bytes else {"type": "Fuse"}
        model = bpe(draw, is_bytes, maybe(draw, 0.7))
    else:
        steps = {
            "normalizer": some(draw, NORMALIZERS, "normalizers"),
            "pre_tokenizer": some(draw, PRE_TOKENIZERS, "pretokenizers"),
        }
        if is_bytes and maybe(draw, 0.7):
            steps["pre_tokenizer"] = {
                "type": "Sequence",
                "pretokenizers": [*filter(None, [steps["pre_tokenizer"]]), byte_level(draw)],
            }
        decoder = some(draw, DECODERS, "decoders")
        model = draw.choice([bpe, bpe, word_piece, word_level, unigram])
        model = bpe(draw, is_bytes, maybe(draw, 0.3)) if model is bpe else model(draw)
    names = [one[0] for one in model["vocab"]] if model["type"] == "Unigram" else list(model["vocab"])
    is_odd = not is_plain and maybe(draw, 0.1)
    truncation = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}
    padding = {
        "strategy": {"Fixed": 9},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "a",
    }
    return {
        "version": "1.0",
        "truncation": truncation if is_odd else None,
        "padding": padding if is_odd else None,
        "added_tokens": added(draw, names, is_plain and maybe(draw, 0.8)),
        **steps,
        "post_processor": None if is_plain else post_processor(draw, names[0], draw.choice([0, 900])),
        "decoder": decoder,
        "model": model,
    }


def plain_split(draw: Random, is_bytes: bool) -> dict | None:
    split = {
        "type": "Split",
        "pattern": {"Regex": draw.choice([r"[a-z]+| ", r"\p{L}+|\p{N}{1,2}|\s"])},
        "behavior": "Isolated",
        "invert": False,
    }
    bytes_only = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": maybe(draw), "use_regex": False}
    if not is_bytes:
        return draw.choice([None, split])
    return draw.choice(
        [bytes_only, bytes_only | {"use_regex": True}, {"type": "Sequence", "pretokenizers": [split, bytes_only]}]
    )


def random_text(draw: Random, facts: dict) -> str:
    """Returns a text of letters with tokens in these files and of names of added tokens."""
    names = [token["content"] for token in facts["added_tokens"]] * 3
    return "".join(draw.choices([*CHUNKS, *names], k=draw.randint(0, 12)))


def random_model(draw: Random) -> bytes:
    """Returns a `.model` trained with random options."""
    kind = draw.choice(["unigram", "bpe", "word", "char"])
    fallback = kind != "char" and maybe(draw)
    return sentencepieces.model(
        kind,
        draw.choice([200, 400]) + 256 * fallback,
        byte_fallback=fallback,
        normalization_rule_name=draw.choice(["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"]),
        add_dummy_prefix=maybe(draw, 0.7),
        remove_extra_whitespaces=maybe(draw),
        treat_whitespace_as_suffix=maybe(draw, 0.2),
        split_digits=maybe(draw),
        split_by_whitespace=maybe(draw, 0.8),
        allow_whitespace_only_pieces=maybe(draw),
        user_defined_symbols=draw.choice(["", "<x>", "ab,▁", "é,<mask>"]),
        control_symbols=draw.choice(["", "<|end|>"]),
    )
