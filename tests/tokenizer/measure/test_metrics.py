"""Metrics: worked by hand, against published numbers, and against naive counting under hypothesis."""

import math
import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import regex
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from texts import TEXTS

from tokenizer import Tokens, encoding_from_merges, get_encoding, train
from tokenizer.errors import TokenizerError
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.measure.metrics import (
    METRICS,
    OtherText,
    by_line,
    measure,
    ratio,
    renyi_efficiency,
    token_lengths,
)
from tokenizer.measure.text_units import TextUnits
from tokenizer.text.units import count_graphemes, grapheme_ends, words
from tokenizer.text.well_formed import well_formed

BYTES = {bytes([i]): i for i in range(256)}
TOY = byte_bpe("toy", None, BYTES, {"<|end|>": 300})  # ids 256 to 299 are a gap: 257 tokens, the largest id 300
THAI = "ฉันกำลังเรียนรู้เรื่องโทเค็นของภาษาไทย"
FAMILY = "👩‍👩‍👧‍👦"


def cut(text, lengths, ids=None):
    """The tokens that these byte lengths cut."""
    ids = range(len(lengths)) if ids is None else ids
    return Tokens(text, np.array(ids, dtype=np.uint32), np.array(lengths, dtype=np.int32))


@st.composite
def cut_texts(draw):
    """A text of any kind, cut anywhere, also within characters."""
    text = draw(TEXTS | st.text("1๒34567 +->=!*\u00a0\u3000กa,", max_size=40))
    size = len(well_formed(text)[0].encode())
    inner = sorted(draw(st.sets(st.integers(1, size - 1)))) if size > 1 else []
    lengths = np.diff([0, *inner, size]) if size else []
    ids = draw(st.lists(st.integers(0, 9), min_size=len(lengths), max_size=len(lengths)))
    return text, cut(well_formed(text)[0], lengths, ids)


# By hand


def test_metrics_of_a_text_by_hand():
    # red| red|der|,| |ท cut after 2 of its 3 bytes|its last byte and the 3 of sara i|the 3 of mai ek
    text = "red redder, ที่"
    tokens = cut(text, [3, 4, 3, 1, 1, 2, 4, 3], ids=[1, 2, 3, 4, 5, 6, 7, 1])
    # 12 bytes and 3 times 3 are 21; 12 characters and 3 are 15; ที่ is one grapheme, so there are 13.
    # The words are red, redder and ที่. Of the tokens only the first, red, is one of them.
    # redder has a boundary inside after its first "red", ที่ has two.
    # The tokens of 2 and of 4 bytes hold a part of ท; mai ek stands alone.
    # Words have edges at 3 (red), 4 and 10 (redder), 12 (ที่); the space before redder, and that before ที่, is part of
    # the word, so there are edges at 3, 10 and 11. Boundaries are at 3, 7, 10, 11, 12 (the same as 11), 14 and 18.
    # TOY decodes these ids to control characters, so that all 15 characters are missing. One token is a space alone.
    # The token of 4 bytes has the last byte of ท and all of sara i.
    # Of 8 tokens one id has 2, six ids have 1: p is 1/4 once and 1/8 six times; 257 tokens are in the vocabulary.
    entropy = math.log2((1 / 4) ** 2.5 + 6 * (1 / 8) ** 2.5) / -1.5
    assert measure(text, tokens, TOY) == {
        "tokens": 8,
        "distinct_tokens": 7,
        "unknown_share": 0,
        "missing_characters": 15,
        "bytes_per_token": 21 / 8,
        "characters_per_token": 15 / 8,
        "tokens_per_word": 8 / 3,
        "whole_words": 1 / 8,
        "single_token_words": 1 / 3,
        "split_words": 2 / 3,
        "word_precision": 3 / 6,
        "word_recall": 3 / 3,
        "word_f1": 6 / 9,
        "partial_tokens": 2,
        "partial_share": 2 / 8,
        "across_characters": 1,
        "cut_graphemes": 1,
        "cut_share": 1 / 13,
        "white_space_share": 1 / 8,
        "three_digit_f1": None,
        "operators_isolated": None,
        "compounds_kept": None,
        "vocab_size": 257,
        "renyi_efficiency": pytest.approx(entropy / math.log2(257), rel=1e-12),
    }


