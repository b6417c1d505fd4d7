"""The live editor: a textarea and its tokens, drawn while one types, without a rerun of the script."""

from functools import partial
from pathlib import Path

from tokenizer import Encoding, TrainedEncoding
from ui.desk import asking, desk
from ui.kit.component import TOKENS, component
from ui.server import shelf
from ui.server.answers import ROUTE

HERE = Path(__file__).parent
KEY = "editor"

_component = component("editor", HERE, (TOKENS,))


def editor(encoding: Encoding, special: str) -> None:
    """Draws the editor over the desk's text, in `encoding`, special tokens read as `special` ("text" or "special").

    The text comes back to the desk when the typing pauses; see `ui/desk/desk.py`.
    """
    _component(
        key=KEY,
        data={
            "url": ROUTE,
            "push": desk.push(),
            "answer": asking.last_reply(KEY),
            "encoding": about(encoding, special),
        },
        on_commit_change=partial(take_commit, KEY),
        on_ask_change=partial(asking.reply, KEY),
        on_why_change=partial(asking.take_why, KEY),
    )
    asking.turn_to_why()


def about(encoding: Encoding, special: str) -> dict:
    """Returns what a component must know of an encoding, special tokens read as `special`.

    >>> about(shelf.find("gpt2"), "text")["specials"]
    {'<|endoftext|>': 50256}
    """
    return {
        "key": shelf.key_of(encoding),
        "name": encoding.name,
        "special": special,
        "specials": encoding.special_tokens,
        "unknown": encoding.unknown_id if isinstance(encoding, TrainedEncoding) else None,
        "cuts": encoding.safe_cuts,
        "hash": encoding.rank_table_sha256,
    }


def take_commit(key: str) -> None:
    """Gives the desk the text that the component `key` sent with this rerun."""
    if commit := asking.sent(key, "commit"):
        desk.commit(commit["text"], commit["push"])
