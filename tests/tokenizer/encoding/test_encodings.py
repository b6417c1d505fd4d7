"""Every registered encoding equals tiktoken's."""

import gzip
import hashlib
import socket
import threading
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
import tiktoken
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import official, oracle
from texts import TEXTS
from tiktoken_ext import openai_public
from tokenizers import Tokenizer, models

from tokenizer import get_encoding, list_encoding_names, model_names
from tokenizer.errors import (
    BadSpecialMode,
    BadSpecialTokens,
    DamagedEncodingFile,
    TokenizerError,
    UnknownEncoding,
    UnknownTokenIds,
)
from tokenizer.kinds import registry
from tokenizer.text.well_formed import well_formed

NAMES = list_encoding_names()
every_encoding = pytest.mark.parametrize("name", NAMES)


def test_encoding_names_equal_tiktokens():
    assert list(openai_public.ENCODING_CONSTRUCTORS) == NAMES


@every_encoding
def test_facts_equal_tiktoken(name):
    enc, facts = get_encoding(name), official(name)
    assert enc.name == facts["name"]
    assert enc.pattern == facts["pat_str"]
    assert enc.special_tokens == facts["special_tokens"]
    assert enc.ranks is facts["mergeable_ranks"]
    assert enc.id_limit == oracle(name).n_vocab
    assert enc.vocab_size == len({*enc.ranks.values(), *enc.special_tokens.values()})
    assert enc.safe_cuts


@every_encoding
def test_rank_table_has_the_official_hash(name):
    enc = get_encoding(name)
    lines = [b"%s %d\n" % (b64encode(token), rank) for token, rank in enc.ranks.items()]
    assert hashlib.sha256(b"".join(lines)).hexdigest() == enc.fingerprint


# Text to ids


@every_encoding
@examples(250)
@given(text=TEXTS)
def test_ids_equal_tiktoken(name, text):
    enc, theirs = get_encoding(name), oracle(name)
    ordinary, special = theirs.encode_ordinary(text), theirs.encode(text, allowed_special="all")
    assert enc.encode(text) == ordinary
    assert enc.encode(text, special="special") == special
    assert enc.encode_array(text).tolist() == ordinary
    assert enc.tokenize(text, special="special").ids == special
    # used when tiktoken's regex engine fails
    assert enc.model.encode_in_pieces(well_formed(text)[0]) == ordinary


def test_known_texts_have_known_ids():
    assert get_encoding("gpt2").encode("hello world") == [31373, 995]
    assert get_encoding("cl100k_base").encode("hello world") == [15339, 1917]
    assert get_encoding("cl100k_base").encode("👍") == [9468, 239, 235]
    assert get_encoding("cl100k_base").pre_tokens("it's 2026<|endoftext|>", "special") == [
        *[(0, 2), (2, 4), (4, 5), (5, 8), (8, 9), (9, 22)]
    ]


@pytest.mark.parametrize("mode", ["all", "", None, True, "Text"])
def test_unknown_special_mode_raises(mode):
    enc = get_encoding("gpt2")
    for method in (enc.encode, enc.tokenize, enc.pre_tokens, enc.encode_array):
        with pytest.raises(BadSpecialMode, match="'text', 'special' or 'error'"):
            method("text", mode)


@pytest.mark.parametrize("text", [b"bytes", None, 5])
def test_text_that_is_not_a_str_raises(text):
    with pytest.raises(TypeError, match="must be a str"):
        get_encoding("gpt2").encode(text)