@pytest.mark.parametrize(
    ("text", "lengths", "expected"),
    [
        # one space before a word is ignored; two, a tab, a no-break space and a space after it are not
        ("a cat", [1, 4], {"whole_words": 2 / 2, "split_words": 0}),
        ("a  cat", [1, 5], {"whole_words": 1 / 2}),
        ("a\tcat", [1, 4], {"whole_words": 1 / 2}),
        ("a\u00a0cat", [1, 5], {"whole_words": 1 / 2}),
        ("cat ", [4], {"whole_words": 0}),
        ("a cat", [1, 1, 3], {"whole_words": 2 / 3}),  # the space may be a token too
        ("a cat", [5], {"whole_words": 0, "split_words": 0}),  # two words are not one
        ("don't", [5], {"whole_words": 1}),  # one word for ICU
        ("don't", [3, 2], {"whole_words": 0}),
        ("สวัสดีครับ", [18, 12], {"whole_words": 1}),  # ICU's dictionary: สวัสดี and ครับ, 6 and 4 characters of 3 bytes
        ("สวัสดีครับ", [15, 15], {"whole_words": 0, "split_words": 1 / 2}),
        ("3.14,", [4, 1], {"whole_words": 1 / 2}),  # numbers are words, punctuation is not
        (" ", [1], {"whole_words": 0}),
        ("a cat", [2, 3], {"split_words": 0}),  # a boundary at a word's edge is not inside
        ("a cat", [3, 2], {"split_words": 1 / 2}),
        ("a cat", [1, 1, 1, 1, 1], {"split_words": 1 / 2}),  # however often
        ("สวัสดีครับ", [1] * 30, {"split_words": 2 / 2}),
        ("👍", [1, 1, 2], {"partial_tokens": 3, "partial_share": 1, "cut_graphemes": 1, "cut_share": 1}),
        (FAMILY, [4, 3, 4, 3, 4, 3, 4], {"partial_tokens": 0, "cut_graphemes": 1, "cut_share": 1}),  # three joiners
        (FAMILY, [25], {"partial_tokens": 0, "cut_graphemes": 0, "cut_share": 0}),
        ("\r\n", [1, 1], {"partial_tokens": 0, "cut_graphemes": 1, "cut_share": 1}),  # CR LF is one grapheme
        ("\n\r", [1, 1], {"cut_graphemes": 0, "cut_share": 0}),
        ("e\u0301", [1, 2], {"partial_tokens": 0, "cut_share": 1}),
        ("e\u0301", [2, 1], {"partial_tokens": 2, "cut_share": 1}),
        # the second token starts inside a character
        ("กa", [2, 2], {"partial_tokens": 2, "partial_share": 1, "cut_graphemes": 1, "cut_share": 1 / 2}),
    ],
)
def test_words_characters_and_graphemes_by_hand(text, lengths, expected):
    assert expected.items() <= measure(text, cut(text, lengths), TOY).items()


def test_repeated_token_has_no_entropy():
    values = measure("aaaa", cut("aaaa", [1] * 4, ids=[7] * 4), TOY)
    assert values["renyi_efficiency"] == 0 and str(values["renyi_efficiency"]) == "0.0"  # not -0.0
    assert values["distinct_tokens"] == 1


def test_distinct_tokens_have_the_largest_entropy():
    text = bytes(range(128)).decode()
    half = measure(text, TOY.tokenize(text), TOY)["renyi_efficiency"]
    assert half == pytest.approx(math.log2(128) / math.log2(257))  # 128 of 257 tokens
    assert renyi_efficiency(np.ones(512), 512) == pytest.approx(1)
    assert renyi_efficiency(np.ones(1), 1) is None  # log2(1) is 0


def test_special_tokens_with_one_id_are_one_distinct_token():
    enc = get_encoding("o200k_harmony")
    text = "<|endofprompt|>a<|reserved_200018|>"
    tokens = enc.tokenize(text, special="special")
    assert tokens.ids == [200018, enc.encode("a")[0], 200018]
    values = measure(text, tokens, enc)
    assert (values["tokens"], values["distinct_tokens"]) == (3, 2)
    assert values["bytes_per_token"] == (15 + 1 + 19) / 3
    # The words are endofprompt, a and reserved_200018: none is split, and only a is a token.
    assert (values["tokens_per_word"], values["split_words"], values["whole_words"]) == (3 / 3, 0, 1 / 3)
    assert token_lengths(tokens).lengths.tolist() == [1, 15, 19]
    as_text = measure(text, enc.tokenize(text), enc)
    assert as_text["tokens"] > 3 and as_text["vocab_size"] == values["vocab_size"]


