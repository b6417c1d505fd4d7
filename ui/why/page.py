"""The page Why this split: its text, the chosen piece, the lanes of all patterns, and a lab for patterns."""

from functools import partial

import streamlit as st

from tokenizer import PATTERNS, Encoding, TokenizerError
from tokenizer.display.comparing import html_table
from tokenizer.display.strip import html
from tokenizer.errors import BadPattern
from tokenizer.i18n import mark, number, tr, trn
from tokenizer.kinds import open_models
from tokenizer.split.alternatives import Alternative, PieceReason, alternatives
from tokenizer.split.patterns import SAFE_CUT, has_safe_cuts
from tokenizer.text.well_formed import well_formed
from ui.components import notices
from ui.components.markdown import in_markdown
from ui.session import page_snapshot, pending_action, pending_values, why_text
from ui.session.visitor_state import visitor
from ui.why.boundary_reasons import PatternLane, is_left_over, lane
from ui.why.ladder import Source, ladder
from ui.widgets import patterns as chosen_patterns
from ui.widgets import pickers
from ui.widgets.live_text import live_text
from ui.widgets.patterns import MAX_PATTERN_CHARACTERS, OWN_START
from ui.widgets.patterns import lanes as lanes_of

MAX_SHOWN_CHARACTERS = 300
MAX_PIECE_CHARACTERS = 20_000  # that are searched for the end of one pre-token
CONTEXT_CHARACTERS = 60  # shown before the place that a link asks for
MAX_LISTED_ALTERNATIVES = 40
MY_OWN = mark("my own regex")
MOVED_TEXT = "กินข้าวที่นี่"
MOVED_PATTERNS = {"qwen2": "Qwen 3", "qwen35": "Qwen 3.5"}
MOVED_KEY, MOVED_FROM = "qwen3.5", "qwen2"  # an open model, and the pattern of the model before it
MOVED_PREMIUMS = {"qwen2": 2.47, "qwen35": 1.14}  # Thai tokens ÷ English tokens of our sentences: docs/models.md

ORIGINS = {
    why_text.WRITTEN: mark("This text came with a link or file, or from another page; your own text is unchanged."),
    why_text.PAGE: mark("This text came from another page; your own text is unchanged."),
    why_text.TIMELINE: mark("This is the text of the merge timeline; your own text is unchanged."),
    why_text.IDS: mark("This is the text of the decoded ids; your own text is unchanged."),
    why_text.SENTENCE: mark("This is a sentence from the Languages page; your own text is unchanged."),
}


def source(encoding: Encoding) -> Source:
    """Draws the text and returns the shown part of it: the visitor's text, or the one another page asked about."""
    why_text.sync_address()
    if own := why_text.other_text():
        st.html(f'<p class="why-text" dir="auto">{html(own.text[:MAX_SHOWN_CHARACTERS])}</p>')
    else:
        live_text()
    return excerpt(_text(), why_text.byte_offset(), has_safe_cuts(encoding.pattern))


def examples() -> None:
    """Draws the example texts while the page explains the visitor's text."""
    if not why_text.other_text():
        pickers.examples(_put)


def _text() -> str:
    own = why_text.other_text()
    return well_formed(visitor().text)[0] if own is None else own.text


def excerpt(text: str, at: int | None, has_cuts: bool = True) -> Source:
    """Returns about 300 characters of a text: its beginning, or those around the pre-token at byte `at`.

    The part holds that pre-token whole, and begins and ends where every known pattern has a boundary, if there is such
    a place. `has_cuts` means that the pattern in use has these boundaries too; without them, a text of at most 20,000
    characters is returned whole.

    >>> excerpt("one two", 0)
    Source(text='one two', offset=0, full_length=7, has_more=False)
    >>> excerpt("word " * 1000, 2500)[1:]
    (2439, 5000, True)
    """
    if len(text) <= (MAX_SHOWN_CHARACTERS if has_cuts else MAX_PIECE_CHARACTERS):
        return Source(text, 0, len(text))
    place = len(text.encode()[: at or 0].decode(errors="ignore"))
    start = 0
    if place > MAX_SHOWN_CHARACTERS - CONTEXT_CHARACTERS:
        low = max(0, place + 1 - MAX_PIECE_CHARACTERS)
        cuts = [found.start() for found in SAFE_CUT.finditer(text, low, place + 1) if found.start() <= place]
        near = [cut for cut in cuts if cut > place - MAX_SHOWN_CHARACTERS + CONTEXT_CHARACTERS] or cuts[-1:] or [low]
        start = next((cut for cut in reversed(near) if cut <= place - CONTEXT_CHARACTERS), near[0])
    cuts = [found.start() for found in SAFE_CUT.finditer(text, place + 1, start + MAX_SHOWN_CHARACTERS + 1)]
    after = SAFE_CUT.search(text, place + 1, start + MAX_PIECE_CHARACTERS) if not cuts else None
    end = cuts[-1] if cuts else after.start() if after else min(len(text), start + MAX_PIECE_CHARACTERS)
    return Source(text[start:end], len(text[:start].encode()), len(text), end < len(text))


