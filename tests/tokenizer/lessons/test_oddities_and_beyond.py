"""The lessons oddities and beyond: facts equal an independent count for any text."""

import json
import tomllib
import unicodedata

import numpy as np
import pytest
import yaml
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import oracle
from steps_by_hand import BY_HAND, covers, ids, numbers_in, with_added
from texts import TEXTS

from tokenizer import TokenizerError, get_encoding, parallel_corpus
from tokenizer.lessons.beyond_views import extended, learned
from tokenizer.lessons.lesson import FOLDER, LANGUAGES, lesson, lesson_names, words
from tokenizer.lessons.oddity_views import NoJSON, UnfitData, forms, in_threes
from tokenizer.lessons.pictures import EYES, code, face, k_means
from tokenizer.lessons.views import usable
from tokenizer.training.corpora import own_corpora

STEPS = {
    f"{name}.{step.id}": (name, step) for name in lesson_names() for step in lesson(name).steps if covers(name, step)
}
HOSTILE = ["", " ", "|" * 2_000, "😀" * 2_000, "\0\x07\x1b", "\ud83d", "\r\n\r\n//", "<|endoftext|>", "e\u0301" * 1_000]
HOSTILE += ["ก" * 2_000, "[" * 2_000, "1" * 2_000, "NaN", "1e999", "null", '"\\ud800"', '{"a": "\\u0085", "b": "no"}']


def how(step, **moved):
    return {**step.how, **({step.slider.name: step.slider.begins} if step.slider else {}), **moved}


def check(key, text, **moved):
    """Checks a step's facts against those by hand, or that it raises with a message; returns the checked facts."""
    name, step = STEPS[key]
    text = usable(text)
    try:
        shown = step.show(text, **moved)
    except TokenizerError as error:
        assert step.view in ("forms", "rows") and str(error)
        return {}.keys()
    expected = BY_HAND[step.view](text, **how(step, **moved))
    assert {fact: shown.facts[fact] for fact in expected} == expected
    for language in LANGUAGES:
        assert words(name, language).text("reveal", step.id, **shown.facts)
    return expected.keys()


@pytest.mark.slow
@pytest.mark.parametrize("key", STEPS)
def test_facts_of_a_step_equal_those_by_hand(key):
    name, step = STEPS[key]
    counted = check(key, step.text)
    assert step.answer in counted
    in_reveal = numbers_in(words(name, "en").sentences[step.id]["reveal"])
    assert in_reveal - counted <= {"exact"}  # the codebook test checks it


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key, (_, step) in STEPS.items() if step.slider])
def test_facts_across_the_slider_equal_those_by_hand(key):
    name, step = STEPS[key]
    slider = step.slider
    assert slider.begins in range(slider.least, slider.most + 1, slider.by)
    for at in (slider.least, slider.least + slider.by, slider.most):
        check(key, step.text, **{slider.name: at})


@pytest.mark.slow
@pytest.mark.parametrize("key", STEPS)
def test_hostile_texts_give_right_facts_or_a_clear_error(key):
    for text in HOSTILE:
        check(key, text)


@pytest.mark.slow
@given(st.sampled_from(sorted(STEPS)), TEXTS)
@examples(150)
def test_facts_of_any_text_equal_those_by_hand(key, text):
    check(key, text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
        lambda inner: st.lists(inner) | st.dictionaries(st.text("abกé:-# '\"\n"), inner),
        max_leaves=10,
    )
)
def test_json_and_yaml_forms_hold_the_same_data(data):
    pretty, minified, as_yaml = (block.text for block in forms(json.dumps(data)).blocks)
    assert json.loads(pretty) == json.loads(minified) == yaml.safe_load(as_yaml) == data
    assert len(minified) <= len(pretty)


def test_json_and_yaml_forms_of_the_step_by_hand():
    step = STEPS["oddities.forms"][1]
    pretty, minified, as_yaml = (block.text for block in step.show().blocks)
    assert as_yaml == "users:\n- name: Mali\n  score: 12\n- name: Korn\n  score: 9\n"
    assert minified == '{"users":[{"name":"Mali","score":12},{"name":"Korn","score":9}]}'
    assert pretty.splitlines()[:3] == ["{", '  "users": [', "    {"]


@pytest.mark.parametrize(("text", "line", "column"), [("", 1, 1), ("{", 1, 2), ("[1,\n x]", 2, 2), ("{'a': 1}", 1, 2)])
def test_invalid_json_raises_with_line_and_column(text, line, column):
    with pytest.raises(NoJSON, match=f"line {line}, column {column}\\. Type") as error:
        forms(text)
    assert (error.value.line, error.value.column) == (line, column)


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e999", '"\\ud800"', "[" * 500 + "]" * 500])
def test_data_that_a_form_cannot_hold_raises(text):
    with pytest.raises(UnfitData, match="nested too deeply, or"):
        forms(text)


@given(st.integers(0, 10**12))
def test_in_threes_groups_digits_as_python_does(number):
    assert in_threes(str(number)) == f"{number:,}".split(",")


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [500, None])
def test_extended_encoding_equals_hugging_faces_added_tokens(pieces):
    ours = extended("cl100k_base", len(learned("cl100k_base")) if pieces is None else pieces)
    theirs = with_added(pieces)
    first = theirs.token_to_id(learned("cl100k_base")[0])  # the library starts the added ids elsewhere
    for tag in ("th", "en", "lo"):
        for text in parallel_corpus()[tag]:
            ids = [id if id < first else id - first + 100_277 for id in theirs.encode(text).ids]
            assert ours.encode(text, special="special") == ids
            assert ours.decode(ids) == text


