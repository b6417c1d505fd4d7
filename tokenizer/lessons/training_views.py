"""Views of training: how tokenizers learned from one text encode another."""

import re

import numpy as np

from tokenizer.display.readable import readable
from tokenizer.encoding.interface import Encoding
from tokenizer.kinds.from_merges import encoding_from_merges
from tokenizer.lessons.learned import ENGLISH, THAI, TWO_TO_ONE, VOCABULARY_SIZE, byte_bpe, corpus
from tokenizer.lessons.views import Lane, Shown, Table
from tokenizer.lessons.wording import Counted, Ratio
from tokenizer.training.corpora import own_corpora
from tokenizer.training.train import train

CORPORA = {"english": ENGLISH, "thai": THAI, "mix": TWO_TO_ONE}
MAX_TABLE_ROWS = 8
STRAY = re.compile("[\udc80-\udcff]")  # bytes of incomplete characters, as "surrogateescape" decodes them


def lane(label: str, encoding: Encoding, text: str) -> Lane:
    """Returns a text as the tokens of an encoding that the step trained.

    >>> lane("thai", byte_bpe(THAI), "é").pieces
    ['<0xC3>', '<0xA9>']
    """
    return Lane(label, [spelled(encoding.token_bytes(id)) for id in encoding.encode(text)], "tokens")


def spelled(token: bytes) -> str:
    """Returns a token's text, with the bytes of incomplete characters in hex.

    >>> spelled("กข".encode()[:5]), spelled(b" the")
    ('ก<0xE0><0xB8>', ' the')
    """
    return STRAY.sub(lambda byte: f"<0x{ord(byte[0]) - 0xDC00:02X}>", token.decode(errors="surrogateescape"))


def named(token: bytes) -> str:
    """Returns the same for a table, with names for invisible characters.

    >>> named(b" the")
    '·the'
    """
    return readable(spelled(token).encode())


def corpora(text: str) -> Shown:
    """Encodes a text with three vocabularies of the same size, learned from English, Thai, and a two-to-one mix.

    >>> facts = corpora("ฝนตก").facts
    >>> facts["fewest"], facts["english"], facts["bytes"]
    ('thai', 12, 12)
    """
    lanes = [lane(name, byte_bpe(share), text) for name, share in CORPORA.items()]
    counts = {one.label: len(one.pieces) for one in lanes}
    times = counts["english"] / (counts["thai"] or 1)
    facts = {name: Counted(count) for name, count in counts.items()} | {
        "fewest": min(counts, key=counts.get),
        "vocabulary": Counted(VOCABULARY_SIZE),
        "bytes": Counted(len(text.encode())),
        "english_times": Ratio(times),
        "english_about": Counted(round(times)),
    }
    return Shown(facts, lanes)


def shared(text: str, other: str, share: int = TWO_TO_ONE) -> Shown:
    """Encodes a Thai and an English text with a vocabulary learned from both, with this share of Thai in percent.

    >>> facts = shared("ฝนตก", "It rains.", 100).facts
    >>> facts["tokens"] == facts["alone"], facts["other"] > facts["other_alone"]
    (True, True)
    """
    both = byte_bpe(share)
    lanes = [lane("this", both, text), lane("other", both, other)]
    tokens, others = (len(one.pieces) for one in lanes)
    own_size, other_own_size = len(byte_bpe(THAI).encode(text)), len(byte_bpe(ENGLISH).encode(other))
    losses = {"thai": tokens / (own_size or 1), "english": others / other_own_size}
    facts = {
        "share": Ratio(corpus(share).share),
        "tokens": Counted(tokens),
        "alone": Counted(own_size),
        "other": Counted(others),
        "other_alone": Counted(other_own_size),
        "loses": max(losses, key=losses.get),
        "vocabulary": Counted(VOCABULARY_SIZE),
    }
    return Shown(facts, lanes)


def used(text: str) -> Shown:
    """Counts how many tokens of an English vocabulary its own corpus uses, and how many a text.

    >>> facts = used("the river").facts
    >>> facts["used"], facts["vocabulary"] - facts["in_corpus"] == facts["bytes_unused"] + facts["steps"]
    (3, True)
    """
    encoding = byte_bpe(ENGLISH)
    ids, counts = encoding.encode(text), _counts(encoding, own_corpora()["english"])
    unused = np.flatnonzero(counts == 0)
    facts = {
        "vocabulary": Counted(encoding.vocab_size),
        "in_corpus": Counted(np.count_nonzero(counts)),
        "bytes_unused": Counted((unused < 256).sum()),
        "steps": Counted((unused >= 256).sum()),
        "tokens": Counted(len(ids)),
        "used": Counted(len(set(ids))),
    }
    steps = [spelled(encoding.token_bytes(int(id))) for id in unused if id >= 256]
    return Shown(facts, [lane("english", encoding, text), Lane("steps", steps, "tokens")])


def counts_in_corpus(encoding: Encoding, thai_share: int) -> np.ndarray:
    """Returns how often each token of a vocabulary occurs in the corpus that it was learned from, by ids."""
    return _counts(encoding, corpus(thai_share).text)


def _counts(encoding: Encoding, text: str) -> np.ndarray:
    return np.bincount(encoding.encode(text), minlength=encoding.id_limit)


def own(text: str, other: str = "", ties: str = "first-seen") -> Shown:
    """Trains on a text until no pair occurs twice, and encodes another text with the result.

    >>> facts = own("aaabdaaabac").facts
    >>> facts["merges"], facts["vocabulary"], facts["longest"], facts["tokens"]
    (3, 259, 'aaab', 5)
    """
    merges = list(train(text, 256 + len(text.encode()), min_count=2, ties=ties))
    encoding = encoding_from_merges(merges)
    lanes = [lane("this", encoding, text), *([lane("other", encoding, other)] if other else [])]
    longest = max((merge.token for merge in merges), key=len, default=b"")
    facts = {
        "merges": Counted(len(merges)),
        "base": Counted(256),
        "vocabulary": Counted(encoding.vocab_size),
        "longest": named(longest),
        "bytes": Counted(len(text.encode())),
        "tokens": Counted(len(lanes[0].pieces)),
        "other": Counted(len(lanes[-1].pieces)),
        "other_bytes": Counted(len(other.encode())),
    }
    rows = [(i, named(merge.token), merge.count) for i, merge in enumerate(merges[:MAX_TABLE_ROWS], 1)]
    return Shown(facts, [*lanes, Table(("merge", "token", "pair_seen"), rows)])


VIEWS = {"corpora": corpora, "shared": shared, "used": used, "own": own}