def test_by_line_by_hand():
    # Line 1: "ab" CR LF; line 2: LF; line 3: "c" CR; line 4: "ที่", of one grapheme.
    # The first token is line 1 to its CR; the second, LF LF, starts in line 1, though line 2 is in it.
    text = "ab\r\n\nc\rที่"
    table = by_line(text, cut(text, [3, 2, 1, 1, 3, 3, 3]))
    assert list(zip(table.starts.tolist(), table.ends.tolist(), strict=True)) == [(0, 4), (4, 5), (5, 7), (7, 16)]
    assert table.tokens.tolist() == [2, 0, 2, 3]
    assert table.graphemes.tolist() == [3, 1, 2, 1]
    assert table.tokens_per_grapheme.tolist() == [2 / 3, 0, 1, 3]


def test_ratio_is_none_without_both_numbers():
    assert ratio(6, 4) == 1.5
    assert ratio(0, 4) == 0
    assert ratio(None, 4) is ratio(4, None) is ratio(4, 0) is ratio(0, 0) is None


# Published


@pytest.mark.parametrize(
    ("pieces", "of_2_5", "of_3"),
    [
        # The examples of tokenization-scorer, by the paper's authors. Its tests have order 2.5; its README
        # states 2.5 too, but its numbers have order 3, the former default.
        ("pick @@ed pick @@l @@ed pick @@les", 0.8265064834225245, 0.8031528501359657),
        ("pick @@e @@d pick @@l @@e @@d pick @@l @@e @@s", 0.9204840242168808, 0.9105681923824472),
    ],
)
def test_renyi_efficiency_of_the_authors_own_examples(pieces, of_2_5, of_3):
    counts = np.array(list(Counter(pieces.split()).values()))  # their vocabulary is the observed tokens
    assert renyi_efficiency(counts, len(counts)) == pytest.approx(of_2_5, rel=1e-14)
    assert renyi_efficiency(counts, len(counts), alpha=3) == pytest.approx(of_3, rel=1e-14)


def test_compression_of_the_cs336_lecture():
    text = "Hello, 🌍! 你好!"  # lecture 1: 20 bytes, 13 tokens of one character each, 1.5384615384615385
    enc = encoding_from_merges([], None, alphabet=set(text))
    values = measure(text, enc.tokenize(text), enc)
    assert (values["tokens"], values["bytes_per_token"]) == (13, 1.5384615384615385)
    assert measure(text, TOY.tokenize(text), TOY)["bytes_per_token"] == 1  # and its byte tokenizer


def test_thai_in_gpt2_is_all_partial_characters():
    enc = get_encoding("gpt2")
    values = measure(THAI, enc.tokenize(THAI), enc)
    assert (values["tokens"], values["partial_tokens"], values["partial_share"]) == (76, 76, 1)
    assert (values["bytes_per_token"], values["characters_per_token"]) == (114 / 76, 38 / 76)
    assert values["cut_share"] == 1 and values["cut_graphemes"] == 29


# Against naive counting


