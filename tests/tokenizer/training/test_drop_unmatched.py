"""Training and encoding without the text that a pattern does not match, against minbpe's way: `findall`."""

import pytest
import regex
import tokenizers
from hypothesis import given
from hypothesis import strategies as some

from tokenizer import encoding_files, encoding_from_merges, load_encoding, train
from tokenizer.encoding.model import Split
from tokenizer.formats.minbpe import read_pattern, written_pattern
from tokenizer.training.corpus import count_pre_tokens
from tokenizer.training.worker import Order, learn

PATTERN = r"\p{L}+|\p{N}{1,2}"
TEXTS = some.text("ab1ก. ,\n", max_size=40)
CORPUS = "abab ab1. 12, กกก. กก ab\n" * 3


def as_minbpe(text, merges):
    """Returns the ids of a text as minbpe's RegexTokenizer encodes it: the matches, each merged by the lowest id."""
    tokens = {bytes([i]): i for i in range(256)}
    pairs = {}
    for merge in merges:
        pairs[tokens[merge.left], tokens[merge.right]] = tokens[merge.token] = merge.rank
    found = []
    for chunk in regex.findall(PATTERN, text):
        ids = list(chunk.encode())
        while True:
            ranks = [pairs.get(pair, 1 << 30) for pair in zip(ids, ids[1:], strict=False)]
            if not ranks or min(ranks) == 1 << 30:
                break
            at = ranks.index(min(ranks))
            ids[at : at + 2] = [min(ranks)]
        found += ids
    return found


def dropping():
    """Returns an encoding that leaves out unmatched text, and its merges."""
    merges = list(train((), 270, None, counts=count_pre_tokens(CORPUS, PATTERN, drop_unmatched=True)))
    return encoding_from_merges(merges, PATTERN, name="toy", drop_unmatched=True), merges


def test_only_matches_are_counted():
    counts = count_pre_tokens(CORPUS, PATTERN, drop_unmatched=True)
    found = regex.findall(PATTERN, CORPUS)
    assert list(counts.items()) == [(one, found.count(one)) for one in dict.fromkeys(found)]
    assert sum(count_pre_tokens(CORPUS, PATTERN).values()) > len(found)
    assert count_pre_tokens(CORPUS, "gpt2", True) == count_pre_tokens(CORPUS, "gpt2")  # matches every text
    assert count_pre_tokens(CORPUS, None, True) == {CORPUS: 1}


@given(TEXTS)
def test_ids_equal_those_of_minbpe_and_decode_to_the_matches(text):
    encoding, merges = dropping()
    assert encoding.encode(text) == as_minbpe(text, merges)
    assert encoding.decode(encoding.encode(text)) == "".join(regex.findall(PATTERN, text))


@given(TEXTS)
def test_spans_are_those_of_the_matches(text):
    encoding, _ = dropping()
    tokens, data = encoding.tokenize(text), text.encode()
    covered = b"".join(data[s:e] for s, e in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True))
    assert covered.decode() == "".join(regex.findall(PATTERN, text))
    assert [data[s:e].decode() for s, e in encoding.pre_tokens(text)] == regex.findall(PATTERN, text)


def test_order_without_unmatched_text_is_kept_in_json_and_others_have_their_old_form():
    order = Order(270, PATTERN, drop_unmatched=True)
    assert Order.from_json(order.to_json()) == order and "drop_unmatched" not in Order(270).to_json()
    assert learn(order, [CORPUS])[0].merges == dropping()[1]


@pytest.mark.parametrize("form", ["minbpe", "huggingface"])
def test_file_is_read_with_the_same_ids(form, tmp_path):
    encoding, _ = dropping()
    for name, data in encoding_files(encoding, form, "toy").items():
        (tmp_path / name).write_bytes(data)
    [path] = [path for path in tmp_path.iterdir() if path.suffix != ".vocab"]
    again = load_encoding(path)
    for text in (CORPUS, ". a1 ", "", "..."):
        assert again.encode(text) == encoding.encode(text)
    if form == "huggingface":
        library = tokenizers.Tokenizer.from_file(str(path))
        assert library.encode(CORPUS).ids == encoding.encode(CORPUS)


@pytest.mark.parametrize("drops", [True, False])
@pytest.mark.parametrize("pattern", ["[a-z]+", " ?[a-z]+", "[a-z]+ ", "a|b", "(?:ab)", "(?:a)(?:b)"])
def test_pattern_of_a_minbpe_file_shows_what_happens_to_unmatched_text(pattern, drops):
    line = written_pattern(Split(pattern, None, drops))
    found, found_drops = read_pattern(line)
    assert found_drops == drops
    for text in ("ab a b. aB ", " ab"):
        assert regex.findall(found, text) == regex.findall(pattern, text)
