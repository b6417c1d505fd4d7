"""The share of an address in the encodings that visitors have loaded."""

import pytest

from server.encodings import encoding_store
from server.training.jobs import Job
from tokenizer import get_encoding
from tokenizer.training.makers import ExternalTraining
from tokenizer.training.spm import Options, train
from tokenizer.training.worker import Order


@pytest.mark.slow
def test_trainings_of_other_programs_are_never_refused_and_leave_other_addresses_room(monkeypatch):
    encoding_store.reset()  # other tests may hold entries
    options, texts = Options("bpe", 280), ("hug pug pun bun hugs " * 60,)
    job = Job("key", ExternalTraining("sentencepiece", options), texts)
    job.file = train(options, texts)
    first = encoding_store.add_external(job, "0", address="10.0.0.1")
    monkeypatch.setattr(encoding_store, "MAX_LOADED_MERGES", 6 * first.size)
    held = [encoding_store.add_external(job, str(number), address="10.0.0.1") for number in range(7)]
    assert sum(one.size for one in held) > encoding_store.MAX_LOADED_MERGES
    toys = [first.encoding.with_special_tokens({name: 280}) for name in ("<a>", "<b>")]
    with pytest.raises(encoding_store.StoreFull):
        encoding_store.add(toys[0], encoding_store.EXTENDED, address="10.0.0.1")
    assert encoding_store.add(toys[1], encoding_store.EXTENDED, address="10.0.0.2").encoding is toys[1]


def test_trainings_of_our_own_do_not_give_way_to_the_tokenizer_of_a_class(monkeypatch):
    encoding_store.reset()
    key = encoding_store.add(get_encoding("gpt2"), encoding_store.TRAINED).key  # no visitor holds it
    monkeypatch.setattr(encoding_store, "MAX_LOADED_MERGES", 10)
    with pytest.raises(encoding_store.StoreFull):
        encoding_store.add(get_encoding("gpt2"), encoding_store.MERGES)
    assert encoding_store.find(key).key == key


@pytest.mark.parametrize(
    "texts, order, most, found",
    [
        (("one", "two"), Order(300), 9, "one\ntwo"),
        (("one", "two"), Order(300), 5, "one\nt"),
        (("one", "two"), Order(300, held_out=1), 9, "one"),
        (("one" * 3_000, "two"), Order(300), 9, "one" * 3),
        (("", "one", "", "two"), Order(300), 9, "one\n\ntwo"),
        (("hug 2, pug 1",), Order(300, counted=True), 5, "hug p"),
    ],
)
def test_beginning_of_a_training_has_all_its_texts(texts, order, most, found):
    assert encoding_store.Trained("a", get_encoding("gpt2"), Job("a", order, texts)).beginning(most) == found