def choose(at: int) -> None:
    """Selects the pre-token that contains a byte."""
    why_text.choose(why_text.other_text(), at)


def describe_source(found: Source) -> None:
    """Draws which text is shown and how much of it, unless it is the visitor's whole text."""
    if problem := why_text.problem():
        notices.show(problem)
    own = why_text.other_text()
    row = partial(st.container, horizontal=True, vertical_alignment="center", gap="small")
    button = partial(st.button, type="tertiary")
    with st.container(gap="xxsmall"):
        if own:
            with row(key="why_origin"):
                st.caption(tr(ORIGINS[own.origin]), width="content")
                back, icon = tr("Back to my text"), ":material/undo:"
                button(back, key="use_desk", on_click=why_text.choose, args=(None,), icon=icon)
                put, pen = tr("Use as my text"), ":material/edit_note:"
                button(put, key="put_own", on_click=_put_on_desk, args=(own,), icon=pen)
        if found.full_length > len(found.text):
            with row(key="why_part"):
                may = tr(
                    "With a pattern of your own, the pre-tokens at the ends of this part may differ from those in the "
                    "whole text."
                )
                st.caption(f"{_part_note(found, bool(own))} {may}", width="content")
                if found.offset:
                    button(tr("Previous part"), key="part_before", on_click=_choose_before, args=(found,))
                if found.has_more:
                    after = found.offset + len(found.text.encode())
                    button(tr("Next part"), key="part_after", on_click=choose, args=(after,))


def _part_note(found: Source, is_own: bool) -> str:
    facts = {"n": len(found.text), "whole": found.full_length, "offset": found.offset + 1}
    if found.offset and is_own:
        return tr("{n:,} of the {whole:,} characters in this text are shown, from byte {offset:,} on.", **facts)
    if found.offset:
        return tr("{n:,} of the {whole:,} characters in your text are shown, from byte {offset:,} on.", **facts)
    if is_own:
        return tr("The first {n:,} of the {whole:,} characters in this text are shown.", **facts)
    return tr("The first {n:,} of the {whole:,} characters in your text are shown.", **facts)


def _put(text: str) -> None:
    """Replaces the visitor's text, and clears the place that was chosen in the previous one."""
    visitor().put_text(text)
    why_text.choose(None)


def _put_on_desk(own: why_text.OtherText) -> None:
    visitor().put_text(own.text)
    why_text.choose(None, why_text.byte_offset())


def _choose_before(found: Source) -> None:
    before = _text().encode()[: found.offset].decode()
    choose(len(before[: -(MAX_SHOWN_CHARACTERS - CONTEXT_CHARACTERS)].encode()))


def _long_text() -> list | None:
    """Returns the text of another page and the place in it, if they are too long for the address."""
    own = why_text.other_text()
    is_long = own is not None and len(own.text) > why_text.MAX_ADDRESS_CHARACTERS
    return [own.text, why_text.byte_offset()] if is_long else None


def _restore_long_text(found: list) -> None:
    text, at = found
    why_text.choose(why_text.checked(page_snapshot.checked_text(text)), None if at is None else int(at))


page_snapshot.register("why", "text", _long_text, _restore_long_text, address=" ".join(why_text.ADDRESS_PARAMS))


def _lab_pattern() -> str | None:
    return chosen_patterns.as_typed() if st.session_state.get("lab") else None


def _restore_lab(found: object) -> None:
    pattern = page_snapshot.checked_text(found)[:MAX_PATTERN_CHARACTERS]
    chosen_patterns.keep_own(pattern)
    pending_values.set("lab_pattern", pattern)
    pending_values.set("lab", True)


def _keep_lab_pattern() -> None:
    pending_values.reapply("lab_pattern")
    chosen_patterns.keep_own(st.session_state.lab_pattern)


