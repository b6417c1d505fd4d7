"""One contract for every kind of encoding: registered, trained, and loaded from every form of file."""

import json
import unicodedata
from contextlib import suppress
from functools import cache
from itertools import pairwise

import numpy as np
import pipelines
import pytest
import regex
import sentencepieces
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from temporary import new_folder
from texts import TEXTS

from tokenizer import (
    encoding_files,
    encoding_from_merges,
    get_encoding,
    load_encoding,
    pieces,
    save_encoding,
    segments,
    train,
    train_characters,
    train_words,
    unreachable,
)
from tokenizer.encoding.ladder import MergesDisagree, NothingToReplay, ladder, replay
from tokenizer.encoding.segments import encode_segment
from tokenizer.encoding.tokens import BYTE, NORMAL, SPECIAL, UNKNOWN
from tokenizer.errors import SpecialTokenInText, UnknownTokenIds
from tokenizer.kinds.open_models import is_installed
from tokenizer.measure.census import census
from tokenizer.split.pattern_reachability import can_contain
from tokenizer.split.patterns import SAFE_CUT
from tokenizer.text.samples import samples
from tokenizer.text.scripts import script
from tokenizer.text.units import grapheme_ends
from tokenizer.text.well_formed import as_text, well_formed
from tokenizer.vocabulary import facts as vocabulary
from tokenizer.vocabulary.contexts import find_context
from tokenizer.vocabulary.facts import facts_of
from tokenizer.vocabulary.id_ranges import id_ranges
from tokenizer.vocabulary.merge_graph import MergeGraph
from tokenizer.vocabulary.non_roundtrip import explain_non_roundtrip
from tokenizer.vocabulary.token_search import TOKENS, Query, find

CORPUS = "\n".join(sample.text for sample in samples()[:6]) + " The İstanbul ΑΣ"
END = {"<|end|>": 5000}


@cache
def of_bytes():
    return encoding_from_merges(train(CORPUS, 400), "cl100k_base", END)


@cache
def of_characters():
    merges = train(CORPUS, 300, "gpt2", alphabet="characters")
    return encoding_from_merges(merges, "gpt2", ["<|end|>"], alphabet=CORPUS)


def loaded(encoding, name, form=None):
    path = new_folder() / name
    save_encoding(encoding, path, form)
    return load_encoding(path)


def from_hugging_face(unknown):
    """Characters with the given unknown token as id 0; without one, unknown characters are dropped."""
    facts = json.loads(encoding_files(of_characters(), "huggingface")["trained.json"])
    vocab = {token: id for token, id in facts["model"]["vocab"].items() if token != "<unk>"}
    if unknown:
        vocab = {unknown: 0} | {token: id + 1 for token, id in vocab.items()}
    facts["model"] |= {"vocab": vocab, "unk_token": unknown}
    facts["added_tokens"] = [{"id": 0, "content": unknown, "special": True}] if unknown else []
    facts["added_tokens"].append({"id": vocab["<|end|>"], "content": "<|end|>", "special": True})
    path = new_folder() / "a.json"
    path.write_text(json.dumps(facts), encoding="utf-8")
    return load_encoding(path)


def from_sentencepiece(name):
    path = new_folder() / "a.model"
    path.write_bytes(sentencepieces.MODELS[name]())
    return load_encoding(path)


def open_model(key):
    if not is_installed():
        pytest.skip("splintr-rs is not installed")
    return get_encoding(key)


