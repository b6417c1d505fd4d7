"""Compares tokenizer files as read here with their own libraries."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

from random_files import random_text
from tokenizers import Tokenizer

from tokenizer import TokenizerError, load_encoding, save_encoding
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.segments import encode_segment
from tokenizer.encoding.spelling import BYTES
from tokenizer.kinds.pipeline import BYTE_NAME, RARE_TEXT
from tokenizer.kinds.spm import SentencePieceModel
from tokenizer.split.patterns import SAFE_CUT
from tokenizer.text.well_formed import well_formed

Facts = Iterator[tuple[str, object, object]]  # name, ours, theirs
REFUSED, OWN, LIBRARY = "refused by both", "read by our own reader", "read by the library"


class Panic(Exception):
    """The library failed."""


def safely(work, *values, **named):
    """Returns the library's result; raises Panic if it fails, also with a BaseException."""
    try:
        return work(*values, **named)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise Panic(str(error)[:200]) from None


def load_library(data: str) -> Tokenizer:
    library = safely(Tokenizer.from_str, data)
    library.no_truncation()
    library.no_padding()
    library.post_processor = None  # it adds tokens, and may trim spans
    if hasattr(library.model, "dropout"):
        library.model.dropout = None
    return library


def compare_file(facts: dict, draw: Random, texts: int, folder: Path) -> tuple[str, list[str]]:
    """Returns which reader reads a file, and the differences."""
    data, path = json.dumps(facts), folder / "tokenizer.json"
    path.write_text(data, encoding="utf-8")
    try:
        library = load_library(data)
        for mode in ("text", "special"):
            theirs(library, RARE_TEXT, mode)
    except Panic as error:
        library, why = None, str(error)
    try:
        enc = load_encoding(path)
    except TokenizerError as error:
        return REFUSED, [f"refused, though the library reads it: {error}"] if library else []
    except Exception as error:
        return REFUSED, [f"loading: {error!r}"]
    if library is None:
        return LIBRARY, [f"read, though the library reports {why}"]
    wrong = []
    try:
        again = save_encoding(enc, folder / "again.json")[0]
        back, theirs_again = load_encoding(again), load_library(again.read_text(encoding="utf-8"))
        for _ in range(texts):
            text = well_formed(random_text(draw, facts))[0]
            for what, ours, expected in comparisons(enc, library, facts, text, back, theirs_again):
                if ours != expected and not ("refusal" not in what and is_random(data, text)):
                    wrong.append(f"{text!r} {what}: ours {ours!r}, theirs {expected!r}"[:600])
    except Exception as error:
        wrong.append(repr(error))
    return LIBRARY if enc.runs_in_library else OWN, wrong


def has_shared_id(library: Tokenizer) -> bool:
    """Whether two tokens have one id."""
    ids = list(library.get_vocab().values())
    return len(set(ids)) < len(ids)


def is_random(data: str, text: str) -> bool:
    """Whether the library's ids vary: it takes any of several added tokens with the same normalized form."""
    return any(
        len({tuple(theirs(load_library(data), text, mode).ids) for _ in range(12)}) > 1 for mode in ("text", "special")
    )


def theirs(library: Tokenizer, text: str, mode: str):
    library.encode_special_tokens = mode == "text"
    return safely(library.encode, text, add_special_tokens=False)


def read(enc: Encoding, text: str, mode: str):
    """The tokens of a text; None if it raises."""
    try:
        return enc.tokenize(text, mode)
    except TokenizerError:
        return None


def comparisons(enc, library, facts: dict, text: str, back, theirs_again) -> Facts:
    for mode in ("text", "special"):
        tokens = read(enc, text, mode)
        try:
            found = theirs(library, text, mode)
        except Panic:
            yield f"refusal ({mode})", tokens, None
            return
        yield f"refusal ({mode})", tokens is None, False
        if tokens is None:
            continue
        yield f"ids ({mode})", tokens.ids, found.ids
        yield f"array ({mode})", enc.encode(text, mode), found.ids
        if tokens.ids != found.ids:
            continue
        yield f"spans ({mode})", wrong_spans(enc, library, tokens, found, facts, text), []
        yield f"saved ({mode})", back.encode(text, mode), found.ids
        yield f"saved, in the library ({mode})", theirs(theirs_again, text, mode).ids, found.ids
        yield f"in segments ({mode})", in_segments(enc, text, mode), found.ids
        enc.pre_tokens(text, mode)
        yield from decoded(enc, library, back, found.ids)
    if found.ids:
        yield from decoded(enc, library, back, found.ids[::-1])
    try:
        yield "stages", len(enc.stages(text)) > 0, True
    except TokenizerError as error:  # some decoders and post-processors fail on some texts
        yield "stages", "library reports" in str(error), True


def in_segments(enc: Encoding, text: str, mode: str = "text") -> list[int]:
    """The ids of a text that is encoded in segments between all safe cuts."""
    text = well_formed(text)[0]
    cuts = [cut.start() for cut in SAFE_CUT.finditer(text)] if enc.safe_cuts else []
    read = [encode_segment(text[start:end], enc, mode, start > 0)[0] for start, end in pairwise([0, *cuts, len(text)])]
    return [id for tokens in read for id in tokens.ids]


