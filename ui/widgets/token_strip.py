"""The tokens of a read-only text, with the loupe."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from server.encodings.encoding_store import StoredEncoding
from server.web_files import FOLDER, LOUPE, TOKENS
from tokenizer import Tokens
from tokenizer.encoding.tokens import NORMAL, SPECIAL
from ui.components.component import component_in
from ui.widgets import encoding_component

_component = component_in(FOLDER / "token_strip", "token_strip", TOKENS, LOUPE)

WRAPPING = 4  # an additional kind of token: the core has 0 to 3


class Wrapped(NamedTuple):
    """The parts of a chat prompt: segments that were encoded one by one, and whether each token is wrapping.

    `begins_line` are the indices of the segments that begin a line.
    """

    stretches: Sequence[str]
    begins_line: Sequence[int]
    is_wrapping: np.ndarray


def token_strip(
    key: str,
    tokens: Tokens,
    entry: StoredEncoding,
    origin: str | None = None,
    lang: str = "",
    direction: str = "auto",
    wrapped: Wrapped | None = None,
    moving: bool = False,
) -> None:
    """Draws tokens of an encoding; `origin` is that of their text, None for the beginning of the visitor's text.

    `lang` is a BCP 47 tag or "", `direction` "ltr", "rtl" or "auto". With `moving`, changes of color are animated.
    """
    kinds = tokens.kinds
    if wrapped:
        kinds = np.where(wrapped.is_wrapping & (kinds == NORMAL), WRAPPING, kinds)
    data = {
        "encoding": encoding_component.encoding_data(entry, "special" if SPECIAL in kinds and not wrapped else "text"),
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
    encoding_component.draw(_component, key, data, on_why_change=partial(encoding_component.take_why, key, origin))
