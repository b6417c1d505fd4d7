"""Tokenizer files of other programs: each opens, or the error names the file that is needed."""

import base64
import io
import json
import os
import pickle
import zipfile

import pytest
import tiktoken
from sentencepieces import MODELS
from tiktoken.load import load_tiktoken_bpe
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from tokenizers.implementations import ByteLevelBPETokenizer

from tokenizer import encoding_files, get_encoding, load_encoding
from tokenizer.chat.messages import Part
from tokenizer.chat.reading import Prompt
from tokenizer.encoding.spelling import CHARACTERS
from tokenizer.encoding.vocabulary import rank_table
from tokenizer.errors import BadTokenizerFile
from tokenizer.kinds.from_merges import encoding_from_merges
from tokenizer.kinds.panics import hidden_panics
from tokenizer.kinds.spm import BadSentencePiece, SentencePieceModel
from tokenizer.vocabulary.facts import facts_of

LETTERS = sorted(CHARACTERS.values())
GPT2 = {letter: i for i, letter in enumerate(LETTERS)}
THE = "#version: 0.2\nĠ t\nh e\nĠt he\n"
TEXT = " the theme, then t h e\n the <mask> a<s>b</s>é ก"


@pytest.fixture
def pair(tmp_path):
    def loaded(vocab, merges, pattern=None, **beside):
        (tmp_path / "vocab.json").write_text(json.dumps(vocab), encoding="utf-8")
        (tmp_path / "merges.txt").write_text(merges, encoding="utf-8")
        for name, content in beside.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
        return load_encoding(tmp_path, pattern)

    return loaded


def oracle(vocab, merges, *added):
    lines = [tuple(line.split(" ")) for line in merges.splitlines() if line and not line.startswith("#version")]
    library = ByteLevelBPETokenizer(vocab, lines)
    library.add_special_tokens(list(added))
    return library


# vocab.json and merges.txt

ROBERTA = {name: i for i, name in enumerate(["<s>", "<pad>", "</s>", "<unk>", "Ġthe", "he", "Ġt", *LETTERS, "<mask>"])}


def test_pair_of_characters_is_not_blamed_for_a_merge_that_is_right(pair):
    with pytest.raises(BadTokenizerFile, match="characters that are not bytes.*open the model’s tokenizer.json"):
        pair({"œ": 0, "u": 1, "œu": 2}, "#version: 0.2\nœ u\n")


def test_roberta_pair_keeps_ids_in_another_order_than_its_merges(pair):
    enc, library = pair(ROBERTA, THE), oracle(ROBERTA, THE)
    assert enc.encode(" the") == [4]
    assert enc.encode(TEXT) == library.encode(TEXT).ids and enc.decode(enc.encode(TEXT)) == TEXT
    assert enc.special_tokens == {name: ROBERTA[name] for name in ("<s>", "<pad>", "</s>", "<unk>", "<mask>")}
    a, b = ROBERTA["a"], ROBERTA["b"]
    assert enc.encode("<s>a <mask>b</s>", "special") == [0, a, ROBERTA["<mask>"], b, 2]
    assert enc.pattern_name == "gpt2"
    in_order = {name: i for i, name in enumerate(["<s>", "</s>", "<mask>", *LETTERS, "Ġt", "he", "Ġthe"])}
    assert pair(in_order, THE).encode("a <mask>", "special") == [in_order["a"], 2]


def test_roberta_pair_without_all_bytes_is_refused_with_the_reason(pair):
    vocab = {name: id for name, id in ROBERTA.items() if name != "Ā"}
    with pytest.raises(BadTokenizerFile, match="there is no token for the byte 0x00"):
        pair(vocab, THE)


@pytest.mark.parametrize("tokens", [{"0": "a", "1": "b"}, {"0": [97], "1": [98]}])
def test_vocabulary_from_ids_to_tokens_is_refused_as_that(pair, tokens):
    with pytest.raises(BadTokenizerFile, match="maps ids to tokens"):
        pair(tokens, "a b\n")


