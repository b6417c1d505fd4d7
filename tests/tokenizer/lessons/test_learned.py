"""Lessons that train: facts equal those of textbook byte-pair encoding or of SentencePiece's library."""

import math
import re
from importlib import import_module
from pkgutil import iter_modules

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from learned_by_hand import covers, expected, from_mix, library, uses
from texts import TEXTS

from tokenizer import TokenizerError, lessons, parallel_corpus
from tokenizer.lessons.learned import byte_bpe
from tokenizer.lessons.lesson import LANGUAGES, VIEWS, lesson, lesson_names, words
from tokenizer.lessons.training_views import CORPORA
from tokenizer.lessons.views import Lane, usable
from tokenizer.lessons.wording import Counted
from tokenizer.training.corpora import mix, own_corpora
from tokenizer.training.train import train

STEPS = {
    f"{name}.{step.id}": (name, step) for name in lesson_names() for step in lesson(name).steps if covers(name, step)
}
SLIDERS = {key: found for key, found in STEPS.items() if found[1].slider}
every_step = pytest.mark.parametrize(("name", "step"), STEPS.values(), ids=STEPS)
every_slider = pytest.mark.parametrize(("name", "step"), SLIDERS.values(), ids=SLIDERS)
HOSTILE = ["x", " ", "\0\x01\x1b", "\ud800", "🦆" * 2_000, "a" * 2_000, "  two   spaces ", "▁_", "<unk><0xF0>"]
HOSTILE += ["‮อักษร", "\U00011de00000"]  # a digit that is newer than tiktoken's Unicode


def check(step, text, **at):
    """Checks the facts of a step against those computed by hand."""
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


@pytest.mark.slow
@every_step
def test_facts_equal_an_independent_count(name, step):
    for text in [step.text, parallel_corpus()["th"][0], parallel_corpus()["en"][0]]:
        check(step, text, **begins(step))
    assert step.answer in expected(step.view, step.text, **step.how, **begins(step))


@pytest.mark.slow
@every_step
def test_hostile_texts_give_right_facts_or_a_clear_error(name, step):
    for text in map(usable, HOSTILE):
        try:
            found = step.show(text)
        except TokenizerError as error:
            assert step.view == "ways" and "more than the 300 characters that can be shown" in str(error)
            continue
        if len(text) < 100:
            check(step, text, **begins(step))
        for language in LANGUAGES:
            assert "{" not in words(name, language).text("reveal", step.id, **found.facts)


@pytest.mark.slow
@given(TEXTS, st.sampled_from(sorted(STEPS)))
@examples(60)
def test_facts_of_any_text_equal_those_by_hand(text, key):
    _, step = STEPS[key]
    if step.view != "own" or text:
        check(step, usable(text), **begins(step))


@pytest.mark.slow
@every_slider
def test_facts_across_the_slider_equal_those_by_hand(name, step):
    slider = step.slider
    assert slider.begins in range(slider.least, slider.most + 1, slider.by)
    middle = slider.least + (slider.most - slider.least) // slider.by // 2 * slider.by
    for at in (slider.least, middle, slider.most):
        found = check(step, step.text, **{slider.name: at})
        assert step.show(step.text, **{slider.name: at}).facts == found.facts
        for language in LANGUAGES:
            assert words(name, language).text("slider", step.id)
            assert words(name, language).text("reveal", step.id, **found.facts)
    assert step.show().facts == step.show(**begins(step)).facts


def test_only_steps_with_a_slider_have_a_slider_label():
    steps = [(words(name, tag), step) for name in lesson_names() for tag in LANGUAGES for step in lesson(name).steps]
    assert all(("slider" in wording.sentences[step.id]) == bool(step.slider) for wording, step in steps)


def test_held_out_sentences_are_in_no_training_text():
    sentences = {parallel_corpus()[tag][2] for tag in ("en", "th")}
    texts = {step.text for step in lesson("train").steps if step.view in ("corpora", "shared", "used")}
    texts |= {step.how["other"] for step in lesson("train").steps if "other" in step.how}
    assert texts == sentences
    learned = [*own_corpora().values(), *(mix(share).text for share in {*CORPORA.values(), *range(0, 101, 10)})]
    for sentence in sentences:
        # nor are parts of 20 characters
        assert not any(sentence[at : at + 20] in text for text in learned for at in range(len(sentence) - 19))


