"""The warm-up: the first visitor finds results computed, in every language."""

import gc

import pytest
from apps import open_page, until

from tokenizer.i18n import SOURCE_LANGUAGE, language, using_language
from tokenizer.languages.premium import cost
from ui import warmup
from ui.components import cache
from ui.languages import premium
from ui.train import trainer
from ui.vocabulary import timeline


def test_warm_up_runs_in_the_source_language(monkeypatch, small_heap):
    spoken = []
    monkeypatch.setattr(warmup, "START_DELAY_SECONDS", 0)
    for page in (trainer, premium, timeline):
        monkeypatch.setattr(page, "warm_up", lambda: spoken.append(language()))
    monkeypatch.setattr(gc, "freeze", lambda: None)
    warmup.start()
    until(lambda: len(spoken) == 3)
    assert spoken == [SOURCE_LANGUAGE] * 3


@pytest.mark.slow
def test_warmed_up_languages_are_not_counted_again(monkeypatch):
    counted = []
    monkeypatch.setattr(premium, "cost", lambda *given, **more: counted.append(given) or cost(*given, **more))
    cache.clear()
    premium.warm_up()
    assert counted
    counted.clear()
    open_page("languages.py")
    with using_language("th"):
        premium.warm_up()
    assert not counted


@pytest.mark.slow
def test_warmed_up_vocabulary_is_not_read_again(monkeypatch):
    looked_through, look = [], timeline.id_ranges
    monkeypatch.setattr(timeline, "id_ranges", lambda *given: looked_through.append(given) or look(*given))
    cache.clear()
    timeline.warm_up()
    assert looked_through
    looked_through.clear()
    open_page("vocabulary.py")
    assert not looked_through
