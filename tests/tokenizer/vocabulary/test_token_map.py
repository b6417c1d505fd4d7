"""The map of a vocabulary against a plain loop over its ids."""

from collections import Counter

import pytest

from tokenizer import get_encoding
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.text.scripts import script
from tokenizer.text.well_formed import as_text
from tokenizer.vocabulary.facts import facts_of
from tokenizer.vocabulary.token_map import token_map

NO_LETTERS = ("digits", "punctuation", "symbols", "space", "control characters")


def plain_group(token, largest):
    """Returns the group of an ordinary token."""
    if as_text(token) is None:
        return "parts of characters"
    name = script(token)
    return "no letters" if name in NO_LETTERS else name if name in largest else "others"


def with_gaps():
    ranks = {bytes([i]): i for i in range(256)} | {"ก".encode(): 256, b"x" * 400: 300, "ж".encode(): 301}
    return byte_bpe("gaps", None, ranks, {"<|end|>": 310})


@pytest.mark.parametrize(
    "make", [lambda: get_encoding("gpt2"), lambda: get_encoding("cl100k_base"), with_gaps], ids=["gpt2", "gpt4", "gaps"]
)
def test_map_equals_a_plain_loop_over_the_ids(make):
    encoding = make()
    found, specials = token_map(facts_of(encoding)), {*encoding.special_tokens.values()}
    tokens = [None if token is None or id in specials else token for id, token in enumerate(encoding.table)]
    counts = Counter(script(token) for token in tokens if token is not None and as_text(token) is not None)
    scripts = [name for name, _ in counts.most_common() if name not in NO_LETTERS and not name.startswith("mixed")]
    used = {*encoding.ids()}
    wanted = [
        "unused ids" if id not in used else "special token" if id in specials else plain_group(token, scripts[:6])
        for id, token in enumerate(tokens)
    ]
    assert [found.names[i] for i in found.group.tolist()] == wanted
    assert found.length.tolist() == [min(255, len(token or b"")) for token in encoding.table]
    assert len(wanted) == encoding.id_limit
