"""Token search, against a plain loop over the vocabulary."""

import time
import unicodedata
from functools import cache

import numpy as np
import pytest
import regex
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st

from tokenizer import encoding_from_merges, get_encoding, train
from tokenizer.text.samples import samples
from tokenizer.vocabulary.facts import CATEGORY_NAMES, SPECIAL, UNUSED, WHOLENESS, facts_of
from tokenizer.vocabulary.token_search import ANY, SORTS, BadExpression, BadHex, Query, find

CORPUS = "\n".join(sample.text for sample in samples())


@cache
def small():
    """Tokens of many scripts and parts of them, with a gap before the special token."""
    return facts_of(encoding_from_merges(train(CORPUS, 900), "cl100k_base", {"<|end|>": 950}))


def matches(facts, row, query):
    """Whether a token meets a query, by plain conditions."""
    data, text = facts.bytes_of(row), facts.texts[row]
    fold = str.casefold if query.ignores_case else str
    within = [
        (row, query.ids),
        (len(data), query.num_bytes),
        (len(text or ""), query.num_characters),
    ]
    categories = {unicodedata.category(character) for character in text or ""}
    return (
        facts.role[row] in query.roles
        and (query.among is None or row in query.among)
        and all((low is None or low <= value) and (high is None or value <= high) for value, (low, high) in within)
        and (not query.scripts or facts.script_of(row) in query.scripts)
        and (not query.categories or any(one.startswith(tuple(query.categories)) for one in categories))
        and (query.leading_space is None or (data[:1] == b" ") == query.leading_space)
        and (not query.wholeness or facts.wholeness[row] in query.wholeness)
        and (fold(query.text).encode() in (data if text is None else fold(text).encode()))
        and bytes.fromhex(query.hex) in data
        and (not query.expression or (text is not None and regex.search(query.expression, text) is not None))
    )


def ranges(limit):
    ends = st.none() | st.integers(0, limit)
    return st.tuples(ends, ends) | st.just(ANY)


QUERIES = st.builds(
    Query,
    text=st.sampled_from(["", "", "a", "The", " ", "ก", "İ", "\n"]),
    ignores_case=st.booleans(),
    hex=st.sampled_from(["", "", "e0 B8", "20", "E0"]),
    expression=st.sampled_from(["", "", "^.$", r"\d", r"^ ?\p{Lu}", "(?i)the", r"[^\x00-\x7f]"]),
    ids=ranges(960),
    num_bytes=ranges(12),
    num_characters=ranges(8),
    scripts=st.frozensets(st.sampled_from(["Latin", "Thai", "space", "digits", "special token"]), max_size=2),
    categories=st.frozensets(st.sampled_from(["L", "Lu", "Mn", "Zs", "N", "So"]), max_size=2),
    leading_space=st.none() | st.booleans(),
    wholeness=st.frozensets(st.sampled_from(range(len(WHOLENESS))), max_size=2),
    among=st.none() | st.just(np.arange(0, 951, 3)),
    sort=st.sampled_from(SORTS),
    descending=st.booleans(),
)


@examples(300)
@given(query=QUERIES)
def test_find_equals_a_loop_over_all_tokens(query):
    facts = small()
    expected = [row for row in range(len(facts)) if matches(facts, row, query)]
    keys = {
        "id": int,
        "bytes": lambda row: facts.num_bytes[row],
        "characters": lambda row: facts.num_characters[row],
        "script": facts.script_of,
        "text": facts.bytes_of,
        "categories": lambda row: sorted(map(CATEGORY_NAMES.index, facts.categories_of(row)), reverse=True),
        "space": lambda row: not facts.bytes_of(row).startswith(b" "),
        "wholeness": lambda row: facts.wholeness[row],
        "role": lambda row: facts.role[row],
    }
    values = sorted((keys[query.sort](row) for row in expected), reverse=query.descending)
    expected.sort(key=lambda row: values.index(keys[query.sort](row)))
    assert find(facts, query).tolist() == expected


def test_unused_ids_are_found_only_by_their_role():
    rows = find(small(), Query(roles=frozenset({UNUSED})))
    assert rows.tolist() == list(range(900, 950))
    assert find(small(), Query(roles=frozenset({SPECIAL}), text="end")).tolist() == [950]
    assert not find(small(), Query(roles=frozenset({UNUSED}), leading_space=False)).size


def test_bytes_across_two_tokens_are_not_found():
    facts = facts_of(encoding_from_merges([(b"a", b"b"), (b"b", b"c")], None))
    assert [facts.bytes_of(row) for row in find(facts, Query(hex="61 62"))] == [b"ab"]
    assert find(facts, Query(text="abbc")).size == find(facts, Query(text="x" * 5_000)).size == 0


@pytest.mark.parametrize("typed", ["E", "GG", "E0 B", "\\u0e01", "é"])
def test_invalid_hex_raises(typed):
    with pytest.raises(BadHex, match="Write each byte"):
        find(small(), Query(hex=typed))


@pytest.mark.parametrize(
    ("expression", "reason"),
    [("(", "missing"), ("(?R)", "calls itself"), ("(?:a|b){9999999}", "above the limit"), ("(?r)a", "backward")],
)
def test_unusable_expression_raises_with_the_reason(expression, reason):
    with pytest.raises(BadExpression, match=reason):
        find(small(), Query(expression=expression))


def test_catastrophic_expression_is_stopped_in_time():
    facts = facts_of(encoding_from_merges(train("a" * 600 + "!", 265, None), None))
    assert max(facts.num_bytes) > 200
    begun = time.monotonic()
    with pytest.raises(BadExpression, match="longer than 0.3 seconds"):
        find(facts, Query(expression="(a|a|aa)*$(?<!a)"), seconds=0.3)
    assert time.monotonic() - begun < 20  # without a limit it takes years
    assert find(facts, Query(expression="aa")).size == len(find(facts, Query(text="aa")))


def test_case_is_ignored_where_it_changes_the_length():
    facts = facts_of(encoding_from_merges(train("STRASSE straße Straße " * 9, 290, r"\w+"), r"\w+"))
    found = {facts.texts[row] for row in find(facts, Query(text="strasse", ignores_case=True))}
    assert found == {"STRASSE", "straße", "Straße"} & {*facts.texts} and len(found) >= 2


@pytest.mark.slow
def test_find_in_a_large_vocabulary_equals_a_loop():
    facts = facts_of(get_encoding("cl100k_base"))
    for query in (Query(hex="e0 b8"), Query(expression="ing$")):
        assert find(facts, query).tolist() == [row for row in range(len(facts)) if matches(facts, row, query)]
