"""Limits of the tokenizers that visitors bring."""

import json
import tracemalloc

import pytest

from server.encodings import sidecar_files, uploads
from tokenizer.encoding.spelling import CHARACTERS
from tokenizer.errors import BadTokenizerFile


def with_added_tokens(names):
    """A tokenizer.json whose vocabulary has the bytes alone, with these special tokens."""
    vocabulary = {letter: i for i, letter in enumerate(sorted(CHARACTERS.values()))}
    options = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False) | {"special": True}
    added = [{"id": 256 + i, "content": name, **options} for i, name in enumerate(names)]
    kind = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    model = {"type": "BPE", "vocab": vocabulary, "merges": []}
    facts = {"version": "1.0", "added_tokens": added, "pre_tokenizer": kind, "decoder": kind, "model": model}
    return {"tokenizer.json": json.dumps(facts).encode()}


@pytest.mark.slow
def test_tokenizer_with_the_reserved_tokens_of_llama_4_opens():
    found = uploads.load(with_added_tokens([f"<|reserved_special_token_{i}|>" for i in range(2_048)]))
    assert len(found.special_tokens) == 2_048
    assert found.encode("a<|reserved_special_token_2047|>", special="special")[1:] == [256 + 2_047]


@pytest.mark.slow
@pytest.mark.parametrize(
    "names, words",
    [
        ([f"<{i}>" for i in range(2_501)], "2,501 special tokens; the limit is 2,500 special"),
        ([f"<{i}>{'a' * 50}" for i in range(2_000)], "110,890 characters together; the limit is 100,000"),
    ],
)
def test_more_special_tokens_are_refused(names, words):
    with pytest.raises(BadTokenizerFile, match=words):
        uploads.load(with_added_tokens(names))


def test_files_of_a_models_folder_that_are_no_tokenizer_do_not_keep_it_waiting():
    data = with_added_tokens([])
    files = uploads.by_name([("LICENSE", b"MIT"), ("modules.json", b"[]"), ("a.py", b""), *data.items()])
    assert [[*one] for one in uploads.sets(files)] == [["tokenizer.json", "LICENSE", "modules.json"], ["a.py"]]


def test_settings_belong_to_the_only_tokenizer_beside_other_files():
    """The folder of Kimi K2; beside its program, the settings were said to lack a tokenizer."""
    files = dict.fromkeys(["tiktoken.model", "tokenization_kimi.py", "tokenizer_config.json", "params.json"], b"")
    first, second = uploads.sets(files)
    assert [*first] == ["tiktoken.model", "params.json", "tokenizer_config.json"]
    assert [*second] == ["tokenization_kimi.py"]


def test_berts_vocabulary_of_any_name_is_not_gpt2s_merges():
    files = {"bert-vocab.txt": b"[UNK]\n[CLS]\na\n", "bert-config.json": b'{"model_type": "bert"}'}
    assert [[*one] for one in uploads.sets(files)] == [["bert-vocab.txt"], ["bert-config.json"]]


def test_marians_spm_is_a_tokenizer_and_no_text():
    assert uploads.is_tokenizer("source.spm", b"\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\x02")


def test_kind_of_a_large_file_is_found_in_little_memory():
    tracemalloc.start()
    assert not uploads.is_tokenizer("a.txt", b"ab\n" * 1_000_000)
    assert uploads.needs_pattern({"a.tiktoken": b"YQ== 0\n" * 2_000_000})
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_huge_settings_beside_a_tokenizer_are_not_parsed():
    settings = b'{"bos_token": "<s>", "a": [' + b"[]," * 700_000 + b"0]}"
    tracemalloc.start()
    assert not sidecar_files.special_tokens(settings)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
