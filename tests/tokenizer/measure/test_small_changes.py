"""Small changes: the same for the same seed, of their kind, and measured as a naive Levenshtein measures them."""

import unicodedata
from os.path import commonprefix

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from steps_by_hand import levenshtein
from texts import TEXTS

from tokenizer import get_encoding
from tokenizer.measure import small_changes
from tokenizer.measure.small_changes import KINDS, change, changes, edit_distance, effects, usable_beginning
from tokenizer.text.units import count_words, grapheme_ends
from tokenizer.text.well_formed import well_formed

TEXT = "The café costs ๒๐ บาท แต่ที่นี่ 5. Привет, Ωmega!"
IDS = st.lists(st.integers(0, 3), max_size=12)


def all_changes(text, kind):
    """Every text that a seed below 200 makes of it."""
    found = [change(text, kind, seed) for seed in range(200)]
    return {one.text for one in found if one}


@examples(300)
@given(IDS, IDS)
def test_edit_distance_equals_a_naive_levenshtein(one, other):
    assert edit_distance(one, other) == edit_distance(other, one) == levenshtein(one, other)


@pytest.mark.parametrize("name", ["gpt2", "o200k_base"])
@examples(100)
@given(TEXTS, st.integers(0, 99))
def test_effects_compare_the_ids(name, text, seed):
    enc = get_encoding(name)
    changed = changes(text, seed)
    before = enc.encode(text)
    for one, found in zip(changed, effects(text, changed, enc), strict=True):
        after = enc.encode(one.text)
        assert (found.more, found.distance) == (len(after) - len(before), levenshtein(before, after))
        if before == after:
            assert (found.first, found.was, found.now) == (None, None, None)
            continue
        first = found.first
        assert before[:first] == after[:first] and before[first : first + 1] != after[first : first + 1]
        assert [found.was] == (before[first : first + 1] or [None])
        assert [found.now] == (after[first : first + 1] or [None])


@examples(100)
@given(TEXTS, st.sampled_from(sorted(KINDS)), st.integers(0, 9999))
def test_change_is_the_same_for_the_same_seed_and_another_text(text, kind, seed):
    found = change(text, kind, seed)
    assert found == change(text, kind, seed)
    if found:
        assert found.kind == kind and found.text != well_formed(text)[0]
        assert found.before in well_formed(text)[0] and found.after in found.text


def test_seeds_choose_these_places():
    """Held as they are: a link with a seed shows the same text in later versions."""
    found = {one.kind: one.text for one in changes("The weather today is wonderful.")}
    assert found == {
        "typo": "The weather today is wondetful.",
        "turned": "The weather today is wnoderful.",
        "space": "The  weather today is wonderful.",
        "capitals": "The WEATHER today is wonderful.",
        "look-alike": "The weather tod\u0430y is wonderful.",
        "zero-width": "The w\u200beather today is wonderful.",
    }
    assert changes("The weather today is wonderful.", 1) != changes("The weather today is wonderful.")


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("typo", "q", {"w"}),
        ("typo", "S", {"A", "D"}),
        ("typo", "น", {"ร", "ย"}),
        ("typo", "я", {"яя"}),  # no keyboard is known here
        ("typo", "12", set()),
        ("turned", "abb1c", {"bab1c"}),
        ("turned", "aa", set()),
        ("space", "a b c", {"a  b c", "a b  c"}),
        ("space", "สวัสดีครับ", {"สวัสดี ครับ"}),
        ("space", "one", set()),
        ("capitals", "one Two III", {"ONE Two III", "one TWO III"}),
        ("capitals", "ที่", set()),
        ("nfd", "éa가", {"e\u0301a가", "éa\u1100\u1161"}),
        ("nfd", "e\u0301ที่", set()),
        ("look-alike", "az", {"\u0430z"}),
        ("look-alike", "\u0430", {"a"}),
        ("look-alike", "แ", {"เเ"}),
        ("look-alike", "zw", set()),
        ("tone", "ที่นี้", {"ทีนี้", "ที่นี"}),
        ("tone", "ทำ", set()),
        ("zero-width", "ab c", {"a\u200bb c"}),
        ("zero-width", "a b", set()),
    ],
)
def test_a_kind_has_these_changes(kind, text, expected):
    assert all_changes(text, kind) == expected


def test_look_alikes_are_other_letters_and_no_normal_form_joins_them():
    for letter, other in small_changes.LOOK_ALIKES.items():
        assert other not in (letter, unicodedata.normalize("NFC", letter), unicodedata.normalize("NFD", letter))


@pytest.mark.parametrize("seed", range(5))
def test_a_change_is_shown_with_whole_graphemes(seed):
    text = "ที่นี่ 👨‍👩‍👧‍👦👍🏽 café مَدْرَسَة ที่ costs"
    edges = set(grapheme_ends(text).tolist()) | {0}
    for one in changes(text, seed):
        same = len(commonprefix([text, one.text]))
        starts = [i for i in range(len(text)) if text.startswith(one.before, i) and i <= same <= i + len(one.before)]
        assert any(
            {len(text[:i].encode()), len(text[: i + len(one.before)].encode())} <= edges
            and one.text == text[:i] + one.after + text[i + len(one.before) :]
            for i in starts
        ), one


def test_seeds_reach_every_place():
    assert len(all_changes("one two three four five six", "space")) == count_words("one two three four five six") - 1


def test_only_the_beginning_of_a_long_text_is_used():
    assert usable_beginning("ที่" * 5_000) == "ที่" * 666  # 1,998 characters, whole graphemes
    assert usable_beginning("\ud800") == "\ufffd" and usable_beginning("") == ""


def test_distance_of_two_long_lists_without_a_common_id_is_quick():
    assert edit_distance(range(6_000), range(10_000, 16_000)) == 6_000
