"""Training that begins from an encoding: old ids stay, and new merges equal a naive trainer's over the old tokens."""

import random
from collections import Counter
from functools import cache

import pytest
from amounts import SHARE, examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import assert_saved_files_are_read_alike, joined, naive_parts, naive_train, random_ranks
from pipelines import loaded as loaded_pipeline

from tokenizer import (
    TIE_RULES,
    count_pre_tokens,
    encoding_files,
    encoding_from_merges,
    extended_encoding,
    get_encoding,
    top_pairs,
    train,
)
from tokenizer.encoding.bpe import NotMadeOfTwo
from tokenizer.errors import BadMerge, BadVocabularySize, CannotExtend, CannotSave
from tokenizer.kinds import open_models
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.kinds.extending import check_extensible, first_new_id
from tokenizer.paths import ASSETS
from tokenizer.text.units import grapheme_ends
from tokenizer.training.train import Training, check_options
from tokenizer.training.training_history import (
    NO_SYMBOL,
    TrainingHistory,
    closings,
    record_training,
    tokens_after_each,
)
from tokenizer.training.worker import Order, learn

THAI, ENGLISH = ((ASSETS / "corpora" / f"{name}.txt").read_text("utf-8") for name in ("thai", "english"))
CORPUS = THAI[:3_000] + ENGLISH[:1_500]
# gpt2 has no gap; the ids of cl100k_base have one; qwen3 has another pattern; in llama3 some tokens have no merge
FIRST_IDS = {"gpt2": 50_257, "cl100k_base": 100_277, "qwen3": 151_669, "llama3": 128_256}
WORDS = st.text(alphabet="ab c\u0e01", min_size=1, max_size=12)


def each(*names):
    """Parametrizes by names; only gpt2 loads in a moment."""
    marked = [name if name == "gpt2" else pytest.param(name, marks=pytest.mark.slow) for name in names]
    return pytest.mark.parametrize("name", marked)


def published(name):
    if name in open_models.BY_KEY and not open_models.is_installed():
        pytest.skip("splintr is not installed")
    return get_encoding(name)


@cache
def extension(name):
    start = published(name)
    return start, list(train(CORPUS, FIRST_IDS[name] + 300, start=start))


@pytest.fixture
def trained():
    return encoding_from_merges(train(ENGLISH, 400, "gpt2"), "gpt2", [], "toy")


def unmerged_by_hand(ranks):
    """The tokens of which the merges of lower rank leave more than two."""
    lower = {token: {one: rank for one, rank in ranks.items() if rank < ranks[token]} for token in ranks}
    return [token for token in ranks if len(naive_parts(token, lower[token])) > 2]


# Merges against the naive trainer


@pytest.mark.slow
@each("gpt2", "cl100k_base", "qwen3")
def test_merges_equal_the_naive_trainers_over_the_old_tokens(name):
    start = published(name)
    first, words = FIRST_IDS[name], count_pre_tokens(CORPUS, start.pattern_name)
    table = [*start.model.tokens, *[None] * (first - len(start.model.tokens))]
    for ties in TIE_RULES if name == "gpt2" else ["first-seen"]:
        found = list(train(CORPUS, first + 40, ties=ties, start=start))
        assert found == list(naive_train(words, 40, ties, base=table))
        assert [merge.rank for merge in found] == list(range(first, first + 40))


