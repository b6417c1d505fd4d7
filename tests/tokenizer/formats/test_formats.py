"""Files of other programs: saved files load unchanged, other programs read them alike, and bad files raise."""

import hashlib
import json
import random
import re
from functools import cache

import pytest
import regex
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import naive_pairs, random_ranks, tiktoken_of_file
from texts import TEXTS

from tokenizer import PATTERNS, encoding_files, encoding_from_merges, get_encoding, load_encoding, save_encoding, train
from tokenizer.encoding.bpe import NotMadeOfTwo
from tokenizer.errors import BadTokenizerFile, CannotSave, TokenizerError, UnknownForm, UnknownPattern
from tokenizer.formats import reading
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.kinds.pipeline import PipelineModel
from tokenizer.split.dialects import for_oniguruma
from tokenizer.text.samples import samples
from tokenizer.text.well_formed import well_formed

CORPUS = "\n".join(sample.text for sample in samples())
TEXT = CORPUS + " 1234567 ก็ ที่ 👩‍👩‍👧‍👦🇹🇭 don't WE'LL\r\n\r\n  x\t\x85y\u3000z <|end|>"
SPLITS = [*PATTERNS, None, r"\p{L}+|\p{N}{1,2}+|\s", r"\w+", r" ?[a-z]+", r"\X"]
UNLIKE = [r"\w+", r"\X"]  # other programs read these differently
PATHS = {"minbpe": "a.model", "tiktoken": "a.tiktoken", "huggingface": "a.json", "gpt2": "folder", "csv": "a.csv"}


@cache
def trained(pattern):
    return encoding_from_merges(train(CORPUS, 600, pattern), pattern, ["<|end|>", "<|a|>"], "toy")


@cache
def of_characters():
    merges = train(CORPUS, 500, "gpt2", alphabet="characters")
    return encoding_from_merges(merges, "gpt2", ["<|end|>"], alphabet=CORPUS)


def saved(encoding, folder, form):
    save_encoding(encoding, folder / PATHS[form], form)
    return folder / PATHS[form]


def halves(merges):
    return [(merge.rank, merge.left, merge.right) for merge in merges]


# Saving and loading


@pytest.mark.parametrize("form", PATHS)
@pytest.mark.parametrize("pattern", SPLITS)
def test_saved_encoding_loads_unchanged(tmp_path, form, pattern):
    enc = trained(pattern)
    if form == "huggingface" and pattern in UNLIKE:
        with pytest.raises(CannotSave, match=re.escape(pattern)):
            saved(enc, tmp_path, form)
        return
    back = load_encoding(saved(enc, tmp_path, form))
    assert back.encode(TEXT, "special") == enc.encode(TEXT, "special")
    rewritten = form == "huggingface" and enc.pattern is not None and enc.pattern_name is None
    assert back.pattern == (for_oniguruma(enc.pattern) if rewritten else enc.pattern)
    assert (back.special_tokens, back.ranks) == (enc.special_tokens, enc.ranks)
    assert (back.engine, back.vocab_size) == (enc.engine, enc.vocab_size)
    assert back.fingerprint == enc.fingerprint
    if form != "tiktoken":  # which stores ranks only
        assert halves(back.merges.learned) == halves(enc.merges.learned)
    if form == "csv":
        assert back.merges.learned == enc.merges.learned