def test_whisper_pair_keeps_its_empty_token(pair):
    vocab = GPT2 | {"Ġt": 256, "": 257}
    enc = pair(vocab, "#version: 0.2\nĠ t\n")
    assert enc.encode(" t") == [256] and enc.encode(TEXT) == oracle(vocab, "Ġ t").encode(TEXT).ids
    assert enc.vocab_size == 258 == len(facts_of(enc)) and enc.token_bytes(257) == b""


def test_added_tokens_json_is_added_to_a_pair(pair):
    enc = pair(GPT2 | {"Ġt": 256}, "Ġ t", added_tokens={"<|user|>": 257, "<|user|>s": 258})
    assert enc.special_tokens == {"<|user|>": 257, "<|user|>s": 258} and not enc.runs_in_library
    assert enc.encode(" t<|user|>sx", "special") == [256, 258, GPT2["x"]]
    enc = pair(GPT2 | {"Ġt": 256}, "Ġ t", added_tokens={"   ": 257, "<|user|>": 258})
    assert enc.encode("a   <|user|>", "special") == [GPT2["a"], 257, 258]  # added white space is always found
    assert enc.encode("a   ")[:2] == [GPT2["a"], 257]
    for added in ([5], {"": 257}):
        with pytest.raises(BadTokenizerFile, match=r"added_tokens.json.*must be a JSON object .* no token"):
            pair(GPT2, "", added_tokens=added)


def test_tokenizer_json_of_a_folder_is_read_before_the_pair(tmp_path):
    """The pair lacks the split pattern and the normalizer, so its ids differ, such as Qwen's for Thai."""
    toy = encoding_from_merges([(b"1", b"2")], r"\p{N}|\p{L}+", name="toy")
    both = encoding_files(toy, "huggingface", "tokenizer") | encoding_files(toy, "gpt2")
    for name, data in both.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "tokenloupe.json").unlink()
    assert load_encoding(tmp_path / "vocab.json").encode("12") == [256]
    assert load_encoding(tmp_path).encode("12") == [*b"12"]


def test_version_lines_and_blank_lines_are_no_merges(pair):
    enc = pair(GPT2 | {"Ġt": 256, "he": 257, "Ġthe": 258}, "#version: 0.2\nĠ t \nh\te\r\n\n#version: 0.2\nĠt he\n")
    assert enc.encode(" the\n") == [258, 198] and not enc.runs_in_library


def test_merges_whose_lines_end_with_cr_are_read(pair):
    """As one line, they were taken for the line of the version."""
    enc = pair(GPT2 | {"Ġt": 256, "he": 257, "Ġthe": 258}, "#version: 0.2\rĠ t\rh e\rĠt he\r")
    assert enc.encode(" the") == [258] and not enc.special_tokens


@pytest.mark.parametrize(
    ("more", "merges"),
    [
        ({"ab": 256}, "a b\na b\n"),
        ({"ab": 256, "abc": 257}, "ab c\na b\n"),
        ({"ab": 257, "bc": 256}, "a b\nb c\n"),
        ({"ก": 256}, ""),
    ],
)
def test_pair_with_irregular_merges_gives_the_librarys_ids(pair, more, merges):
    text = "abc aabbcc กab"
    assert pair(GPT2 | more, merges).encode(text) == oracle(GPT2 | more, merges).encode(text).ids


def test_pair_is_split_by_the_chosen_pattern(pair):
    enc = pair(ROBERTA, THE, "cl100k_base")
    assert (enc.pattern_name, enc.encode("12345 the")) == ("cl100k_base", [*map(ROBERTA.get, "12345"), 4])
    with pytest.raises(BadTokenizerFile, match="may split text differently with the split pattern"):
        pair(ROBERTA, THE, r"\X")


def clip():
    names = [*LETTERS, *(f"{letter}</w>" for letter in LETTERS), "th", "the</w>", "<|startoftext|>", "<|endoftext|>"]
    return {name: i for i, name in enumerate(names)}