def naive(text, tokens, encoding, decoded=None):
    """Every metric by plain loops over spans."""
    text = well_formed(text)[0]
    data, spans = text.encode(), [(token.start, token.end) for token in tokens]
    cuts = {end for _, end in spans} - {len(data)}

    def is_cut(span):
        return any(span[0] < offset < span[1] for offset in cuts)

    def is_partial(span):
        try:
            data[span[0] : span[1]].decode()
        except UnicodeDecodeError:
            return True
        return False

    def is_word(span):
        start, end = span
        return (start, end) in word_spans or (data[start : start + 1] == b" " and (start + 1, end) in word_spans)

    word_spans, grapheme_spans = words(text), list(pairwise([0, *grapheme_ends(text).tolist()]))
    n, ids = len(spans), Counter(token.id for token in tokens)
    size = sum(encoding.has_token(id) for id in range(encoding.id_limit))
    partial, num_cut = sum(map(is_partial, spans)), sum(map(is_cut, grapheme_spans))
    known = [(token.start, token.end) for token in tokens if token.id != encoding.unknown_id]
    whole = sum(map(is_word, known))
    precision, recall, f1 = naive_word_score(data, word_spans, {offset for span in spans for offset in span})
    isolated, kept = naive_operators(text, data, spans)
    missing = Counter(text) - Counter(encoding.decode(tokens.ids) if decoded is None else decoded)
    owners = [(i, c) for i, c in enumerate(text) for _ in c.encode()]  # the character of each byte
    touched = [{*owners[start:end]} for start, end in spans]
    across = sum(len(own) > 1 for own, span in zip(touched, spans, strict=True) if is_partial(span))
    blank = sum(bool(own) and all(regex.match(r"\p{White_Space}", c) for _, c in own) for own in touched)
    power = sum((count / n) ** 2.5 for count in ids.values())
    return {
        "tokens": n,
        "distinct_tokens": len(ids),
        "unknown_share": sum(token.id == encoding.unknown_id for token in tokens) / n if n else None,
        "missing_characters": sum(missing.values()),
        "bytes_per_token": len(data) / n if n else None,
        "characters_per_token": len(text) / n if n else None,
        "tokens_per_word": n / len(word_spans) if word_spans else None,
        "whole_words": whole / n if n else None,
        "single_token_words": whole / len(word_spans) if word_spans else None,
        "split_words": sum(map(is_cut, word_spans)) / len(word_spans) if word_spans else None,
        "word_precision": precision,
        "word_recall": recall,
        "word_f1": f1,
        "partial_tokens": partial,
        "partial_share": partial / n if n else None,
        "across_characters": across,
        "cut_graphemes": num_cut,
        "cut_share": num_cut / len(grapheme_spans) if grapheme_spans else None,
        "white_space_share": blank / n if n else None,
        "three_digit_f1": naive_digits(text, {end for _, end in spans}),
        "operators_isolated": isolated,
        "compounds_kept": kept,
        "vocab_size": size,
        "renyi_efficiency": pytest.approx(-math.log2(power) / 1.5 / math.log2(size), abs=1e-12) if n else None,
    }


def naive_word_score(data, word_spans, offsets):
    def joined(offset):
        starts = [start for start, _ in word_spans]
        return offset - 1 if offset in starts and data[:offset].endswith(b" ") else offset

    found, edges = ({joined(offset) for offset in some} - {0, len(data)} for some in (offsets, sum(word_spans, ())))
    both = len(found & edges)
    return (
        both / len(found) if found else None,
        both / len(edges) if edges else None,
        2 * both / (len(found) + len(edges)) if found or edges else None,
    )


def naive_digits(text, cuts):
    """Mean F1 by precision and recall, with the cases of TokEval's table where one has nothing to divide by."""
    scores = []
    for match in re.finditer(r"\d+", text):
        before, number = len(text[: match.start()].encode()), match.group()
        ends = {before + len(number[:i].encode()) for i in range(len(number) - 3, 0, -3)}
        own = {cut for cut in cuts if before < cut < before + len(number.encode())}
        precision = len(own & ends) / len(own) if own else 1
        recall = len(own & ends) / len(ends) if ends else 1
        scores.append(2 * precision * recall / (precision + recall) if own & ends or own == ends else 0)
    return pytest.approx(sum(scores) / len(scores), abs=1e-12) if scores else None


def naive_operators(text, data, spans):
    two = ["**", "//", "<<", ">>", "<=", ">=", "=>", "==", "!=", "&&", "||", "?:"]
    at, isolated, kept = 0, [], []
    while at < len(text):
        size = 2 if text[at : at + 2] in two else 1
        if size == 1 and text[at] not in "+-*/=<>!&|^~%":
            at += 1
            continue
        start = len(text[:at].encode())
        own = [span for span in spans if span[0] < start + size and span[1] > start]
        covered = all(any(a <= i < b for a, b in own) for i in range(start, start + size))
        beside = whole_characters(data, own, start, size) if own else ""
        isolated.append(covered and not regex.sub(r"\p{White_Space}", "", beside))
        if size == 2:
            kept.append(any(a <= start and b >= start + 2 for a, b in own))
        at += size
    return (sum(some) / len(some) if some else None for some in (isolated, kept))


def whole_characters(data, own, start, size):
    """The text around an operator in its tokens, with the characters of which they have only some bytes."""
    first, last = own[0][0], own[-1][1]
    while data[first] & 0xC0 == 0x80:
        first -= 1
    while last < len(data) and data[last] & 0xC0 == 0x80:
        last += 1
    return (data[first:start] + data[start + size : last]).decode()


