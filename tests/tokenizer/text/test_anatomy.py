"""Characters, forms, scripts and directions, against Python, ICU and the tables of the standard."""

import re
import unicodedata
from collections import Counter
from functools import cache
from itertools import pairwise

import pytest
import regex
from amounts import examples
from hypothesis import example, given
from hypothesis import strategies as st
from icu4py.breakers import WordBreaker
from texts import LIVELY

from tokenizer import count_graphemes, get_encoding
from tokenizer.encoding.lanes import lanes as lanes_of
from tokenizer.text import anatomy as core
from tokenizer.text.anatomy import head as sample
from tokenizer.text.well_formed import well_formed

SCALARS = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
ENCODING = get_encoding("gpt2")


# Names, categories, scripts, directions


def test_character_names_equal_pythons():
    for character in SCALARS[::29] + SCALARS[:0x3000]:
        official = unicodedata.name(character, None)
        found = core.name(character)
        if official:
            assert found == official
        else:
            assert re.fullmatch(
                r"[A-Z ]+|private use: no name|noncharacter: no name|not assigned to a character"
                r"|name unknown: it is not in the names of Unicode [\d.]+, .*",
                found,
            )
            if found.isupper():
                assert unicodedata.lookup(found) == character and unicodedata.category(character) == "Cc"


def test_all_controls_have_a_name():
    controls = [character for character in SCALARS if unicodedata.category(character) == "Cc"]
    assert len(controls) == len(core.CONTROLS) == 65
    assert all(unicodedata.lookup(core.name(character)) == character for character in controls)


def test_there_are_66_noncharacters():
    planes = range(0, 0x110000, 0x10000)
    near = [point for plane in planes for point in (*range(plane, plane + 9), *range(plane + 0xFFF0, plane + 0x10000))]
    some = [*SCALARS[::50], *map(chr, near), *map(chr, range(0xFDC0, 0xFE00))]
    found = {ord(one) for one in some if core.name(one) == "noncharacter: no name"}
    assert found == {*range(0xFDD0, 0xFDF0), *(plane + end for plane in planes for end in (0xFFFE, 0xFFFF))}


@pytest.mark.parametrize("classify, words", [(core.category, core.CATEGORIES), (core.bidi_class, core.BIDI_CLASSES)])
def test_categories_and_bidi_classes_equal_pythons(classify, words):
    python = {core.category: unicodedata.category, core.bidi_class: unicodedata.bidirectional}[classify]
    met = set()
    for character in SCALARS[::23] + SCALARS[:0x3100]:
        found = classify(character)
        met.add(found)
        assert found == python(character) or python(character) in ("Cn", "")
    assert met <= set(words) and len(met) >= len(words) - 2


@cache
def of_script(name):
    return regex.compile(rf"(?s)\p{{Script={name.replace(' ', '_')}}}").match


@pytest.mark.slow
def test_every_assigned_character_has_a_script():
    for character in SCALARS[::11] + SCALARS[:0x800]:
        name = core.script(character)
        assert of_script(name)(character)
        if name == "Unknown":
            assert core.category(character) in ("Cn", "Co")


def test_all_scripts_of_the_table_exist_and_have_characters():
    dense = [*range(0x3400), *range(0xA000, 0xAC00), *range(0xF900, 0x1F000), 0x3D000]  # every script occurs here
    assert {core.script(chr(point)) for point in dense} == {name.replace("_", " ") for name in core.ALL_SCRIPTS}


# UTF-8, UTF-16, UTF-32