def test_clip_pair_gives_clips_ids(pair):
    vocab, merges = clip(), [("t", "h"), ("th", "e</w>")]
    made = models.BPE(vocab, merges, end_of_word_suffix="</w>", unk_token="<|endoftext|>", continuing_subword_prefix="")
    library = Tokenizer(made)
    library.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    words = Regex(r"""'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+""")
    library.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(words, "removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    library.decoder = decoders.ByteLevel()
    library.add_special_tokens(["<|startoftext|>", "<|endoftext|>"])
    enc = pair(vocab, "#version: 0.2\nt h\nth e</w>\n")
    text = "The  THE<|endoftext|>'t 12é ก!"
    assert enc.encode("The") == [vocab["the</w>"]]
    assert enc.encode(text, "special") == library.encode(text).ids
    assert any("text is split as in CLIP" in note for note in enc.model.notes)
    with pytest.raises(BadTokenizerFile, match="no other split pattern can be chosen"):
        pair(vocab, "t h\nth e</w>\n", "gpt2")


def test_xlm_pair_raises_and_names_the_file_to_bring(pair):
    with pytest.raises(
        BadTokenizerFile,
        match=r"the vocabulary marks the end of a word with </w>, but.*open the model’s tokenizer.json",
    ):
        pair({"e</w>": 0, "t": 1, "te</w>": 2}, "t e</w> 123\n")


# Rank files

RANKS = [base64.b64encode(bytes([i])).decode() + f" {i}" for i in range(256)] + ["YWI= 256", "YWJj 257"]
FORMS = {
    "a blank line first": "\n" + "\n".join(RANKS),
    "blank lines within": "\n\n".join(RANKS),
    "two spaces": "\n".join(RANKS).replace(" ", "  "),
    "tabs": "\n".join(RANKS).replace(" ", "\t"),
    "a space at line ends": " \n".join(RANKS) + " \n",
    "CR LF": "\r\n".join(RANKS) + "\r\n",
    "CR": "\r".join(RANKS),
    "a BOM": "\ufeff" + "\n".join(RANKS),
}


@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS)
def test_rank_file_with_odd_line_ends_and_spaces_is_read(tmp_path, content):
    path = tmp_path / "a.tiktoken"
    path.write_text(content, encoding="utf-8", newline="")
    enc = load_encoding(path, "gpt2")
    assert enc.encode("abcab") == [257, 256] and enc.vocab_size == 258


def test_whisper_rank_file_keeps_its_empty_token(tmp_path):
    path = tmp_path / "whisper.tiktoken"
    path.write_text("\n".join([*RANKS, "= 258"]), encoding="utf-8")
    enc = load_encoding(path, "gpt2")
    assert enc.vocab_size == 259 == len(facts_of(enc)) and enc.encode("abcab") == [257, 256]
    path.write_text("\n".join([*RANKS, "= 258", "= 259"]), encoding="utf-8")
    with pytest.raises(BadTokenizerFile, match="line 260: '= 259' is the same token as in line 259, with another rank"):
        load_encoding(path, "gpt2")


def test_rank_file_with_a_repeated_line_is_read_as_tiktoken_reads_it(tmp_path):
    path = tmp_path / "a.tiktoken"
    path.write_text("\n".join([*RANKS, RANKS[-1], RANKS[3]]), encoding="utf-8")
    enc = load_encoding(path, "gpt2")
    assert enc.model.ranks == load_tiktoken_bpe(str(path)) and enc.encode("abcab") == [257, 256]
    published = rank_table(get_encoding("gpt2").model.tokens)
    path.write_bytes(published + published[: published.index(b"\n") + 1])
    assert load_encoding(path).pattern_name == "gpt2"


