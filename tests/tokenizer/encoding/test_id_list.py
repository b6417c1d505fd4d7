"""Pasted ids: common notations of a list are read; items that are not ids are reported and left out."""

import json
import pprint
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer import get_encoding
from tokenizer.encoding.id_list import NoIds, notes, parse_ids

GPT2 = get_encoding("gpt2")
IDS = [15496, 0, 995, 50256]

NOTATIONS = {
    "spaces": "15496 0 995 50256",
    "lines": "15496\n0\r\n995\r50256\n",
    "tabs": "15496\t0\t995\t50256",
    "csv": "15496,0,995,50256,",
    "european csv": "15496;0;995;50256",
    "python": str(IDS),
    "tuple": str(tuple(IDS)),
    "set": "{15496, 0, 995, 50256}",
    "json": json.dumps(IDS, indent=2),
    "strings": json.dumps([str(id) for id in IDS]),
    "numpy": str(np.array(IDS)),
    "nested": "[[15496, 0], [995, 50256]]",
    "pretty": pprint.pformat(IDS, width=1),
    "table": "| 15496 | 0 |\n| 995 | 50256 |",
    "code": "`15496`, `0`, `995`, `50256`",
    "angles": "<15496><0><995><50256>",
    "typeset quotes": "“15496”, ‘0’, “995”, ‘50256’",
    "wide commas": "15496，0、995；50256",
    "arabic commas": "15496، 0، 995، 50256",
    "no-break spaces": "15496\u00a00\u202f995\u300050256",
    "invisible": "\ufeff15496\u200b 0 \u200b995\u2028 50256",
    "a batch of transformers": "{'input_ids': [[15496, 0, 995, 50256]], 'attention_mask': [[1, 1, 1, 1]]}",
    "its tensors": "{'token_type_ids': tensor([[0, 0]]), 'input_ids': tensor([[15496, 0],\n [995, 50256]]), 'n': 1}",
    "a tensor": "tensor([[15496, 0],\n        [995, 50256]])",
    "a tensor on a device": "tensor([[15496, 0, 995, 50256]], device='cuda:0', dtype=torch.int32)\n",
    "an array": "array([15496,     0,   995, 50256], dtype=uint32)",
    "of TensorFlow": "<tf.Tensor: shape=(1, 4), dtype=int32, numpy=array([[15496, 0, 995, 50256]], dtype=int32)>",
    "its text": "tf.Tensor([[15496 0]\n [995 50256]], shape=(2, 2), dtype=int32)",
    "a batch of TensorFlow": "{'input_ids': <tf.Tensor: shape=(1, 4), dtype=int32, numpy=\n"
    "array([[15496, 0, 995, 50256]], dtype=int32)>, 'attention_mask': <tf.Tensor: shape=(1, 4), dtype=int32, numpy=\n"
    "array([[1, 1, 1, 1]], dtype=int32)>}",
    "an object of it": "BatchEncoding(input_ids=[15496, 0, 995, 50256], attention_mask=[1, 1, 1, 1])",
    "JSON lines of it": '{"input_ids": [15496, 0], "attention_mask": [1, 1]}\n{"input_ids": [995, 50256]}',
    "half of its JSON": '{"attention_mask": [1, 1], "input_ids": [15496, 0, 995, 50256',
    "signs and zeros": "+15496 -0 000000000000995 050256",
    "thai digits": "๑๕๔๙๖ ๐ ๙๙๕ ๕๐๒๕๖",
    "arabic digits": "١٥٤٩٦، ٠، ٩٩٥، ٠٠٠٠٠٠٠٠٠٥٠٢٥٦",
    "wide digits": "[１５４９６，０，９９５，５０２５６]",
}


@pytest.mark.parametrize("name", NOTATIONS)
def test_every_notation_gives_the_same_list_without_notes(name):
    assert parse_ids(NOTATIONS[name], GPT2) == (IDS, [])
    noted = " ".join(notes(NOTATIONS[name], GPT2))
    assert ("The end of the list is missing" in noted) == (name == "half of its JSON") and "two ids" not in noted


def test_empty_lists_give_no_ids_and_no_problems():
    for source in ("", " \n\t", "[]", "[[], ()]", ",,,", "\ufeff"):
        assert parse_ids(source, GPT2) == ([], []), source


NO_WHOLE_NUMBERS = "x 1.0 1. .5 2e3 1_000 0x10 0b1 1-2 --1 + - None NaN ... 3… 1/2 ² ½ −5 五 👍 1\u0301 1\x00 1\u200d"


