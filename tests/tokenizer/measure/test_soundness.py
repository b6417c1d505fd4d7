"""The checks of a tokenizer: sound ones pass, and a file with one fault fails the check of this fault alone."""

import json
import re
from functools import cache

import pytest
import sentencepieces
from paths import ROOT
from pipelines import CORPUS
from pipelines import loaded as loaded_pipeline
from shell import invoke
from temporary import new_folder

from tokenizer import encoding_files, encoding_from_merges, get_encoding, load_encoding, train, train_characters
from tokenizer.encoding.spelling import spell
from tokenizer.formats.sandboxed_model import load_sandboxed
from tokenizer.formats.second_readers import second_readers
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.measure.soundness import CHECKS, FAIL, PASS, TITLES, WARN, check

THAI_MARKS = r"[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]"


def verdicts(encoding, path=None):
    found = check(encoding, second_readers(path, encoding) if path else {})
    return {one.name: one.verdict for one in found}


def failed(encoding):
    return {one.name: one.explanation for one in check(encoding) if one.verdict == FAIL}


# One planted fault each


@cache
def trained(change=str):
    return encoding_from_merges(
        train([change(text) for text in CORPUS], 700, "o200k_base"), "o200k_base", name="tokenizer"
    )


@cache
def with_unknown():
    # the digits and ASCII letters, but no Thai
    texts = [text for text in CORPUS if text.isascii()] + ["0123456789 abcdefghijklmnopqrstuvwxyz\n\t"]
    merges = train(texts, 200, "o200k_base", alphabet="characters")
    return encoding_from_merges(merges, "o200k_base", [], "tokenizer", {c for text in texts for c in text})


def facts_of(encoding):
    return json.loads(encoding_files(encoding, "huggingface", "tokenizer")["tokenizer.json"])


def byte_level():
    return facts_of(trained())


def without_numbers():
    return facts_of(trained(letters))


def letters(text):
    return re.sub("[0-9]+", "", text)


def lower_case():
    return facts_of(trained(str.lower)) | {"normalizer": {"type": "Lowercase"}}


def characters():
    return facts_of(with_unknown())


def removing(regex):
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Removed", "invert": False}


def split_first(facts, regex):
    steps = facts["pre_tokenizer"]["pretokenizers"]
    facts["pre_tokenizer"]["pretokenizers"] = [removing(regex), *steps]


def underscores_decoded_as_spaces(facts):
    replace = {"type": "Replace", "pattern": {"String": "_"}, "content": " "}
    facts["decoder"] = {"type": "Sequence", "decoders": [facts["decoder"], replace]}


def accents_replaced_in_one_form(facts):
    facts["normalizer"] = {"type": "Replace", "pattern": {"String": "é"}, "content": "e"}


def byte_missing(facts):
    vocab = facts["model"]["vocab"]
    last = max(vocab, key=vocab.get)
    vocab[last] = vocab.pop(spell(b"\xee"))  # so that there is no gap


def word_declared_special(facts):
    word = next(one for one in facts["model"]["vocab"] if len(one) > 2 and one.isalpha() and one.isascii())
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    facts["added_tokens"].append({"id": facts["model"]["vocab"][word], "content": word, **flags})


def digits_replaced_by_zeros(facts):
    facts["normalizer"] = {"type": "Replace", "pattern": {"Regex": "[0-9]"}, "content": "0"}


def thai_digits_replaced_by_one(facts):
    facts["normalizer"] = {"type": "Replace", "pattern": {"Regex": "[๐-๙]"}, "content": "๐"}


def two_tokens_with_one_id(facts):
    vocab = facts["model"]["vocab"]
    vocab["zqzq"] = max(vocab.values())


def marks_removed_before_merging(facts):
    split_first(facts, THAI_MARKS)


def line_ends_removed(facts):
    split_first(facts, r"\n+")


def indentation_removed(facts):
    split_first(facts, r"(?<=\n) {4,}")


def capitals_in_a_lower_cased_vocabulary(facts):
    vocab = facts["model"]["vocab"]
    vocab["QZ"] = max(vocab.values()) + 1
    facts["model"]["merges"].append(["Q", "Z"])


def first_letter_stripped(facts):
    strip = {"type": "Strip", "content": "a", "start": 1, "stop": 0}
    facts["decoder"] = {"type": "Sequence", "decoders": [facts["decoder"], strip]}


def no_unknown_token(facts):
    facts["model"]["unk_token"] = None


