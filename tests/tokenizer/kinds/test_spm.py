"""SentencePiece behind our interface: its own library is the oracle of ids, spans and text."""

import re
from pathlib import Path

import pytest
import sentencepieces
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from sentencepieces import both
from texts import TEXTS

from tokenizer import load_encoding
from tokenizer.encoding.id_list import decode_with_spans
from tokenizer.encoding.ladder import MergesDisagree, ladder
from tokenizer.encoding.loupe import loupe
from tokenizer.encoding.tokens import BYTE, UNKNOWN
from tokenizer.errors import BadTokenizerFile
from tokenizer.formats.sandboxed_model import load_sandboxed
from tokenizer.kinds.spm import BadSentencePiece, SentencePieceModel, TooMuchToSegment
from tokenizer.text.well_formed import well_formed

sentencepiece = pytest.importorskip("sentencepiece")
MIXED = TEXTS | st.text("the ab▁<sep>é①ﷺ1 \u3000が\u0301", max_size=25)


every_model = pytest.mark.parametrize("name", sentencepieces.MODELS)
unigrams = pytest.mark.parametrize("name", [name for name in sentencepieces.MODELS if name.startswith("unigram")])


@every_model
@examples(80)
@given(text=MIXED)
def test_ids_text_and_spans_equal_the_librarys(name, text):
    ours, theirs = both(name)
    text = well_formed(text)[0]
    tokens, proto = ours.tokenize(text), theirs.encode(text, return_type="proto")
    assert tokens.ids == ours.encode(text) == theirs.encode(text)
    assert ours.decode(tokens.ids) == theirs.decode(tokens.ids)
    assert tokens.normalized == theirs.normalize(text).replace("▁", " ")
    assert [ours.piece(id) for id in tokens.ids] == [theirs.id_to_piece(id) for id in tokens.ids]
    data = text.encode()
    for token, kind, own in zip(tokens, tokens.kinds.tolist(), proto.pieces, strict=True):
        assert (kind == UNKNOWN, kind == BYTE) == (theirs.is_unknown(token.id), theirs.is_byte(token.id))
        if kind != BYTE:
            assert (token.start, token.end) == (own.begin, own.end)
            assert data[token.start : token.end].decode() == own.surface
    shared = zip(tokens, proto.pieces, strict=True)  # the library gives a run of byte tokens one span
    assert all(token.end <= own.end or own.begin == own.end for token, own in shared)


@every_model
@given(ids=st.lists(st.integers(0, 10_000), max_size=30))
@examples(50)
def test_any_ids_decode_as_in_the_library(name, ids):
    ours, theirs = both(name)
    plain = [id % ours.id_limit for id in ids]
    plain = [id for id in plain if id not in ours.special_tokens.values()]
    assert ours.decode(plain) == theirs.decode(plain)
    assert ours.decode_bytes(plain) == theirs.decode(plain).encode()


@pytest.mark.slow
@every_model
def test_ids_and_decoded_text_equal_the_librarys_in_every_script(name):
    ours, theirs = both(name)
    for path in sorted(Path("assets/parallel").glob("*.txt"))[:60]:
        text = path.read_text(encoding="utf-8")[:1000]
        tokens = ours.tokenize(text)
        assert tokens.ids == theirs.encode(text), path
        assert ours.decode(tokens.ids) == theirs.decode(tokens.ids), path
        assert (tokens.starts[1:] >= tokens.ends[:-1]).all() and (tokens.ends >= tokens.starts).all(), path


def test_each_byte_token_covers_one_byte_of_its_character():
    ours, _ = both("bpe, bytes, as Llama")
    tokens = ours.tokenize("a漢x")
    spans = [(ours.piece(token.id), token.start, token.end) for token in tokens]
    assert spans == [("▁a", 0, 1), ("<0xE6>", 1, 2), ("<0xBC>", 2, 3), ("<0xA2>", 3, 4), ("x", 4, 5)]
    assert tokens.kinds.tolist() == [0, BYTE, BYTE, BYTE, 0]
    assert [ours.bytes_of(id) for id in tokens.ids] == [b" a", b"\xe6", b"\xbc", b"\xa2", b"x"]


def test_spans_refer_to_the_text_before_normalization():
    ours, _ = both("unigram, bytes")
    text = "  a　①\x00 "
    tokens = ours.tokenize(text)
    assert (tokens.normalized, tokens.text) == (" a 1\x00", text)
    assert int(tokens.starts[0]) <= 2 and int(tokens.ends[-1]) == len(text.encode()) - 1
    normalize, model = ours.stages(text)
    assert normalize.output == ["▁a▁1\x00"] and "“①” becomes “1”" in normalize.description
    assert normalize.description.endswith("A space is added before the text.")
    assert model.output == [ours.piece(id) for id in tokens.ids]


