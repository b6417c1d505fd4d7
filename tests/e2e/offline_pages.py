"""What the browser tests of pages that encode by themselves share: their trouble, and the ids of what is typed."""

import re
from collections.abc import Callable, Iterable
from random import Random

from difficult_texts import difficult_text
from oracles import oracle
from playwright.sync_api import Page

from tokenizer.text.well_formed import well_formed

# Puts a text into a box; gives the ids that are drawn before the browser's next frame, or false if not all are.
WRITE = """(area, text) => {
  area.value = text;
  area.dispatchEvent(new Event('input', { bubbles: true }));
  const isDrawn = !('stale' in area.getRootNode().querySelector('.tokens').dataset);
  return isDrawn && Array.from(area.getRootNode().querySelectorAll('.ids span'), (one) => Number(one.textContent));
}"""


def record_trouble(page: Page, is_own: Callable[[str], bool]) -> list[str]:
    """Records from now on requests of other addresses, errors, warnings and dialogs; returns their list."""
    found = []
    page.on("request", lambda request: is_own(request.url) or found.append(f"asks {request.url}"))
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda message: message.type in ("error", "warning") and found.append(message.text))
    page.on("dialog", lambda dialog: found.append(dialog.message))
    return found


def assert_ids_equal_tiktokens(write: Callable[[str], list[int] | bool], name: str, texts: Iterable[str]) -> None:
    """Types texts, and a hundred difficult ones; `write` returns the ids drawn at once, or False."""
    draw = Random(name)
    newer = "1\U00011de0234"  # a digit that Unicode got after tiktoken's version, which splits there
    for text in [newer, "<|endoftext|>", "", *texts, *(difficult_text(draw) for _ in range(100))]:
        text = re.sub("\r\n?", "\n", well_formed(text)[0])  # as in a text area
        ids = write(text)
        if ids is False:  # a long pre-token
            assert max(map(len, re.findall(r"\w+|\W+", text))) > 500
            continue
        assert ids == oracle(name).encode_ordinary(text), text
