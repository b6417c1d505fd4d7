"""Hugging Face's tokenizers: ids, spans and texts equal the library's for every kind of file."""

import contextlib
import json
import tracemalloc

import numpy as np
import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from pipelines import CORPUS, LIBRARY, files, library, loaded, loaded_sandboxed, oracle
from texts import TEXTS
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from tokenizer import load_encoding
from tokenizer.encoding.tokens import BYTE, SPECIAL, UNKNOWN
from tokenizer.errors import BadTokenizerFile, TokenizerError
from tokenizer.formats.sandboxed_model import load_sandboxed
from tokenizer.kinds.pipeline import PipelineModel
from tokenizer.measure.soundness import Subject, normal_forms
from tokenizer.text.well_formed import well_formed

SAMPLE_TEXTS = TEXTS | st.text("aé ½ﬁ\u0301ที่▁Ġ<s>#'1,.\n", max_size=30) | st.sampled_from(CORPUS)
every_pipeline = pytest.mark.parametrize("name", LIBRARY)


def bytes_before(text, characters):
    return len(text[:characters].encode())


@every_pipeline
@examples(60)
@given(text=SAMPLE_TEXTS)
def test_ids_spans_and_text_equal_the_librarys(name, text):
    text = well_formed(text)[0]
    enc, theirs = loaded(name), oracle(name)
    theirs.post_processor = None  # it may trim spaces
    found, tokens = theirs.encode(text, add_special_tokens=False), enc.tokenize(text)
    assert tokens.ids == found.ids
    assert enc.decode(tokens.ids) == theirs.decode(found.ids, skip_special_tokens=False)
    assert all(
        id == enc.unknown_id or enc.piece(id) == token for id, token in zip(found.ids, found.tokens, strict=True)
    )
    spans = [(bytes_before(text, start), bytes_before(text, end)) for start, end in found.offsets]
    ours = list(zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True))
    for i, (own, span) in enumerate(zip(ours, spans, strict=True)):
        around = spans[max(0, i - 9) : i] + spans[i + 1 : i + 10]
        is_shared = any(other[0] < span[1] and span[0] < other[1] for other in around)
        assert own == span or (is_shared and span[0] <= own[0] <= own[1] <= max(span[1], own[0]))
    if (normalizer := theirs.normalizer) and name not in ("added tokens", "DeepSeek's way"):
        assert tokens.normalized == (normalizer.normalize_str(text) if text else "")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["BERT's way", "Unigram", "Llama's way", "WordLevel", "digits", "DeepSeek's way"])
def test_sandboxed_pipeline_equals_the_one_in_this_process(name):
    enc, copy = loaded(name), loaded_sandboxed(name)
    text = CORPUS[0][:300] + CORPUS[-1]
    assert copy.encode(text) == enc.encode(text)
    assert copy.stages(text) == enc.stages(text)
    assert (copy.kind, copy.split, copy.safe_cuts) == (enc.kind, enc.split, enc.safe_cuts)
    assert (copy.model.notes, copy.model.ignored_settings) == (enc.model.notes, enc.model.ignored_settings)
    assert (copy.merges and copy.merges.pairs, copy.ranks) == (enc.merges and enc.merges.pairs, enc.ranks)
    assert copy.decode(copy.encode(text)) == enc.decode(enc.encode(text))


# Merges and special tokens


def changed(name, **model):
    facts = json.loads(files(name)["tokenizer.json"])
    facts["model"] |= model
    return PipelineModel(json.dumps(facts))


def test_merges_are_shown_if_a_replay_is_exact_else_a_note_shows_why():
    assert loaded("ignored merges").merges.pairs is None and loaded("digits").merges
    merges = json.loads(files("digits")["tokenizer.json"])["model"]["merges"]
    shuffled = changed("digits", merges=merges[::-1])
    assert shuffled.merges is None and any("other ids" in note for note in shuffled.notes)
    reasons = {
        "a space before": "the tokenizer can add a space before the text",
        "added tokens": "a normalizer can change the text before the merges",
    }
    for name, reason in reasons.items():
        assert loaded(name).merges is None
        assert f"No merges are shown: {reason}." in loaded(name).model.notes


def test_notes_name_disabled_truncation_padding_and_dropout():
    notes = " ".join(loaded("WordLevel").model.notes)
    assert "asks to truncate a text to 512 tokens" in notes and "adds no padding" in notes
    assert len(loaded("WordLevel").encode("the " * 2_000)) == 2_000
    dropped = changed("digits", dropout=0.9)
    assert "dropout" in " ".join(dropped.notes)
    assert len({tuple(dropped.encode(CORPUS[0]).ids.tolist()) for _ in range(5)}) == 1
    assert "add 2 special tokens" in " ".join(loaded("BERT's way").model.notes)


