"""The live editor: a textarea and its tokens, which follow each key without a rerun of the script."""

import base64
from contextlib import suppress
from functools import partial

import streamlit as st

from server.editor_api import questions
from server.encodings.encoding_store import StoredEncoding
from server.web_files import LOUPE, TOKENS, VOCABULARY_SLIDER
from tokenizer import Encoding
from tokenizer.errors import TokenizerError
from tokenizer.i18n import number, tr
from tokenizer.text.samples import samples
from ui.components import notices
from ui.components.component import component
from ui.playground import years
from ui.session import component_events, pending_action
from ui.session.choices import Choice, int_in_range
from ui.session.visitor_state import visitor
from ui.widgets import encoding_component, pickers

KEY = "editor"
MAX_GIVEN_CHARACTERS = 1000  # of a text that is sent with its tokens
MAX_MERGES = 300_000  # more than any encoding has
MERGES = Choice(
    "merges",
    "",
    lambda value: int_in_range(0, MAX_MERGES)(value) if value else None,
    lambda merges: None if merges is None else str(merges),
)
NEXT_PAGES = {  # that the editor offers -> what opens them
    "learn": partial(st.switch_page, "learn.py"),
    "languages": pickers.open_own_languages,
    "cost": years.open_languages,
}

_component = component(__file__, "editor", TOKENS, LOUPE, VOCABULARY_SLIDER)


def editor(encoding: StoredEncoding, special: str, is_seen: bool = True) -> None:
    """Draws the editor of the visitor's text; special tokens are read as `special` ("text" or "special").

    `is_seen` is false where the chosen model is only counted: then no tokens are drawn. When the typing pauses, the
    editor sends the text to the visitor's state.
    """
    first = samples()[0].text
    MERGES.begin()
    if MERGES.problem:
        notices.show(MERGES.problem)
    data = {
        "encoding": encoding_component.encoding_data(encoding, special),
        "given": given_tokens(encoding, special),
        "chosen": pickers.ENCODING.chosen,
        "seen": is_seen,
        "merges": MERGES.chosen,
        "onboarding": {"text": first, "comparison": _comparison(first, encoding.encoding)},
        "years": [
            entry
            and {
                "encoding": encoding_component.encoding_data(entry, special),
                "comparison": _comparison(first, entry.encoding),
            }
            for entry in years.stops()
        ],
        "cost": years.cost(visitor().text),
        "intro": years.intro(first) if visitor().text == first else None,
    }
    encoding_component.draw_with_text(_component, KEY, data, on_turn_change=_keep_turn, on_merges_change=_keep_merges)
    for page in filter(pending_action.is_requested, NEXT_PAGES):
        NEXT_PAGES[page]()


def given_tokens(encoding: StoredEncoding, special: str) -> dict[str, str] | None:
    """Returns the tokens of a short text that comes from the server, so that the editor need not ask for them.

    None where the visitor has typed the text: then the browser has its tokens.
    """
    text = visitor().text
    if visitor().text_name == visitor().last_push.id and len(text) <= MAX_GIVEN_CHARACTERS:
        with suppress(TokenizerError):  # the editor asks, and shows the reason
            answer = questions.tokens([text], encoding.encoding, special, "start")
            return {"key": encoding.key, "special": special, "text": text, "answer": base64.b64encode(answer).decode()}
    return None


def _comparison(text: str, encoding: Encoding) -> str:
    """Returns what the second line of the sample costs compared with the first.

    >>> from tokenizer import get_encoding
    >>> _comparison(samples()[0].text, get_encoding("o200k_base"))
    'Thai costs 1.9 times English: 17 tokens instead of 9.'
    """
    try:
        english, thai = (len(encoding.encode(line)) for line in text.split("\n"))
        times = number(thai / english, ".1f")
    except (TokenizerError, ZeroDivisionError):  # an uploaded tokenizer may know no token of the text
        return ""
    if not thai:  # the split pattern may leave it out
        return ""
    facts = {"other": tr("Thai"), "first": tr("English"), "n": thai, "least": english}
    return tr("{other} costs {times} times {first}: {n:,} tokens instead of {least:,}.", times=times, **facts)


def _keep_turn() -> None:
    if (page := component_events.sent(KEY, "turn")) in NEXT_PAGES:
        pending_action.request(page)


def _keep_merges() -> None:
    merges = component_events.sent(KEY, "merges")
    if merges == "all" or isinstance(merges, int) and 0 <= merges <= MAX_MERGES:
        MERGES.choose(None if merges == "all" else merges)
