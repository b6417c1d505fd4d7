"""Alternatives of split patterns: where they end, which one matched and why it stopped, against the engine."""

from contextlib import suppress

import pytest
import regex
from amounts import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from regex import _regex_core
from texts import TEXTS

from tokenizer import PATTERNS, pre_tokens
from tokenizer.errors import UnknownPattern
from tokenizer.split.alternatives import alternatives, character, explain
from tokenizer.split.alternatives import matched as alternative_of
from tokenizer.split.patterns import as_seen, with_stand_ins
from tokenizer.text.anatomy import CATEGORIES
from tokenizer.text.regex_budget import RegexBudget
from tokenizer.text.samples import samples
from tokenizer.text.well_formed import well_formed

SAMPLES = "\n".join(sample.text for sample in samples())
TRICKY = [
    r"\w+|[^\w\s]+|\s",
    r"[a|b]+|[]|]+|[^]|]|\||x",
    r"(a|b)+|(?:c|d)|(?=e|f)e",
    r"(?#a|b)a|b(?#|)|c",
    r"(?i)ab|[A-C]{2}|x(?-i)Y|z",
    "(?x) a | b # | c\n | [ #|] | \\#+ | d e",
    r"(?x: a | b )+|c | d|(?-x: )",
    r"(?V1)[[a-z]--[aeiou|]]+|[[:alpha:]|]+|.",
    r"(?V1)a(?i)b|c|d",
    r"(?V1)[a-c||]|x]+|y",
    r"(?x: a )|b # c|d",
    r"[[a|]+|[[:alpha:]|]+|\]",
    r"(?P<x>a)(?P=x)|(?<y>b)\g<y>|.",
    r"(?>a|ab)c|(?|(a)|(b))|c",
    r"\p{L}+|\P{L}|\p{N}|\N{VERTICAL LINE}",
    r"|a|b+",
    r"a*|b",
    r"(?=a)|a|.",
    r"x{1,2}|x{|}|a{|b|{}|y{,2}|(?:x){e<=1}",
    r"(?:(?:a|b)|(c|d))|e|f",
    r"(?p)a|ab|abc",
    r"[a-c]+?|\X|\R",
    r"\s+(?!\S)|\s+$|^a|\bb|.",
]
LETTERS = st.text(st.sampled_from("aabbcdexyzABC|# []{},()\n\té1ก "), max_size=25)


def marked(pattern):
    """The oracle: an empty group at the end of each alternative shows that it matched."""
    sources = [found.source for found in alternatives(pattern)]
    return regex.compile("|".join(f"{source}(?P<alternative_{i}>)" for i, source in enumerate(sources)))


def by_groups(text, pattern):
    """Each match with its alternative, by the oracle."""
    for match in marked(pattern).finditer(as_seen(text, pattern)):
        found = [name for name, value in match.groupdict().items() if name.startswith("alt") and value is not None]
        if match.end() > match.start():
            yield match.start(), match.end(), int(found[0].removeprefix("alternative_"))


def matched(pieces):
    """The same by our code, without pieces that no alternative matches."""
    end = 0
    for piece in pieces:
        start, end = end, end + len(piece.text)
        if piece.alternative is not None:
            yield start, end, piece.alternative


def branches_of_the_engine(pattern):
    """The number of alternatives in the engine's own parser."""
    flags = 0
    while True:
        try:
            source, info = _regex_core.Source(pattern), _regex_core.Info(flags, chr, {})
            info.guess_encoding = regex.UNICODE
            branches = 1
            _regex_core.parse_sequence(source, info)
            while source.match("|"):
                branches += 1
                _regex_core.parse_sequence(source, info)
            return branches
        except _regex_core._UnscopedFlagSet:
            flags = info.global_flags


# Where alternatives end


@pytest.mark.parametrize("pattern", [*PATTERNS.values(), *TRICKY])
def test_alternatives_equal_the_engines(pattern):
    found = alternatives(pattern)
    assert "|".join(alternative.source for alternative in found) == pattern
    assert len(found) == branches_of_the_engine(pattern)