def test_control_pieces_are_special_tokens_and_never_text():
    ours, theirs = both("unigram, symbols, capitals folded")
    assert ours.special_tokens == {"<s>": 1, "</s>": 2, "<|end|>": 3}
    assert not {1, 2, 3} & set(ours.encode("<s>the</s><|end|>"))
    with_end = ours.encode("the<|end|>the", special="special")
    assert with_end == [*theirs.encode("the"), 3, *theirs.encode("the")]
    assert ours.decode(with_end) == "the<|end|>the"
    assert ours.encode("x<sep>y").count(theirs.piece_to_id("<sep>")) == 1
    assert ours.piece(0) == "<unk>" and ours.bytes_of(0) is None


@pytest.mark.parametrize(
    "name, expected",
    [
        (
            "bpe, bytes, as Llama",
            [
                "A BPE model",
                "adds a space before",
                "characters other than spaces",
                "byte tokens",
                "No learned token joins a digit",
            ],
        ),
        (
            "unigram, symbols, capitals folded",
            ["probability", "capitals to lower case", "become <unk>", "never splits <sep> and ab"],
        ),
        ("unigram, bytes, as it is", ["no space before", "characters other than spaces"]),
        ("unigram, space behind", ["a space after every text"]),
        ("word", ["each learned token is one word between spaces"]),
        ("char", ["each learned token is one character"]),
    ],
)
def test_notes_describe_the_model(name, expected):
    joined = " ".join(both(name)[0].model.notes)
    assert all(words in joined for words in expected), joined


@unigrams
@examples(40)
@given(text=st.text("the abde▁<sp>é①漢 ", max_size=10))
def test_best_path_of_the_lattice_equals_the_librarys_ids(name, text):
    ours, theirs = both(name)
    found = ours.model.lattice(text)
    edges, best = found["edges"], found["best"]
    assert found["text"] == theirs.normalize(text)
    assert all(found["text"][start:end] == piece or id == 0 for piece, id, start, end, _ in edges)
    assert [edges[i][2] for i in best[1:]] == [edges[i][3] for i in best[:-1]]
    assert "".join(edges[i][0] for i in best) == found["text"]
    if found["text"]:
        [[first, ids, pieces], *others] = ours.model.segmentations(text, 4)
        assert ids == theirs.encode(text) and len(ids) == len(pieces)
        assert all(other[0] <= first for other in others)
        if "symbols" not in name:  # the library scores user symbols differently
            assert sum(edges[i][4] for i in best) == pytest.approx(first, abs=1e-3)
            assert first == pytest.approx(best_score(edges, len(found["text"])), abs=1e-3)


def best_score(edges, size):
    """The score of the best path through a lattice, computed without the library."""
    score = [0.0] + [float("-inf")] * size
    for _, _, start, end, own in edges:
        score[end] = max(score[end], score[start] + own)
    return score[size]


@pytest.mark.parametrize("name", ["unigram", "bpe", "bpe, bytes"])
def test_sampled_segmentations_differ_but_decode_to_the_same_text(name):
    ours, theirs = both(name)
    text = "the other people that there were"
    drawn = [ours.model.sample(text, 0.3, seed) for seed in range(20)]
    assert len({tuple(ids) for ids, _ in drawn}) > 3
    assert {theirs.decode(ids) for ids, _ in drawn} == {theirs.decode(ours.encode(text))}
    assert ours.model.sample(text, 0.3, 7) == drawn[7]
    if name == "bpe":
        assert ours.model.sample(text, 0.0, 1)[0] == ours.encode(text)


def test_lattices_of_too_long_texts_raise():
    model = both("unigram")[0].model
    with pytest.raises(TooMuchToSegment, match="more than the 32 characters that can be shown"):
        model.lattice("x" * 100)
    with pytest.raises(TooMuchToSegment, match="more than the 300 characters"):
        model.segmentations("x" * 1000)


