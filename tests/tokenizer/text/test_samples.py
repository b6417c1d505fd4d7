"""The sample texts: their order, their cleanliness and what each one claims."""

import ast
import json
from unicodedata import name

import pytest

from tokenizer.text.hygiene import findings
from tokenizer.text.samples import samples

BY_NAME = {sample.name: sample for sample in samples()}


def test_samples_have_the_order_of_the_page():
    order = "First look, Thai, English, Five scripts, Python, Numbers, Egg, Emoji, Special token, JSON | YAML"
    assert ", ".join(BY_NAME) == order


def test_names_labels_and_texts_are_distinct():
    for field in ("name", "label", "text"):
        values = [getattr(sample, field) for sample in samples()]
        assert all(values) and len(set(values)) == len(values) == 10


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_samples_have_no_hygiene_findings(sample):
    # So they are NFC and without white space at line ends; the joiners in emoji are functional.
    assert findings(sample.text, encode=str.encode) == []
    assert not sample.text.endswith("\n")


def test_first_look_has_an_english_and_a_thai_line():
    lines = BY_NAME["First look"].text.split("\n")
    assert ["THAI" in _scripts(line) for line in lines] == [False, True]
    assert 80 <= len(BY_NAME["First look"].text) <= 100


def test_five_scripts_has_one_script_a_line():
    lines = BY_NAME["Five scripts"].text.split("\n")
    assert [_scripts(line) for line in lines] == [{"LATIN"}, {"THAI"}, {"DEVANAGARI"}, {"ARABIC"}, {"CJK"}]


def test_python_sample_parses():
    [function] = ast.parse(BY_NAME["Python"].text).body
    assert isinstance(function, ast.FunctionDef)


def test_sums_in_numbers_are_right():
    lines = BY_NAME["Numbers"].text.replace(",", "").split("\n")
    sums = [line.split(" = ") for line in lines if " = " in line]
    assert len(sums) == 5
    for question, answer in sums:
        left, sign, right = question.split()
        assert float(answer) == (float(left) + float(right) if sign == "+" else float(left) / float(right))


def test_special_token_sample_contains_endoftext():
    assert "<|endoftext|>" in BY_NAME["Special token"].text


def test_json_and_yaml_samples_hold_the_same_data():
    as_json, as_yaml = BY_NAME["JSON | YAML"].text.split("\n\n")
    assert json.loads(as_json) == _record(as_yaml)


def _scripts(text):
    """The scripts of the letters, by the first word of their Unicode names."""
    return {name(c).split()[0] for c in text if c.isalpha()}


def _record(yaml):
    """Parses a flat YAML record of strings, numbers, booleans and lists of strings."""
    record, key = {}, None
    for line in yaml.splitlines():
        if line.startswith("  - "):
            record[key].append(line[4:])
        else:
            key, _, value = line.replace(": ", ":").partition(":")
            record[key] = json.loads(value) if value.isdigit() or value in {"true", "false"} else value or []
    return record