def test_learned_pieces_are_new_and_the_sentence_is_held_out():
    known = get_encoding("cl100k_base").ranks
    pieces = learned("cl100k_base")
    assert len({*pieces}) == len(pieces) and not [piece for piece in pieces if piece.encode() in known]
    assert all(piece in own_corpora()["thai"] for piece in pieces)
    assert STEPS["beyond.thai"][1].text not in own_corpora()["thai"]
    assert STEPS["beyond.thai"][1].text in parallel_corpus()["th"]
    at = parallel_corpus()["th"].index(STEPS["beyond.thai"][1].text)
    assert parallel_corpus()["en"][at] == STEPS["beyond.english"][1].text == STEPS["beyond.bytes"][1].text
    assert STEPS["beyond.thai-bytes"][1].text == STEPS["beyond.thai"][1].text


@given(st.text(max_size=5), st.integers(1, 64))
@examples(30)
def test_codebook_gives_each_patch_the_nearest_entry(text, entries):
    pixels = face(usable(text))
    found = code(pixels, entries)
    for row in range(8):
        for column in range(8):
            place = slice(4 * row, 4 * row + 4), slice(4 * column, 4 * column + 4)
            patch = pixels[place].astype(int)
            off = [int(((patch - entry.astype(int)) ** 2).sum()) for entry in found.codebook]
            own = found.ids[row, column]
            assert off[own] <= min(off) + 48 * (2 * 255 + 1)  # entries are rounded to whole numbers for drawing
            assert (found.rebuilt[place] == found.codebook[own]).all()
    is_exact = [found.rebuilt[y, x].tolist() == pixels[y, x].tolist() for y in range(32) for x in range(32)]
    if entries == 8:
        assert STEPS["beyond.picture"][1].show(usable(text)).facts["exact"] == sum(is_exact)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20), st.integers(1, 6))
def test_k_means_centers_are_the_means_of_their_points(numbers, entries):
    points = np.array(numbers, float)[:, None]
    centers, ids = k_means(points, entries)
    assert len(centers) == min(entries, len({*numbers}))
    for point, id in zip(numbers, ids, strict=True):
        assert abs(point - centers[id, 0]) == min(abs(point - center[0]) for center in centers)
    for id, [center] in enumerate(centers):
        assert center == pytest.approx(np.mean([point for point, own in zip(numbers, ids, strict=True) if own == id]))


def test_a_face_has_eyes():
    for text in ("", "Mali", "มะลิ"):
        for row, column in EYES:
            assert (face(text)[row, column] == 20).all()


def test_context_window_of_the_steps_is_gpt2s():
    windows = tomllib.loads((FOLDER.parent / "windows.toml").read_text(encoding="utf-8"))["window"]
    [size] = [window["tokens"] for window in windows if window["model"] == "GPT-2"]
    assert {STEPS[key][1].how["window"] for key in ("beyond.prompt", "beyond.gist")} == {size}


def pieces(text, encoding="o200k_base"):
    return [oracle(encoding).decode_single_token_bytes(id).decode(errors="replace") for id in ids(text, encoding)]


def test_statements_about_the_texts_of_steps_hold():
    """Checks the sentences in `because` with tiktoken."""
    assert len(".DefaultCellStyle") == 17 and pieces(".DefaultCellStyle", "cl100k_base") == [".DefaultCellStyle"]
    assert pieces("strawberry") == ["st", "raw", "berry"] and pieces(" strawberry") == [" strawberry"]
    assert pieces("127 + 677", "gpt2") == ["127", " +", " 6", "77"]
    assert pieces("1234567") == ["123", "456", "7"] and pieces("12345678") == ["123", "456", "78"]
    dates = STEPS["oddities.dates"][1].text.split("|")
    assert " November" in pieces(dates[2]) and all(pieces(one)[-2:] == ["202", "6"] for one in dates[1:3])
    assert pieces(dates[0])[:2] == ["202", "6"]
    assert {len(one.encode()) for one in dates[3] if one.isdigit()} == {3}
    assert pieces("I live in Bangko")[-2:] == [" Bang", "ko"] and pieces("I live in Bangkok")[-1] == " Bangkok"
    assert [len(pieces(one)) for one in ("egg", "Egg", " egg", "EGG")] == [1, 1, 1, 2]
    assert [pieces(" SolidGoldMagikarp", "gpt2")] == [[" SolidGoldMagikarp"]]
    assert pieces(" I'LL") == [" I'", "LL"]
    assert '":"' in pieces('{"name":"Mali"}')
    assert {len(ids(one)) for one in "👧👩👦"} == {2}
    assert not {*"apple"} & {*"ａｐｐｌｅ"}
    normal = unicodedata.normalize
    assert normal("NFC", "e\u0301") == "é" and normal("NFC", "ํา") != "ำ" and normal("NFKC", "ํา") == normal("NFKC", "ำ")
    assert pieces("31415926535") == ["314", "159", "265", "35"]
    three_at_most = {f"{number:0{width}}" for width in (1, 2, 3) for number in range(10**width)}
    assert all(len(ids(one)) == 1 for one in three_at_most)  # so a run of digits has one token for each three
    for step in ("picture", "codebook"):
        assert STEPS[f"beyond.{step}"][1].show().facts["ids"] == 64
    better = [STEPS[f"beyond.{step}"][1].show().facts["exact"] for step in ("picture", "codebook")]
    assert better == sorted(better)