@examples(400)
@given(cut_texts())
def test_measure_equals_naive_counting_for_arbitrary_cuts(example):
    text, tokens = example
    values = measure(text, tokens, TOY)
    assert values == naive(text, tokens, TOY)
    assert {type(value) for value in values.values()} <= {int, float, type(None)}


TRAINED = encoding_from_merges(list(train("the cat สวัสดีครับ the mat " * 9, 280, "cl100k_base")), "cl100k_base")
TRAINED_CHARACTERS = encoding_from_merges([(b"a", b"b")], r"\w+|\W+", ["<|endoftext|>"], alphabet="abก漢 ")


@pytest.mark.parametrize("enc", [TRAINED, TRAINED_CHARACTERS], ids=["bytes", "characters"])
@examples(150)
@given(text=TEXTS, special=st.sampled_from(["text", "special"]))
def test_measure_equals_naive_counting_on_trained_encodings(enc, text, special):
    tokens = enc.tokenize(text, special)
    assert measure(text, tokens, enc) == naive(text, tokens, enc)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_harmony"])
@examples(150)
@given(text=TEXTS, special=st.sampled_from(["text", "special"]))
def test_measure_equals_naive_counting_on_real_encodings(name, text, special):
    enc = get_encoding(name)
    tokens = enc.tokenize(text, special)
    expected = naive(text, tokens, TOY, enc.decode(tokens.ids))
    expected |= {"vocab_size": len(set(enc.ranks.values()) | {*enc.special_tokens.values()})}
    found = measure(text, tokens, enc)
    del expected["renyi_efficiency"]  # the vocabulary has another size; checked above
    assert {metric: found[metric] for metric in expected} == expected


@examples(400)
@given(cut_texts())
def test_lines_equal_naive_counting(example):
    text, tokens = example
    data = tokens.text.encode()
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", tokens.text)
    ends = np.cumsum([len(line.encode()) for line in lines]).tolist() if lines else []
    table = by_line(text, tokens)
    assert table.ends.tolist() == ends
    assert [data[start:end].decode() for start, end in zip(table.starts, table.ends, strict=True)] == lines
    for line, start, end, num_tokens, num_graphemes, per_grapheme in zip(lines, *table, strict=True):
        assert num_tokens == sum(start <= token.start < end for token in tokens)
        assert num_graphemes == count_graphemes(line)
        assert per_grapheme == num_tokens / num_graphemes
    assert table.tokens.sum() == len(tokens) and table.graphemes.sum() == count_graphemes(text)


@given(cut_texts())
def test_lengths_equal_naive_counting(example):
    expected = Counter(token.end - token.start for token in example[1])
    found = token_lengths(example[1])
    assert dict(zip(found.lengths.tolist(), found.counts.tolist(), strict=True)) == expected
    assert found.lengths.tolist() == sorted(expected)


# Interface


def test_text_units_can_be_reused_for_every_encoding():
    text = f"{THAI} the cat\r\n{FAMILY}\ud800"
    units = TextUnits(text)
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        enc = get_encoding(name)
        tokens = enc.tokenize(text)
        assert measure(units, tokens, enc) == measure(text, tokens, enc)
        assert all((a == b).all() for a, b in zip(by_line(units, tokens), by_line(text, tokens), strict=True))


def test_tokens_of_another_text_raise():
    enc = get_encoding("gpt2")
    for other in ("one tex", "one text!", "ONE TEXT", ""):
        for ask in (
            lambda t: measure(t, enc.tokenize("one text"), enc),
            lambda t: by_line(t, enc.tokenize("one text")),
        ):
            with pytest.raises(OtherText, match="Pass the text that was tokenized") as error:
                ask(other)
            assert isinstance(error.value, TokenizerError) and error.value.num_bytes == len(other)


def test_every_metric_is_described():
    assert list(measure("a", TOY.tokenize("a"), TOY)) == list(METRICS)
    assert len({metric.label for metric in METRICS.values()}) == len(METRICS)
    for name, metric in METRICS.items():
        assert metric.name == name
        assert all((metric.label, metric.unit, metric.source)) and metric.better in ("lower", "higher", "neither")
        assert re.fullmatch(r"[^.]+(?:\d\.\d[^.]*)*\.", metric.definition), "one sentence"
        for words_of_it in metric[1:]:  # also rendered as Markdown
            assert not re.search(r"[*_`<>\[\]$~|\\]|^#|:\w+:", words_of_it)
