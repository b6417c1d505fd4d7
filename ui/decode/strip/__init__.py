"""Decoded ids as the tokens of a text, with the loupe, as they are where one types."""

from functools import partial
from pathlib import Path

import numpy as np

from tokenizer.encoding.tokens import NORMAL, SPECIAL, UNKNOWN
from ui.desk import messages, own_text
from ui.kit.component import LOUPE, TOKENS, component
from ui.server.shelf import Entry

HERE = Path(__file__).parent
KEY = "strip"

_component = component("strip", HERE, (TOKENS, LOUPE, HERE / "strip.css"))


def strip(ids: list[int], text: str, entry: Entry) -> None:
    """Draws ids whose bytes are this text."""
    encoding = entry.encoding
    specials = set(encoding.special_tokens.values())
    kinds = [SPECIAL if id in specials else UNKNOWN if id == encoding.unknown_id else NORMAL for id in ids]
    data = {
        "encoding": messages.facts(entry, "special" if SPECIAL in kinds else "text"),
        "text": text,
        "ids": ids,
        "lengths": encoding.byte_lengths(np.array(ids)).tolist(),
        "kinds": kinds,
    }
    messages.draw(_component, KEY, data, on_why_change=partial(messages.take_why, KEY, own_text.IDS))