@pytest.mark.parametrize("form", ["minbpe", "tiktoken", "huggingface", "csv"])
def test_files_that_a_program_saved_with_a_byte_order_mark_are_read(tmp_path, form):
    toy = encoding_from_merges([(b"a", b"b"), (b"ab", b"c")], "gpt2", name="toy")
    for name, content in encoding_files(toy, form).items():
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + content)
    name = next(iter(encoding_files(toy, form)))
    assert load_encoding(tmp_path / name).encode("abcab") == [257, 256]


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_files_with_a_byte_order_mark_are_read_like_utf_8(tmp_path, codec):
    def loaded(text, *names, **options):
        for name in names:
            (tmp_path / name).write_bytes(f"\ufeff{text[name]}".encode(codec))
        return load_encoding(tmp_path / names[0], **options)

    pairs = {"vocab.json": json.dumps(GPT2 | {"Ġt": 256, "he": 257, "Ġthe": 258}), "merges.txt": THE}
    assert loaded(pairs, "vocab.json", "merges.txt").encode(" the") == [258]
    ranks = {"a.tiktoken": "\r\n".join(RANKS), "a.tiktoken.json": '{"form": "tokenloupe 1", "name": "é",'}
    ranks["a.tiktoken.json"] += ' "pattern": "gpt2", "special_tokens": {}}'
    assert loaded(ranks, "a.tiktoken", "a.tiktoken.json").encode("abcab") == [257, 256]
    assert loaded({"vocab.txt": "[UNK]\nการ\nhug"}, "vocab.txt").encode("hug การ") == [2, 1]
    model = {"type": "WordLevel", "vocab": {"ที่": 0, "?": 1}, "unk_token": "?"}
    assert loaded({"tokenizer.json": json.dumps({"model": model})}, "tokenizer.json").encode("ที่") == [0]
    (tmp_path / "tokenizer.json").write_bytes(f"\ufeff{model}".encode(codec) + b"?")
    with pytest.raises(
        BadTokenizerFile,
        match="begins like text in UTF-16, but a part of the file is not UTF-16; save the text again as UTF-8",
    ):
        load_encoding(tmp_path / "tokenizer.json")


def test_library_panic_becomes_an_error_without_its_text(tmp_path, capfd):
    normalizer = {"type": "Precompiled", "precompiled_charsmap": "BAAAAP////8="}  # a trie that points outside itself
    model = {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"normalizer": normalizer, "model": model}), encoding="utf-8")
    with pytest.raises(BadTokenizerFile, match="index out of bounds"):
        load_encoding(path)
    os.write(2, b"written later")
    assert capfd.readouterr().err == "written later"
    with hidden_panics():
        os.write(2, b"a warning")
        with pytest.raises(BadTokenizerFile):
            load_encoding(path)
    assert capfd.readouterr().err == "a warning"


# vocab.txt


def test_vocab_txt_ids_are_line_numbers_and_the_last_duplicate_wins(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n\n\n##b\nする\nthe\nx\nthe\n", encoding="utf-8")
    enc = load_encoding(path)
    assert enc.encode("a する the x ab") == [4, 8, 11, 10, 4, 7]
    assert enc.piece(8) == "する" and len(facts_of(enc)) == 12


# tekken.json

TEKKEN = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s+"


def tekken(special_tokens=None, more=(b"ab", b"abc", b"left out"), size=268, **config):
    tokens = [*(bytes([i]) for i in range(256)), *more]
    facts = {
        "config": {"pattern": TEKKEN, "default_vocab_size": size, "default_num_special_tokens": 10, **config},
        "vocab": [
            {"rank": i, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
            for i, token in enumerate(tokens)
        ],
    }
    return json.dumps(facts if special_tokens is None else facts | {"special_tokens": special_tokens})


UNK, BOS = ({"rank": i, "token_str": name, "is_control": True} for i, name in enumerate(["<unk>", "<s>"]))


def test_tekken_json_gives_tiktokens_ids_and_special_tokens(tmp_path):
    path = tmp_path / "tekken.json"
    path.write_text(tekken([UNK, BOS]), encoding="utf-8")
    enc, text = load_encoding(path), " abc abab 12, left out\n\n é<s>"
    ranks = {bytes([i]): i for i in range(256)} | {b"ab": 256, b"abc": 257}
    theirs = tiktoken.Encoding("", pat_str=TEKKEN, mergeable_ranks=ranks, special_tokens={})
    assert enc.encode(text) == [id + 10 for id in theirs.encode(text)]
    assert enc.encode("<s>abc<SPECIAL_9>", "special") == [1, 267, 9]
    assert enc.special_tokens == {"<unk>": 0, "<s>": 1} | {f"<SPECIAL_{i}>": i for i in range(2, 10)}
    assert (enc.vocab_size, enc.pattern, enc.decode(enc.encode(text))) == (268, TEKKEN, text)
    parts = [Part("<s>", True, 0), Part("abc", False, 0)]
    assert Prompt(parts, enc).tokens.ids == [1, 267]


def test_old_tekken_json_gets_mistrals_special_tokens(tmp_path):
    path = tmp_path / "tekken.json"
    path.write_text(tekken(), encoding="utf-8")
    enc = load_encoding(path)
    assert enc.encode("[INST]a[/INST]", "special") == [3, 107, 4] and len(enc.special_tokens) == 10
    assert "does not name special tokens" in enc.model.notes[0]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (tekken(pattern=5), "the split pattern in the file is not a string"),
        (tekken(size=300), "there are 300 tokens"),
        (tekken(size="many"), "not an id"),
        (
            tekken(more=(b"a", b"ab")),
            "number 257 in the file has the wrong rank, or the bytes of another token, or no bytes",
        ),
        (tekken([UNK, UNK]), "is listed twice"),
        (tekken([UNK, BOS | {"rank": 20}]), "belongs to the token"),
        (tekken([UNK] * 11), "must be a list of at most 10 tokens"),
    ],
)
def test_damaged_tekken_json_raises_with_the_reason(tmp_path, content, reason):
    path = tmp_path / "tekken.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadTokenizerFile, match=reason):
        load_encoding(path)


