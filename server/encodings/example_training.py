"""The training that the page Train shows to a visitor without one: that of the page's first choices."""

from functools import cache

from server.encodings import encoding_store
from server.encodings.encoding_store import Trained
from server.training.jobs import Job, job_key
from tokenizer.training.corpora import own_corpora
from tokenizer.training.worker import Order, learn

CORPUS, NAME, SPECIAL_TOKENS = "english", "english-512", ("<|endoftext|>",)
SOURCE = {"corpus": CORPUS, "form": "as-is"}  # of its text


@cache
def job() -> Job:
    """Returns the training; it takes half a second the first time."""
    order, texts = Order(min_count=2), (own_corpora()[CORPUS],)
    found = Job(job_key(order, texts), order, texts)
    found.history, found.milestones, found.new_words = learn(order, texts)
    found.stage = "done"
    return found


_kept: list[Trained] = []  # the store itself keeps only what visitors use


def example() -> Trained:
    """Returns the encoding of the training, stored as if a visitor had made it."""
    _kept[:] = [encoding_store.add_trained(job(), job().order.pattern, SPECIAL_TOKENS, NAME, source=SOURCE)]
    return _kept[0]
