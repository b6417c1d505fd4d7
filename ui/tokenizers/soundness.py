"""The checks of a tokenizer: the verdict of each, and an example that opens in the Playground."""

from collections import Counter
from html import escape

import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from server.workers.background_worker import WorkStopped, worker
from tokenizer.display.readable import readable
from tokenizer.i18n import mark, tr
from tokenizer.measure.soundness import FAIL, PASS, TITLES, VERDICTS, WARN, Finding, check
from ui.components import cache, notices
from ui.components.markdown import in_markdown
from ui.session import pending_action
from ui.session.visitor_state import visitor

SIGNS = {PASS: "✓", WARN: "!", FAIL: "✗"}
NUMBERS = {PASS: mark("{n} passed"), WARN: mark("{n} warned"), FAIL: mark("{n} failed")}
MAX_EXAMPLE_CHARACTERS = 30
MAX_IDS = 12  # of an example
STOPPED = mark("The checks were stopped: they need more time or memory than one visitor may use here.")
ABOUT = mark(
    "A check fails if the tokenizer does something that is always a defect. A check warns if the tokenizer does "
    "something that is a defect in some tokenizers and intended in others. Press an example to see its tokens in the "
    "Playground."
)


def show(entry: StoredEncoding) -> None:
    """Draws the checks of an encoding in an expander; they run when it is opened."""
    opened = st.expander(tr("Does this tokenizer have defects?"), key="soundness", on_change="rerun")
    if not opened.open:
        return
    with opened, notices.errors_shown():
        with st.spinner(tr("Checking the tokenizer …")):
            found = findings(entry)
        if found is None:
            notices.show(tr(STOPPED))
            return
        counts = Counter(one.verdict for one in found)
        words = ", ".join(tr(NUMBERS[verdict], n=counts[verdict]) for verdict in VERDICTS)
        st.caption(f"**{words}**  \n{tr(ABOUT)}")
        for one in sorted(found, key=lambda one: [FAIL, WARN, PASS].index(one.verdict)):
            _row(one)


def findings(entry: StoredEncoding) -> list[Finding] | None:
    """Returns what each check found, computed once in the worker process; None if that was stopped."""
    try:
        return cache.get_or_compute(lambda: worker.run(check, entry.encoding), "soundness", entry.key)
    except WorkStopped:
        return None


def _row(one: Finding) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(html(one))
        if not one.example:
            return
        label = in_markdown(readable(one.example.encode(), MAX_EXAMPLE_CHARACTERS))
        if pending_action.button(label, key=f"check_{one.name}", help=tr("Open this text in the Playground")):
            visitor().put_text(one.example)
            st.switch_page("playground.py")


def html(one: Finding) -> str:
    """Returns a finding as HTML.

    >>> html(Finding("digits", "pass", "Each digit is a token.", "12", [1, 2]))
    ... # doctest: +NORMALIZE_WHITESPACE
    '<div class="check"><span class="verdict pass">✓ pass</span><div><h3>Digits</h3><p>Each digit is a token.</p><p>Ids
     of the example: 1 2</p></div></div>'
    """
    verdict = f'<span class="verdict {one.verdict}">{SIGNS[one.verdict]} {escape(tr(VERDICTS[one.verdict]))}</span>'
    ids = " ".join([*map(str, one.ids[:MAX_IDS]), *(["…"] if len(one.ids) > MAX_IDS else [])])
    line = f"<p>{escape(tr('Ids of the example: {ids}', ids=ids or tr('none')))}</p>" if one.example else ""
    head = f"<h3>{escape(tr(TITLES[one.name]))}</h3><p>{escape(one.explanation)}</p>"
    return f'<div class="check">{verdict}<div>{head}{line}</div></div>'