def test_special_tokens_are_text_by_default_or_noted():
    enc = loaded("BERT's way")
    theirs = Tokenizer.from_str(files("BERT's way")["tokenizer.json"].decode())
    text = "the [SEP] cats"
    assert enc.encode(text, "special") == theirs.encode(text, add_special_tokens=False).ids
    assert enc.special_tokens["[SEP]"] not in enc.encode(text)
    t5 = loaded("Unigram, T5's way")
    assert any("vocabulary contains the name" in note for note in t5.model.notes)
    tokens = t5.tokenize("a</s>")
    assert tokens.kinds.tolist()[-1] == SPECIAL and tokens.ids[-1] == t5.special_tokens["</s>"]


def test_byte_and_unknown_tokens_have_their_kinds():
    tokens = loaded("Llama's way").tokenize("the ✈")
    assert tokens.kinds.tolist()[-3:] == [BYTE] * 3
    assert [(token.start, token.end) for token in tokens][-3:] == [(4, 5), (5, 6), (6, 7)]
    assert loaded("WordLevel").tokenize("the ✈").kinds.tolist()[-1] == UNKNOWN


def test_normalized_text_is_given_and_spans_are_of_the_typed_text():
    tokens = loaded("Unigram").tokenize("½ a")
    assert tokens.normalized == "1\u20442 a"
    assert (tokens.starts[0], tokens.ends[-1]) == (0, 4)
    assert np.all(tokens.starts[1:] >= tokens.ends[:-1])


@every_pipeline
def test_stages_equal_the_librarys_steps(name):
    text = "The Cat costs 42!"
    stages = loaded(name).stages(text)
    assert [stage.name for stage in stages] == ["normalizer", "pre-tokenizer", "model", "post-processor", "decoder"]
    theirs = oracle(name)
    assert stages[0].output == [theirs.normalizer.normalize_str(text) if theirs.normalizer else text]
    full = Tokenizer.from_str(files(name)["tokenizer.json"].decode())
    full.no_padding()
    assert stages[4].output == [full.decode(full.encode(text).ids, skip_special_tokens=False)]
    assert all(stage.description for stage in stages)


# Hostile files


