"""Small trainings, and a naive model that applies merges one by one."""

from functools import cache
from types import SimpleNamespace

from server.encodings.encoding_store import Trained
from tokenizer.split.guards import timeout_for
from tokenizer.split.patterns import pieces
from tokenizer.training.corpus import count_pre_tokens
from tokenizer.training.train import Lift
from tokenizer.training.training_history import record_training

THAI = "น้ำท่าน้ำ ที่นี่มีน้ำ ที่นั่นก็มี บ้านน้ำท่า น้ำ\nที่บ้านมีน้ำ 👍🏽👍 e\u0301e\u0301 "
ENGLISH = "the cat sat on the mat; the hat that the cat sat on is the cat's. aaaa aaaaaaa\n\nThe the the. "

TRAININGS = {
    "thai": (THAI * 5, 300, "cl100k_base", {}),
    "english": (ENGLISH * 5, 300, "gpt2", {}),
    "no pattern": (ENGLISH * 3, 290, None, {}),
    "characters": (THAI * 5, 60, "o200k_base", {"alphabet": "characters"}),
    "smallest ids": (THAI + ENGLISH * 4, 290, "cl100k_base", {"ties": "smallest-ids"}),
    "lifted": (
        THAI + ENGLISH * 4 + "1234567 " * 9,
        300,
        "cl100k_base",
        {"lift": Lift(20, {THAI + ENGLISH * 4 + "1234567 " * 9: 1})},
    ),
}


def trained(text: str, vocab_size: int, pattern: str | None = "cl100k_base", **options) -> Trained:
    """Returns a training on a text as in the store."""
    history = record_training(count_pre_tokens(text, pattern), vocab_size, **options)
    encoding = history.encoding(pattern, ["<|end|>"], "tiny")
    return Trained("trained-1", encoding, SimpleNamespace(history=history))


@cache
def training(name: str) -> Trained:
    """Returns one of TRAININGS, or "fork", whose first merge is a forced rarer pair."""
    if name == "fork":
        plain = trained(ENGLISH * 3, 270).history
        assert plain.runners_up(0)[-1][2] < plain.merges[0].count
        return trained(ENGLISH * 3, 270, start=[plain.runners_up(0)[-1][:2]])
    text, size, pattern, options = TRAININGS[name]
    return trained(text, size, pattern, **options)


def naive_cut(text: str, one: Trained, step: int) -> list[tuple[bytes, int]]:
    """Returns the tokens and ids of a text after the first `step` merges, applied one by one."""
    out = []
    ids = {token: number for number, token in enumerate(one.history.tokens)}
    for piece in pieces(text, one.encoding.pattern, timeout_for(text)):
        parts = [bytes([b]) for b in piece.encode()] if one.history.alphabet == "bytes" else [c.encode() for c in piece]
        for merge in one.history.merges[:step]:
            at = 0
            while at < len(parts) - 1:
                if (parts[at], parts[at + 1]) == (merge.left, merge.right):
                    parts[at : at + 2] = [merge.token]
                at += 1
        out += [(part, ids.get(part, -1)) for part in parts]
    return out