@given(LIVELY)
@examples(200)
def test_sizes_and_code_units_equal_pythons_codecs(text):
    assert core.sizes(text) == {
        "UTF-8": (len(text.encode()), len(text.encode())),
        "UTF-16": (len(text.encode("utf-16-le")) // 2, len(text.encode("utf-16-le"))),
        "UTF-32": (len(text), 4 * len(text)),
    }
    assert bytes.fromhex("".join(core.code_units(text, "UTF-8"))) == text.encode()
    assert bytes.fromhex("".join(core.code_units(text, "UTF-16"))) == text.encode("utf-16-be")
    assert [int(unit, 16) for unit in core.code_units(text, "UTF-32")] == list(map(ord, text))


# The beginning of a text


@given(st.one_of(LIVELY, st.text(max_size=50)), st.integers(1, 40))
@examples(200)
def test_head_of_a_text_has_whole_graphemes(text, times):
    text *= times
    whole, replaced = well_formed(text)
    found = sample(text)
    assert "".join(found.graphemes) == found.text == whole[: len(found.text)]
    assert (found.replaced, found.full_text, found.is_cut) == (replaced, whole, found.text != whole)
    assert len(found.graphemes) <= core.MAX_GRAPHEMES and len(found.text) <= core.MAX_SAMPLE_CHARACTERS
    if len(found.graphemes) > 1 or not found.is_cut:
        assert count_graphemes(found.text) == len(found.graphemes)
        assert count_graphemes(whole) == len(found.graphemes) + count_graphemes(whole[len(found.text) :])
    if len(whole) <= core.MAX_SAMPLE_CHARACTERS and count_graphemes(whole) <= core.MAX_GRAPHEMES:
        assert not found.is_cut


def test_head_cuts_only_a_grapheme_over_the_limit():
    family = "👨\u200d👩\u200d👧\u200d👦"
    assert sample(family * 100).graphemes == [family] * (core.MAX_SAMPLE_CHARACTERS // len(family))
    assert [len(one) for one in sample("e" + "\u0301" * 5000).graphemes] == [core.MAX_SAMPLE_CHARACTERS]
    assert sample("a" * 199 + "\r\n" * 2).graphemes[-2:] == ["a", "\r\n"]


def test_head_counts_replaced_surrogates():
    found = sample("a\ud800b\udfff")
    assert (found.text, found.replaced) == ("a\ufffdb\ufffd", 2)
    assert sample("a\ufffd").replaced == 0


# Normal forms


@pytest.mark.parametrize("form", core.NORMAL_FORMS)
@given(text=LIVELY)
@examples(300)
@example(text="\u3131\u1161\u11a8")
@example(text="\r\u0323\u0301e\u0301\u0323")
def test_normalized_parts_join_to_the_text_and_its_normal_form(form, text):
    found = core.normalized(core.graphemes(text), form)
    assert "".join(one.before for one in found) == text
    assert "".join(one.after for one in found) == unicodedata.normalize(form, text)
    assert all(unicodedata.normalize(form, one.before) == one.after for one in found)
    assert not any(one.before == one.after and two.before == two.after for one, two in pairwise(found))
    assert core.changes(found).total() == sum(one.before != one.after for one in found)
    assert bool(core.changes(found)) == (not unicodedata.is_normalized(form, text))


def test_lost_is_set_where_only_compatibility_forms_change():
    for character in SCALARS[::31] + SCALARS[:0x3400] + list(map(chr, range(0xF900, 0x10000))):
        changed = unicodedata.normalize("NFKD", character) != unicodedata.normalize("NFD", character)
        assert bool(core.lost(character)) == changed
    tags = {unicodedata.decomposition(character).split(">")[0] for character in SCALARS}
    assert {tag[1:] for tag in tags if tag.startswith("<")} == set(core.COMPATIBILITY_TAGS)


# Scripts and direction


@given(LIVELY)
@examples(300)
def test_script_runs_hold_one_script_and_join_to_the_text(text):
    graphemes = core.graphemes(text)
    runs = core.script_runs(graphemes)
    assert [grapheme for run in runs for grapheme in run.graphemes] == graphemes
    assert all(one.script != two.script for one, two in pairwise(runs))
    for run in runs:
        own = [core.grapheme_script(grapheme) for grapheme in run.graphemes]
        assert set(own) <= {run.script, "Common"}
        assert own[0] == run.script or run is runs[0]
    assert len(runs) < 2 or all(run.script != "Common" for run in runs)


def first_strong(paragraph):
    """Rules P2 and P3 by brute force: removes isolates from the innermost, unclosed ones to the end."""
    kinds = "".join(
        {"L": "l", "R": "r", "AL": "r", "LRI": "(", "RLI": "(", "FSI": "(", "PDI": ")"}.get(kind, ".")
        for kind in map(core.bidi_class, paragraph)
    )
    while (shorter := re.sub(r"\([^()]*\)", lambda found: "." * len(found[0]), kinds)) != kinds:
        kinds = shorter
    found = re.search(r"[lr]", kinds.partition("(")[0])
    return found.start() if found else None


@given(LIVELY)
@examples(500)
@example("\u2067ש\u2069a")
@example("\u2069\u2067ש\u2067a\u2069ב\u2069אa")
@example("\u2067a\nש")
def test_paragraphs_end_at_separators_and_have_the_direction_of_uax9(text):
    found = core.paragraphs(text)
    assert "".join(one.text for one in found) == text
    for one in found:
        *inner, last = one.text.replace("\r\n", "\n")
        assert all(core.bidi_class(character) != "B" for character in inner)
        assert core.bidi_class(last) == "B" or one is found[-1]
        at = first_strong(one.text)
        assert one.decider == ("" if at is None else one.text[at])
        rtl = at is not None and core.bidi_class(one.text[at]) in ("R", "AL")
        assert one.direction == ("right to left" if rtl else "left to right")


@given(LIVELY)
def test_bidi_class_counts_include_every_character(text):
    found = core.count_bidi_classes(text)
    assert sum(found.values(), Counter()) == Counter(text)
    assert all(core.bidi_class(character) == kind for kind, counts in found.items() for character in counts)


# Four lanes


@given(LIVELY.filter(bool))
@examples(200)
def test_lanes_join_to_the_text(text):
    lanes = lanes_of(text, ENCODING)
    assert "".join(lanes["characters"]) == "".join(lanes["words"]) == text
    assert b"".join(lanes["bytes"]) == b"".join(lanes["BPE"]) == text.encode()
    assert lanes["words"] == list(WordBreaker(text, "root"))
    assert lanes["BPE"] == [ENCODING.token_bytes(id) for id in ENCODING.encode(text)]


def test_unassigned_code_points_have_unicodes_default_direction():
    assert [core.bidi_class(chr(point)) for point in (0x378, 0xE3B, 0x5CF, 0x1E8FF)] == ["L", "L", "R", "R"]


def test_counts_of_unicode_are_those_of_the_standard():
    published = {"14.0.0": 144_697, "15.0.0": 149_186, "15.1.0": 149_813, "16.0.0": 154_998}  # graphic and format
    assert core.num_characters() == published[unicodedata.unidata_version]
    assert core.NUM_SCRIPTS >= 159 and len({*core.ALL_SCRIPTS}) == len(core.ALL_SCRIPTS)
