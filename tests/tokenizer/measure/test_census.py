"""The census of a vocabulary by script, against regular expressions over every token."""

import unicodedata
from collections import Counter

import pytest
import regex

from tokenizer import get_encoding
from tokenizer.measure.census import SPECIAL_TOKEN, census, could_only_be
from tokenizer.text.scripts import PART_OF_CHARACTER, SCRIPTS, WITH_PART_OF_CHARACTER
from ui.languages import vocabulary

pytestmark = pytest.mark.slow

NAMES = ["gpt2", "o200k_base"]


@pytest.fixture(scope="module")
def counted():
    return {name: census(get_encoding(name)) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_every_token_is_in_one_group(counted, name):
    encoding = get_encoding(name)
    assert sum(group.tokens for group in counted[name].values()) == len(encoding.ranks) + len(encoding.special_tokens)
    assert sum(group.bytes for kind, group in counted[name].items() if kind != SPECIAL_TOKEN) == sum(
        map(len, encoding.ranks)
    )
    assert counted[name][SPECIAL_TOKEN].tokens == len(encoding.special_tokens)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("script", ["Thai", "Latin", "Han", "Devanagari", "Cyrillic", "Hangul"])
def test_tokens_of_a_script_equal_those_of_a_regular_expression(counted, name, script):
    own = regex.compile(rf"[[\p{{L}}\p{{M}}]&&\p{{Script={script}}}]", regex.V1)
    shared = r"\p{Script=Common}\p{Script=Inherited}"
    other = regex.compile(rf"[[\p{{L}}\p{{M}}]--[\p{{Script={script}}}{shared}]]", regex.V1)
    expected = set()
    for token, id in get_encoding(name).ranks.items():
        try:
            text = token.decode()
        except UnicodeDecodeError:
            continue
        if own.search(text) and not other.search(text):
            expected.add(id)
    found = counted[name].get(script)
    assert (found.tokens if found else 0) == len(expected)
    assert set(found.longest if found else []) <= expected


@pytest.mark.parametrize("name", NAMES)
def test_longest_tokens_come_first(counted, name):
    encoding = get_encoding(name)
    for kind, group in counted[name].items():
        if kind in (SPECIAL_TOKEN, PART_OF_CHARACTER, WITH_PART_OF_CHARACTER):
            continue
        lengths = [len(encoding.token_bytes(id).decode(errors="replace")) for id in group.longest]
        assert lengths == sorted(lengths, reverse=True)


def test_could_only_be_equals_brute_force_over_all_code_points():
    """Cuts the UTF-8 of every code point at each byte, and collects the scripts of each prefix."""
    scripts = [(name.replace("_", " "), regex.compile(rf"\p{{Script={name}}}").match) for name in SCRIPTS]
    after: dict[bytes, set[str]] = {}
    for point in range(0x80, 0x10000):
        character = chr(point)
        if not 0xD800 <= point < 0xE000 and unicodedata.category(character)[0] in "LM":
            found = next((name for name, match in scripts if match(character)), None)
            shared = regex.match(r"\p{Script=Common}|\p{Script=Inherited}", character)
            if not shared:
                data = character.encode()
                for cut in range(1, len(data)):
                    after.setdefault(data[:cut], set()).add(found or "another script")
    for lead, names in after.items():
        assert could_only_be(lead) == (next(iter(names)) if len(names) == 1 else None), lead.hex()


@pytest.mark.parametrize("token", [b"\x80", b"\xff", b"\xf0", b"ab", "ท".encode(), b"\x97\xe0\xb8", b"\xe0\xb8A"])
def test_could_only_be_is_none_for_other_bytes(token):
    assert could_only_be(token) is None


def test_could_only_be_requires_the_same_script_before():
    assert could_only_be("กท".encode()[:5]) == "Thai" and could_only_be("aท".encode()[:3]) is None
    assert could_only_be(" ท".encode()[:3]) == "Thai"


def test_vocabulary_table_adds_up_to_the_census(counted):
    rows = vocabulary.frame(counted)
    for name in NAMES:
        own = rows[rows["encoding"] == name]
        assert own["tokens"].sum() == sum(group.tokens for group in counted[name].values())
        assert own["share"].sum() == pytest.approx(1)
        beginnings = Counter(dict(zip(own["kind"], own["beginnings"], strict=True)))
        assert (
            0 < beginnings.total() <= own.set_index("kind")["tokens"][[PART_OF_CHARACTER, WITH_PART_OF_CHARACTER]].sum()
        )


def test_longest_tokens_are_readable(counted):
    table = vocabulary.longest(get_encoding("o200k_base"), counted["o200k_base"]["Thai"].longest)
    assert table["characters"].is_monotonic_decreasing and len(table) == 50
    assert not table["o200k_base"].str.contains(r"[\n\u202e]").any()
    assert vocabulary.longest(get_encoding("gpt2"), []).empty