FRAGMENTS = [
    *["|", "|", "|", "(", ")", "(?:", "(?>", "(?=", "(?!", "(?i:", "(?x:", "(?x)", "(?-x)", "(?V1)", "(?#", "#", "\n"],
    *["[", "]", "[^", "[:alpha:]", "--", "&&", "\\", "\\|", "\\]", "\\(", "\\p{L}", "\\s", "{", "}", "{1,2}", "+", "?"],
    *["a", "b", " ", "^", "$", ".", "-", ":", "(?P<n>", "(?P=n)", "\\1"],
]


@examples(300)
@given(pattern=st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_alternatives_of_any_pattern_equal_the_engines(pattern):
    try:
        regex.compile(pattern)
    except (regex.error, ValueError):
        assume(False)
    assume(pattern)
    with suppress(UnknownPattern):  # it looks like a name
        test_alternatives_equal_the_engines(pattern)


def test_flags_apply_to_the_alternatives_after_them():
    assert [found.words for found in alternatives(r"[a-c]|a(?i)b|[a-c]{1,2}")] == [
        "one character from a to c",
        None,
        "one to two characters from a to c, in upper or lower case",
    ]
    assert explain("-BBA", r"-|x(?i)b|[a-c]{1,2}")[1].stop.startswith("the limit")


@pytest.mark.parametrize("name", PATTERNS)
def test_known_patterns_have_descriptions(name):
    assert all(alternative.words for alternative in alternatives(name))
    assert alternatives(name) == alternatives(PATTERNS[name])


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"\p{L}+", "one or more letters"),
        (r"\p{M}*\s", "any number of combining marks, then one character of white space"),
        (r"[^\s]{2,}", "two or more characters other than white space"),
        (r"abc\.", "the text “abc”, then one “.”"),
        (
            r" ?[a-z]+(?!\d)",
            "one space if there is one, then one or more characters from a to z, not before a decimal digit",
        ),
        (r"^\s{3}\Z", "at the start of the text, then three characters of white space, at the end of the text"),
        (r"\p{N}", "one digit or other numeral such as ½"),
        (r"\d$", "one decimal digit, at the end of the text or before a line feed that ends the text"),
        (r"(?i)abc", "the text “abc”, in upper or lower case"),
        (r"(?s).", None),
        (r"(?m)^a", None),
        (r"(?-i:a)+", None),
        (r"(a)\1", None),
        (r"\p{Thai}", None),
        (r"(?:foo){e<=1}", None),
        (r"(?V1)[[a-z]--[b]]", None),
        ("", None),
    ],
)
def test_simple_alternatives_of_other_patterns_have_descriptions(pattern, words):
    found = alternatives(pattern + "|x" if pattern else "|x")
    assert found[0].words == words


# Which alternative matched


@pytest.mark.parametrize("pattern", [*PATTERNS, None, *TRICKY, r"\w+", r"[^\S\n]+|(b)(c)?"])
@examples(60)
@given(text=TEXTS | LETTERS)
def test_explain_gives_the_pre_tokens_with_the_engines_alternatives(pattern, text):
    text = well_formed(text)[0]
    pieces = explain(text, pattern, timeout=20)
    assert [piece[:3] for piece in pieces] == pre_tokens(text, pattern)
    if pattern is not None:
        assert list(matched(pieces)) == list(by_groups(text, pattern))
    for piece in pieces:
        after = text.encode()[piece.end :].decode()
        assert (kind(piece.stop) == "end") == (not after)
        assert not after or f"U+{ord(after[0]):04X}" in piece.stop
        assert pattern is None or piece.alternative is not None or kind(piece.stop) in ("unmatched", "end")


@pytest.mark.parametrize("pattern", PATTERNS)
def test_alternatives_in_the_samples_equal_the_engines(pattern):
    found = list(matched(explain(SAMPLES, pattern, timeout=20)))
    assert found == list(by_groups(SAMPLES, pattern))
    assert len({alternative for *_, alternative in found}) >= 5


def test_group_numbers_refer_to_the_whole_pattern():
    # where an alternative is compiled alone, \2 must still be the second group
    assert [piece.alternative for piece in explain("aabbab", r"(a)\1|(b)\2|.")] == [0, 1, 2, 2]