page_snapshot.register("why", "pattern", _lab_pattern, _restore_lab)
page_snapshot.register("why", "own_pattern", chosen_patterns.as_typed, chosen_patterns.restore, page_snapshot.TAB)


def patterns(encoding: Encoding) -> tuple[dict[str, str | None], str]:
    """Returns the patterns to compare by their lanes' names, and the name of the encoding's lane."""
    no_pattern = tr("none")
    chosen = encoding.pattern_name or no_pattern
    found: dict[str, str | None] = {name: name for name in PATTERNS} | {no_pattern: None}
    if encoding.pattern_name:
        found.setdefault(chosen, chosen)  # the pattern of an open model has a lane only while the model is chosen
    if encoding.name == MOVED_KEY:
        found.setdefault(MOVED_FROM, MOVED_FROM)
    if encoding.pattern is not None and not encoding.pattern_name:
        chosen = tr("{name}’s own pattern", name=encoding.name)
        found[chosen] = encoding.pattern
    if (own := chosen_patterns.own()) not in (OWN_START, encoding.pattern):
        found[tr(MY_OWN)] = own
    return found, chosen


@notices.errors_shown()  # of a tokenizer that another library runs, such as that it takes too long
def split(found: Source, encoding: Encoding) -> None:
    """Draws the pieces of the encoding's pattern, the merges of the chosen piece, and the lanes of all patterns."""
    if not found.text:
        st.caption(tr("No text yet. Write something above, or try an example."))
        return
    compared, chosen = patterns(encoding)
    lanes = [
        one for name, pattern in compared.items() if isinstance(one := lane(name, found.text, pattern), PatternLane)
    ]
    own = next((one for one in lanes if one.name == chosen), None)
    if own is None:
        notices.show(
            tr("The split pattern of {name} takes too long on this text. Shorten the text.", name=encoding.name)
        )
        return
    others = [one for one in lanes if one is not own]
    if encoding.drops_unmatched:
        own = own._replace(pieces=[piece for piece in own.pieces if not is_left_over(piece)])
    if any(token in found.text for token in encoding.special_tokens):
        st.caption(tr("This page reads the names of special tokens in this text as text."))
    if sum(end - start for start, end in encoding.pre_tokens(found.text)) < len(found.text.encode()):
        if encoding.pattern is None:
            st.caption(
                tr(
                    "{name} leaves out a part of this text; that part is not in any token.",
                    name=in_markdown(encoding.name),
                )
            )
        else:
            st.caption(
                tr(
                    "{name} leaves out text that the split pattern does not match; that text is not in any token.",
                    name=in_markdown(encoding.name),
                )
            )
    if encoding.model.stages("a") is not None:  # it does more than to split by a pattern and to merge bytes
        st.caption(
            tr(
                "{name} processes a text in its own steps. The Tokenizers page shows what each step does.",
                name=in_markdown(encoding.name),
            )
        )
    if not own.pieces:
        return
    with st.container(key="stage"):
        ladder(found, why_text.byte_offset(), encoding, own, others)
    with st.container(key="why_lanes"):
        st.html(lanes_of(found.text[:MAX_SHOWN_CHARACTERS], [(one.name, one.pattern) for one in lanes], chosen))
    if len(found.text) > MAX_SHOWN_CHARACTERS:
        facts = {"most": MAX_SHOWN_CHARACTERS, "n": len(found.text)}
        st.caption(tr("The rows show the first {most:,} of these {n:,} characters.", **facts))


def moved() -> None:
    """Draws how two versions of one model cut the same Thai words, and what that saves, with or without the models."""
    opened = st.expander(tr("A split pattern that changed from Qwen 3 to Qwen 3.5"), key="moved", on_change="rerun")
    if not opened.open:
        return
    with opened:
        patterns = [(name, pattern) for pattern, name in MOVED_PATTERNS.items()]
        st.html(lanes_of(MOVED_TEXT, patterns, ""))
        st.caption(
            tr(
                "This is Thai for “eat rice here”. In Unicode, vowels above the line and tone marks are combining "
                "marks, not letters. The pattern of Qwen 3 splits before a combining mark that follows a letter; that "
                "of Qwen 3.5 keeps combining marks in the word. The Thai sentences on the Languages page take "
                "{before:.2f} times as many tokens as the English ones in Qwen 3, and {after:.2f} times in Qwen 3.5, "
                "which also has a new vocabulary.",
                before=MOVED_PREMIUMS["qwen2"],
                after=MOVED_PREMIUMS["qwen35"],
            )
        )
        if (model := open_models.BY_KEY[MOVED_KEY]).is_here:
            icon = ":material/arrow_upward:"
            choose_it, args = pickers.ENCODING.choose, (MOVED_KEY,)
            st.button(tr("Choose Qwen 3.5"), key="choose_moved", on_click=choose_it, args=args, icon=icon)
        else:
            st.caption(tr("To see the tokens of Qwen 3.5, install a package: {command}", command=f"`{model.command}`"))