NEVER_READ = {"unreachable"}  # it may warn: of tokens of text that is removed, or has another token
FAULTS = {  # the fault: the sound file, the check that fails, and others that may warn
    underscores_decoded_as_spaces: (byte_level, "round_trip", set()),
    first_letter_stripped: (byte_level, "round_trip", set()),
    accents_replaced_in_one_form: (byte_level, "normal_forms", set()),
    byte_missing: (byte_level, "bytes", set()),
    word_declared_special: (byte_level, "special_tokens", set()),
    digits_replaced_by_zeros: (without_numbers, "digits", NEVER_READ),
    thai_digits_replaced_by_one: (byte_level, "digits", set()),
    two_tokens_with_one_id: (byte_level, "ids", NEVER_READ),
    marks_removed_before_merging: (byte_level, "combining_marks", NEVER_READ),
    line_ends_removed: (byte_level, "white_space", NEVER_READ),
    indentation_removed: (byte_level, "white_space", set()),
    capitals_in_a_lower_cased_vocabulary: (lower_case, "unreachable", set()),
    no_unknown_token: (characters, "unknown", set()),
}


def written(folder, facts):
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(facts), encoding="utf-8")
    return path


@cache
def verdicts_of_sound(make):
    path = written(new_folder(), make())
    return verdicts(load_encoding(path), path)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_planted_fault_fails_its_check_alone(tmp_path, fault):
    make, name, others = FAULTS[fault]
    before = verdicts_of_sound(make)
    assert FAIL not in before.values()
    facts = make()
    fault(facts)
    path = written(tmp_path, facts)
    for found in (
        verdicts(load_encoding(path), path),
        verdicts(load_sandboxed({path.name: path.read_bytes()}, path.name)),
    ):
        may_warn = {one: WARN for one in others if found[one] == WARN}
        assert found == before | may_warn | {name: FAIL}


def test_files_in_one_folder_that_disagree_fail_the_readers_alone(tmp_path):
    files = encoding_files(trained(), "huggingface", "tokenizer") | encoding_files(trained(), "gpt2")
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    path = tmp_path / "tokenizer.json"
    before = verdicts(load_encoding(path), path)
    assert FAIL not in before.values()
    names = [*second_readers(path, load_encoding(path))]
    assert names == [*second_readers(tmp_path, load_encoding(tmp_path))]
    assert names[0].startswith("Hugging Face’s tokenizers") and names[1:] == ["vocab.json + merges.txt"]
    head, *merges = files["merges.txt"].splitlines(keepends=True)
    (tmp_path / "merges.txt").write_bytes(b"".join([head, *reversed(merges[:40]), *merges[40:]]))
    assert verdicts(load_encoding(path), path) == before | {"readers": FAIL}


@pytest.mark.parametrize(
    "change, words, example",
    [
        (
            lambda facts: split_first(facts, "[\U0001f300-\U0001faff]"),
            "text that is dropped when the text is split (1)",
            "😀",
        ),
        (
            lambda facts: facts.update(
                normalizer={"type": "Replace", "pattern": {"String": "ำ"}, "content": "\u0e4d\u0e32"}
            ),
            "replaces by an equivalent form (1)",
            "ทำงาน",
        ),
    ],
)
def test_loss_in_the_round_trip_has_its_cause(tmp_path, change, words, example):
    facts = byte_level()
    change(facts)
    found = {one.name: one for one in check(load_encoding(written(tmp_path, facts)))}["round_trip"]
    assert found.verdict == WARN and words in found.explanation and example in found.example


def test_digits_that_the_pattern_drops_are_not_said_to_be_equal(tmp_path):
    facts = byte_level()
    split_first(facts, "[^A-Za-z0-9 ]")
    found = {one.name: one for one in check(load_encoding(written(tmp_path, facts)))}
    assert found["digits"].verdict != FAIL and found["round_trip"].verdict == WARN


# Sound tokenizers


@pytest.mark.parametrize(
    "name, warned",
    [
        ("gpt2", {"digits", "combining_marks"}),  # its pattern splits before marks, and its merges group digits
        pytest.param("cl100k_base", {"ids", "combining_marks"}, marks=pytest.mark.slow),
        pytest.param("o200k_base", {"ids", "unreachable"}, marks=pytest.mark.slow),
    ],
)
def test_published_encodings_do_not_fail(name, warned):
    found = verdicts(get_encoding(name))
    assert {check for check, verdict in found.items() if verdict == WARN} == warned
    assert FAIL not in found.values()


@pytest.mark.parametrize(
    "make",
    [trained, with_unknown, lambda: train_characters("".join(CORPUS))]
    + [lambda name=name: loaded_pipeline(name) for name in ("BERT's way", "BERT's way, cased", "WordLevel", "Unigram")]
    + [lambda name=name: loaded_pipeline(name) for name in ("Llama's way", "a space before", "DeepSeek's way")]
    + [lambda name=name: sentencepieces.encoding(name) for name in sentencepieces.MODELS],
)
def test_sound_encodings_of_every_kind_do_not_fail(make):
    assert failed(make()) == {}


def test_names_of_control_tokens_that_text_becomes_are_found():
    """Hugging Face's Unigram reads `<s>` in a text as its special token even with an option that forbids it."""
    assert "'<s>'" in failed(loaded_pipeline("Unigram, T5's way"))["special_tokens"]
    found = {one.name: one for one in check(sentencepieces.encoding("bpe, symbols, no prefix"))}
    assert found["special_tokens"].verdict == WARN and found["special_tokens"].example == "<sep>"