def test_alternative_of_a_match_after_an_empty_one_is_the_one_that_matched():
    pattern, text = r".*?\b|\S?(?!\d)", "!2🏴ǅ ʰ"
    wanted = [found.lastgroup for found in regex.finditer(r"(?P<a>.*?\b)|(?P<b>\S?(?!\d))", text) if found[0]]
    assert [piece.alternative for piece in explain(text, pattern)] == ["ab".index(name) for name in wanted]
    assert [piece.alternative for piece in explain("aab", r"a??|[ab]+")] == [0, 0, 1]


def test_alternative_of_a_match_after_an_empty_one_is_found_without_a_search_of_the_whole_text():
    pattern, seen = "|[yz]|[ab]", "ab" * 10_000_000
    match = next(found for found in regex.finditer(pattern, seen) if found[0])
    assert alternative_of(pattern, seen, match, 0, RegexBudget(0.03), is_after_empty=True) == 2


def test_alternative_is_none_for_an_uncertain_match_after_keep():
    assert [(piece.text, piece.alternative) for piece in explain("foobar fooxy", r"foo\K\w+|bar")] == [
        ("foo", None),
        ("bar", None),
        (" foo", None),
        ("xy", 0),
    ]


# What stops a piece

KINDS = {  # kinds of stops, by words of their sentences
    "line end": "stops after the last line ending",
    "limit": "the limit of",
    "lookahead": "lookahead",
    "unknown": "the match of this alternative ends here",
    "complete": "this alternative",
    "unmatched": "no alternative of the pattern matches here; the next match",
    "shortest": "takes as few characters as possible",
    "rest": "so that the rest",
    "class": ", which ",
    "end": "text",
}


def kind(stop):
    return next(kind for kind, words in KINDS.items() if words in stop)


SARA_II = r"“◌ี” (U+0E35, THAI CHARACTER SARA II, category Mn: a combining mark), which is not a letter (\p{L})"
SPACE, NO_END = "U+0020 (SPACE, category Zs: a space)", r"is not a line ending ([\r\n])"
STOPS = [
    ("cl100k_base", "ที่", 0, SARA_II),
    ("gpt2", "ที่", 0, SARA_II),
    ("llama3", "हि", 0, "SIGN I, category Mc: a combining mark that takes up space), which is not a letter"),
    (
        "o200k_base",
        "ที่ a",
        0,
        f"{SPACE}, which is not a lower-case letter, letter without upper and lower case, or combining mark",
    ),
    ("o200k_base", "payPal", 0, "P, category Lu: an upper-case letter), which is not a lower-case"),
    ("o200k_base", "a!", 0, "and does not start an ending of an English contraction, such as 's ("),
    ("cl100k_base", "2026", 0, "the limit of three numerals is reached, before “6” (U+0036, DIGIT SIX"),
    ("cl100k_base", "202a", 0, r"which is not a numeral (\p{N})"),
    ("gpt2", "2026a", 0, r"which is not a numeral (\p{N})"),
    ("gpt2", "a   b", 1, rf"the lookahead (?!\S) leaves the last character of white space, {SPACE},"),
    ("cl100k_base", "it's a", 1, "every part of this alternative has matched"),
    ("gpt2", "a\tb", 1, "this alternative takes one character of white space, no more"),
    ("cl100k_base", "!!a", 0, rf"is a letter (\p{{L}}), which [^\s\p{{L}}\p{{N}}] excludes, and {NO_END}"),
    ("cl100k_base", "!\n!", 0, f"“!” (U+0021, EXCLAMATION MARK, category Po: punctuation), which {NO_END}"),
    ("o200k_base", "a\n\n  b", 1, "after the last line ending of this white space, before U+0020"),
    ("cl100k_base", "a \n\t", 1, "the end of the text"),
    ("cl100k_base", "a", 0, "the end of the text"),
    ("[a-z]+", "a! b", 1, "no alternative of the pattern matches here; the next match begins at “b” (U+0062"),
    ("[a-z]+", "a!", 1, "no alternative of the pattern matches any character of this last pre-token, up to the end of"),
    ("[a-z]+?", "ab", 0, "+? takes as few characters as possible"),
    ("[a-z]+b|.", "abc", 0, "every part of this alternative has matched"),
    ("[a-z]+b?|.", "abc1", 0, "which is not a character from a to z ([a-z]), and is not “b” (b)"),
    (r"[a-z]+(?=a)|.", "bbaa1", 0, "the lookahead (?=a) does not allow a longer match"),
    (r"(?=b)[a-z]+?|.", "bba", 0, "+? takes as few characters as possible"),
    (r"[a-z]+?(?=a)|.", "baa", 0, "+? takes as few characters as possible"),
    (r"(?=a)[a-z]+(?<=b)|.", "abc", 0, "so that the rest of the alternative can match"),
    (r"(?:[a-z]\d?)+|.", "aab1-", 0, r"which does not match (?:[a-z]\d?)"),
    (r"[a-z]+(?<=a)|.", "aab1", 0, "so that the rest of the alternative can match"),
    (r"(?:ab){2}|.", "ababab", 0, "the limit of two (?:ab) is reached"),
    (r"(a)+|.", "aab", 0, "the match of this alternative ends here"),
    (None, "a b", 0, "no split pattern: the whole text is one pre-token"),
]


