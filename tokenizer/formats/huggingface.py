"""Hugging Face's `tokenizer.json`, and the bare `vocab.txt` of WordPiece. https://github.com/huggingface/tokenizers

Our own code reads files with only byte-pair encoding of bytes or characters; the library reads all others.
"""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path

from tokenizer.encoding.bpe import NotMadeOfTwo, every_split
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.spelling import BYTES, spell, unspell
from tokenizer.errors import BadTokenizerFile
from tokenizer.formats.gpt2 import vocabulary
from tokenizer.formats.merges import DoesNotFit, build, ids_of, in_file, merges_of, spelled_vocabulary
from tokenizer.formats.pairs import BYTE_LEVEL, bpe
from tokenizer.formats.reading import Source, line_of, read_bytes, read_id, read_json, read_lines
from tokenizer.i18n import mark, tr
from tokenizer.kinds.pipeline import PipelineModel
from tokenizer.split.dialects import for_oniguruma, is_portable
from tokenizer.split.patterns import PATTERNS

# the flags of an added token that is special and nothing else
FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
# keys of a file and of its model that our own reader supports; False: only if unused
FACTS = {"truncation": False, "padding": False, "normalizer": False} | dict.fromkeys(
    ["version", "added_tokens", "pre_tokenizer", "post_processor", "decoder", "model"], True
)
OPTIONS = dict.fromkeys(
    ["continuing_subword_prefix", "end_of_word_suffix", "byte_fallback", "dropout", "ignore_merges"], False
) | dict.fromkeys(["type", "unk_token", "fuse_unk", "vocab", "merges"], True)
MAX_ADDED_TOKENS = 1_000  # for our own reader; the library is faster with many
CONFIG = "tokenizer_config.json"
UNKNOWN, AROUND = "[UNK]", ("[CLS]", "[SEP]")  # BERT's
UNKNOWN_LINE = re.compile(rb"\[UNK\](?![^\r\n])")  # or the end of a line


class OnlyForLibrary(Exception):
    """A file has a feature, named in the message, that our own reader lacks, so Hugging Face's library reads it."""


def files(encoding: Encoding, name: str) -> dict[str, bytes]:
    """Returns the file of an encoding, `name`.json; the original file if the library read it."""
    if "source" in encoding.model.capabilities:
        if encoding.special_tokens != encoding.model.native_special_tokens:
            raise DoesNotFit(tr("the original file does not have the special tokens that were added here"))
        return {f"{name}.json": encoding.model.source().encode()}
    found = merges_of(encoding, "huggingface")
    is_bytes = found.alphabet == "bytes"
    unknown = None if encoding.unknown_id is None else encoding.piece(encoding.unknown_id)
    spelled = spell if is_bytes else bytes.decode
    if len(set(encoding.special_tokens.values())) < len(encoding.special_tokens):
        raise DoesNotFit(tr("two special tokens of the encoding have the same id"))
    if encoding.pattern is not None and for_oniguruma(encoding.pattern) is None:
        reason = tr(
            "Hugging Face’s library may split text differently with the split pattern {pattern!r}",
            pattern=encoding.pattern,
        )
        raise DoesNotFit(reason)
    try:
        merges = found.in_order()
        ids, options = ids_of(encoding, merges), {}
        pairs = [(merge.left, merge.right) for merge in merges]
    except NotMadeOfTwo:  # then every pair of tokens that joins to a token is a merge, as in tiktoken
        ids, options = list(found.ranks.items()), {"ignore_merges": True}  # a pre-token that is a token is not split
        pairs = every_split(found.ranks)
    vocab = spelled_vocabulary(encoding, ids, spelled)
    if unknown in vocab:
        raise DoesNotFit(tr("two tokens would have the name {token!r}", token=unknown))
    # an added token that the vocabulary lacks gets the next free id
    vocab |= encoding.special_tokens | ({} if unknown is None else {unknown: encoding.unknown_id})
    facts = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": id, "content": token, **FLAGS} for token, id in by_id(encoding.special_tokens)],
        "normalizer": None,
        "pre_tokenizer": pre_tokenizer(encoding, is_bytes),
        "post_processor": None,
        "decoder": {**BYTE_LEVEL, "use_regex": True} if is_bytes else {"type": "Fuse"},
        "model": bpe(dict(by_id(vocab)), [list(map(spelled, pair)) for pair in pairs], unk_token=unknown, **options),
    }
    return {f"{name}.json": json.dumps(facts, ensure_ascii=False, indent=1).encode() + b"\n"}


