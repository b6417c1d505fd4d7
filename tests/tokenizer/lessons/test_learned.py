"""Lessons that train: every fact is that of byte-pair encoding by the book or of SentencePiece's library itself."""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learned_by_hand import expected
from texts import TEXTS

from tokenizer import TokenizerError, parallel_corpus
from tokenizer.lessons.lesson import LANGUAGES, VIEWS, lesson, lesson_names, words
from tokenizer.lessons.training_views import CORPORA
from tokenizer.lessons.views import Lane, usable
from tokenizer.lessons.wording import Counted
from tokenizer.training.corpora import mix, own_corpora
from tokenizer.training.train import train

LESSONS = ("train", "sentencepiece", "size")
STEPS = {f"{name}.{step.id}": (name, step) for name in LESSONS for step in lesson(name).steps}
SLID = {key: found for key, found in STEPS.items() if found[1].slider}
every_step = pytest.mark.parametrize(("name", "step"), STEPS.values(), ids=STEPS)
every_slider = pytest.mark.parametrize(("name", "step"), SLID.values(), ids=SLID)
HOSTILE = ["x", " ", "\0\x01\x1b", "\ud800", "🦆" * 2_000, "a" * 2_000, "  two   spaces ", "▁_", "<unk><0xF0>", "‮อักษร"]


def agrees(step, text, **at):
    """Whether all facts of a step are those that are counted by hand."""
    found = VIEWS[step.view](text, **{**step.how, **at})
    by_hand = expected(step.view, text, **step.how, **at)
    assert {name: found.facts[name] for name in by_hand} == {
        name: pytest.approx(fact) if isinstance(fact, float) else fact for name, fact in by_hand.items()
    }
    for block in found.blocks:
        if isinstance(block, Lane) and block.label in found.facts:
            assert len(block.pieces) == found.facts[block.label]
    return found


def begins(step):
    return {step.slider.name: step.slider.begins} if step.slider else {}


@every_step
def test_every_fact_is_that_of_an_independent_count(name, step):
    for text in [step.text, *parallel_corpus()["th"][:2], *parallel_corpus()["en"][:2]]:
        agrees(step, text, **begins(step))


@every_step
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_hostile_texts_give_a_right_number_or_a_clear_word(name, step, text):
    text = usable(text)
    try:
        found = step.show(text)
    except TokenizerError as error:
        assert step.view == "ways" and "at most 300" in str(error)
        return
    if len(text) < 100:
        agrees(step, text, **begins(step))
    for language in LANGUAGES:
        assert "{" not in words(name, language).text("reveal", step.id, **found.facts)


@given(TEXTS, st.sampled_from(sorted(STEPS)))
@settings(deadline=None, max_examples=60)
def test_any_text_is_counted_as_by_hand(text, key):
    _, step = STEPS[key]
    if step.view != "own" or text:
        agrees(step, usable(text), **begins(step))


@every_slider
def test_wherever_the_slider_stands_the_facts_are_those_by_hand(name, step):
    slider = step.slider
    assert slider.begins in range(slider.least, slider.most + 1, slider.by)
    middle = slider.least + (slider.most - slider.least) // slider.by // 2 * slider.by
    for at in (slider.least, middle, slider.most):
        found = agrees(step, step.text, **{slider.name: at})
        assert step.show(step.text, **{slider.name: at}).facts == found.facts
        for language in LANGUAGES:
            assert words(name, language).text("slider", step.id)
            assert words(name, language).text("reveal", step.id, **found.facts)
    assert step.show().facts == step.show(**begins(step)).facts


@pytest.mark.parametrize("name", lesson_names())
def test_only_a_step_with_a_slider_names_one(name):
    for step in lesson(name).steps:
        assert all(("slider" in words(name, language).said[step.id]) == bool(step.slider) for language in LANGUAGES)


def test_what_is_held_out_stands_in_no_training_text():
    sentences = {parallel_corpus()[tag][2] for tag in ("en", "th")}
    said = {step.text for step in lesson("train").steps if step.view in ("corpora", "shared", "used")}
    said |= {step.how["other"] for step in lesson("train").steps if "other" in step.how}
    assert said == sentences
    learned = [*own_corpora().values(), *(mix(share).text for share in {*CORPORA.values(), *range(0, 101, 10)})]
    for sentence in sentences:
        # nor does a good part of one
        assert not any(sentence[at : at + 20] in text for text in learned for at in range(len(sentence) - 19))


@pytest.mark.parametrize("language", LANGUAGES)
@every_step
def test_a_number_in_a_question_is_one_that_is_computed(name, step, language):
    facts = {f"{int(fact):,}" for fact in step.show().facts.values() if isinstance(fact, Counted)}
    given = {f"{value:,}" for value in [*step.how.values(), *begins(step).values()] if isinstance(value, int)}
    said = re.sub(r"GPT-\d|Llama 2", "", words(name, language).text("question", step.id))
    assert {*re.findall(r"[\d,]*\d", said)} <= facts | given


@pytest.mark.parametrize(("name", "share"), [("english", 0), ("thai", 100), ("mix", 67)])
def test_the_page_of_training_learns_the_same_from_these_texts(name, share):
    from tokenizer.lessons.learned import byte_bpe

    text = own_corpora()[name] if name != "mix" else mix(share).text  # as that page takes them
    assert list(train(text, 1000, min_count=2)) == byte_bpe(share).merges.learned


def test_a_table_says_what_comes_back_of_each_reading():
    step = lesson("sentencepiece").steps[3]
    rows = {str(name): back for name, back in step.show("a 🦆").blocks[-1].rows}
    assert rows == {"bpe": "a 🦆", "no_fallback": "a  ⁇ ", "ours": "a 🦆"}


def test_the_likeliest_ways_have_the_scores_of_the_library():
    from learned_by_hand import library

    [table, *_] = lesson("sentencepiece").steps[4].show().blocks
    protos = library("unigram").nbest_encode("something", nbest_size=5, return_type="proto").nbests
    for (cut, score, times), proto in zip(table.rows, protos, strict=True):
        assert cut == " | ".join(piece.piece for piece in proto.pieces)
        assert float(score.replace("−", "-")) == pytest.approx(proto.score, abs=0.005)
        assert float(times.replace(",", "")) == pytest.approx(math.exp(protos[0].score - proto.score), rel=0.05)