PUBLISHED = ["gpt2", "cl100k_base", "o200k_harmony"]  # without a gap, with one, with two names for an id
OPEN_MODELS = ["llama3", "deepseek_v3", "llama2", "gemma4"]  # one of each kind
MAKERS = {
    **{name: lambda name=name: get_encoding(name) for name in PUBLISHED},
    "trained": of_bytes,
    "no pattern": lambda: encoding_from_merges(train(CORPUS, 300, None), None, END),
    "graphemes": lambda: encoding_from_merges(train(CORPUS, 300, r"\X"), r"\X", END),
    "two ways to abc": lambda: encoding_from_merges([(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")], r"\w+|\W+"),
    "characters and merges": of_characters,
    "characters": lambda: train_characters(CORPUS).with_special_tokens(END),
    "words": lambda: train_words(CORPUS, 200).with_special_tokens(END),
    "minbpe": lambda: loaded(of_bytes(), "a.model"),
    "tiktoken": lambda: loaded(of_bytes(), "a.tiktoken"),
    "Hugging Face": lambda: loaded(of_bytes(), "a.json"),
    "Hugging Face, characters": lambda: loaded(of_characters(), "a.json"),
    "Hugging Face, [UNK]": lambda: from_hugging_face("[UNK]"),
    "Hugging Face, unknown dropped": lambda: from_hugging_face(None),
    "GPT-2's files": lambda: loaded(of_bytes(), "a", "gpt2"),
    "a timeline": lambda: loaded(of_bytes(), "a.csv"),
    "a timeline, characters": lambda: loaded(of_characters(), "a.csv"),
    "characters, loaded": lambda: loaded(MAKERS["characters"](), "a.tokenloupe"),
    **{f"SentencePiece, {name}": lambda name=name: from_sentencepiece(name) for name in sentencepieces.MODELS},
    "words, loaded": lambda: loaded(MAKERS["words"](), "a.tokenloupe"),
    **{name: lambda name=name: pipelines.loaded(name) for name in pipelines.LIBRARY if "T5" not in name},
    **{key: lambda key=key: open_model(key) for key in OPEN_MODELS},
}
made = cache(lambda name: MAKERS[name]())
SLOW_NAMES = {*PUBLISHED[1:], *OPEN_MODELS}
names = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW_NAMES else name for name in MAKERS]
every_encoding = pytest.mark.parametrize("name", names)
ALIKE = {"cl100k_base", "llama3", "gemma4"}  # others are of the same kind
every_vocabulary = pytest.mark.parametrize(
    "name", [one for one in names if isinstance(one, str) or one.values[0] not in ALIKE]
)


@every_encoding
@examples(60)
@given(text=TEXTS | st.text("İΑΣς'.the <|end|>ที", max_size=20), special=st.sampled_from(["text", "special"]))
def test_tokens_follow_the_contract(name, text, special):
    enc = made(name)
    tokens = enc.tokenize(text, special)
    data = tokens.text.encode()
    assert (tokens.text, tokens.replaced) == well_formed(text)
    assert (tokens.normalized is tokens.text) or may_normalize(enc)

    # ids are the encoder's, known and in range; spans never go back
    assert tokens.ids == enc.encode(text, special) == enc.encode_array(text, special).tolist()
    assert all(map(enc.has_token, tokens.ids)) and max(tokens.ids, default=0) < enc.id_limit
    bounds = [0, *(bound for token in tokens for bound in (token.start, token.end)), len(data)]
    assert bounds == sorted(bounds)
    assert [token.special for token in tokens] == (tokens.kinds == SPECIAL).tolist()

    # each token covers its bytes, unless its kind differs
    covered = [data[token.start : token.end] for token in tokens]
    for id, kind, own in zip(tokens.ids, tokens.kinds.tolist(), covered, strict=True):
        if kind == SPECIAL:
            assert special == "special" and enc.special_tokens[own.decode()] == id
        elif kind == UNKNOWN:
            assert id == enc.unknown_id and enc.piece(id) in ("<unk>", "[UNK]")
        elif enc.model.runs_in_library:
            assert kind == NORMAL or (kind == BYTE and regex.fullmatch("<0x..>", enc.piece(id)))
        else:
            assert kind in (NORMAL, BYTE) and (own == enc.bytes_of(id) or may_normalize(enc) or enc.unknown_id is None)
    if special == "text" and enc.engine == "sentencepiece":  # known tokens join to the normalized text
        known = [enc.bytes_of(id) or b"" for id in tokens.ids]
        assert UNKNOWN in tokens.kinds or b"".join(known).decode() == tokens.normalized
    if special == "text" and not enc.model.runs_in_library:  # decoding by a library has its own test
        assert enc.decode(tokens.ids) == expected_back(enc, tokens, name)

    # drawn pieces are whole graphemes and cover the text
    drawn = list(pieces(tokens))
    assert "".join(piece.text for piece in drawn) == tokens.text
    assert sorted({k for piece in drawn for k in range(piece.first, piece.last + 1)}) == list(range(len(tokens)))
    found = segments(text, tokens)
    assert [token for segment in found for token in segment.tokens] == list(tokens)
    assert "".join(segment.text for segment in found) == tokens.text
    ends = {*grapheme_ends(tokens.text).tolist(), 0}
    assert all(segment.end in ends for segment in found)
    assert all(token.end not in ends - {segment.end} for segment in found for token in segment.tokens[:-1])

    # no token crosses the end of a pre-token
    pre_tokens = enc.pre_tokens(text, special)
    bounds = [bound for pre_token in pre_tokens for bound in pre_token]
    assert bounds == sorted(bounds)
    for token in tokens:
        assert any(start <= token.start and token.end <= end for start, end in pre_tokens)


def may_normalize(enc):
    return enc.kind in ("words", "sentencepiece-bpe") or enc.model.runs_in_library


@cache
def holds_every_byte(enc):
    return {bytes([byte]) for byte in range(256)} <= {enc.bytes_of(id) for id in enc.ids()}


def expected_back(enc, tokens, name):
    """The expected decoded text, computed without the encoder: without unknown characters or white space of words."""
    read = regex.sub(r"\s", "", tokens.normalized) if enc.kind == "words" else tokens.normalized
    if enc.kind == "sentencepiece-bpe":
        read = read[len(tokens.normalized) - len(tokens.text) :]  # without the dummy prefix
    if holds_every_byte(enc):
        return read
    known = {enc.piece(id) for id in enc.ids()} - {"<unk>", "[UNK]"}
    unknown = enc.unknown_id is not None and enc.piece(enc.unknown_id)
    lost = (unknown if name.startswith("Hugging Face") else "\ufffd") if unknown else ""
    return "".join(character if character in known else lost for character in read)


@every_encoding
@examples(30)
@given(text=TEXTS)
def test_replay_ends_in_the_encoders_ids_and_safe_cuts_keep_them(name, text):
    enc, text = made(name), well_formed(text)[0]
    if enc.merges is None:
        with pytest.raises(NothingToReplay):
            ladder(b"a", enc)
    elif enc.engine in ("sentencepiece", "splintr"):
        with suppress(MergesDisagree):  # another test covers when
            assert not text or ladder(text.encode(), enc).ids == enc.encode(text)
    else:
        parts = [text.encode()[start:end].decode() for start, end in enc.pre_tokens(text)]
        read = map(str.lower, parts) if enc.kind == "words" else parts
        assert sum((ladder(part.encode(), enc).ids for part in read), []) == enc.encode(text)
    if enc.safe_cuts:
        bounds = pairwise([0, *(match.start() for match in SAFE_CUT.finditer(text)), len(text)])
        parts = [encode_segment(text[start:end], enc, "text", start > 0)[0].ids for start, end in bounds]
        assert sum(parts, []) == enc.encode(text)


@every_encoding
def test_special_tokens_and_an_empty_text_in_all_three_modes(name):
    enc = made(name)
    for special in ("text", "special", "error"):
        tokens = enc.tokenize("", special)
        assert (list(tokens), tokens.ids, list(pieces(tokens)), segments("", tokens)) == ([], [], [], [])
    assert (enc.decode([]), enc.pre_tokens(""), enc.unknown_characters("")) == ("", [], [])
    more = enc.with_special_tokens({"<|more|>": enc.id_limit + 3})
    assert "<|more|>" not in enc.special_tokens and not enc.has_token(enc.id_limit + 3)
    assert (more.vocab_size, more.id_limit) == (enc.vocab_size + 1, enc.id_limit + 4)
    assert (more.unknown_id, more.fingerprint, more.safe_cuts) == (enc.unknown_id, enc.fingerprint, enc.safe_cuts)
    for token, id in more.special_tokens.items() if len(more.special_tokens) < 20 else [("<|more|>", enc.id_limit + 3)]:
        text = f"é{token}é"
        assert more.contains_special_token(text) and not more.contains_special_token(token[:-1])
        if id != more.unknown_id:
            assert id not in more.encode(text)
            assert more.decode([id]) == token and more.piece(id) == token
        around = more.encode("é")
        assert more.encode(text, "special") == [*around, id, *around]
        assert more.tokenize(text, "special")[len(around)] == (id, 2, 2 + len(token), True)
        with pytest.raises(SpecialTokenInText, match="at character 2 .byte 3.*special='text'") as caught:
            more.encode(text, "error")
        assert (caught.value.token, caught.value.position, caught.value.byte_position) == (token, 1, 2)
    assert more.encode("é", "error") == more.encode("é") == enc.encode("é")


@every_encoding
def test_vocabulary_has_ids_pieces_bytes_and_sizes(name):
    enc = made(name)
    ids = list(enc.ids())
    assert sum(group.tokens for group in census(enc).values()) == enc.vocab_size
    assert len(ids) == enc.vocab_size == sum(map(enc.has_token, range(enc.id_limit)))
    assert ids == sorted(set(ids)) and ids[-1] == enc.id_limit - 1
    some = ids[:: max(1, len(ids) // 500)] + ids[-20:]
    assert all(enc.piece(id) for id in some)
    assert [enc.bytes_of(id) for id in some if id != enc.unknown_id] == [
        enc.token_bytes(id) for id in some if id != enc.unknown_id
    ]
    assert enc.byte_lengths(np.array(some)).tolist() == [len(enc.token_bytes(id)) for id in some]
    assert enc.byte_values(np.array(some)).tobytes() == b"".join(map(enc.token_bytes, some))
    assert not enc.byte_values(np.array([], int)).size
    for id in (-1, enc.id_limit, 1.0, "1", None, True):
        assert not enc.has_token(id) and enc.bytes_of(id) is None
        with pytest.raises(UnknownTokenIds, match=f"from 0 to {enc.id_limit - 1}"):
            enc.decode([ids[0], id])
    assert enc.unknown_id is None or enc.bytes_of(enc.unknown_id) is None


@every_vocabulary
def test_vocabulary_facts_cover_every_token_and_gap(name):
    enc = made(name)
    facts, special = facts_of(enc), {token: id for id, token in reversed(enc.special_tokens.items())}
    assert len(facts) == enc.id_limit
    assert np.flatnonzero(facts.role).tolist() == list(enc.ids())
    assert {*np.flatnonzero(facts.role == vocabulary.SPECIAL).tolist()} == {*special} - {enc.unknown_id}
    assert np.flatnonzero(facts.role == vocabulary.UNKNOWN).tolist() == [enc.unknown_id] * (enc.unknown_id is not None)
    assert find(facts, Query()).tolist() == list(enc.ids())
    assert find(facts, Query(roles=frozenset({vocabulary.UNUSED}))).tolist() == sorted(
        {*range(len(facts))} - {*enc.ids()}
    )
    for row in range(0, len(facts), max(1, len(facts) // 1_000)):
        data = enc.token_bytes(row) if enc.has_token(row) else b""
        text = as_text(data) if enc.has_token(row) else None
        assert (facts.bytes_of(row), facts.texts[row], facts.num_bytes[row]) == (data, text, len(data))
        assert facts.num_characters[row] == len(text or "")
        assert facts.leading_space[row] == data.startswith(b" ")
        assert {*facts.categories_of(row)} == {*map(unicodedata.category, text or "")}
        if facts.role[row] in (vocabulary.ORDINARY, vocabulary.BYTE):
            assert facts.script_of(row) == script(data) and (facts.wholeness[row] == vocabulary.WHOLE_CHARACTERS) == (
                text is not None
            )
            assert enc.bytes_of(facts.rows[data]) == data
            is_byte = regex.fullmatch("<0x..>", enc.piece(row)) and len(data) == 1
            assert (facts.role[row] == vocabulary.BYTE) == bool(is_byte)
    assert id_ranges(facts).tokens.sum() == np.isin(facts.role, (vocabulary.ORDINARY, vocabulary.BYTE)).sum()
    assert find(facts, Query(roles=frozenset(TOKENS), sort="text", descending=True)).size == enc.vocab_size


@pytest.mark.slow
@every_vocabulary
def test_non_roundtrip_tokens_are_explained_correctly(name):
    enc, facts = made(name), facts_of(made(name))
    lost = list(unreachable(enc))
    for id in lost[:: max(1, len(lost) // 20)]:
        why, text = explain_non_roundtrip(id, enc), enc.decode([id])
        assert why.ids == enc.encode(text) != [id]
        assert (why.reason == "pattern") == bool(why.cuts) and (why.cuts == [] or len(enc.pre_tokens(text)) > 1)
        assert why.reason not in ("twin", "unknown", "changed") or may_normalize(enc)
        assert why.reason != "twin" or enc.bytes_of(why.ids[0]) == enc.bytes_of(id)
    for id in [*lost[:: max(1, len(lost) // 5)], *np.flatnonzero(facts.wholeness).tolist()[::50]]:
        found = find_context(id, enc, 200)
        if found.context:
            tokens = enc.tokenize(found.context.text)
            assert (id, found.context.start) in zip(tokens.ids, tokens.starts.tolist(), strict=True)
        is_no_text = regex.search(rb"[\xC0\xC1\xF5-\xFF]", enc.bytes_of(id)) is not None
        assert bool(found.proof) == (is_no_text or not can_contain(enc.pattern, facts.texts[id] or ""))


@every_vocabulary
def test_halves_of_a_token_join_to_it_and_end_its_replay(name):
    enc, facts = made(name), facts_of(made(name))
    graph, rows = MergeGraph(facts), [id for id in enc.ids() if id not in enc.special_tokens.values()]
    for id in rows[:: max(1, len(rows) // 20)]:
        pair = graph.halves(id)
        if pair is None:
            assert graph.children(id) == [] or len(graph.tree(id)) == 1
            continue
        assert b"".join(map(facts.bytes_of, pair)) == facts.bytes_of(id) and enc.merges.joined(*pair) == id
        replayed = replay(facts.bytes_of(id), enc)
        if replayed.ids == [id] and not replayed.taken_whole:
            last = replayed.steps[-1]
            assert (last.left, last.right) == tuple(map(facts.bytes_of, pair))
        assert id in graph.children(pair[0]) and id in graph.containing(pair[1])


@pytest.mark.parametrize("unknown", ["[UNK]", None])
def test_ids_equal_hugging_faces_with_and_without_an_unknown_token(unknown, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    vocab = {"[UNK]": 0} if unknown else {}
    for token in ("a", "b", "c", "ab", "abc"):
        vocab[token] = len(vocab)
    theirs = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocab=vocab, merges=[("a", "b"), ("ab", "c")], unk_token=unknown)
    )
    if unknown:
        theirs.add_special_tokens([unknown])
    theirs.save(str(tmp_path / "a.json"))
    enc = load_encoding(tmp_path / "a.json")
    again = loaded(enc, "b.json")
    for text in ("abcZ", "aZbc", "ZZ", "cab", "a[UNK]b", "Zabกc"):
        expected = theirs.encode(text).ids
        assert enc.encode(text, "special") == again.encode(text, "special") == expected, text


# Characters and words


def test_word_training_of_the_textbook_example():
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    enc = train_words(counts, 10)
    assert [merge.token for merge in enc.merges.learned] == [b"ug", b"un", b"hug"]
    assert [merge.count for merge in enc.merges.learned] == [20, 16, 15]
    tokens = enc.tokenize("Hug a  PUG!")
    assert tokens.normalized == "hug a  pug!"
    assert [(enc.piece(token.id), token.start, token.end) for token in tokens] == [
        *[("hug", 0, 3), ("<unk>", 4, 5), ("p", 7, 8), ("ug", 8, 10), ("<unk>", 10, 11)]
    ]
    assert enc.unknown_characters("Hug a  PUG!") == [(4, "a"), (10, "!")]
    in_a_text = train_words(" ".join(word for word, count in counts.items() for _ in range(count)), 10)
    assert in_a_text.merges.learned == enc.merges.learned and in_a_text.fingerprint == enc.fingerprint


def test_spans_are_of_the_text_where_lower_case_is_longer():
    enc = train_words("i\u0307x ς", 4)  # the dot stays a character; so does the final sigma
    tokens = enc.tokenize("İX ΑΣ")
    assert tokens.normalized == "i\u0307x ας"
    assert [(token.start, token.end) for token in tokens] == [(0, 2), (2, 2), (2, 3), (4, 6), (6, 8)]
    assert [enc.piece(id) for id in tokens.ids] == ["i", "\u0307", "x", "<unk>", "ς"]


def test_characters_are_encoded_and_decoded():
    enc = train_characters(["hello ", "wörld"])
    assert [enc.piece(id) for id in enc.ids()] == [*sorted(set("hello wörld")), "<unk>"]
    assert enc.decode(enc.encode("wöre")) == "wöre" and enc.merges is enc.split is None
    assert enc.encode("Hö") == [enc.unknown_id, enc.encode("ö")[0]]
