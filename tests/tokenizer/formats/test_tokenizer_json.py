"""Features of `tokenizer.json` files: ids equal those of Hugging Face's library."""

import json

import pytest
from tokenizers import Tokenizer

from tokenizer import load_encoding, save_encoding
from tokenizer.chat.messages import Part
from tokenizer.chat.reading import Prompt
from tokenizer.encoding.loupe import loupes
from tokenizer.encoding.segments import encode_segment
from tokenizer.encoding.spelling import CHARACTERS, spell
from tokenizer.encoding.tokens import SPECIAL
from tokenizer.errors import BadTokenizerFile, CannotSave, TokenizerError
from tokenizer.formats.sandboxed_model import load_sandboxed

BYTES = {letter: i for i, letter in enumerate(sorted(CHARACTERS.values()))}  # "!" is 0, "a" 64, "x" 87, "Ġ" 220
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
NFC, LOWERCASE = {"type": "NFC"}, {"type": "Lowercase"}
BERTS = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}


def added(content, id=256, **flags):
    usual = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": id, "content": content, **usual, **flags}


def bpe(vocab=BYTES, merges=(), **options):
    usual = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
    }
    return {**usual, **options, "vocab": dict(vocab), "merges": list(merges)}


def content(added_tokens=(), **parts):
    usual = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": list(added_tokens),
        "normalizer": None,
        "pre_tokenizer": BYTE_LEVEL,
        "post_processor": None,
        "decoder": BYTE_LEVEL,
        "model": bpe(),
    }
    return json.dumps({**usual, **parts})


@pytest.fixture
def load(tmp_path):
    def loaded(added_tokens=(), **parts):
        path = tmp_path / "tokenizer.json"
        path.write_text(content(added_tokens, **parts), encoding="utf-8")
        return load_encoding(path)

    return loaded


def spans(tokens):
    return [(token.start, token.end) for token in tokens]


# Added tokens by their flags

OWN, LIBRARY = {}, {"normalizer": NFC}  # for our own reader, and for the library
MASK = added("<mask>")
X, LONG_X = added("<x>"), added("a<x>", 257, special=False)
FLAGS = {
    "a token that is not special": ([added("<think>", special=False)], "<think>x", [256, 87], [256, 87]),
    "lstrip": ([added("<mask>", lstrip=True)], "a <mask>", [64, 220, 27, 76, 64, 82, 74, 29], [64, 256]),
    "rstrip": ([added("<mask>", rstrip=True)], "<mask> a", [27, 76, 64, 82, 74, 29, 220, 64], [256, 64]),
    "single_word": ([added("<mask>", single_word=True)], "a<mask>", [64, 27, 76, 64, 82, 74, 29], None),
    "one inside another": ([X, LONG_X], "a<x>", [257], [257]),
    "one inside another that is looked for later": (
        [X, LONG_X | {"normalized": True}],
        "a<x>",
        [257],
        [64, 256],
    ),
    "leftmost": ([added("ab"), added("bcd", 257)], "abcd", [64, 65, 66, 67], [256, 66, 67]),
    "longest": ([added("ab"), added("abc", 257)], "abcd", [64, 65, 66, 67], [257, 67]),
}


@pytest.mark.parametrize("parts", [OWN, LIBRARY], ids=["no normalizer", "NFC"])
@pytest.mark.parametrize(("tokens", "text", "as_text", "as_special"), FLAGS.values(), ids=FLAGS)
def test_added_tokens_follow_their_flags(load, tmp_path, parts, tokens, text, as_text, as_special):
    enc = load(tokens, **parts)
    library = Tokenizer.from_str(content(tokens, **parts))
    assert enc.encode(text, "special") == library.encode(text).ids == (as_special or as_text)
    library.encode_special_tokens = True
    assert enc.encode(text) == library.encode(text).ids == as_text
    save_encoding(enc, tmp_path / "again.json")
    again = load_encoding(tmp_path / "again.json")
    for mode in ("text", "special"):
        assert again.tokenize(text, mode).ids == enc.tokenize(text, mode).ids
        assert spans(again.tokenize(text, mode)) == spans(enc.tokenize(text, mode))


def test_normalized_special_token_is_found_in_normalized_text(load):
    enc = load([added("<MASK>", normalized=True)], normalizer=LOWERCASE)
    assert enc.encode("<mask>", "special") == [256] and enc.encode("<mask>") == [27, 76, 64, 82, 74, 29]