@every_step
def test_numbers_in_questions_are_facts_or_parameters(name, step):
    facts = {f"{int(fact):,}" for fact in step.show().facts.values() if isinstance(fact, Counted)}
    given = {f"{value:,}" for value in [*step.how.values(), *begins(step).values()] if isinstance(value, int)}
    for language in LANGUAGES:
        sentence = re.sub(r"GPT-\d|Llama 2", "", words(name, language).text("question", step.id))
        assert {*re.findall(r"[\d,]*\d", sentence)} <= facts | given


@pytest.mark.parametrize(("name", "share"), [("english", 0), ("thai", 100), ("mix", 67)])
def test_training_page_learns_the_same_merges_from_these_texts(name, share):
    text = own_corpora()[name] if name != "mix" else mix(share).text  # as on that page
    assert list(train(text, 1000, min_count=2)) == byte_bpe(share).merges.learned


def test_fallback_table_shows_the_decoded_text_of_each_model():
    step = lesson("sentencepiece").steps[3]
    rows = {str(name): back for name, back in step.show("a 🦆").blocks[-1].rows}
    assert rows == {"bpe": "a 🦆", "no_fallback": "a  ⁇ ", "ours": "a 🦆"}


def test_likeliest_segmentations_have_the_librarys_scores():
    [table, *_] = lesson("sentencepiece").steps[4].show().blocks
    protos = library("unigram").nbest_encode("something", nbest_size=5, return_type="proto").nbests
    for (cut, score, times), proto in zip(table.rows, protos, strict=True):
        assert cut == " | ".join(piece.piece for piece in proto.pieces)
        assert float(score.replace("−", "-")) == pytest.approx(proto.score, abs=0.005)
        assert float(times.replace(",", "")) == pytest.approx(math.exp(protos[0].score - proto.score), rel=0.05)


def shown(name, id):
    return next(step for step in lesson(name).steps if step.id == id).show()


@pytest.mark.slow
def test_statements_about_english_and_thai_trainings_hold():
    thai, both = ({b"".join(pair) for pair in from_mix(share)[0]} for share in (100, 67))
    assert not [token for token in thai if re.search(rb"[A-Za-z]{2}", token)]
    assert sum(max(token) > 127 for token in both) > len(both) / 2  # most merges went to Thai
    assert shown("train", "english").facts["thai"] == shown("train", "english").facts["bytes"]
    assert shown("train", "thai").facts["english"] == shown("train", "thai").facts["bytes"]


@pytest.mark.slow
def test_intermediate_merge_is_unused_after_the_last_merge():
    made = [b"".join(pair) for pair in from_mix(0)[0]]
    assert (b" betwe", b"en") in from_mix(0)[0]
    assert [uses(0)[256 + made.index(token)] > 0 for token in (b" betwe", b" between")] == [False, True]


def test_training_exercise_makes_the_merges_of_the_second_lesson():
    assert [token for _, token, _ in shown("train", "exercise").blocks[-1].rows] == ["aa", "ab", "aaab"]
    assert [state.made for state in shown("bpe", "stop").blocks[0]][1:] == ["aa", "ab", "aaab"]
    assert lesson_names().index("bpe") == 1


def test_statements_about_sentencepiece_hold():
    vocabulary = {library("no_prefix").id_to_piece(id) for id in range(1000)}
    assert "▁rice" in vocabulary and "rice" not in vocabulary
    assert lesson("sentencepiece").steps[3].text[0].encode() == b"\xe0\xb8\x83" and len("ที่ตลาด") == 7
    assert shown("sentencepiece", "fallback").blocks[-2].pieces[0] == "<0xE0><0xB8>"
    assert all(len(animal.encode()) == 4 for animal in "🦆🐢🦉")
    assert shown("sentencepiece", "exercise").facts["no_fallback_unknown"] == 1
    assert not any(animal in text for animal in "ฃ🦆🐢🦉" for text in own_corpora().values())


def test_statements_about_vocabulary_sizes_hold():
    step = lesson("size").steps[1]
    assert step.show().facts["gpt2"] == len(re.findall(r"\w+|[,.]", step.text))  # each word was one token already
    assert shown("size", "exercise").facts["cl100k_base_untied_millions"] == 2 * 100 + 1


def test_names_of_views_are_unique():
    modules = [import_module(f"{lessons.__name__}.{one.name}") for one in iter_modules(lessons.__path__)]
    names = [name for module in modules if module.__name__.endswith("views") for name in module.VIEWS]
    assert sorted(names) == sorted(VIEWS)