@pytest.mark.parametrize("seed", range(60 // SHARE))
def test_merges_of_tables_that_no_training_made_equal_the_naive_trainers(seed):
    draw = random.Random(seed)
    ranks = random_ranks(draw)
    start = byte_bpe("toy", None, ranks, {"<|end|>": len(ranks) + 3})
    words = {"".join(draw.choices("abcd ก", k=draw.randint(1, 12))): draw.randint(1, 5) for _ in range(20)}
    barred = {
        part for token in unmerged_by_hand(ranks) for i in range(1, len(token)) for part in (token[:i], token[i:])
    }
    table = [*start.model.tokens, *[None] * 4]
    found = list(train(counts=words, vocab_size=len(table) + 30, start=start))
    assert found == list(naive_train(words, 30, base=table, barred=barred))
    # the encoding gives what the merges, one after the other, make of the old tokens
    encoding = extended_encoding(start, found)
    for text in ["".join(draw.choices("abcd ก", k=draw.randint(1, 30))) for _ in range(30)]:
        parts = naive_parts(text.encode(), ranks)
        for merge in found:
            parts = joined(parts, merge.left, merge.right)
        if text.encode() not in encoding.ranks:
            assert [encoding.token_bytes(id) for id in encoding.encode(text)] == parts


@examples(60)
@given(corpus=st.dictionaries(WORDS, st.integers(1, 4), min_size=1, max_size=8), more=st.lists(WORDS, max_size=8))
def test_training_on_from_an_encoding_equals_training_at_once(corpus, more):
    merges = list(train(counts=corpus, vocab_size=290))
    for k in (0, len(merges) // 2, len(merges)):
        start = encoding_from_merges(merges[:k], None)
        assert list(train(counts=corpus, vocab_size=290, start=start)) == merges[k:]
    # on another corpus the counts are those of a training that replays the merges first
    words = dict.fromkeys([*corpus, *more], 1)
    on = list(train(counts=words, vocab_size=300, start=encoding_from_merges(merges, None)))
    assert on == list(train(counts=words, vocab_size=300, start=merges))[len(merges) :]


def test_top_pairs_are_those_of_the_first_step(trained):
    words = count_pre_tokens(CORPUS, "gpt2")
    first = next(train(CORPUS, 500, start=trained))
    assert top_pairs(words, limit=3, start=trained)[0] == (first.left, first.right, first.count)


# What stays


@each("gpt2", "cl100k_base", "llama3")
def test_old_ids_keep_their_bytes_and_special_tokens_their_names(name):
    start, merges = extension(name)
    more = extended_encoding(start, merges, ["<|th|>"], "more")
    first = FIRST_IDS[name]
    assert first_new_id(start) == first
    assert [more.token_bytes(id) for id in start.ids()] == [start.token_bytes(id) for id in start.ids()]
    assert more.special_tokens == {**start.special_tokens, "<|th|>": first + len(merges)}
    assert more.ids() == [*start.ids(), *range(first, first + len(merges) + 1)]
    assert [more.token_bytes(first + i) for i in range(len(merges))] == [merge.token for merge in merges]
    assert (more.name, more.pattern) == ("more", start.pattern)


@each("gpt2", "cl100k_base", "llama3")
def test_texts_without_a_new_merge_keep_their_ids_and_others_split_into_the_old_ones(name):
    start, merges = extension(name)
    more, first = extended_encoding(start, merges), FIRST_IDS[name]
    halves = {merge.rank: (more.ranks[merge.left], more.ranks[merge.right]) for merge in merges}
    draw, source, unchanged = random.Random(0), THAI + ENGLISH, 0
    for _ in range(20_000 // SHARE):
        begin, size = draw.randrange(len(source)), draw.randint(1, 60)
        text = "".join(draw.sample(source, 1 + size // 4)) if draw.random() < 0.3 else source[begin : begin + size]
        ids, old = more.encode(text), start.encode(text)
        if max(ids) < first:
            unchanged += 1
            assert ids == old
        else:
            assert max(ids) < first + len(merges)
            stack, found = ids[::-1], []
            while stack:
                id = stack.pop()
                if id in halves:
                    stack += halves[id][::-1]
                else:
                    found.append(id)
            assert found == old
    assert unchanged > 5_000 // SHARE


@pytest.mark.slow
def test_llama_3_gets_no_part_of_a_token_that_no_merge_makes():
    start = published("llama3")
    whole, begins = " việc".encode(), " việ".encode()
    parts = naive_parts(begins, start.ranks)
    assert whole in start.ranks
    assert len(parts) == 2
    tokens = [merge.token for merge in train(" việ" * 50 + "việ " * 50, FIRST_IDS["llama3"] + 50, start=start)]
    assert tokens
    assert begins not in tokens
    with pytest.raises(BadMerge, match="the beginning or end of a token that no merge makes"):
        extended_encoding(start, [tuple(parts)])


def test_training_makes_no_special_token_out_of_text(trained):
    start = trained.with_special_tokens({"<|x|>": 400})
    tokens = [merge.token for merge in train("<|x|>" * 9, 500, start=start)]
    assert b"<|x|>" not in tokens
    assert [token for token in tokens if b"<" in token]


# Files of other programs


@pytest.mark.parametrize("name", ["toy", pytest.param("llama3", marks=pytest.mark.slow)])  # llama3 lists no merges
def test_tiktoken_and_hugging_face_read_the_same_ids(name, trained, tmp_path):
    start = trained.with_special_tokens({"<|endoftext|>": 402}) if name == "toy" else published(name)  # after a gap
    merges = train(CORPUS, first_new_id(start) + 300, start=start)
    more = extended_encoding(start, merges, ["<|th|>"], "more")
    texts = [CORPUS[:2_000], THAI[5_000:7_000], "def f(x):\n\treturn 1  # ที่นี่", "ที่<|th|>นี่<|endoftext|>"]
    assert_saved_files_are_read_alike(more, tmp_path, texts)


@pytest.mark.slow
def test_forms_that_cannot_hold_an_extension_refuse_and_minbpe_holds_one_without_gaps(trained):
    start, merges = extension("gpt2")
    with pytest.raises(CannotSave, match="bytes 0 to 255"):
        encoding_files(extended_encoding(start, merges), "minbpe")
    more = extended_encoding(trained, train(CORPUS, 450, start=trained))
    lines = encoding_files(more, "minbpe")["toy.model"].decode().splitlines()
    assert len(lines) == 3 + 450 - 256
    with_special = extended_encoding(trained.with_special_tokens({"<|x|>": 400}), train(CORPUS, 450, start=trained))
    with pytest.raises(CannotSave, match="without a gap"):
        encoding_files(with_special, "minbpe")


@pytest.mark.slow
def test_only_files_without_a_list_of_merges_or_with_every_split_hold_llama_3():
    start, merges = extension("llama3")
    more = extended_encoding(start, merges)
    with pytest.raises(NotMadeOfTwo, match="Choose the format tiktoken"):
        encoding_files(more, "gpt2")
    assert list(encoding_files(more, "tiktoken")) == ["llama3.tiktoken", "llama3.tiktoken.json"]


# Errors


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: encoding_from_merges([(b"a", b"b")], None, alphabet="characters"), "characters, not bytes"),
        (lambda: encoding_from_merges([], "[a-z]+", drop_unmatched=True), "leaves out text"),
        (lambda: encoding_from_merges([(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")]), "order of a table of ranks"),
        (lambda: loaded_pipeline("BERT's way"), "does not merge pairs"),
        (lambda: loaded_pipeline("Unigram"), "does not merge pairs"),
        (lambda: loaded_pipeline("Llama's way"), "it runs in another library"),
    ],
)
def test_encodings_without_a_table_of_ranks_are_refused(make, reason):
    for call in (
        check_extensible,
        lambda start: train("abc", 300, start=start),
        lambda one: extended_encoding(one, []),
    ):
        with pytest.raises(CannotExtend, match=reason):
            call(make())


@pytest.mark.parametrize(
    ("merge", "reason"),
    [
        ((b" ", b"world"), "exists already"),
        ((b"<|endoftext|", b">"), "neither a base symbol"),
        ((b"w", b"orldy"), "neither a base symbol"),
        ((b"he", b"ring"), "join the bytes of the token 'hering' in another way"),
    ],
)
def test_merges_that_a_table_of_ranks_cannot_hold_are_refused(merge, reason):
    with pytest.raises(BadMerge, match=reason):
        extended_encoding(get_encoding("gpt2"), [merge])


@pytest.mark.parametrize("size", [50_256, 0, None, 2_000_000])
def test_too_small_size_raises_with_the_number_of_old_ids(size):
    with pytest.raises(BadVocabularySize, match="from 50,257 .*the 50,257 ids of gpt2"):
        train("abc", size, start=get_encoding("gpt2"))


def test_pattern_is_that_of_the_start(trained):
    assert list(train(CORPUS, 420, "(", start=trained)) == list(train(CORPUS, 420, "gpt2", start=trained))
    check_options(400, None, "first-seen", trained, 0)
    assert Training({"a": 1}, trained, "first-seen", 500).vocab_size == 400


# The history


@examples(60)
@given(
    learned=st.dictionaries(WORDS, st.integers(1, 4), min_size=1, max_size=8),
    corpus=st.dictionaries(WORDS, st.integers(1, 4), min_size=1, max_size=8),
    text=st.text(alphabet="ab c\u0e01\u0e35", max_size=40),
)
def test_history_and_timeline_equal_the_encoding_at_each_step(learned, corpus, text):
    start = encoding_from_merges(train(counts=learned, vocab_size=270), None).with_special_tokens({"<|x|>": 272})
    history = record_training(corpus, 300, alphabet=start)
    history = TrainingHistory.from_bytes(history.to_bytes())
    merges = list(train(counts=corpus, vocab_size=300, start=start))
    assert (history.merges, len(history.base)) == (merges, 273)
    assert history.tokens == [*(token or b"" for token in start.model.tokens), *[b""] * (273 - len(start.ranks))] + [
        merge.token for merge in merges
    ]
    encodings = [extended_encoding(start, merges[:step]) for step in range(len(merges) + 1)]
    ends, steps = closings(text, encodings[-1])
    others = tokens_after_each({text: 1}, history, start) if text else [0] * len(encodings)
    for step, encoding in enumerate(encodings):
        assert history.num_tokens[step] == sum(n * len(encoding.encode(word)) for word, n in corpus.items())
        assert ends[(steps >= step) | (steps == NO_SYMBOL)].tolist() == encoding.tokenize(text).ends.tolist()
        assert others[step] == len(encoding.encode(text))
    uses = Counter(id for word, n in corpus.items() for id in encodings[-1].encode(word) * n)
    assert history.uses.tolist() == [uses[id] for id in range(len(history.tokens))]
    crossing = [step for step in range(len(merges)) if crosses(corpus, encodings[step + 1], 273 + step)]
    assert history.crossing == (crossing[0] if crossing else NO_SYMBOL)
    for step in range(len(merges)):
        own = top_pairs(corpus, 1 + len(history.runners_up(step)), start=encodings[step])
        assert history.runners_up(step) == own[1:]


def crosses(corpus, encoding, id):
    """Whether a token with this id holds parts of two graphemes of a word."""
    found = ((word, token) for word in corpus for token in encoding.tokenize(word) if token.id == id)
    return any(set(range(token.start + 1, token.end)) & set(grapheme_ends(word).tolist()) for word, token in found)


def test_fork_replays_merges_after_the_old_tokens():
    start, counts = get_encoding("gpt2"), count_pre_tokens(CORPUS, "gpt2")
    history = record_training(counts, 50_257 + 20, alphabet=start)
    left, right, count = history.runners_up(3)[1]
    pairs = [(merge.left, merge.right) for merge in history.merges[:3]]
    fork = record_training(counts, 50_257 + 20, alphabet=start, start=[*pairs, (left, right)])
    assert fork.merges[:3] == history.merges[:3]
    assert fork.merges[3][:5] == (50_260, left, right, left + right, count)
    assert len(fork) == 20


def test_worker_learns_an_order_that_begins_from_an_encoding():
    order = Order(50_257 + 30, "gpt2", begin="gpt2", held_out=1)
    assert Order.from_json(order.to_json()) == order
    assert (order.base, order.num_base) == (get_encoding("gpt2"), 50_257)
    history, reached, _ = learn(order, [THAI[:3_000], THAI[3_000:3_500]])
    assert history.merges == list(train(THAI[:3_000], 50_257 + 30, start=get_encoding("gpt2")))
    encoding = history.encoding("gpt2", ["<|th|>"], start=get_encoding("gpt2"))
    assert history.held_out[-1] == len(encoding.encode(THAI[3_000:3_500]))
    assert history.english[[0, -1]].tolist() == [len(one.encode(ENGLISH)) for one in (get_encoding("gpt2"), encoding)]
    assert encoding.special_tokens == {"<|endoftext|>": 50_256, "<|th|>": 50_287}
    assert not reached