LONG_RUN_CHARACTERS = 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt2", "o200k_base"])
@pytest.mark.parametrize("run", [" ", "\t", "\n", " \n"])
def test_texts_over_the_limit_of_tiktokens_regex_are_encoded(name, run):
    enc, text = get_encoding(name), "word" + run * (LONG_RUN_CHARACTERS // len(run)) + "x"
    ids = enc.encode(text)
    assert enc.decode(ids) == text
    # tiktoken encodes a run of a quarter of the length, so both can be compared
    shorter = "word" + run * (LONG_RUN_CHARACTERS // 4 // len(run)) + "x"
    assert enc.encode(shorter) == enc.model.encode_in_pieces(shorter) == oracle(name).encode_ordinary(shorter)
    assert enc.encode("hello") == oracle(name).encode_ordinary("hello")


@pytest.mark.slow
def test_other_threads_run_while_a_million_spaces_are_encoded(monkeypatch):
    enc, theirs, spaces = get_encoding("o200k_base"), oracle("o200k_base"), " " * LONG_RUN_CHARACTERS
    # the patterns leave the last space to the word after it
    whole = tiktoken.Encoding("", pat_str=r"[\s\S]+", mergeable_ranks=theirs._mergeable_ranks, special_tokens={})
    expected = whole.encode_ordinary(spaces[:-1]) + theirs.encode_ordinary(" x")
    enc.model.encode_in_pieces(" ")  # builds what it needs before the counting starts
    turns, gained, over = [0], [], threading.Event()
    encode_ordinary = tiktoken.Encoding.encode_ordinary

    def counted(self, text):
        before = turns[0]
        try:
            return encode_ordinary(self, text)
        finally:
            gained.append(turns[0] - before)

    def tick():
        while not over.wait(0.001):
            turns[0] += 1

    monkeypatch.setattr(tiktoken.Encoding, "encode_ordinary", counted)
    ticking = threading.Thread(target=tick)
    ticking.start()
    try:
        assert enc.encode(spaces + "x") == expected
    finally:
        over.set()
        ticking.join(10)
    assert max(gained) > 0


def test_tiktoken_raises_a_value_error_for_a_million_spaces():
    # If this fails, tiktoken encodes the text (then delete `except ValueError`) or raises another error.
    with pytest.raises(ValueError, match="Regex error"):
        get_encoding("gpt2").model.tiktoken.encode_to_numpy(" " * LONG_RUN_CHARACTERS + "x", disallowed_special=())


@pytest.mark.slow
def test_special_tokens_are_read_beside_a_million_spaces():
    enc, text = get_encoding("o200k_base"), "a<|endoftext|>" + " " * LONG_RUN_CHARACTERS + "b<|endoftext|>"
    ids = enc.encode(text, special="special")
    assert enc.decode(ids) == text
    assert ids.count(199999) == 2
    assert enc.tokenize(text, special="special").ends[-1] == len(text)


# Ids to text


@every_encoding
@examples(50)
@given(data=st.data())
def test_known_ids_decode_as_tiktoken_does(name, data):
    enc = get_encoding(name)
    ids = data.draw(st.lists(st.sampled_from(range(len(enc.ranks) - 1)), max_size=20))
    ids = [id for id in ids if id != 50256]
    assert enc.decode_bytes(ids) == oracle(name).decode_bytes(ids)
    assert enc.decode(ids) == oracle(name).decode(ids)
    assert enc.decode(tuple(ids)) == enc.decode(np.array(ids, dtype=np.uint32)) == enc.decode(ids)


@pytest.mark.parametrize("id", [-1, 100261, 100277, 2**32, 10**30, 1.0, 1.5, "1", None, True, [1]])
def test_unknown_ids_raise_with_their_positions(id):
    enc = get_encoding("cl100k_base")
    with pytest.raises(UnknownTokenIds) as caught:
        enc.decode([15339, id, 1917, id])
    assert caught.value.unknown == {1: id, 3: id}
    assert f"{id!r} at position 2" in str(caught.value)


# More special tokens


def test_special_token_with_white_space_disables_safe_cuts():
    enc = get_encoding("gpt2")
    assert enc.with_special_tokens({"<|ok|>": 60000, "</a>": 60001}).safe_cuts
    assert not enc.with_special_tokens({"two words": 60000}).safe_cuts


@pytest.mark.parametrize(
    ("special_tokens", "reason"),
    [
        ({"": 60000}, "must be a string that is not empty"),
        ({5: 60000}, "must be a string that is not empty"),
        ({"\ud800": 60000}, "surrogates"),
        ({"\ud83d\udc4d": 60000}, "surrogates"),
        ({"<|a|>": -1}, "whole number"),
        ({"<|a|>": 10**9}, "whole number"),
        ({"<|a|>": "60000"}, "whole number"),
        ({"<|a|>": True}, "whole number"),
        ({"<|a|>": 995}, "belongs to the token ' world'"),
        ({"<|a|>": 50256}, "belongs to the token '<|endoftext|>'"),
        ({"<|endoftext|>": 60000}, "already has this special token, with id 50256"),
        ({"<|a|>": 60000, "<|b|>": 60000}, "the special token '<|a|>' has the same id"),
    ],
)
def test_invalid_special_tokens_raise_with_the_reason(special_tokens, reason):
    with pytest.raises(BadSpecialTokens) as caught:
        get_encoding("gpt2").with_special_tokens(special_tokens)
    assert reason in str(caught.value)


NESTED = ["<|end", "<|endoftext|>s", "of", "oftext|>", "<|a|>", "a|><|b", " <|a"]


@examples(100)
@given(text=st.lists(st.sampled_from([*NESTED, "<|endoftext|>", "<", "|>", "x"]), max_size=8).map("".join))
def test_leftmost_longest_of_overlapping_special_tokens_is_read(text):
    enc = get_encoding("gpt2").with_special_tokens({name: 60_000 + i for i, name in enumerate(NESTED)})
    library = Tokenizer(models.WordLevel({"?": 0}, "?"))
    library.add_special_tokens([*NESTED, "<|endoftext|>"])
    found = library.encode(text, add_special_tokens=False)
    theirs = [name for name in found.tokens if name != "?"]
    assert [name for name, id in enc.split_special_tokens(text, "special") if id is not None] == theirs


# The registry


def test_model_names_select_their_encodings():
    assert get_encoding("gpt-4o") is get_encoding("o200k_base")
    assert get_encoding("gpt-2") is get_encoding("gpt2")
    for name in NAMES:
        for model in model_names(name):
            assert get_encoding(model.replace("*", "2026")).name == name
    assert model_names("p50k_edit") == ["text-davinci-edit-001", "code-davinci-edit-001"]


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("cl100k", "cl100k_base"),
        ("gpt-4oo", "gpt-4o"),
        ("gpt4", "gpt-4"),
        ("???", None),
        ("", None),
        (None, None),
        (["gpt2"], "gpt2"),  # not hashable
    ],
)
def test_unknown_encoding_raises_with_the_nearest_name(name, suggestion):
    with pytest.raises(UnknownEncoding) as caught:
        get_encoding(name)
    assert caught.value.suggestion == suggestion
    assert ("Did you mean" in str(caught.value)) == (suggestion is not None)
    assert isinstance(caught.value, TokenizerError)


