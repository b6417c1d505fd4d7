"""Halves, trees and usage of tokens, against merging step by step; tokens over ids, against counting one by one."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from amounts import examples
from hypothesis import given
from texts import TEXTS

from tokenizer import encoding_from_merges, get_encoding, merge_steps, train
from tokenizer.encoding.bpe import recover_merges
from tokenizer.measure.census import SPECIAL_TOKEN, census
from tokenizer.text.samples import samples
from tokenizer.vocabulary.facts import facts_of
from tokenizer.vocabulary.id_ranges import OTHERS, id_ranges, longest_tokens
from tokenizer.vocabulary.merge_graph import MergeGraph
from tokenizer.vocabulary.shared_tokens import coverage, shared_tokens
from tokenizer.vocabulary.usage import our_texts, usage

CORPUS = "\n".join(sample.text for sample in samples())


@cache
def of_gpt2():
    return facts_of(get_encoding("gpt2"))


@cache
def trained():
    return facts_of(encoding_from_merges(train(CORPUS, 700), "cl100k_base", {"<|end|>": 750}))


def test_halves_and_children_equal_those_of_the_training():
    facts = trained()
    graph, merges = MergeGraph(facts), facts.encoding.merges.learned
    for merge in merges:
        assert tuple(map(facts.bytes_of, graph.halves(merge.rank))) == (merge.left, merge.right)
        children = {other.rank for other in merges if merge.token in (other.left, other.right)}
        assert graph.children(merge.rank) == sorted(children)
        containing = {other.rank for other in merges if merge.token in other.token} - {merge.rank}
        assert {*graph.containing(merge.rank).tolist()} == containing
    assert all(graph.halves(id) is None for id in [*range(256), 750])
    assert len(graph.children(32)) == sum(b" " in (merge.left, merge.right) for merge in merges)


@pytest.mark.slow
def test_halves_of_gpt2_equal_the_recovered_merges():
    facts = of_gpt2()
    graph, ranks = MergeGraph(facts), facts.encoding.ranks
    for left, right in recover_merges(ranks):
        assert graph.halves(ranks[left + right]) == (ranks[left], ranks[right])


def test_trees_are_cut_at_a_size_and_may_be_deep():
    facts = facts_of(encoding_from_merges([(b"a" * i, b"a") for i in range(1, 2_000)], None))
    nodes = MergeGraph(facts).tree(255 + 1_999)
    assert len(nodes) == 199 and nodes[0] == (255 + 1_999, 1) and nodes[-1].child == 0
    whole = MergeGraph(facts).tree(255 + 1_999, max_nodes=10_000)
    assert Counter(facts.bytes_of(node.symbol) for node in whole if not node.child) == {b"a": 2_000}


@examples(100)
@given(text=TEXTS)
def test_usage_equals_counting_merge_steps(text):
    facts = trained()
    enc, seen, made = facts.encoding, Counter(), Counter()
    for start, end in enc.pre_tokens(text):
        pre_token = enc.tokenize(text).text.encode()[start:end]
        made.update(pre_token[i : i + 1] for i in range(len(pre_token)))
        made.update(step.left + step.right for step in merge_steps(pre_token, enc.ranks))
    seen.update(map(enc.token_bytes, enc.encode(text)))
    found = usage(facts, [text])
    assert found.tokens == seen.total()
    for row in range(700):
        assert (found.seen[row], found.made[row]) == (seen[facts.bytes_of(row)], made[facts.bytes_of(row)])
    assert {*map(facts.bytes_of, found.intermediate())} == {*made} - {*seen}


@pytest.mark.slow
def test_usage_of_our_texts_finds_intermediate_tokens():
    facts = of_gpt2()
    found = usage(facts, our_texts())
    assert found.tokens == sum(len(facts.encoding.encode(text)) for text in our_texts())
    assert " refriger" in [facts.texts[row] for row in found.intermediate()]


def test_id_ranges_equal_counting_each_token():
    facts = trained()
    for ranges in (1, 7, 100, 2_000):
        found = id_ranges(facts, ranges, max_scripts=3)
        assert found.starts[0] == 0 and found.starts[-1] == len(facts) and (np.diff(found.starts) > 0).all()
        assert np.ptp(np.diff(found.starts)) <= 1
        for i, (start, end) in enumerate(zip(found.starts, found.starts[1:], strict=False)):
            tokens = [facts.encoding.bytes_of(id) for id in range(start, end) if id < 700]
            assert found.tokens[i] == len(tokens) and found.num_bytes[i] == sum(map(len, tokens))
            assert found.longest[i] == max(map(len, tokens), default=0)
            assert found.num_characters[i] == sum(len(facts.texts[id] or "") for id in range(start, end) if id < 700)
        assert sum(found.scripts.values()).tolist() == found.tokens.tolist() and OTHERS in found.scripts


def test_longest_tokens_equal_those_of_the_census():
    groups = census(trained().encoding, 20)
    expected = {name: group.longest for name, group in groups.items() if name != SPECIAL_TOKEN and group.tokens}
    assert longest_tokens(trained()) == expected


def test_shared_tokens_have_the_same_bytes():
    here, there = trained(), of_gpt2()
    tokens = [{facts.encoding.bytes_of(id) for id in facts.encoding.ids()} for facts in (here, there)]
    found = shared_tokens(here, there)
    both = (tokens[0] & tokens[1]) - {b"<|end|>", b"<|endoftext|>"}
    assert {here.bytes_of(row) for row in found.here} == {there.bytes_of(row) for row in found.there} == both
    assert len(found.here) + len(found.only_here) == 700 and len(found.there) + len(found.only_there) == 50_256
    parts = [coverage(CORPUS, here.encoding, rows) for rows in (found.here, found.only_here)]
    assert sum(part.tokens for part in parts) == len(here.encoding.encode(CORPUS))
    assert sum(part.num_bytes for part in parts) == len(CORPUS.encode())
    assert parts[0].tokens == sum(here.encoding.bytes_of(id) in both for id in here.encoding.encode(CORPUS))