def test_special_token_that_is_a_base_symbol_is_read_in_text(load):
    enc = load([added("\t", 1)], pre_tokenizer=None, decoder={"type": "Fuse"}, model=bpe({"a": 0, "\t": 1, "b": 2}))
    assert enc.encode("a\tb") == [0, 1, 2]


def test_lstrip_token_covers_the_space_before_it(load):
    tokens = load([added("<mask>", lstrip=True)]).tokenize("a <mask>b", "special")
    assert spans(tokens) == [(0, 1), (1, 8), (8, 9)] and tokens.kinds.tolist() == [0, SPECIAL, 0]
    assert load([added("<mask>", lstrip=True)]).split_special_tokens("a <mask>b", "special") == [
        ("a", None),
        (" <mask>", 256),
        ("b", None),
    ]


def test_special_tokens_added_here_work_beside_those_of_the_file(load, tmp_path):
    enc = load([added("<mask>", lstrip=True)]).with_special_tokens({"<end>": 300})
    assert enc.encode("a <mask><end> <mask>", "special") == [64, 256, 300, 256]
    with pytest.raises(CannotSave, match="does not have the special tokens that were added here"):
        save_encoding(enc, tmp_path / "a.json")


def test_loupe_shows_no_merges_for_added_tokens_only(load):
    model = bpe(BYTES | {"ab": 256}, [["a", "b"]])
    enc = load([added("<think>", 257, special=False)], model=model)
    shown = {(found["start"], found["end"]): found["merges"] is not None for found in loupes("ab<think> ab", enc)}
    assert shown[0, 2] and shown[9, 12] and not any(shown[span] for span in shown if 2 <= span[0] < 9)


def test_sandboxed_encoding_finds_added_tokens():
    data = content([added("<mask>", lstrip=True)], pre_tokenizer=METASPACE, decoder=None, model=bpe(LETTERS, MERGES))
    sandboxed = load_sandboxed({"tokenizer.json": data.encode()}, "tokenizer.json")
    space, us, mask = LETTERS["▁"], LETTERS["us"], sandboxed.special_tokens["<mask>"]
    assert sandboxed.encode("us <mask>us", "special") == [space, us, mask, us]
    assert sandboxed.pre_tokens("us <mask>us", "special") == [(0, 2), (2, 9), (9, 11)]
    assert sandboxed.encode("us", "error") == [space, us]


def test_added_token_gets_the_librarys_id_with_a_note(load):
    enc = load([added("<x>", 300)])
    assert enc.special_tokens == {"<x>": 256} and enc.id_limit == 257
    assert "The file gives the added token '<x>' the id 300, but the library gives it the id 256." in enc.model.notes


def test_token_with_the_id_of_a_special_token_is_special_only_by_its_text(load):
    last_byte = spell("한".encode()[2:])
    enc = load([added("<x>")], model=bpe(BYTES | {last_byte: 256}))  # after 256 tokens the library gives <x> this id
    assert enc.special_tokens == {"<x>": 256} and enc.model.shared_id
    tokens = enc.tokenize("한<x>", "special")
    assert [(token.id, token.special) for token in tokens[-2:]] == [(256, False), (256, True)]
    assert enc.split_special_tokens("한<x>", "special") == [("한", None), ("<x>", 256), ("", None)]
    assert not any(token.special for token in enc.tokenize("한<x>"))


# Our own reader

GPT2 = {"added_tokens": [added("<|endoftext|>", normalized=True)], "post_processor": BYTE_LEVEL}


def test_supported_file_is_read_by_our_own_reader(load):
    assert not load(**GPT2).runs_in_library
    assert not load([added("<|a|>"), added("<|b|>", 257)]).runs_in_library


