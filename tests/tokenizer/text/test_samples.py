"""The example texts: their order, their cleanliness, and that each says what it claims."""

import ast
import json
from unicodedata import name

import pytest

from tokenizer.text.hygiene import findings
from tokenizer.text.samples import samples

BY_NAME = {sample.name: sample for sample in samples()}


def test_the_order_is_that_of_the_screen():
    order = "First look, Thai, English, Five scripts, Python, Numbers, Egg, Emoji, Special token, JSON | YAML"
    assert ", ".join(BY_NAME) == order


def test_names_labels_and_texts_are_distinct():
    for field in ("name", "label", "text"):
        values = [getattr(sample, field) for sample in samples()]
        assert all(values) and len(set(values)) == len(values) == 10


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_nothing_is_hidden_in_a_sample(sample):
    # Also says that it is NFC and without white space at line ends; the joiners in the emoji are at work.
    assert findings(sample.text, encode=str.encode) == []
    assert not sample.text.endswith("\n")


def test_the_first_look_is_a_line_in_english_and_one_in_thai():
    lines = BY_NAME["First look"].text.split("\n")
    assert ["THAI" in _scripts(line) for line in lines] == [False, True]
    assert 80 <= len(BY_NAME["First look"].text) <= 100


def test_each_of_the_five_lines_has_its_own_script():
    lines = BY_NAME["Five scripts"].text.split("\n")
    assert [_scripts(line) for line in lines] == [{"LATIN"}, {"THAI"}, {"DEVANAGARI"}, {"ARABIC"}, {"CJK"}]


def test_the_python_sample_parses():
    [function] = ast.parse(BY_NAME["Python"].text).body
    assert isinstance(function, ast.FunctionDef)


def test_the_sums_are_right():
    lines = BY_NAME["Numbers"].text.replace(",", "").split("\n")
    sums = [line.split(" = ") for line in lines if " = " in line]
    assert len(sums) == 5
    for question, answer in sums:
        left, sign, right = question.split()
        assert float(answer) == (float(left) + float(right) if sign == "+" else float(left) / float(right))


def test_the_special_token_is_spelled_out():
    assert "<|endoftext|>" in BY_NAME["Special token"].text


def test_json_and_yaml_say_the_same():
    as_json, as_yaml = BY_NAME["JSON | YAML"].text.split("\n\n")
    assert json.loads(as_json) == _record(as_yaml)


def _scripts(text):
    """The scripts of the letters, by the first word of their Unicode names."""
    return {name(c).split()[0] for c in text if c.isalpha()}


def _record(yaml):
    """A flat YAML record of strings, numbers, booleans and lists of strings: all that the sample uses."""
    record, key = {}, None
    for line in yaml.splitlines():
        if line.startswith("  - "):
            record[key].append(line[4:])
        else:
            key, _, value = line.replace(": ", ":").partition(":")
            record[key] = json.loads(value) if value.isdigit() or value in {"true", "false"} else value or []
    return record
