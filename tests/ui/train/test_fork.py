"""The comparison of a fork with its parent, against the merges themselves."""

import re
from html import unescape

import pytest

from tokenizer.training.corpus import count_pre_tokens
from tokenizer.training.training_history import record_training
from ui.train import fork

TEXT = "the cat sat on the mat; that hat is at the other house. " * 8


@pytest.fixture(scope="module")
def two():
    counts = count_pre_tokens(TEXT)
    parent = record_training(counts, 300)
    left, right, _ = parent.runners_up(5)[0]
    start = [*((merge.left, merge.right) for merge in parent.merges[:5]), (left, right)]
    return parent, record_training(counts, 300, start=start)


def test_table_lists_the_merges_of_both_and_marks_the_first_difference(two):
    html = fork.table(*two, 5, "one", "<bdi>&lt;b&gt;</bdi>")
    assert re.findall("<th scope='col'( class=part)?>([0-9]+)</th>", html) == [
        (" class=part" * (number == 6), str(number)) for number in range(4, 20)
    ]
    rows = [re.findall("<td.*?>(.*?)</td>", row) for row in re.findall("<tr><th scope='row'>.*?</tr>", html)[1:]]
    made = [fork.merged_tokens(history) for history in two]
    for cells, own, other in zip(rows, made, made[::-1], strict=True):
        for cell, place in zip(cells, range(3, 19), strict=True):
            assert unescape(re.search("<b><bdi>(.*?)</bdi></b>", cell)[1]) == own[place].decode().replace(" ", "·")
            assert ("only in this training" in cell) == (own[place] not in other)
            there = other.index(own[place]) if own[place] in other else place
            assert (f"<small>merge {there + 1} in the other training</small>" in cell) == (there != place)


def test_summary_states_the_difference_in_tokens(two):
    ends = [int(history.num_tokens[-1]) for history in two]
    summary = fork.summary_html(*two, 5, "one", "other")
    assert f"merge 6</b>. At the end the corpus has {ends[0]:,} tokens in one" in summary
    words = "just as many" if ends[0] == ends[1] else f"<b>{abs(ends[1] - ends[0]):,} "
    assert words in summary and ("more" in summary) == (ends[1] > ends[0])