def hostile():
    good = json.loads(files("digits")["tokenizer.json"])
    model = good["model"]
    yield "cut", files("digits")["tokenizer.json"][:5000]
    yield "deep", b'{"model":' + b"[" * 200_000
    yield "deep inside", b'{"model":' + b'{"type":' * 50_000
    for name, value in (
        ("model", 5),
        ("model", None),
        ("model", {"type": "Magic"}),
        ("model", {"type": ["BPE"]}),
        ("model", model | {"vocab": []}),
        ("model", model | {"merges": {"a": 1}}),
        ("model", model | {"merges": [["<b>", "<script>"]]}),
        ("model", {"type": "WordPiece", "vocab": {}}),
        ("model", {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "[UNK]"}),
        ("model", {"type": "WordLevel", "vocab": {"[UNK]": 4_000_000_000}, "unk_token": "[UNK]"}),
        ("model", {"type": "Unigram", "vocab": [["a", -1.0]], "unk_id": 7}),
        ("model", {"type": "Unigram", "vocab": [["a", -1.0]], "unk_id": None}),
        ("pre_tokenizer", {"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated", "invert": False}),
        ("normalizer", {"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
        ("normalizer", 7),
        ("added_tokens", [{"id": -1, "content": "a", "special": True}]),
    ):
        yield f"{name} {str(value)[:60]}", json.dumps(good | {name: value}).encode()


@pytest.mark.parametrize(("name", "data"), list(hostile()))
def test_hostile_file_raises_with_a_short_message(name, data, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(data)
    with pytest.raises(BadTokenizerFile) as caught:
        load_encoding(path)
    assert caught.value.path == path and len(str(caught.value)) < 600


@pytest.mark.parametrize("name", ["BERT's way", "Unigram", "Llama's way", "digits"])
@examples(40)
@given(data=st.data())
def test_damaged_file_loads_or_raises(name, data, tmp_path_factory):
    content = files(name)["tokenizer.json"]
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(start + 5, len(content))) | st.just(len(content)))
    path = tmp_path_factory.mktemp("damaged") / "tokenizer.json"
    path.write_bytes(content[:start] + data.draw(st.binary(max_size=4)) + content[end:])
    with contextlib.suppress(TokenizerError):
        enc = load_encoding(path)
        assert enc.decode(enc.encode("hello ที่")) is not None


def test_duplicate_ids_keep_the_librarys_ids_without_merges(tmp_path):
    data = json.loads(files("digits")["tokenizer.json"])
    data["model"]["vocab"]["+"] = data["model"]["vocab"]["h"]
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    enc, theirs = load_encoding(path), Tokenizer.from_file(str(path))
    assert enc.merges is None
    for text in CORPUS:
        assert enc.encode(text) == theirs.encode(text, add_special_tokens=False).ids


def test_text_is_what_a_normalizer_to_bytes_reads(tmp_path):
    """The step is also a normalizer: its spelling of bytes is no other text."""
    facts = json.loads(files("digits")["tokenizer.json"]) | {"normalizer": {"type": "ByteLevel"}, "pre_tokenizer": None}
    (tmp_path / "tokenizer.json").write_text(json.dumps(facts))
    enc = load_encoding(tmp_path / "tokenizer.json")
    for text in ("café ที่\n", "cafe\u0301", "<|end|>é"):
        assert enc.tokenize(text).normalized == text == enc.decode(enc.encode(text))
    assert enc.tokenize("<|end|>é", "special").normalized == "<|end|>é"
    assert enc.stages("é")[0].output == ["Ã©"]
    assert normal_forms("normal_forms", Subject(enc)).verdict == "pass"


def test_file_is_held_in_bytes(tmp_path):
    """As text, each character takes four bytes where one does, and large files exceed the memory of a process."""
    path = tmp_path / "tokenizer.json"
    facts = json.loads(files("WordLevel")["tokenizer.json"])
    facts["model"]["vocab"]["👍"] = max(facts["model"]["vocab"].values()) + 1
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(facts, ensure_ascii=False).encode() + b" " * 2_000_000)
    load_encoding(path)
    tracemalloc.start()
    enc = load_encoding(path)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 2 * path.stat().st_size
    assert json.loads(enc.model.source()) == facts


# vocab.txt


def test_vocab_txt_is_read_as_bert_does(tmp_path):
    theirs = library("BERT's way")
    tokens = sorted(theirs.get_vocab(), key=theirs.get_vocab().get)
    path = tmp_path / "vocab.txt"
    path.write_text("".join(f"{token}\n" for token in tokens), encoding="utf-8")
    enc = load_encoding(path)
    for text in CORPUS:
        assert enc.encode(text) == loaded("BERT's way").encode(text)
    assert enc.special_tokens == loaded("BERT's way").special_tokens
    assert "capital letters become lower case" in enc.model.notes[0]
    assert load_sandboxed({"vocab.txt": path.read_bytes()}, "vocab.txt").encode("The cat") == enc.encode("The cat")


@pytest.mark.parametrize(("own", "is_cased"), [(["<S>", "<T>"], False), (["<S>", "A"], True), (["<S>b"], True)])
def test_names_in_brackets_do_not_make_a_vocab_txt_cased(own, is_cased, tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join(["[UNK]", "[CLS]", "[SEP]", *own, "ab"]), encoding="utf-8")
    encoding = load_encoding(tmp_path / "vocab.txt")
    assert encoding.encode("AB") == [0 if is_cased else 3 + len(own)]


@pytest.mark.parametrize("strip_accents", [True, False, None])
@pytest.mark.parametrize("splits_han", [True, False])
@pytest.mark.parametrize("lowercase", [True, False])
def test_settings_beside_a_vocab_txt_are_those_of_the_normalizer(lowercase, splits_han, strip_accents, tmp_path):
    tokens = ["[UNK]", "[CLS]", "[SEP]", "E", "e", "É", "é", "漢", "字", "##字", "漢字", "##\u0301"]
    (tmp_path / "vocab.txt").write_text("\n".join(tokens), encoding="utf-8")
    settings = {"do_lower_case": lowercase, "tokenize_chinese_chars": splits_han, "strip_accents": strip_accents}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    theirs = Tokenizer(models.WordPiece({token: id for id, token in enumerate(tokens)}, unk_token="[UNK]"))
    theirs.normalizer = normalizers.BertNormalizer(True, splits_han, strip_accents, lowercase)
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    enc = load_encoding(tmp_path / "vocab.txt")
    assert all(enc.encode(text) == theirs.encode(text).ids for text in ("É é E e", "漢字", "e\u0301"))
