"""The comparison: several encodings over one live text, their disagreements marked, without a rerun of the script."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tokenizer import Encoding
from ui.desk import asking, desk
from ui.kit.component import TOKENS, component
from ui.playground.editor import about, take_commit
from ui.server import shelf
from ui.server.answers import ROUTE

HERE = Path(__file__).parent
KEY = "compare"

_component = component("compare", HERE, (TOKENS, HERE / "compare.css"))


def compare(encodings: Sequence[Encoding], special: str, baseline: Encoding) -> None:
    """Draws a column for each encoding over the desk's text, special tokens read as `special` ("text" or "special").

    Each column has its ratio to that of `baseline`. The text comes back to the desk when the typing pauses, as the
    editor's does.
    """
    _component(
        key=KEY,
        data={
            "url": ROUTE,
            "push": desk.push(),
            "answer": asking.last_reply(KEY),
            "encodings": [about(encoding, special) for encoding in encodings],
            "baseline": shelf.key_of(baseline),
        },
        on_commit_change=partial(take_commit, KEY),
        on_ask_change=partial(asking.reply, KEY),
        on_why_change=partial(asking.take_why, KEY),
    )
    asking.turn_to_why()