def by_id(ids: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(ids.items(), key=lambda item: item[1])


def pre_tokenizer(encoding: Encoding, is_bytes: bool) -> dict | None:
    """Returns the pre-tokenizer."""
    byte_level = [{**BYTE_LEVEL, "use_regex": False}] if is_bytes else []
    if encoding.pattern is None:
        return byte_level[0] if byte_level else None
    pattern = for_oniguruma(encoding.pattern)
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    if encoding.drops_unmatched:  # of the inverse, the text that is not matched is removed
        split |= {"behavior": "Removed", "invert": True}
    return {"type": "Sequence", "pretokenizers": [split, *byte_level]}


def read(source: Source, facts: dict) -> Encoding:
    """Returns the encoding in a `tokenizer.json`, without the tokens that it adds around a text."""
    damage = None
    try:
        return read_merges(source, facts)
    except OnlyForLibrary:
        pass
    except BadTokenizerFile as error:
        damage = error
    try:
        data = source.data.removeprefix(BOM_UTF8)
        return by_the_library(source, PipelineModel(data, facts, known_pattern(source, facts)))
    except BadTokenizerFile as error:
        raise damage or BadTokenizerFile(source.path, error.reason, error.line) from None


def by_the_library(source: Source, model: PipelineModel) -> Encoding:
    """Returns the encoding of a model that runs in the library."""
    if source.pattern is not None:
        reason = tr("this tokenizer splits text in its own way, so no other split pattern can be chosen")
        raise BadTokenizerFile(source.path, reason)
    specials = model.special_tokens if source.special_tokens is None else source.special_tokens
    return Encoding(source.path.stem, model, specials)


def known_pattern(source: Source, facts: dict) -> str | None:
    """Returns the split pattern if nothing else splits a text and our engine matches it like the library."""
    try:
        return splits(facts.get("pre_tokenizer"), None)[1] if not facts.get("normalizer") else None
    except OnlyForLibrary:
        return None


def is_vocabulary(path: Path, data: bytes) -> bool:
    """Whether this is a bare vocabulary of WordPiece, such as BERT's `vocab.txt`, with a token on each line.

    >>> is_vocabulary(Path("vocab.txt"), b"[PAD]\\n[UNK]\\n[CLS]\\n"), is_vocabulary(Path("a.txt"), b"[UNK] is a token")
    (True, False)
    """
    if path.suffix != ".txt":
        return False
    # not by `splitlines`, which takes 15 times the memory of short lines
    starts = (one.start() for one in UNKNOWN_LINE.finditer(data))
    return any(start == 0 or data[start - 1] in b"\r\n" for start in starts)


# not [CLS], nor the <S> and <T> of the Chinese BERT, which has no other capital letters
CASED_WORD = re.compile(r"^(?![\[<][A-Z]+[\]>]$).*[A-Z]", re.DOTALL)


def read_vocabulary(source: Source) -> Encoding:
    """Returns the encoding of a bare vocabulary of WordPiece, with BERT's settings.

    An id is the number of a line; for duplicate lines the last one counts.
    """
    ids = {token: id for id, token in enumerate(read_lines(source.path, source.data))}
    names = [token for token in ids if re.fullmatch(r"\[[A-Z]+\]", token)]
    settings = _read_settings(source.path.with_name(CONFIG))
    lowercase = settings.get("do_lower_case")
    is_given = isinstance(lowercase, bool)
    is_cased = not lowercase if is_given else any(map(CASED_WORD.search, ids))
    note = partial(tr, VOCABULARY_ALONE[is_given, is_cased], file=CONFIG)
    options = {own: settings[name] for name, own in NORMALIZER_SETTINGS.items() if isinstance(settings.get(name), bool)}
    data = json.dumps(wordpiece(ids, names, {"lowercase": not is_cased, **options}))
    try:
        return by_the_library(source, PipelineModel(data, lazy_notes=[note]))
    except BadTokenizerFile as error:
        raise BadTokenizerFile(source.path, error.reason, error.line) from None


NORMALIZER_SETTINGS = {"strip_accents": "strip_accents", "tokenize_chinese_chars": "handle_chinese_chars"}
VOCABULARY_ALONE = {  # by whether a file beside it has settings, and whether capital letters are kept
    (False, False): mark(
        "The file contains only a vocabulary, so text is split as in BERT, and capital letters become lower case."
    ),
    (False, True): mark(
        "The file contains only a vocabulary, so text is split as in BERT, but capital letters are kept."
    ),
    (True, False): mark(
        "The file contains only a vocabulary, so text is split as in BERT. Capital letters become lower case, as"
        " {file} says."
    ),
    (True, True): mark(
        "The file contains only a vocabulary, so text is split as in BERT. Capital letters are kept, as {file} says."
    ),
}


def _read_settings(path: Path) -> dict:
    """Returns the settings in a file beside a vocabulary; empty without one."""
    facts = read_json(path, read_bytes(path)) if path.exists() else {}
    return facts if isinstance(facts, dict) else {}


def wordpiece(ids: Mapping[str, int], names: Collection[str], options: Mapping[str, bool]) -> dict:
    """Returns a `tokenizer.json` around a vocabulary of WordPiece, with BERT's steps.

    `names` are special tokens, `options` those of the normalizer that differ from BERT's.
    """
    ends = [{"SpecialToken": {"id": name, "type_id": 0}} for name in AROUND if name in ids]
    single = [*ends[:1], {"Sequence": {"id": "A", "type_id": 0}}, *ends[1:]]
    around = {
        "type": "TemplateProcessing",
        "single": single,
        "pair": [*single, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in AROUND if name in ids},
    }
    usual = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None}
    model = {"unk_token": UNKNOWN, "continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
    return {
        "added_tokens": [{"id": ids[name], "content": name, **FLAGS} for name in names],
        "normalizer": {"type": "BertNormalizer", **usual, **options},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": around if len(ends) == len(AROUND) else None,
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", **model, "vocab": dict(ids)},
    }


def read_merges(source: Source, facts: dict) -> Encoding:
    """Returns the encoding of a file whose features our own reader all supports.

    Raises OnlyForLibrary for a feature that it lacks, and BadTokenizerFile for a damaged file.
    """
    path, data, pattern, _ = source
    model = facts["model"]
    check_features(facts, model)
    is_bytes, own_pattern = splits(facts.get("pre_tokenizer"), pattern)
    if kind_of(facts.get("decoder")) != ("ByteLevel" if is_bytes else "Fuse"):
        raise OnlyForLibrary("decoder")
    found = added_tokens(source, facts.get("added_tokens") or [])
    merges = model.get("merges")

    def line_of_merge(position: int) -> int | None:
        halves = merges[position] if isinstance(merges[position], list) else [merges[position]]
        return line_of(data, "merges", *(half for half in halves if isinstance(half, str)))

    unknown = None if is_bytes else model.get("unk_token")
    if not isinstance(unknown, str | None):
        raise BadTokenizerFile(path, tr("the unknown token in the file is not a string"), line_of(data, "unk_token"))
    with in_file(path, line_of_merge):
        parts = vocabulary(source, model.get("vocab"), merges, found, path, line_of_merge, is_bytes, unknown)
        check_names(found, unknown, facts, {*parts[2]}, is_bytes)
        return build(source, path.stem, own_pattern, *parts)


def kind_of(step: object) -> object:
    return step.get("type") if isinstance(step, dict) else step


def added_tokens(source: Source, added: object) -> dict[str, int]:
    """Returns the added tokens with their ids."""
    path, data, _, _ = source
    if not isinstance(added, list) or not all(isinstance(token, dict) for token in added):
        raise BadTokenizerFile(
            path, tr("the added tokens in the file are not a list of objects"), line_of(data, "added_tokens")
        )
    found: dict[str, int] = {}
    for token in added:
        content = token.get("content")
        line = partial(line_of, data, "added_tokens", str(content))
        if not isinstance(content, str) or content in found:
            raise BadTokenizerFile(
                path, tr("the added token {token!r} is not a string, or is listed twice", token=content), line()
            )
        found[content] = read_id(path, token.get("id"), line)
    return found


def check_features(facts: Mapping, model: object) -> None:
    """Raises OnlyForLibrary unless our own reader supports all settings of the file."""
    if not isinstance(model, dict) or model.get("type", "BPE") != "BPE":
        raise OnlyForLibrary("model")
    for options, known in ((facts, FACTS), (model, OPTIONS)):
        for name, value in options.items():
            if name not in known or (known[name] is False and value):
                raise OnlyForLibrary(name)
    if model.get("unk_token") is not None and model.get("fuse_unk"):
        raise OnlyForLibrary("fuse_unk")
    if kind_of(facts.get("post_processor")) not in (None, "ByteLevel"):  # that one only trims offsets
        raise OnlyForLibrary("post_processor")
    added = facts.get("added_tokens")
    if isinstance(added, list) and len(added) > MAX_ADDED_TOKENS:
        raise OnlyForLibrary("added_tokens")
    for token in added if isinstance(added, list) else []:
        # without a normalizer, it does not matter whether added tokens are found before or after it
        flags = FLAGS | {"normalized": added[0].get("normalized", False)} if isinstance(added[0], dict) else FLAGS
        if isinstance(token, dict) and any(token.get(name, value) != value for name, value in flags.items()):
            raise OnlyForLibrary("added_tokens")


def check_names(found: Mapping[str, int], unknown: str | None, facts: Mapping, made: set[int], is_bytes: bool) -> None:
    """Raises OnlyForLibrary for a name or id of an added token, or of the unknown one, with further effects."""
    vocab = facts["model"]["vocab"]
    if not all(type(id) is int for id in vocab.values()):
        raise OnlyForLibrary("vocab")
    for name in [*found, *([] if unknown is None else [unknown])]:
        if len(name) == 1 or vocab.get(name) in made:
            raise OnlyForLibrary("a special token that merges could make")
        if is_bytes and BYTES.keys() >= set(name) and unspell(name) != name.encode():
            raise OnlyForLibrary("a special token that its decoder takes for the spelling of other bytes")
    new = [id for name, id in found.items() if name not in vocab]
    in_order = not new or (max(vocab.values(), default=-1) + 1 == len(vocab) == new[0] and new[-1] - new[0] < len(new))
    if any(vocab.get(name, id) != id for name, id in found.items()) or not in_order or new != sorted(set(new)):
        raise OnlyForLibrary("ids of added tokens, which the library gives")


def splits(step: object, override: str | None) -> tuple[bool, str | None]:
    """Returns whether a pre-tokenizer maps the text to bytes, and its split pattern."""
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
                pattern = override or portable_pattern(found) or "?"
            case _:
                raise OnlyForLibrary("pre_tokenizer")
    if pattern == "?":  # it splits twice, or by a pattern that our engine may match differently
        raise OnlyForLibrary("pre_tokenizer")
    return is_bytes, pattern


def portable_pattern(found: str) -> str | None:
    """Returns our pattern that matches like this one in Oniguruma, by its name if it is known.

    >>> [portable_pattern(one) for one in (for_oniguruma(PATTERNS["cl100k_base"]), "[a-z]+| ", "[a-z]{2}+")]
    ['cl100k_base', '[a-z]+| ', None]
    """
    for name, pattern in PATTERNS.items():
        if found in (pattern, for_oniguruma(pattern)):
            # in Oniguruma, {1,3}+ would match any number of digits
            return name if found == for_oniguruma(pattern) else None
    if re.fullmatch(r"[\w-]+", found):  # it would be read as the name of a known pattern
        return None
    return found if is_portable(found) and for_oniguruma(found) == found else None