@pytest.mark.parametrize("spoil", ["cut", "twice", "bits", "garbage", "names"])
def test_spoilt_model_raises_with_a_plain_message(spoil, tmp_path):
    data = sentencepieces.MODELS["unigram"]()
    spoilt = {
        "cut": data[: len(data) // 2],
        "twice": data + data,
        "bits": data.replace(b"<unk>", b"<un\xff>"),
        "garbage": data[:40] + b"\xff" * 5000,
        "names": data.replace(b"\n\x05<unk>", b"\n\x05\xff\xfe\xfd\xfc\xfb", 1),
    }
    path = tmp_path / "a.model"
    path.write_bytes(spoilt[spoil])
    with pytest.raises(BadTokenizerFile) as caught:
        load_encoding(path)
    assert not re.search("src/|parsing message|must be a str", str(caught.value))
    with pytest.raises(BadSentencePiece):
        SentencePieceModel(b"")


def test_model_file_is_recognized_by_its_bytes_and_takes_no_pattern(tmp_path):
    path = tmp_path / "mine.model"
    path.write_bytes(data := sentencepieces.MODELS["bpe"]())
    found = load_encoding(path, special_tokens={"<|chat|>": 5000})
    assert (found.name, found.kind, found.special_tokens["<|chat|>"]) == ("mine", "sentencepiece-bpe", 5000)
    assert found.encode("the") == SentencePieceModel(data).encode("the").ids.tolist()
    with pytest.raises(BadTokenizerFile, match="no split pattern"):
        load_encoding(path, pattern="gpt2")


@pytest.mark.parametrize(
    ("file", "model"), [("sentencepiece.bpe.model", "XLM-RoBERTa"), ("source.spm", "MarianMT"), ("spiece.model", None)]
)
def test_file_whose_tokens_a_model_numbers_in_another_way_says_so(tmp_path, file, model):
    (tmp_path / file).write_bytes(sentencepieces.MODELS["bpe"]())
    notes = [note for note in load_encoding(tmp_path / file).model.notes if "give its tokens other ids" in note]
    assert bool(notes) == bool(model) and all(f"{file}, such as {model}," in note for note in notes)


@pytest.mark.parametrize("name", ["unigram, bytes", "bpe"])
def test_sandboxed_model_equals_the_one_in_this_process(name):
    found, (ours, _) = load_sandboxed({"a.model": sentencepieces.MODELS[name]()}, "a.model"), both(name)
    text = "  The ที่ ①<sep> 漢"
    there, here = found.tokenize(text), ours.tokenize(text)
    assert list(there) == list(here) and there.kinds.tolist() == here.kinds.tolist()
    assert (there.normalized, found.decode(there.ids)) == (here.normalized, ours.decode(here.ids))
    assert found.stages(text) == ours.stages(text) and found.model.notes == ours.model.notes
    assert (found.special_tokens, found.fingerprint) == (ours.special_tokens, ours.fingerprint)
    assert {id: found.piece(id) for id in found.ids()} == {id: ours.piece(id) for id in ours.ids()}
    for method in ours.model.capabilities - {"sample"}:  # that differs from one process to the next
        assert getattr(found.model, method)("the") == getattr(ours.model, method)("the")
    found.model.process.end()


@pytest.mark.parametrize("name", ["bpe", "bpe, bytes", "bpe, bytes, as Llama", "bpe, symbols, no prefix"])
@examples(120)
@given(text=MIXED | st.text("theinra .", max_size=40))
def test_ladder_by_scores_ends_in_the_librarys_ids(name, text):
    ours, theirs = both(name)
    text = well_formed(text)[0]
    ids = theirs.encode(text)
    others = {id for id in ids if theirs.is_unknown(id)} | {theirs.piece_to_id("<sep>")} & set(ids)
    if "symbols" in name:
        others |= {theirs.piece_to_id("the▁")} & set(ids)
    try:
        history = ladder(text.encode(), ours)
    except MergesDisagree:
        assert others
    else:
        assert history.ids == ids
        assert others or history.pre_token.decode() == theirs.normalize(text).replace("▁", " ")


def test_model_has_no_merges_if_scores_do_not_give_their_order():
    assert both("unigram")[0].merges is None and both("char")[0].merges is None
    from sentencepiece.sentencepiece_model_pb2 import ModelProto

    file = ModelProto.FromString(sentencepieces.MODELS["bpe"]())
    assert SentencePieceModel(file.SerializeToString()).merges is not None
    longer = [piece for piece in file.pieces if len(piece.piece) > 1 and piece.type == 1]
    longer[3].score = longer[0].score
    assert SentencePieceModel(file.SerializeToString()).merges is None


def test_loupe_shows_the_normalized_text_of_a_piece():
    ours, _ = both("bpe, bytes")
    text = "The  ①漢 other"
    tokens = ours.tokenize(text)
    for token in tokens:
        if token.start < token.end:
            found = loupe(text, token.start, ours)
            [[_, start, end]] = [place for place in found["places"] if place[0] == token.start - found["start"]]
            read = bytes.fromhex(found["merges"]["hex"])
            assert read[start:end] == ours.bytes_of(token.id)
            assert found["start"] <= token.start < token.end <= found["end"] and not found["problem"]
    found = loupe(text, 0, ours)
    assert found["walls"] == ["The text begins here.", found["walls"][1]]
    assert found["walls"][1].startswith("The encoding reads this pre-token as “ The”. A space comes next,")
    assert loupe("a </s>", 3, ours, "special")["problem"].startswith("This is a special token")
    assert loupe("  a", 0, ours)["problem"].startswith("The encoding drops this text")


@every_model
@examples(40)
@given(text=MIXED)
def test_spans_of_decoded_ids_cover_their_bytes(name, text):
    ours, theirs = both(name)
    ids = ours.encode(text)
    if (found := decode_with_spans(ids, ours)) is None:
        return
    data = found.text.encode()
    assert (found.text, found.ids) == (theirs.decode(ids), ids)
    covered = [data[token.start : token.end] for token in found]
    assert b"".join(covered) == data
    assert all((ours.bytes_of(id) or own).endswith(own) for id, own in zip(ids, covered, strict=True))


def test_decoded_text_has_no_dummy_prefix():
    ours, _ = both("bpe, bytes")
    found = decode_with_spans(ours.encode("the ที่ other"), ours)
    assert found.text == "the ที่ other" and found[0].start == 0
    assert decode_with_spans([ours.special_tokens["<s>"], *ours.encode("the")], ours) is None