@pytest.mark.parametrize(
    "change",
    [
        {"normalizer": {"type": "Sequence", "normalizers": []}},
        {"truncation": {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0}},
        {"post_processor": {"type": "RobertaProcessing", "sep": ["!", 0], "cls": ["!", 0]}},
        {"decoder": None},
        {"decoder": {"type": "Sequence", "decoders": [BYTE_LEVEL, STRIP]}},
        {"added_tokens": [added("é")]},  # its decoder takes that for a byte
        {"added_tokens": [added("a", 64)]},
        {"added_tokens": [added("<x>", 257)]},
        {"added_tokens": [added("<x>"), added("<y>", 257, normalized=True)]},
        {"model": bpe(BYTES | {"ab": 256}, [["a", "b"]]), "added_tokens": [added("ab")]},
        {"model": bpe(ignore_merges=True)},
        {"model": bpe(dropout=0.5)},
        {"model": bpe(byte_fallback=True)},
        {"model": bpe(continuing_subword_prefix="##")},
        {"model": bpe(end_of_word_suffix="</w>")},
    ],
)
def test_file_with_an_unsupported_feature_is_read_by_the_library(load, change):
    change = {"post_processor": None, "added_tokens": [], **change}
    if change["post_processor"]:
        change["post_processor"] |= {"trim_offsets": True, "add_prefix_space": False}
    assert load(**change).runs_in_library


@pytest.mark.parametrize(("regex", "pieces"), [("gpt2", ["a ", "gpt2", "'s"]), ("-", ["a gpt2's"])])
def test_pattern_in_a_file_is_not_read_as_the_name_of_a_pattern(load, regex, pieces):
    split = {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}
    byte_level = {**BYTE_LEVEL, "use_regex": False}
    enc = load(pre_tokenizer={"type": "Sequence", "pretokenizers": [split, byte_level]}, post_processor=None)
    assert [b"a gpt2's"[start:end].decode() for start, end in enc.pre_tokens("a gpt2's")] == pieces


# Text after a special token

MERGES = [["u", "s"], ["e", "r"], ["us", "er"], ["▁", "user"]]
NAMES = ["<unk>", *"<s>▁ehlouar", "us", "er", "user", "▁user"]
LETTERS = {name: i for i, name in enumerate(dict.fromkeys(NAMES))}
MISTRAL = {
    "pre_tokenizer": METASPACE,
    "decoder": None,
    "model": bpe(LETTERS, MERGES, unk_token="<unk>", fuse_unk=True),
}


def test_metaspace_adds_a_space_only_at_the_start_of_a_text(load):
    enc = load([added("<s>", 99)], **MISTRAL)
    mark = enc.special_tokens["<s>"]
    assert enc.encode("<s>user", "special") == [mark, LETTERS["user"]]
    assert enc.encode("user<s>user", "special") == [LETTERS["▁user"], mark, LETTERS["user"]]


def test_stages_show_that_space_only_at_the_start_of_a_text(load):
    enc = load([added("<s>", 99, special=False)], **MISTRAL)
    outputs = {stage.name: stage.output for stage in enc.stages("user<s>user")}
    assert outputs["pre-tokenizer"] == outputs["model"] == ["▁user", "<s>", "user"]


def test_chat_messages_are_tokenized_within_the_whole_prompt(load):
    enc = load([added("<s>", 99)], **MISTRAL)
    mark, user, spelled = enc.special_tokens["<s>"], LETTERS["user"], enc.encode("<s>")[1:]
    parts = [Part("<s>", True, 0), Part("user", False, 0), Part("<s>", True, 1), Part("user", False, 1)]
    assert Prompt(parts, enc).tokens.ids == [mark, user, mark, user]
    parts[3] = Part("user<s>user", False, 1)  # a message that spells the token is read as text
    tokens = Prompt(parts, enc).tokens
    assert tokens.ids == [mark, user, mark, user, *spelled, user]
    assert spans(tokens)[:4] == [(0, 3), (3, 7), (7, 10), (10, 14)] and tokens.ends[-1] == 21


# Decoders and other steps


def test_decode_uses_the_decoder_of_the_file(load):
    assert load(decoder={"type": "Sequence", "decoders": [BYTE_LEVEL, STRIP]}).decode([220, 64]) == "a"
    assert load(decoder=None).decode([127, 102]) == "Ã ©"
    unknown = load(pre_tokenizer=None, decoder={"type": "Fuse"}, model=bpe({"a": 0, "?": 1}, unk_token="?"))
    assert unknown.decode(unknown.encode("aéa")) == "a?a"


def test_text_is_tokenized_although_the_decoder_fails(load):
    strip = {"type": "Strip", "content": "a", "start": 0, "stop": 1}
    model = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}
    enc = load(
        pre_tokenizer=None, decoder={"type": "Sequence", "decoders": [{"type": "Fuse"}, strip, strip]}, model=model
    )
    with pytest.raises(TokenizerError, match="library reports"):
        enc.decode([0])
    tokens, holds = encode_segment("a", enc, "text", is_inside=False)
    assert tokens.ids == [0] and not holds