# Files that are not tokenizers

KERAS = {"class_name": "Tokenizer", "config": {"num_words": 5, "word_index": '{"a": 1}'}}


def torch_file(first="archive/data.pkl"):
    """A zip as PyTorch writes its weights."""
    with zipfile.ZipFile(found := io.BytesIO(), "w") as file:
        file.writestr(first, b"\x80\x02}.")
        file.writestr("archive/data/0", bytes(8))
    return found.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tokenizer.json", json.dumps(KERAS), "the file is a tokenizer of Keras"),
        ("tokenizer.json", json.dumps(json.dumps(KERAS)), "the file is a tokenizer of Keras"),
        ("tokenizer.json", "<html><head><title>404</title></head></html>", "the file is a web page"),
        ("tokenizer.json", "Entry not found", "an error message of a web server"),
        ("tokenizer.json", '{"error": "Repository not found"}', "an error message of a web server"),
        ("config.json", '{"model_type": "llama"}', "the settings of a model; open the tokenizer’s file"),
        (
            "special_tokens_map.json",
            '{"bos_token": "<s>"}',
            "contains only the names of special tokens; open the tokenizer’s file",
        ),
        ("tokenizer_config.json", '{"tokenizer_class": "A", "model_max_length": 5}', "the settings of a tokenizer"),
        ("generation_config.json", '{"eos_token_id": 2}', "the file says how a model generates text"),
        ("preprocessor_config.json", '{"feature_extractor_type": "A"}', "how images or sound are prepared"),
        ("adapter_config.json", '{"peft_type": "LORA"}', "the settings of an adapter"),
        ("model.safetensors.index.json", '{"weight_map": {}}', "where the weights of a model are"),
        (
            "model.safetensors",
            b"\x08\0\0\0\0\0\0\0" + b'{"a": 1}' + b"\0" * 9,
            "the file contains the weights of a model",
        ),
        ("pytorch_model.bin", torch_file(), "the file contains the weights of a model; open the tokenizer’s file"),
        ("model.pt", pickle.dumps(0x1950A86A20F9469CFC6C, 2), "the file contains the weights of a model"),
        ("model.gguf", b"GGUF\3\0\0\0", r"\(GGUF\); open the tokenizer.json of the model that it was made from"),
        ("files.zip", torch_file("a/data.txt"), "the file is an archive"),
        ("added_tokens.json", '{"<|a|>": 256, "  ": 257}', "open it together with the other files"),
        ("words.json", '{"a": 0, "b": 1}', "a vocabulary without merges; if there is a merges.txt"),
        ("merges-2.txt", THE, "the file contains only merges; if there is a vocab.json"),
        ("chat_template.jinja", "{% for message in messages %}", "the file is a chat template"),
        ("chat_template.jinja", "{{ bos_token }}", "the file is a chat template"),
        ("a.vocab", "<unk>\t0\n▁the\t-3\n", "the tokens of a SentencePiece model; open the .model"),
        ("a.vocab", "<pad>\t0\n</s>\t0\n<unk>\t0\n", "the tokens of a SentencePiece model; open the .model"),
        ("a.vocab", "<s>\t0\n</s>\t0\n<unk>\t0\n", "the tokens of a SentencePiece model; open the .model"),
        ("dict.txt", "the 12345\n, 12344\n", "not a tokenizer in one of the known formats"),
        ("a.vocab", "!\t0\n?\t1\n", "not a tokenizer in one of the known formats"),
        ("a.vocab", "▁xxunk\t0\r\n▁the\t-3\r\n", "the tokens of a SentencePiece model; open the .model"),
    ],
)
def test_file_that_is_not_a_tokenizer_raises_with_a_remedy(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BadTokenizerFile, match=message):
        load_encoding(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("vocab.json", "open this file together with its merges.txt"),
        ("v.json", "if there is a merges.txt in the same folder"),
    ],
)
def test_vocabulary_alone_with_tokens_named_like_keys_asks_for_its_merges(tmp_path, name, message):
    assert {b"model", b"error", b"message"} <= get_encoding("gpt2").ranks.keys()
    path = tmp_path / name
    path.write_text(json.dumps(GPT2 | {"model": 256, "error": 257, "message": 258}), encoding="utf-8")
    with pytest.raises(BadTokenizerFile, match=message):
        load_encoding(path)


