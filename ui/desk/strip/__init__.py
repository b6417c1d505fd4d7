"""The tokens of a text that nobody writes, with the loupe: what is decoded, or stands in another language."""

from functools import partial
from pathlib import Path

from tokenizer import Tokens
from tokenizer.encoding.tokens import SPECIAL
from ui.desk import messages
from ui.kit.component import LOUPE, TOKENS, component
from ui.server.shelf import Entry

HERE = Path(__file__).parent

_component = component("strip", HERE, (TOKENS, LOUPE, HERE / "strip.css"))


def strip(
    key: str, tokens: Tokens, entry: Entry, origin: str | None = None, lang: str = "", direction: str = "auto"
) -> None:
    """Draws tokens of an encoding; `origin` says where their text is from, which is else the beginning of the desk's.

    `lang` is a BCP 47 tag or empty, `direction` "ltr", "rtl" or "auto".
    """
    data = {
        "encoding": messages.facts(entry, "special" if SPECIAL in tokens.kinds else "text"),
        "text": tokens.text,
        "ids": tokens.ids,
        "starts": tokens.starts.tolist(),
        "ends": tokens.ends.tolist(),
        "kinds": tokens.kinds.tolist(),
        "lang": lang,
        "direction": direction,
    }
    messages.draw(_component, key, data, on_why_change=partial(messages.take_why, key, origin))
