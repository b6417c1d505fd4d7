"""Faulty files raise with their fault as the reason, and valid files load."""

import json
import subprocess
import sys

import pipelines
import pytest
from paths import ROOT
from tokenizers import Tokenizer

from tokenizer import encoding_files, load_encoding, train_characters, train_words
from tokenizer.errors import BadTokenizerFile, TokenizerError

LLAMA = json.loads(pipelines.files("Llama's way")["tokenizer.json"])  # BPE with a normalizer
CRASHES = {
    "type": "BPE",
    "vocab": {"a": 0, "é": 1, "xé": 2, "aé": 3, "?": 4},
    "merges": [["a", "é"]],
    "continuing_subword_prefix": "x",
    "unk_token": "?",
}


def reason_of_error(facts, folder) -> str:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(facts))
    with pytest.raises(BadTokenizerFile) as error:
        load_encoding(path)
    return error.value.reason


@pytest.mark.parametrize(
    ("part", "value", "words"),
    [
        ("pre_tokenizer", {"type": "Nonsense"}, "does not support the pre-tokenizer in the file"),
        ("decoder", {"type": "Nonsense"}, "does not support the decoder in the file"),
        ("post_processor", "x", "does not support the post-processor in the file"),
        ("normalizer", {"type": "Nonsense"}, "does not support the normalizer in the file"),
        ("added_tokens", [{"id": 0}], "missing field `content`"),
        (
            "model",
            LLAMA["model"] | {"merges": [["a", "no such token"]]},
            "'a no such token' should join two tokens into one token; all three",
        ),
        ("model", {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": [["a", "b"]]}, "'a b' should join two tokens"),
        ("model", LLAMA["model"] | {"merges": [["a", "b", "c"]]}, "a merge in the file is not a pair of tokens"),
        ("model", LLAMA["model"] | {"vocab": {"a": "0"}}, "expected u32"),
    ],
)
def test_faulty_bpe_file_with_a_normalizer_raises_with_its_fault(tmp_path, part, value, words):
    reason = reason_of_error(LLAMA | {part: value}, tmp_path)
    assert words in reason and "changes the text with a normalizer" not in reason


def test_faulty_file_for_our_own_reader_raises_with_its_fault(tmp_path):
    model = {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "b"]]}
    facts = {"model": model, "pre_tokenizer": None, "decoder": {"type": "Fuse"}}
    assert "should join two tokens" in reason_of_error(facts, tmp_path)


def test_merge_that_would_crash_the_library_raises(tmp_path):
    code = """
import sys
from tokenizer import TokenizerError, load_encoding
for path in sys.argv[1:]:
    try:
        load_encoding(path)
    except TokenizerError as error:
        print("does not begin with 'x'" in str(error))"""
    paths = [tmp_path / f"{number}.json" for number in range(3)]
    for path, merge in zip(paths, [["a", "é"], "a é", ["a", ""]], strict=True):
        path.write_text(json.dumps({"model": CRASHES | {"merges": [merge]}}))
    done = subprocess.run([sys.executable, "-c", code, *paths], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "True\n" * 3), done.stderr


def test_merges_with_a_subword_prefix_give_the_librarys_ids(tmp_path):
    vocab = {"?": 0, "a": 1, "##b": 2, "##é": 3, "ab": 4, "abé": 5, "##éb": 6}
    merges = [["a", "##b"], ["ab", "##é"], ["##é", "##b"]]
    model = CRASHES | {"vocab": vocab, "merges": merges, "continuing_subword_prefix": "##"}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": model}))
    found, oracle = load_encoding(tmp_path / "tokenizer.json"), Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in ("ab", "abé", "aéb", "b"):
        assert found.encode(text) == oracle.encode(text).ids


@pytest.mark.parametrize("lacks", [["[CLS]"], ["[SEP]"], ["[CLS]", "[SEP]"], []])
def test_wordpiece_vocabulary_loads_without_cls_and_sep(tmp_path, lacks):
    tokens = [one for one in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "##s") if one not in lacks]
    (tmp_path / "vocab.txt").write_text("\n".join(tokens))
    found = load_encoding(tmp_path / "vocab.txt")
    assert [found.piece(id) for id in found.encode("The cats dog")] == ["the", "cat", "##s", "[UNK]"]


@pytest.mark.parametrize("characters", ["bytes", "characters"])
@pytest.mark.parametrize("kind", ["characters", "words"])
def test_characters_that_spell_an_alphabet_name_stay_characters(tmp_path, kind, characters):
    made = train_characters(characters) if kind == "characters" else train_words(characters, len(set(characters)))
    [data] = encoding_files(made, "tokenloupe").values()
    facts = json.loads(data) | {"characters": characters}
    (tmp_path / "a.tokenloupe").write_text(json.dumps(facts))
    assert load_encoding(tmp_path / "a.tokenloupe").encode(characters) == made.encode(characters)


WRONG_VALUES = [None, True, -1, 1.5, 10**30, "", "bytes", "characters", "words", "อักขระ", [], {}, [[]], ["a"], {"a": 1}]
WRONG_VALUES += [[["a", 1]], [["a", "b", "c"]], [[["a"], "b"]], {"": 0}, {"a": 99}, {"<|x|>": 10**9}, "\ud800", "\0"]


@pytest.mark.parametrize("field", ["kind", "name", "characters", "merges", "special_tokens"])
@pytest.mark.parametrize("made", [train_characters("hello ที่"), train_words("hello the theme ที่", 30)], ids=["c", "w"])
def test_wrong_value_in_our_own_form_raises_or_loads(tmp_path, made, field):
    [data] = encoding_files(made, "tokenloupe").values()
    for value in WRONG_VALUES:
        (tmp_path / "a.tokenloupe").write_text(json.dumps(json.loads(data) | {field: value}))
        try:
            found = load_encoding(tmp_path / "a.tokenloupe")
        except TokenizerError as error:
            assert len(str(error)) > 20
        else:
            assert found.decode(found.encode("hello")) and found.stages("hello") and encoding_files(found, "tokenloupe")


def test_spans_beyond_the_text_are_clipped_to_the_text(tmp_path):
    vocab = {f"<0x{byte:02X}>": byte for byte in range(256)}
    model = {"type": "BPE", "vocab": vocab, "merges": [], "end_of_word_suffix": "</w>", "byte_fallback": True}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": model}))
    oracle = Tokenizer.from_file(str(tmp_path / "tokenizer.json")).encode("é")
    assert oracle.offsets[-1][1] > len("é")
    found = load_encoding(tmp_path / "tokenizer.json").model.encode("é")
    assert found.ids.tolist() == oracle.ids and found.starts.tolist() == [0, 1, 2, 2, 2, 2]
    assert (found.starts + found.lengths).tolist() == [1, 2, 2, 2, 2, 2]