def test_items_that_are_no_whole_numbers_are_reported():
    for item in NO_WHOLE_NUMBERS.split(" "):
        ids, bad = parse_ids(f"[1, {item}, 2]", GPT2)
        assert ids == [1, 2], item
        assert [(one.position, one.item, one.reason) for one in bad] == [(2, item, "not a whole number")]


@pytest.mark.parametrize("item", ["-1", "-15496", "50257", "99999999", "9" * 10, "9" * 10_000, "-" + "9" * 10_000])
def test_numbers_out_of_range_are_reported_with_the_range(item):
    ids, bad = parse_ids(f"1 {item} 2", GPT2)
    assert ids == [1, 2]
    reason = "not an id of gpt2: ids go from 0 to 50,256"
    assert [(one.position, one.item, one.reason) for one in bad] == [(2, item, reason)]


def test_unused_ids_are_left_out():
    ids, bad = parse_ids("100255 100256 100257", get_encoding("cl100k_base"))
    assert ids == [100255, 100257]
    assert [one.item for one in bad] == ["100256"]


def test_other_words_in_a_list_are_reported_with_their_positions():
    ids, bad = parse_ids('{"ids": tensor([15496, 0], dtype=int64), "n": 2}', GPT2)
    assert ids == [15496, 0, 2]
    assert {one.position: one.item for one in bad} == {1: "ids", 2: "tensor", 5: "dtype", 6: "int64", 7: "n"}
    assert len(bad) == 5


@given(st.lists(st.integers(0, 50256)), st.sampled_from([" ", ",", ", ", "\n", "; ", "\t|\t"]))
def test_ids_in_any_separators_are_read(ids, separator):
    assert parse_ids(separator.join(map(str, ids)), GPT2) == (ids, [])


@given(st.text(st.characters() | st.sampled_from("0123456789,+-. \n")))
def test_any_text_gives_known_ids_and_reported_items(source):
    ids, bad = parse_ids(source, GPT2)
    assert all(GPT2.has_token(id) for id in ids)
    assert all(one.item and one.item in source for one in bad)
    positions = [one.position for one in bad]
    assert positions == sorted(set(positions))
    assert all(1 <= position <= len(ids) + len(bad) for position in positions)


def test_time_for_spaces_after_a_tensor_grows_with_their_number():
    start = time.thread_time()
    assert parse_ids("tensor([15496])" + " " * 30_000 + "x", GPT2)[0] == [15496]
    assert time.thread_time() - start < 1


def test_unused_id_has_its_own_message():
    _, [bad] = parse_ids("100256", get_encoding("cl100k_base"))
    assert str(bad) == "item 1: '100256' is an unused id of cl100k_base: no token has this id"


@pytest.mark.parametrize(
    "source, keys",
    [
        ('{"attention_mask":[1,1]}', ["attention_mask"]),
        ("{'token_type_ids': tensor([[0]]), 'attention_mask': tensor([[1]])}", ["token_type_ids", "attention_mask"]),
        (
            "{'attention_mask': <tf.Tensor: shape=(1, 1), dtype=int32, numpy=array([[1]], dtype=int32)>}",
            ["attention_mask"],
        ),
        ("BatchEncoding(attention_mask=[1, 1], attention_mask=[1])", ["attention_mask"]),
    ],
)
def test_objects_without_input_ids_raise_with_their_keys(source, keys):
    with pytest.raises(NoIds, match="input_ids") as raised:
        parse_ids(source, GPT2)
    assert raised.value.keys == keys


@pytest.mark.parametrize("source", ['{"input_ids":[15496', "[15496, 0", "[[15496], [0", "x = [15496 # …"])
def test_list_without_its_end_is_noted_as_cut_off(source):
    assert "The end of the list is missing" in " ".join(notes(source, GPT2))


@pytest.mark.parametrize(
    "source, note",
    [
        ("24,912 2,375", "24,912 is read as two ids. If it is a single id, write 24912."),
        ("7, 24,912, 8", "24,912"),
        ("24'912;2’375", "24'912"),
        ("๒๔,๙๑๒", "write ๒๔๙๑๒"),
    ],
)
def test_numbers_with_thousands_separators_are_noted(source, note):
    assert note in " ".join(notes(source, GPT2))


def test_other_lists_have_no_note_on_thousands_separators():
    for source in ("", "1,234,567", "464,318", "[24,912]", "24,912 1,2", "24,912,7", "1.5,123", "'24','912'"):
        assert "two ids" not in " ".join(notes(source, GPT2)), source