def decoded(enc, library, back, ids: list[int]) -> Facts:
    if has_shared_id(library):
        return  # the library decodes a shared id at random
    try:
        expected = safely(library.decode, ids, skip_special_tokens=False)
    except Panic:
        return
    yield "text", enc.decode(ids), expected
    yield "saved text", back.decode(ids), expected


def wrong_spans(enc, library, tokens, found, facts: dict, text: str) -> list:
    """The wrong spans: they overlap, or differ from the library's; tokens that share a character may differ."""
    sizes = [0]
    for character in text:
        sizes.append(sizes[-1] + len(character.encode()))
    ours = list(zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True))
    bounds = [0, *(bound for span in ours for bound in span), sizes[-1]]
    wrong = [] if bounds == sorted(bounds) else [("overlap", ours)]
    if has_wrong_offsets(facts, library):
        return wrong + (misplaced(library, tokens, found, facts["model"], text) if keeps_characters(facts) else [])
    own_bytes = [enc.bytes_of(id) or b"" for id in found.ids]
    if (
        enc.unknown_id not in found.ids and b"".join(own_bytes) == text.encode()
    ):  # the library's spans may be larger than a token's bytes
        return wrong + [("bytes", ours)] * (own_bytes != [text.encode()[start:end] for start, end in ours])
    if "ByteLevel" in str(facts["normalizer"]) and facts["normalizer"]["type"] == "Sequence":
        return wrong  # the library's offsets are wrong after that step
    spans = [(sizes[start], sizes[end]) for start, end in found.offsets]
    for i, (own, span) in enumerate(zip(ours, spans, strict=True)):
        around = spans[max(0, i - 9) : i] + spans[i + 1 : i + 10]
        is_shared = any(other[0] < span[1] and span[0] < other[1] for other in around)
        if own != span and not (is_shared and span[0] <= own[0] <= own[1] <= max(span[1], own[0])):
            wrong.append((found.tokens[i], own, span))
    return wrong


def has_wrong_offsets(facts: dict, library: Tokenizer) -> bool:
    """Whether the library's own offsets can be wrong: with BPE that drops characters or spells marks."""
    model = facts["model"]
    if model["type"] != "BPE":
        return False
    has_letters = library.get_vocab().keys() >= BYTES.keys() and "ByteLevel" in json.dumps(
        [facts["pre_tokenizer"], facts["normalizer"]]
    )
    has_marks = model["continuing_subword_prefix"] or model["end_of_word_suffix"]
    return bool(model["byte_fallback"]) or (model["unk_token"] is None and (has_marks or not has_letters))


def keeps_characters(facts: dict) -> bool:
    """Whether the model gets the characters of the text unchanged."""
    steps = json.dumps(facts["pre_tokenizer"])
    return facts["normalizer"] is None and "Metaspace" not in steps and "ByteLevel" not in steps


def misplaced(library, tokens, found, model: dict, text: str) -> list:
    """Tokens whose first or last character differs from that of their span."""
    if has_shared_id(library):
        return []
    data, wrong, added = text.encode(), [], library.get_added_tokens_decoder()
    rows = zip(found.ids, found.tokens, tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
    for id, token, start, end in rows:
        if id in added or token == model["unk_token"] or BYTE_NAME.fullmatch(token):
            continue
        own = token.removeprefix(model["continuing_subword_prefix"] or "").removesuffix(
            model["end_of_word_suffix"] or ""
        )
        covered = data[start:end].decode(errors="replace")
        if own and (covered[:1], covered[-1:]) != (own[0], own[-1]):
            wrong.append((token, covered))
    return wrong


def compare_model(data: bytes, draw: Random, texts: int, folder: Path) -> tuple[str, list[str]]:
    """Returns the differences between a SentencePiece model here and in its library."""
    from sentencepiece import SentencePieceProcessor

    library, wrong = SentencePieceProcessor(model_proto=data), []
    model = SentencePieceModel(data)
    enc = Encoding("model", model, model.special_tokens)
    for _ in range(texts * 4):
        text = well_formed(random_text(draw, {"added_tokens": []}))[0]
        proto = library.encode(text, return_type="proto").pieces
        tokens = enc.tokenize(text)
        checks = [
            ("ids", tokens.ids, [one.id for one in proto]),
            ("text", enc.decode(tokens.ids), library.decode(tokens.ids)),
            ("spans", wrong_places(tokens, proto, library, text), []),
        ]
        wrong += [
            f"{text!r} {what}: ours {ours!r}, theirs {expected!r}"
            for what, ours, expected in checks
            if ours != expected
        ]
    return "models of SentencePiece", wrong


def wrong_places(tokens, proto, library, text: str) -> list:
    ours = list(zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True))
    bounds = [0, *(bound for span in ours for bound in span), len(text.encode())]
    wrong = [] if bounds == sorted(bounds) else [("overlap", ours)]
    for own, one in zip(ours, proto, strict=True):
        if not library.is_byte(one.id) and own != (one.begin, one.end):
            wrong.append((one.piece, own, (one.begin, one.end)))
    return wrong