def lab(text: str) -> None:
    """Draws the pattern lab: how a typed regular expression splits the text, and what each alternative matches."""
    opened = st.expander(tr("Try your own pattern"), key="lab", on_change="rerun")
    if not opened.open:
        return
    with opened:
        typed = st.text_input(
            tr("A regular expression"),
            chosen_patterns.own(),  # another default than the value would make each run until the next input send it
            key="lab_pattern",
            max_chars=MAX_PATTERN_CHARACTERS,
            live="250ms",
            on_change=_keep_lab_pattern,
            persist_state="session",
            help=tr(
                "In the syntax of Python’s `regex` module. Text that the pattern does not match becomes a pre-token, "
                "too."
            ),
        )
        found = lane(tr(MY_OWN), text, typed)
        if isinstance(found, TokenizerError):
            notices.show(str(found))
            if isinstance(found, BadPattern) and found.position is not None:
                st.html(caret(typed, found.position))
        else:
            st.html(lanes_of(text[:MAX_SHOWN_CHARACTERS], [(tr(MY_OWN), typed)], ""))
            st.html(alternatives_table(alternatives(typed), found.pieces))
        is_unfit, icon = not isinstance(found, PatternLane), ":material/model_training:"
        if pending_action.button(tr("Train with this pattern"), key="train_on_it", icon=icon, disabled=is_unfit):
            st.session_state.more_choices = True
            chosen_patterns.use_own(typed)
            st.switch_page("train.py")


def caret(pattern: str, position: int) -> str:
    """Returns a pattern as HTML in which the character at a position is marked, or the place after the last one.

    >>> caret("a(<", 1)
    '<code class="wrong" dir="ltr">a<b>(</b>&lt;</code>'
    """
    character = html(pattern[position : position + 1]) or " "
    before, after = html(pattern[:position]), html(pattern[position + 1 :])
    return f'<code class="wrong" dir="ltr">{before}<b>{character}</b>{after}</code>'


def alternatives_table(known: list[Alternative], pieces: list[PieceReason]) -> str:
    r"""Returns the alternatives of a pattern as an HTML table, with how many pieces of the text each matched.

    >>> alternatives_table(alternatives(r"[a-z]+|\s"), lane("", "a b!", r"[a-z]+|\s").pieces).count("<td>")
    9
    """
    counts = [sum(piece.alternative == i for piece in pieces) for i in range(len(known))]
    rows = [
        f'<tr><td>{i + 1}</td><td><code dir="ltr">{html(one.source)}</code></td>'
        f"<td>{html(tr(one.words) if one.words else '–')}</td><td>{number(counts[i])}</td></tr>"
        for i, one in enumerate(known[:MAX_LISTED_ALTERNATIVES])
    ]
    left = sum(map(is_left_over, pieces))
    unsure = len(pieces) - sum(counts) - left
    more = [
        (
            len(known) > MAX_LISTED_ALTERNATIVES,
            trn("{n:,} more alternative", "{n:,} more alternatives", len(known) - MAX_LISTED_ALTERNATIVES),
            sum(counts[MAX_LISTED_ALTERNATIVES:]),
        ),
        (left, tr("matched by no alternative"), left),
        (unsure, tr("matched, but the alternative is not known"), unsure),
    ]
    rows += [
        f'<tr><th colspan="3" scope="row">{html(words)}</th><td>{number(n)}</td></tr>'
        for is_there, words, n in more
        if is_there
    ]
    heads = map(html, (tr("number"), tr("alternative"), tr("in words"), tr("pre-tokens")))
    words = tr("The pattern tries its alternatives in this order and uses the first one that matches.")
    caption = f"<caption>{html(words)}</caption>"
    return html_table(tr("Alternatives"), caption, heads, "".join(rows), "alternatives", corner="")