def test_encoding_that_a_form_cannot_store_raises():
    for form in ("minbpe", "tiktoken", "gpt2"):
        with pytest.raises(CannotSave):
            encoding_files(of_characters(), form)
    with pytest.raises(CannotSave, match="white space"):
        encoding_files(encoding_from_merges([], special_tokens=["two words"]), "minbpe")
    shuffled = byte_bpe("toy", None, {bytes([byte]): 255 - byte for byte in range(256)})
    with pytest.raises(CannotSave, match="bytes 0 to 255 to have the ids"):
        encoding_files(shuffled, "minbpe")
    with pytest.raises(CannotSave, match="first the ids of the base symbols, in the order of their bytes"):
        encoding_files(shuffled, "csv")
    with pytest.raises(CannotSave, match="merge the tokens in another order"):
        encoding_files(encoding_from_merges([(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")]), "tiktoken")
    with pytest.raises(CannotSave, match="'<a>' is the beginning of '<a>b'"):
        encoding_files(encoding_from_merges([], special_tokens=["<a>", "<a>b"]), "tiktoken")
    with pytest.raises(CannotSave, match="'a'"):
        encoding_files(encoding_from_merges([], special_tokens=["a"]), "huggingface")


@pytest.mark.parametrize(
    "pattern",
    [r"(a)\1", r"(?P<one>\w)|\s", "(?x)a # c", "a|", "[a-z]*", "a|(?=b)", r"\b|[a-z]", r"fo\K\w"],
)
def test_pattern_that_minbpe_would_apply_differently_is_refused(pattern):
    with pytest.raises(CannotSave, match="without capturing groups"):
        encoding_files(encoding_from_merges([], pattern), "minbpe")


@pytest.mark.parametrize("form", ["minbpe", "huggingface", "gpt2", "csv"])
def test_special_tokens_with_a_common_prefix_load_unchanged(tmp_path, form):
    enc = encoding_from_merges([], special_tokens=["<a>", "<a>b", "<a"], name="toy")
    back = load_encoding(saved(enc, tmp_path, form))
    assert back.encode("<a>b<a>c<a", "special") == enc.encode("<a>b<a>c<a", "special") == [257, 256, 99, 258]
    if form == "minbpe":  # which tries them in file order
        lines = (tmp_path / "a.model").read_text("utf-8").splitlines()[3:6]
        assert [line.split()[0] for line in lines] == ["<a>b", "<a>", "<a"]


@pytest.mark.parametrize("form", ["huggingface", "csv"])
def test_encoding_of_characters_loads_unchanged(tmp_path, form):
    enc = of_characters()
    back = load_encoding(saved(enc, tmp_path, form))
    text = TEXT + "Ωé"
    assert back.encode(text, "special") == enc.encode(text, "special")
    assert back.unknown_characters(text) == enc.unknown_characters(text) != []


def test_file_name_selects_the_form(tmp_path):
    enc = trained("gpt2")
    for name, written in {
        "a.model": ["a.model", "a.vocab"],
        "a.tiktoken": ["a.tiktoken", "a.tiktoken.json"],
        "a.json": ["a.json"],
        "a.csv": ["a.csv", "a.csv.json"],
    }.items():
        assert [path.name for path in save_encoding(enc, tmp_path / name)] == written
    for name, form in (("a.txt", None), ("a", None), ("a.json", "gpt-2")):
        with pytest.raises(UnknownForm, match="Known formats: minbpe"):
            save_encoding(enc, tmp_path / name, form)


# Other programs


@pytest.mark.parametrize("pattern", [pattern for pattern in SPLITS if pattern != r"\X"])
def test_minbpe_gives_the_same_ids(pattern):
    # the steps of load in minbpe/base.py and of encode in minbpe/regex.py
    enc = trained(pattern)
    lines = iter(encoding_files(enc, "minbpe")["toy.model"].decode().splitlines())
    assert next(lines).strip() == "minbpe v1"
    theirs = next(lines).strip()
    special = dict(next(lines).strip().split() for _ in range(int(next(lines).strip())))
    pairs = {tuple(map(int, line.split())): 256 + i for i, line in enumerate(lines)}
    assert special == {token: str(id) for token, id in enc.special_tokens.items()}
    ids = []
    for chunk in regex.findall(theirs, TEXT) if theirs else [TEXT]:
        ids += naive_pairs(chunk.encode(), pairs)
    assert ids == enc.encode(TEXT)


@pytest.mark.parametrize("pattern", SPLITS)
def test_tiktoken_gives_the_same_ids(tmp_path, pattern):
    enc = trained(pattern)
    path = saved(enc, tmp_path, "tiktoken")
    if pattern in UNLIKE:
        assert json.loads((tmp_path / "a.tiktoken.json").read_text("utf-8"))["pat_str"] is None
    else:
        assert tiktoken_of_file(path).encode(TEXT, allowed_special="all") == enc.encode(TEXT, "special")


@pytest.mark.parametrize("pattern", [pattern for pattern in SPLITS if pattern not in UNLIKE])
def test_hugging_face_gives_the_same_ids(tmp_path, pattern):
    tokenizers = pytest.importorskip("tokenizers")
    enc = trained(pattern)
    theirs = tokenizers.Tokenizer.from_file(str(saved(enc, tmp_path, "huggingface")))
    for text in [TEXT, *(sample.text for sample in samples())]:
        found = theirs.encode(text)
        assert found.ids == enc.encode(text, "special")
        assert theirs.decode(found.ids, skip_special_tokens=False) == text
    # the library saves the file in its own form, which loads too
    theirs.save(str(tmp_path / "theirs.json"))
    assert load_encoding(tmp_path / "theirs.json").encode(TEXT, "special") == enc.encode(TEXT, "special")


@pytest.mark.parametrize("pattern", PATTERNS)
@examples(60)
@given(text=TEXTS)
def test_hugging_face_gives_the_same_ids_for_any_text(pattern, text):
    # only characters that its regex engine knows: its Unicode is older than tiktoken's
    tokenizers = pytest.importorskip("tokenizers")
    text = re.sub(
        "[\u088f\u1acf\ua7ce\U0003d000\U00011de0ʕ]|[^\u0000-\u2fff\U0001f000-\U0001f9ff]", "", well_formed(text)[0]
    )
    enc = trained(pattern)
    theirs = tokenizers.Tokenizer.from_str(encoding_files(enc, "huggingface")["toy.json"].decode())
    assert theirs.encode(text).ids == enc.encode(text, "special")


def test_hugging_face_gives_the_same_ids_for_characters(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    enc = of_characters()
    theirs = tokenizers.Tokenizer.from_file(str(saved(enc, tmp_path, "huggingface")))
    assert theirs.encode(TEXT + "Ωé").ids == enc.encode(TEXT + "Ωé", "special")


@pytest.mark.parametrize("seed", range(20))
def test_hugging_face_gives_the_same_ids_for_tables_without_a_list_of_merges(seed):
    tokenizers = pytest.importorskip("tokenizers")
    draw = random.Random(seed)
    enc = byte_bpe("toy", r" ?[^ ]+| ", random_ranks(draw))
    with pytest.raises(NotMadeOfTwo):
        enc.merges.in_order()
    theirs = tokenizers.Tokenizer.from_str(encoding_files(enc, "huggingface")["toy.json"].decode())
    for text in ["".join(draw.choices("abcd ก", k=draw.randint(1, 30))) for _ in range(50)]:
        assert theirs.encode(text).ids == enc.encode(text)


@pytest.mark.slow
def test_gpt2_files_equal_openais_byte_for_byte(tmp_path):
    # the hashes are from tiktoken_ext/openai_public.py
    files = encoding_files(get_encoding("gpt2"), "gpt2")
    assert hashlib.sha256(files["vocab.json"]).hexdigest() == (
        "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"
    )
    assert hashlib.sha256(files["merges.txt"]).hexdigest() == (
        "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"
    )
    (tmp_path / "encoder.json").write_bytes(files["vocab.json"])
    (tmp_path / "vocab.bpe").write_bytes(files["merges.txt"])
    gpt2 = get_encoding("gpt2")
    for path in (tmp_path, tmp_path / "encoder.json", tmp_path / "vocab.bpe"):
        back = load_encoding(path)
        assert (back.ranks, back.special_tokens, back.pattern) == (gpt2.ranks, gpt2.special_tokens, gpt2.pattern)
    assert back.encode(TEXT) == gpt2.encode(TEXT)
    assert back.name == "gpt2"


@pytest.mark.slow
def test_hugging_face_gives_the_same_ids_for_gpt2(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    gpt2, text = get_encoding("gpt2"), TEXT + "<|endoftext|>"
    path = saved(gpt2, tmp_path, "huggingface")
    assert tokenizers.Tokenizer.from_file(str(path)).encode(text).ids == gpt2.encode(text, "special")
    # a file with GPT-2's own pre-tokenizer
    facts = json.loads(path.read_text("utf-8"))
    facts["pre_tokenizer"] = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    facts["model"]["merges"] = [" ".join(merge) for merge in facts["model"]["merges"]]
    path.write_text(json.dumps(facts), "utf-8")
    back = load_encoding(path)
    assert back.pattern_name == "gpt2"
    assert back.encode(text, "special") == tokenizers.Tokenizer.from_file(str(path)).encode(text).ids


def test_header_of_thai_tokenizer_is_read_as_minbpe(tmp_path):
    # https://github.com/tamangmilan/thai_tokenizer writes minbpe's form with another header
    enc = trained("llama3")
    model = encoding_files(enc, "minbpe")["toy.model"].replace(b"minbpe v1", b"thai tokenizer v1.0")
    (tmp_path / "thai.model").write_bytes(model)
    back = load_encoding(tmp_path / "thai.model")
    assert (back.name, back.pattern_name) == ("thai", "llama3")
    assert back.encode(TEXT) == enc.encode(TEXT)


def test_vocab_file_lists_tokens_readably():
    enc = encoding_from_merges(train("aaabdaaabac\n", 259, None), None, ["<|end|>"], "toy")
    lines = encoding_files(enc, "minbpe")["toy.vocab"].decode().splitlines()
    assert lines[10] == r"[\u000a] 10"
    assert lines[97] == "[a] 97"
    assert lines[-4:] == ["[a][a] -> [aa] 256", "[aa][a] -> [aaa] 257", "[aaa][b] -> [aaab] 258", "[<|end|>] 259"]


# Bad files


def write(path, content):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


SINGLE = encoding_files(encoding_from_merges([]), "tiktoken")["trained.tiktoken"]
TIMELINE = "rank,left,right,token,count,saved,text\n"


@pytest.mark.parametrize(
    ("name", "content", "line", "reason"),
    [
        ("a.model", "minbpe v1\n", 1, "ends before"),
        ("a.model", "minbpe v1\n\nx\n", 3, "not an id"),
        ("a.model", "minbpe v1\n\n2\n<|a|> 256\n", 4, "ends before all 2"),
        ("a.model", "minbpe v1\n\n1\n<|a|>\n", 4, "special token"),
        ("a.model", "minbpe v1\n\n1\n<|a|> 97\n", None, "belongs to the token"),
        ("a.model", "minbpe v1\n\n0\n97 98\n97 x\n", 5, "'x' is not an id"),
        ("a.model", "minbpe v1\n\n0\n97 98\n97 １\n", 5, "is not an id"),
        ("a.model", "minbpe v1\n\n0\n97 98\n97\n", 5, "should be two ids"),
        ("a.model", "minbpe v1\n\n0\n97 98\n97 257\n", 5, "only the ids below 257 exist"),
        ("a.model", "minbpe v1\n\n0\n97 98\n-1 97\n", 5, "is not an id"),
        ("a.model", "minbpe v1\n\n0\n97 98\n97 98\n", 5, "the same"),
        ("a.model", "minbpe v1\n\n0\n97 98\n98 99\n256 99\n97 257\n", 7, "exists already"),
        ("a.model", "minbpe v1\n\n0\n" + "".join(f"{i} {i}\n" for i in [97, *range(256, 330)]), 23, "too large"),
        ("a.model", b"minbpe v1\n\n0\n97 98\n\xff\n", 5, "not valid UTF-8 at byte 20"),
        ("a.model", b"\xef\xbb\xbfminbpe v1\n\n0\n97 98\n\xff\n", 5, "not valid UTF-8 at byte 23"),
        ("a.model", "minbpe v1\n\n99999999999\n", 3, "not an id"),
        ("a.tiktoken", "YQ== 0\nYg== 1\n", 2, "no token for the byte 0x00"),
        (
            "a.tiktoken",
            "YQ== 0\nYQ== 1\n",
            2,
            "is the same token as in line 1, with another rank; remove the wrong line",
        ),
        ("a.tiktoken", "YQ== 0\nYg== 0\n", 2, "has the same rank as the token in line 1; remove the wrong line"),
        ("a.tiktoken", "YQ== 0\nYg==\n", 2, "base64"),
        ("a.tiktoken", "YQ== 0\n!!! 1\n", 2, "base64"),
        ("a.tiktoken", "YQ== 0\nYg== -1\n", 2, "not an id"),
        ("a.tiktoken", SINGLE, None, "in code, pattern="),
        ("a.json", '{"model": {"type": "BPE",\n"vocab": {', 2, "not valid JSON"),
        ("a.json", '{"model": 1,\n"model": 2}', 1, "appears twice"),
        ("a.json", '{"model": {"type": "Unigram"}}', None, "library reports"),
        ("a.json", '{"model": ' + "[" * 100_000, None, "nested"),
        ("a.json", '{"model": ' + "9" * 10_000 + "}", None, "digits"),
        ("a.json", "[1, 2]", None, "not a tokenizer"),
        ("a.json", '{"a": "b"}', None, "not a tokenizer"),
        ("a.csv", f"{TIMELINE}256,0x61,0x62,0x6162,1,1,'ab'\nx\n", 3, "should be six numbers and a text"),
        ("a.csv", f"{TIMELINE}256,0x61,0x62,0x6163,1,1,'ab'\n", 2, "the left part followed by the right part"),
        (
            "a.csv",
            f"{TIMELINE}256,0x61,0x62,0x6162,1,1,\n258,0x61,0x63,0x6163,1,1,\n",
            3,
            "one more than the rank before it, 256",
        ),
        ("a.txt", "hello\n", None, "a .model file of SentencePiece or minbpe, .tiktoken, vocab.json with merges.txt"),
        ("a.txt", "", None, "the file is empty; open another file"),
        ("a.model", b"PK\x03\x04\0\0", None, "the file is an archive"),
        ("a.model", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n", None, "Git LFS"),
        ("a.json", b"<!DOCTYPE html>\n<html>", None, "a web page"),
        ("a.vocab", "[a] 97\n", None, "not a tokenizer"),
        ("a.pkl", b"\x80\x04\x95\x00", None, "not a tokenizer"),
    ],
)
def test_bad_file_raises_with_its_line(tmp_path, name, content, line, reason):
    path = write(tmp_path / name, content)
    with pytest.raises(BadTokenizerFile) as caught:
        load_encoding(path)
    assert reason in str(caught.value)
    assert caught.value.line == line
    assert str(path) in str(caught.value)


BYTES = json.loads(encoding_files(encoding_from_merges([]), "gpt2")["vocab.json"])


@pytest.mark.parametrize(
    ("vocab", "merges", "file", "line", "reason"),
    [
        (BYTES | {"ab": 256}, "#version: 0.2\na b\nb c\n", "merges.txt", 3, "in the vocabulary"),
        (BYTES | {"ab": 256}, "a b c\n", "merges.txt", 1, "should join two tokens"),
        (BYTES | {"ab": 97}, "a b\n", "vocab.json", 1, "two tokens have the id 97"),
        (BYTES | {"ab": "256"}, "a b\n", None, None, None),
        (BYTES | {"ab": 1.5}, "a b\n", "vocab.json", 1, "not an id"),
        (BYTES | {"ab": 10**9}, "a b\n", "vocab.json", 1, "not an id"),
        ({"a": 0, "b": 1}, "", "vocab.json", None, "no token for the byte"),
        ([], "", "vocab.json", None, "not a JSON object"),
    ],
)
def test_bad_gpt2_files_raise_with_file_and_line(tmp_path, vocab, merges, file, line, reason):
    write(tmp_path / "vocab.json", json.dumps(vocab))
    write(tmp_path / "merges.txt", merges)
    if reason is None:
        assert load_encoding(tmp_path).encode("ab") == [256]
        return
    with pytest.raises(BadTokenizerFile) as caught:
        load_encoding(tmp_path)
    assert re.search(reason, str(caught.value))
    assert caught.value.path == tmp_path / file
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"pre_tokenizer": {"type": "Sequence", "pretokenizers": 5}}, "integer `5`, expected a sequence at line"),
        ({"pre_tokenizer": "x"}, "does not support the pre-tokenizer in the file"),
        ({"added_tokens": 5}, "not a list"),
        ({"added_tokens": [{"id": 5}]}, "not a string, or is listed twice"),
        ({"added_tokens": [{"id": "x", "content": "<|x|>"}]}, "not an id"),
        ({"model": {"type": "BPE", "vocab": 5, "merges": []}}, "not a JSON object"),
        ({"model": {"type": "BPE", "vocab": BYTES, "merges": [5]}}, "should join two tokens"),
        ({"model": {"type": "BPE", "vocab": BYTES, "merges": [["a", 5]]}}, "should join two tokens"),
        (
            {
                "pre_tokenizer": None,
                "decoder": {"type": "Fuse"},
                "model": {"vocab": {"a": 0}, "merges": [], "unk_token": ["a"]},
            },
            "the unknown token in the file is not a string",
        ),
    ],
)
def test_faulty_tokenizer_json_raises_with_the_reason(tmp_path, change, reason):
    facts = json.loads(encoding_files(trained("gpt2"), "huggingface")["toy.json"]) | change
    with pytest.raises(BadTokenizerFile, match=reason):
        load_encoding(write(tmp_path / "a.json", json.dumps(facts, indent=1)))


@pytest.mark.parametrize("pattern", [pattern for pattern in SPLITS if pattern not in UNLIKE])
def test_saved_tokenizer_json_gives_the_same_ids_in_the_library(pattern):
    enc = trained(pattern)
    there = PipelineModel(encoding_files(enc, "huggingface")["toy.json"].decode())
    assert there.encode(TEXT).ids.tolist() == enc.encode(TEXT)
    assert there.special_tokens == enc.special_tokens and there.text_of(enc.encode(TEXT)) == TEXT
    assert there.merges.ranks == enc.ranks and there.tokens[: enc.id_limit - 2] == enc.model.tokens
    there = PipelineModel(encoding_files(of_characters(), "huggingface")["trained.json"].decode())
    assert there.encode(TEXT + "Ωé").ids.tolist() == of_characters().encode(TEXT + "Ωé")


@pytest.mark.parametrize(
    "change",
    [
        {"normalizer": {"type": "NFC"}},
        {"pre_tokenizer": {"type": "Whitespace"}},
        {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}},
        {"model": {"type": "BPE", "vocab": BYTES, "merges": [], "byte_fallback": True}},
        {"model": {"type": "BPE", "vocab": BYTES | {"ab": 999}, "merges": []}},
    ],
)
def test_unsupported_features_of_tokenizer_json_use_the_library(tmp_path, change):
    facts = json.loads(encoding_files(trained("gpt2"), "huggingface")["toy.json"]) | change
    assert load_encoding(write(tmp_path / "a.json", json.dumps(facts))).model.runs_in_library


def test_split_pattern_that_is_not_portable_uses_the_library(tmp_path):
    facts = json.loads(encoding_files(trained("cl100k_base"), "huggingface")["toy.json"])
    split = facts["pre_tokenizer"]["pretokenizers"][0]
    for found in (r"\w+", r"\p{N}{1,3}+", PATTERNS["cl100k_base"]):
        split["pattern"]["Regex"] = found
        path = write(tmp_path / "a.json", json.dumps(facts))
        enc = load_encoding(path)
        assert enc.model.runs_in_library and enc.split is None
    assert load_encoding(path, pattern="gpt2").pattern_name == "gpt2"


def test_wrong_merge_in_tokenizer_json_raises_with_its_line(tmp_path):
    facts = json.loads(encoding_files(trained("gpt2"), "huggingface")["toy.json"])
    facts["model"]["merges"][40] = ["zz", "qq"]
    text = json.dumps(facts, indent=1)
    with pytest.raises(BadTokenizerFile) as caught:
        load_encoding(write(tmp_path / "a.json", text))
    assert '"qq"' in text.splitlines()[caught.value.line - 1]


def test_missing_or_too_large_file_raises(tmp_path, monkeypatch):
    for path in (tmp_path / "none.model", tmp_path):
        with pytest.raises(BadTokenizerFile):
            load_encoding(path)
    monkeypatch.setattr(reading, "MAX_FILE_BYTES", 10)
    with pytest.raises(BadTokenizerFile, match="12 bytes; the limit is 10"):
        load_encoding(write(tmp_path / "a.model", "minbpe v1\n\n0"))


def test_bad_companion_file_raises_with_its_path(tmp_path):
    path = saved(trained("gpt2"), tmp_path, "tiktoken")
    beside = tmp_path / "a.tiktoken.json"
    for content in ("{", "[]", "{}", '{"form": "tokenloupe 1"}', b"\xff"):
        beside.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(BadTokenizerFile) as caught:
            load_encoding(path)
        assert caught.value.path == beside
    beside.unlink()
    assert load_encoding(path, "gpt2", {"<|x|>": 900}).special_tokens == {"<|x|>": 900}
    with pytest.raises(UnknownPattern):
        load_encoding(path, "gpt-2")


@pytest.mark.parametrize("form", PATHS)
@examples(60)
@given(data=st.data())
def test_damaged_file_loads_or_raises_a_tokenizer_error(tmp_path_factory, form, data):
    enc = encoding_from_merges(train(CORPUS, 270, "gpt2"), "gpt2", ["<|end|>"], "a")
    folder = tmp_path_factory.mktemp("damaged")
    files = encoding_files(enc, form, "a")
    damaged = data.draw(st.sampled_from(sorted(name for name in files if not name.endswith(".vocab"))))
    for name, content in files.items():
        if name == damaged:
            start = data.draw(st.integers(0, len(content)))
            end = data.draw(st.integers(start, min(start + 5, len(content))) | st.just(len(content)))
            content = content[:start] + data.draw(st.binary(max_size=4)) + content[end:]
        (folder / name).write_bytes(content)
    path = folder if form == "gpt2" else folder / next(iter(files))
    try:
        back = load_encoding(path)
        # the damaged file may be a valid tokenizer without some characters or bytes
        known = "".join(one for one in "hello ที่" if back.decode(back.encode(one)) == one)
        assert back.decode(back.encode(known)) == known
    except TokenizerError:
        pass
