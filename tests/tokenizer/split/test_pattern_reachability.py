"""Texts that a pre-token can contain: parts of real pieces are never denied."""

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from texts import TEXTS

from tokenizer.split.pattern_reachability import can_contain
from tokenizer.split.patterns import KNOWN_PATTERNS, pieces
from tokenizer.text.well_formed import well_formed

ITEMS = ["a", "b", "[ab]", "a?", "a*", "a++", "(?:ab)?+", "(?:ab|b)", "b{1,2}", "(?!a)", "c", "(?i:C)"]
ITEMS += ["(?>a|ab)", "[^a]+"]
PATTERNS = st.lists(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=3).map("".join), min_size=1, max_size=3)


def parts(piece):
    return {piece[i:j] for i in range(len(piece)) for j in range(i + 1, min(i + 7, len(piece)) + 1)}


@examples(300)
@given(pattern=PATTERNS.map(lambda some: "|".join([*some, "[z]"])), text=st.text("abcC ", max_size=9))
def test_can_contain_accepts_parts_of_pieces_of_random_patterns(pattern, text):
    for piece in pieces(text, pattern):
        assert all(can_contain(pattern, part) for part in parts(piece))


@pytest.mark.parametrize("name", KNOWN_PATTERNS)
@examples(30)
@given(text=TEXTS)
def test_can_contain_accepts_parts_of_pieces_of_known_patterns(name, text):
    for piece in pieces(well_formed(text)[0], name):
        assert all(can_contain(name, part) for part in parts(piece[:12]))


@pytest.mark.parametrize(
    ("name", "never", "sometimes"),
    [
        ("gpt2", ["a1", "a b", "  a", "1!"], ["ab", " a", "123456", "'s", "  "]),
        ("cl100k_base", ["1234", " 1", "ab!", "a b"], ["123", "!a", "\n\n", "!\n"]),
        ("o200k_base", ["1234", "aBc", "a\n"], [" I'", "亚洲AV", "//\n", "\n//", "don't"]),
        ("llama3", ["2020", " 1", "ab ก็ "], ["ก", "!a"]),
        ("qwen2", ["１０", "ได้", "12"], ["1", " ab"]),
        ("qwen35", ["１０", "12"], ["1", " ab", "ได้"]),
        (None, [], ["anything at all"]),
        ("[b]a?[c]|[a-c]", ["bb", "aa", "ca"], ["bc", "bac"]),
        ("(?:ab){1,2}c*d|[a-d]", ["bb", "cb", "dd"], ["ababc", "bd", "ccd"]),
        ("(?i:x)[0-9]{2,3}|[Xx0-9]", ["1x", "1234"], ["X123", "x1"]),
        ("(a)b", [], ["ba"]),
        ("(?i)a", [], ["ba"]),
    ],
)
def test_can_contain_by_hand(name, never, sometimes):
    assert [text for text in never if can_contain(name, text)] == []
    assert [text for text in sometimes if not can_contain(name, text)] == []