def test_post_processor_adds_a_token_outside_the_vocabulary(load):
    around = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [5], "tokens": ["[CLS]"]}},
    }
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1}, "unk_token": "[UNK]"}
    enc = load([added("[CLS]", 5)], pre_tokenizer={"type": "Whitespace"}, post_processor=around, model=model)
    assert enc.stages("a")[3].output == ["[CLS]", "a"]


def test_character_with_some_unknown_bytes_is_unknown_once(load):
    enc = load(model=bpe({"[UNK]": 0, "à": 1, "a": 2}, unk_token="[UNK]"), post_processor=None)
    assert enc.encode("aกaé") == [2, 1, 0, 0, 2, 0, 0]  # only the first byte of ก has a token
    assert enc.unknown_characters("aกaé") == [(1, "ก"), (3, "é")]


BYTE_NAMES = {"a": 0} | {f"<0x{byte:02X}>": byte + 1 for byte in range(256)}


def test_bytes_of_subword_marks_cover_nothing(load):
    parts = {"pre_tokenizer": None, "decoder": None}
    tokens = load(model=bpe(BYTE_NAMES, byte_fallback=True, end_of_word_suffix="</w>"), **parts).tokenize("b")
    assert tokens.ids == [99, 61, 48, 120, 63] and spans(tokens) == [(0, 1), *[(1, 1)] * 4]
    tokens = load(model=bpe(BYTE_NAMES, byte_fallback=True, continuing_subword_prefix="##"), **parts).tokenize("aé")
    assert tokens.ids == [0, 36, 36, 196, 170]
    assert spans(tokens) == [(0, 1), (1, 1), (1, 1), (1, 2), (2, 3)]


def test_spans_after_a_dropped_character_are_of_the_typed_text(load):
    parts = {"decoder": {"type": "Fuse"}, "pre_tokenizer": {"type": "Whitespace"}}
    assert spans(load(model=bpe({"b": 0}), **parts).tokenize("ab")) == [(1, 2)]
    model = bpe({"b": 0, "c": 1, "bc": 2}, [["b", "c"]])
    tokens = load([added("<x>", 3)], model=model, **parts).tokenize("éb éc<x>aéb", "special")
    assert tokens.ids == [0, 1, 3, 0]
    assert spans(tokens) == [(2, 3), (6, 7), (7, 10), (13, 14)]
    tokens = load(model=model, **parts).tokenize("béc")
    assert tokens.ids == [2] and spans(tokens) == [(0, 4)]


# Unusable files


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"normalizer": {"type": "Precompiled", "precompiled_charsmap": ""}}, "Cannot parse precompiled_charsmap"),
        (
            {"normalizer": BERTS, "added_tokens": [added("\u200c", normalized=True, special=False)]},
            "the normalizer removes every character of the added token '.u200c'",
        ),
        (
            {
                "normalizer": BERTS,
                "pre_tokenizer": {"type": "BertPreTokenizer"},
                "added_tokens": [added("\u200c", 2, normalized=True, special=False)],
                "model": {
                    "type": "WordPiece",
                    "vocab": {"[UNK]": 0, "hello": 1},
                    "unk_token": "[UNK]",
                    "continuing_subword_prefix": "##",
                    "max_input_chars_per_word": 100,
                },
            },
            "the normalizer removes every character of the added token '.u200c'",
        ),
        (  # with more normalizers, the library never ends on some texts
            {
                "normalizer": {"type": "Strip", "strip_left": True, "strip_right": False},
                "added_tokens": [added("\t", 3, normalized=True, single_word=True)],
            },
            "the normalizer removes every character of the added token '.t'",
        ),
        (
            {"pre_tokenizer": {"type": "Whitespace"}, "model": bpe({"a": 0}, unk_token="[UNK]")},
            "the tokenizer cannot encode unknown characters",
        ),
    ],
)
def test_file_that_the_library_cannot_use_raises_with_the_reason(load, change, reason):
    with pytest.raises(BadTokenizerFile, match=reason):
        load(**change)


@pytest.mark.slow
def test_twenty_thousand_added_tokens_are_loaded(load):
    names = [f"<extra_{i}>" for i in range(20_000)]
    for flags in ({}, {"special": False}):
        enc = load([added(name, 256 + i, **flags) for i, name in enumerate(names)])
        assert enc.encode("<extra_19999>a", "special") == [20_255, 64]