@pytest.fixture
def empty_registry(monkeypatch):
    monkeypatch.setattr(registry, "loaded", {})
    monkeypatch.setattr(registry, "ranks", cache(registry.ranks.__wrapped__))
    monkeypatch.setattr(registry, "model", cache(registry.model.__wrapped__))


def test_forty_threads_load_an_encoding_once(empty_registry, monkeypatch):
    made = []
    make = registry.Encoding
    monkeypatch.setattr(registry, "Encoding", lambda *facts: made.append(1) or make(*facts))
    with ThreadPoolExecutor(40) as threads:
        found = set(threads.map(get_encoding, ["gpt2"] * 40))
    assert len(found) == len(made) == 1


def test_threads_encode_at_the_same_time():
    enc, texts = get_encoding("o200k_base"), [f"สวัสดี {i} hello" * 50 for i in range(40)]
    with ThreadPoolExecutor(40) as threads:
        assert list(threads.map(enc.encode, texts)) == [oracle("o200k_base").encode_ordinary(text) for text in texts]


def test_loading_uses_no_network(empty_registry, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert get_encoding("gpt-4").encode("hello world") == [15339, 1917]


RANK_FILE = (registry.FOLDER / "r50k_base.tiktoken.gz").read_bytes()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be used: the file is missing\\."),
        (b"", "the sha256 of its unzipped bytes is"),
        (RANK_FILE[: len(RANK_FILE) // 2], "unzipped"),
        (b"version https://git-lfs.github.com/spec/v1\n", "unzipped"),
        (RANK_FILE[:1000] + b"\x00\x00" + RANK_FILE[1002:], "unzipped"),
        (
            gzip.compress(gzip.decompress(RANK_FILE).replace(b"\n", b"\r\n"), mtime=0),
            f"the sha256 of its unzipped bytes is [0-9a-f]{{64}}, but should be {registry.SHA256['r50k_base']}",
        ),
    ],
)
def test_damaged_encoding_file_raises_with_its_path(empty_registry, monkeypatch, tmp_path, content, reason):
    path = tmp_path / "r50k_base.tiktoken.gz"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(registry, "FOLDER", tmp_path)
    with pytest.raises(DamagedEncodingFile, match=reason) as caught:
        get_encoding("gpt2")
    assert caught.value.path == path
    assert str(path) in str(caught.value)
    assert str(caught.value).endswith(". Get the file again from the repository of Tokenloupe.")
    assert ("sha256" in str(caught.value)) == ("sha256" in reason)
