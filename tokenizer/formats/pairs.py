"""Converts a vocab.json with a merges.txt to a `tokenizer.json` for Hugging Face's library.

The two files do not contain how a text is split, so the steps are those of `transformers` for such a pair.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.spelling import BYTES
from tokenizer.errors import BadTokenizerFile
from tokenizer.formats.reading import Source
from tokenizer.i18n import mark, tr
from tokenizer.kinds.pipeline import NO_STEPS, PipelineModel
from tokenizer.split.dialects import for_oniguruma
from tokenizer.split.patterns import KNOWN_PATTERNS

WORD_END = "</w>"
LIKE_A_MARK = re.compile(r"<.+>|\[[^\]]+\]", re.DOTALL)  # the form of names of special tokens
# with use_regex it splits by the pattern "gpt2"
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
CLIPS_SPLIT = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
CLIPS_STEPS = [
    {"type": "NFC"},
    {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
    {"type": "Lowercase"},
]
CLIPS_UNKNOWN = "<|endoftext|>"
AS_CLIP = mark(
    "The two files do not say how text is split, so text is split as in CLIP, and capital letters become lower case."
)


def read(source: Source, name: str, vocab: Mapping[str, int], merges: Sequence[str], added: Mapping[str, int]):
    """Returns the encoding of a vocabulary, its merges and added tokens; raises BadTokenizerFile."""
    if marks_word_ends(vocab, merges):
        if not vocab.keys() >= {letter + WORD_END for letter in BYTES}:
            reason = tr(
                "the vocabulary marks the end of a word with {mark}, but the two files do not say how text is split"
                " into words; open the model’s tokenizer.json",
                mark=WORD_END,
            )
            raise BadTokenizerFile(source.path, reason)
        if source.pattern is not None:
            reason = tr("this tokenizer splits text in its own way, so no other split pattern can be chosen")
            raise BadTokenizerFile(source.path, reason)
        facts, pattern, lazy_notes = clip(vocab, merges), None, [partial(tr, AS_CLIP)]
    else:
        pattern, lazy_notes = source.pattern or "gpt2", []
        facts = byte_level(vocab, merges, split_by(source, pattern))
    facts["added_tokens"] = added_tokens(vocab, merges, added)
    try:
        model = PipelineModel(json.dumps(facts), pattern=pattern, lazy_notes=lazy_notes)
    except BadTokenizerFile as error:
        raise BadTokenizerFile(source.path, error.reason, error.line) from None
    specials = model.special_tokens if source.special_tokens is None else source.special_tokens
    return Encoding(name, model, specials)


def marks_word_ends(vocab: object, merges: Iterable[str]) -> bool:
    """Whether letters at the end of words have tokens of their own, such as `e</w>`.

    >>> marks_word_ends({"e</w>": 0}, []), marks_word_ends({"e": 0, "</w>": 1, "e</w>": 2}, ["e </w>"])
    (True, False)
    """
    if not isinstance(vocab, dict):
        return False
    ends = {token for token in vocab if len(token) == 1 + len(WORD_END) and token.endswith(WORD_END)}
    return not ends <= {merge.replace(" ", "", 1) for merge in merges}


def has_robertas_names(vocab: object) -> bool:
    """Whether the special tokens have RoBERTa's names; its mask strips the space before it."""
    return isinstance(vocab, dict) and {"<s>", "</s>", "<mask>"} <= vocab.keys()


def split_by(source: Source, pattern: str) -> dict:
    """Returns the pre-tokenizer that splits by a pattern."""
    if pattern == "gpt2":
        return {**BYTE_LEVEL, "use_regex": True}
    if (regex := for_oniguruma(KNOWN_PATTERNS.get(pattern, pattern))) is None:
        reason = tr(
            "Hugging Face’s library may split text differently with the split pattern {pattern!r}", pattern=pattern
        )
        raise BadTokenizerFile(source.path, reason)
    split = {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, {**BYTE_LEVEL, "use_regex": False}]}


def byte_level(vocab: Mapping[str, int], merges: Sequence[str], pre_tokenizer: dict) -> dict:
    """Returns a pair as the file of a model like GPT-2 with other ids, such as RoBERTa and Whisper."""
    decoder = {**BYTE_LEVEL, "use_regex": True}
    return NO_STEPS | {"pre_tokenizer": pre_tokenizer, "decoder": decoder, "model": bpe(vocab, merges)}


def clip(vocab: Mapping[str, int], merges: Sequence[str]) -> dict:
    """Returns a pair as CLIP's file, in which the last token of a word has a suffix."""
    split = {"type": "Split", "pattern": {"Regex": CLIPS_SPLIT}, "behavior": "Removed", "invert": True}
    byte_level = {**BYTE_LEVEL, "use_regex": True}
    unknown = CLIPS_UNKNOWN if CLIPS_UNKNOWN in vocab else None
    return NO_STEPS | {
        "normalizer": {"type": "Sequence", "normalizers": CLIPS_STEPS},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "decoder": byte_level,
        "model": bpe(vocab, merges, end_of_word_suffix=WORD_END, continuing_subword_prefix="", unk_token=unknown),
    }


def bpe(vocab: Mapping[str, int], merges: Sequence[str | list[str]], **options: str | bool | None) -> dict:
    """Returns the model of a `tokenizer.json` with these options; all others are off."""
    off = dict.fromkeys(["fuse_unk", "byte_fallback", "ignore_merges"], False)
    unset = dict.fromkeys(["dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"])
    return {"type": "BPE", **unset, **off, **options, "vocab": dict(vocab), "merges": list(merges)}


def added_tokens(vocab: Mapping[str, int], merges: Sequence[str], added: Mapping[str, int]) -> list[dict]:
    """Returns the special tokens of a vocabulary, which no merge produces, and its added tokens.

    Added white space is not special. RoBERTa's mask strips the space before it.
    """
    made = {merge.replace(" ", "") for merge in merges}
    marks = [token for token in vocab if token not in made and LIKE_A_MARK.fullmatch(token)]
    takes_space = has_robertas_names(vocab)
    flags = {"single_word": False, "rstrip": False, "normalized": False}
    return [
        {
            "id": id,
            "content": token,
            **flags,
            "lstrip": takes_space and token == "<mask>",
            "special": not token.isspace(),
        }
        for token, id in sorted([*((token, vocab[token]) for token in marks), *added.items()], key=lambda one: one[1])
    ]
