"""The tokens of a text that nobody writes, with the loupe: what is decoded, or stands in another language."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from server.shelf import Entry
from tokenizer import Tokens
from tokenizer.encoding.tokens import NORMAL, SPECIAL
from ui.desk import messages
from ui.kit.component import LOUPE, TOKENS, component

_component = component(__file__, "strip", TOKENS, LOUPE)

WRAPPING = 4  # drawn as wrapping; of no kind that the core knows


class Wrapped(NamedTuple):
    """What is told apart in a text that was put together: stretches that were read by themselves and join to it, those
    that begin a line here by their index, and of each token whether it is wrapping."""

    stretches: Sequence[str]
    begins_line: Sequence[int]
    is_wrapping: np.ndarray


def strip(
    key: str,
    tokens: Tokens,
    entry: Entry,
    origin: str | None = None,
    lang: str = "",
    direction: str = "auto",
    wrapped: Wrapped | None = None,
    moving: bool = False,
) -> None:
    """Draws tokens of an encoding; `origin` says where their text is from, which is else the beginning of the desk's.

    `lang` is a BCP 47 tag or empty, `direction` "ltr", "rtl" or "auto". Tokens that are
    `moving` take their colors before one's eyes.
    """
    kinds = tokens.kinds
    if wrapped:
        kinds = np.where(wrapped.is_wrapping & (kinds == NORMAL), WRAPPING, kinds)
    data = {
        "encoding": messages.facts(entry, "special" if SPECIAL in kinds and not wrapped else "text"),
        "text": tokens.text,
        "ids": tokens.ids,
        "starts": tokens.starts.tolist(),
        "ends": tokens.ends.tolist(),
        "kinds": kinds.tolist(),
        "stretches": list(wrapped.stretches) if wrapped else None,
        "lines": list(wrapped.begins_line) if wrapped else [],
        "lang": lang,
        "direction": direction,
        "moving": moving,
    }
    messages.draw(_component, key, data, on_why_change=partial(messages.take_why, key, origin))