def test_examples_have_the_ids_that_the_encoding_gives_them():
    encoding = get_encoding("gpt2")
    found = check(encoding)
    assert [one.name for one in found] == list(TITLES) and set(CHECKS) < set(TITLES)
    assert all(one.example and list(one.ids) == encoding.encode(one.example) for one in found)


@pytest.mark.parametrize(
    "pattern, words",
    [
        (r"[0-9]{1,3}|[^0-9]+", "grouped from the left, 3"),
        (r"[0-9]{1,3}(?=(?:[0-9]{3})*(?:[^0-9]|$))|[^0-9]+", "grouped from the right, 3"),
        (r"[0-9]|[^0-9]+", "each digit is a token"),
        (r"[\s\S]+", "not always grouped in the same way"),
    ],
)
def test_direction_of_digit_groups_is_found(pattern, words):
    ranks = {bytes([i]): i for i in range(256)}
    for n in [*range(100), *range(1000, 2000)]:  # all numbers of two digits, and of three
        ranks.setdefault(f"{n:02}".encode()[-3:], len(ranks))
    if words.startswith("not"):
        ranks = {token: rank for token, rank in ranks.items() if not token.startswith(b"27")}
        ranks = {token: i for i, token in enumerate(ranks)}
    found = {one.name: one for one in check(byte_bpe("toy", pattern, ranks))}["digits"]
    assert words in found.explanation and (found.verdict == WARN) == words.startswith("not")


def test_digit_groups_that_depend_on_the_length_of_a_number_alone_are_irregular():
    ranks = {bytes([i]): i for i in range(256)}
    for n in [*range(100), *range(1000, 2000)]:
        ranks.setdefault(f"{n:02}".encode()[-3:], len(ranks))
    found = {one.name: one for one in check(byte_bpe("toy", r"^[0-9]|[0-9]{1,3}|[^0-9]+", ranks))}["digits"]
    assert found.verdict == WARN and found.explanation.endswith("in the same way: 3·1 and 1·732·050·80.")


@pytest.mark.parametrize(
    "missing, verdict, words",
    [
        (b"\xff", PASS, "1 byte has no token (FF), but no text contains this byte."),
        (b"\xc0\xc1\xf5", PASS, "3 bytes have no token (C0 C1 F5), but no text contains these bytes."),
        (b"\xee\xff", FAIL, "2 bytes have no token (EE FF), and a character with one of these bytes is lost."),
    ],
)
def test_missing_bytes_that_no_text_contains_pass(tmp_path, missing, verdict, words):
    facts = byte_level()
    for byte in missing:
        del facts["model"]["vocab"][spell(bytes([byte]))]
    found = {one.name: one for one in check(load_encoding(written(tmp_path, facts)))}["bytes"]
    assert (found.verdict, found.explanation) == (verdict, words)


# The command


@pytest.mark.slow
def test_command_prints_verdicts_and_ends_with_0_or_1(tmp_path):
    done = invoke("check", "gpt2")
    assert done.exit_code == 0 and done.stdout.endswith("gpt2: 9 pass, 2 warn, 0 fail\n")
    assert all(title in done.stdout for title in TITLES.values())
    facts = byte_level()
    underscores_decoded_as_spaces(facts)
    done = invoke("check", str(written(tmp_path, facts)))
    assert done.exit_code == 1 and "fail  Round trip" in done.stdout and "unknown cause (1)" in done.stdout
    done = invoke("check", "--json", str(tmp_path / "tokenizer.json"))
    assert done.exit_code == 1 and json.loads(done.stdout)["verdict"] == FAIL


def test_command_names_settings_that_the_checks_ignore(tmp_path):
    facts = byte_level()
    facts["model"]["dropout"] = 0.1
    done = invoke("check", str(written(tmp_path, facts)))
    assert done.exit_code == 0 and "Note: The file asks to skip merges at random (dropout 0.1)" in done.stderr
    assert invoke("check", "gpt2").stderr == ""


@pytest.mark.parametrize("name, code", [("nonesuch", 2), ("bad.json", 1)])
def test_command_refuses_what_is_no_tokenizer(tmp_path, monkeypatch, name, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_text("{}")
    done = invoke("check", name)
    assert done.exit_code == code and "Error: " in done.stderr


def test_docs_name_every_check():
    docs = (ROOT / "docs" / "terminal.md").read_text(encoding="utf-8")
    assert all(f"| {title} |" in docs for title in TITLES.values())


def test_unreadable_file_beside_a_tokenizer_fails_the_readers(tmp_path):
    path = written(tmp_path, byte_level())
    (tmp_path / "tokenizer.model").write_bytes(b"no model")
    assert verdicts(load_encoding(path), path)["readers"] == FAIL
    (tmp_path / "vocab.txt").write_text("a shopping list")  # no vocabulary
    (tmp_path / "tokenizer.model").unlink()
    assert verdicts(load_encoding(path), path)["readers"] != FAIL