@pytest.mark.parametrize(("pattern", "text", "position", "words"), STOPS)
def test_stop_of_a_piece_has_its_reason(pattern, text, position, words):
    stop = explain(text, pattern)[position].stop
    assert words in stop, stop


@pytest.mark.parametrize("pattern", PATTERNS)
@examples(150)
@given(text=TEXTS)
def test_stop_reasons_of_known_patterns_are_true(pattern, text):
    seen, at = with_stand_ins(well_formed(text)[0]), 0
    for piece in explain(text, pattern):
        at += len(piece.text)
        stop = piece.stop
        assert kind(stop) in ("class", "limit", "lookahead", "line end", "complete", "end")
        # with one more character the alternative does not match
        if kind(stop) != "end":
            longer = seen[at - len(piece.text) : at + 1]
            source = alternatives(pattern)[piece.alternative].source
            assert not regex.fullmatch(source, longer, pos=0) or kind(stop) in ("lookahead", "limit")
        if kind(stop) == "limit":
            assert regex.fullmatch(r"\p{N}{3}", seen[at - 3 : at]) and regex.match(r"\p{N}", seen[at])
        if kind(stop) == "lookahead":
            assert regex.fullmatch(r"\s\S", seen[at : at + 2])
        if kind(stop) == "line end":
            assert seen[at - 1] in "\r\n"
        for name, char_class in (("a letter", r"\p{L}"), ("a numeral", r"\p{N}"), ("a line ending (", r"[\r\n]")):
            assert f"which is not {name}" not in stop or not regex.match(char_class, seen[at])


def test_character_gives_code_point_name_and_category():
    assert character("\n") == ("\n", "U+000A", "LINE FEED", "Cc", "a control character")
    assert str(character("\u202e")).startswith("U+202E (RIGHT-TO-LEFT OVERRIDE")  # named instead of written
    assert str(character("\u0301")).startswith("“◌\u0301” (U+0301, COMBINING ACUTE ACCENT")
    assert str(character("\U000e0fff")) == "U+E0FFF (category Cn: an unassigned character)"
    assert [character(c).category for c in "Aaǅʰก\u0301\u0903\u20dd1Ⅻ½_-()«»!+$^©"] == list(CATEGORIES)[:22]


def test_characters_newer_than_tiktokens_unicode_are_unassigned():
    words = explain("a\u088f", "gpt2")[0].stop
    assert words.endswith(
        "category Cn: not assigned in the Unicode version of tiktoken), which is not a letter (\\p{L})"
    )
    # where our own engine splits, it is a letter
    assert [piece.text for piece in explain("a\u088f", r"\p{L}+(?<=\p{L})|.")] == ["a\u088f"]


# Custom patterns


@pytest.mark.slow
def test_too_many_alternatives_are_not_identified():
    pattern = "|".join(f"a{i}" for i in range(999))
    assert len(alternatives(pattern)) == 999
    assert [(piece.text, piece.alternative) for piece in explain("a1a7", pattern, 20)] == [("a1", None), ("a7", None)]