# SentencePiece


def changed(data, change):
    from sentencepiece.sentencepiece_model_pb2 import ModelProto

    file = ModelProto.FromString(data)
    change(file)
    return file.SerializeToString()


def without_unknown(file):
    kept = [piece for piece in file.pieces if piece.type != 2]
    del file.pieces[:]
    file.pieces.extend(kept)


def test_sentencepiece_model_with_all_bytes_needs_no_unknown_piece(tmp_path):
    from sentencepiece import SentencePieceProcessor

    for name in ("bpe, bytes", "unigram, bytes"):
        data = changed(MODELS[name](), without_unknown)
        path = tmp_path / "a.model"
        path.write_bytes(data)
        enc, library = load_encoding(path), SentencePieceProcessor(model_proto=data)
        text = "The cat ✈ 한"
        assert enc.encode(text) == library.encode(text) and enc.unknown_id is None
        assert enc.decode(enc.encode(text)) == library.decode(library.encode(text))
        assert enc.model.notes and enc.stages(text) and len(facts_of(enc)) == enc.id_limit
    with pytest.raises(BadSentencePiece):
        SentencePieceModel(changed(MODELS["bpe"](), without_unknown))


def test_byte_tokens_of_a_word_model_cover_their_own_characters():
    from sentencepiece import SentencePieceTrainer

    found = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(["The cat sat"] * 20),
        model_writer=found,
        model_type="word",
        vocab_size=270,
        byte_fallback=True,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    model = SentencePieceModel(found.getvalue())

    def read(text):
        ids, lengths, starts, *_ = model.encode(text)
        rows = zip(ids.tolist(), starts.tolist(), lengths.tolist(), strict=True)
        return [(model.piece(id), start, start + length) for id, start, length in rows]

    spelled = [(piece, start, end) for piece, start, end in read("The cat sat.") if piece.startswith("<")]
    assert spelled == [
        ("<0xE2>", 7, 8),
        ("<0x96>", 8, 8),
        ("<0x81>", 8, 8),
        ("<0x73>", 8, 9),
        ("<0x61>", 9, 10),
        ("<0x74>", 10, 11),
        ("<0x2E>", 11, 12),
    ]
    in_front = [(2, 2)] * 3  # the dummy prefix
    spans = [(2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 7), (7, 8), (8, 12)]  # z, é, two spaces for one, b, The
    assert [(start, end) for _, start, end in read("  zé  b The")] == in_front + spans


def test_rar_is_named_as_an_archive(tmp_path):
    (tmp_path / "tokenizer.rar").write_bytes(b"Rar!\x1a\x07\x01\x00" + bytes(20))
    with pytest.raises(BadTokenizerFile, match="is an archive; unpack"):
        load_encoding(tmp_path / "tokenizer.rar")
