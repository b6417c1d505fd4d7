"""The Why page with texts that are not on the desk: from a link, the timeline or decoded ids."""

import random
import re

import apps
import pytest
from apps import alert_text, button_keys, captions, click, ran

from server.encodings import encoding_store
from tokenizer import encoding_from_merges, get_encoding, pre_tokens, train
from tokenizer.display.strip import html
from tokenizer.text.files import MAX_FILE_BYTES
from tokenizer.text.samples import samples
from ui.session import component_events, why_text
from ui.streamlit_patches import visitors
from ui.train.timeline import KEY as TIMELINE
from ui.why import page as why
from ui.widgets import encoding_component, pickers

pytestmark = pytest.mark.slow

SAMPLE = samples()[0].text
THAI = "one ที่นี่ the theme\nof it 2026"
LONG_TEXT = "begin " + "word ที่นี่ 👍🏽 " * 300 + "ends here"
HOSTILE = "<img src=x onerror=alert(1)> ![x](http://e) :red[y] $z$ \u202e`"


def opened(page="why.py", **query):
    return apps.open_page(page, **query)


def address_of(app):
    return {name: values[0] if isinstance(values, list) else values for name, values in dict(app.query_params).items()}


def linked(app, text):
    """Follows a link with its own text."""
    for name in why_text.ADDRESS_PARAMS:
        app.query_params.pop(name, None)
    app.query_params["text"] = text
    return ran(app.run())


def looked_at(app):
    """Returns the page's text: its own, whose beginning must be shown, or that of the desk."""
    state = app.session_state.visitor
    own = state.choices.get("why_own")
    shown = [one.value for one in app.html if 'class="why-text"' in one.value]
    assert len(shown) == (own is not None) and all(html(own.text[:20]) in one for one in shown)
    return own.text if own else state.text


def piece(text, at, pattern):
    return next(one for one in pre_tokens(text, pattern) if one.start <= at < one.end)


def chosen(drawn):
    """Returns the first byte and the text of the selected piece."""
    start = drawn["pieces"][drawn["chosen"] - drawn["first"]][1]
    return drawn["offset"] + start, drawn["piece"]["text"]


def opening_piece(drawn):
    """Returns the index of the first piece with 3 to 6 merges, which are its bytes minus its tokens."""
    enc = get_encoding("o200k_base")
    merges = [len(piece.encode()) - len(enc.encode(piece)) for piece, *_ in drawn["pieces"]]
    return next(i for i, n in enumerate(merges) if 3 <= n <= 6)


# The address


def test_short_own_text_is_in_the_address(drawn):
    app = opened()
    for text in (THAI, HOSTILE, "", " ", "a\tb", "&=?#+%41", "x" * why_text.MAX_ADDRESS_CHARACTERS):
        linked(app, text)
        assert address_of(app) == {"text": text}
        other = opened(**address_of(app))
        assert looked_at(other) == text and not alert_text(other)
        assert other.session_state.visitor.text == SAMPLE


def test_long_own_text_is_restored_by_its_key_and_place(drawn):
    app = linked(opened(), LONG_TEXT)
    [key] = re.findall(r"^[0-9a-f]{32}$", address_of(app)["kept"])
    at = len(LONG_TEXT.encode()) - 3
    other = opened(encoding="o200k_base", kept=key, at=str(at))
    assert looked_at(other) == LONG_TEXT
    assert chosen(drawn) == (piece(LONG_TEXT, at, "o200k_base").start, " here")
    assert f"of the {len(LONG_TEXT):,} characters in this text are shown, from byte" in captions(other)


def test_stored_text_is_found_in_another_language():
    app = opened(lang="th", text=LONG_TEXT)
    assert looked_at(opened(kept=address_of(app)["kept"])) == LONG_TEXT


def test_evicted_text_shows_a_notice_and_its_place_is_ignored(drawn):
    app = opened(kept="0" * 32, at="5")
    assert "the server no longer has the text" in alert_text(app)
    assert looked_at(app) == SAMPLE and drawn["chosen"] == opening_piece(drawn)
    assert address_of(app) == {}
    assert "the server no longer has the text" in alert_text(ran(app.run()))
    assert not alert_text(linked(app, "new"))


@pytest.mark.parametrize("at", ["", "-1", "<b>", "9" * 40, "١"])
def test_invalid_place_shows_a_notice_and_keeps_the_text(drawn, at):
    app = opened(text="one two", at=at)
    assert "the number of a byte" in alert_text(app) and drawn["chosen"] == opening_piece(drawn)
    assert looked_at(app) == "one two" and address_of(app) == {"text": "one two"}


def test_own_text_and_place_survive_the_menu(drawn):
    app = linked(opened(), THAI)
    app.query_params["at"] = "25"
    ran(app.run())
    before, address = chosen(drawn), address_of(app)
    assert before[0] > 0 and address["at"] == "25"
    for page in ("decode.py", "playground.py", "train.py"):
        ran(app.switch_page(page).run())
        app.query_params.clear()  # as the menu does
        assert app.session_state.visitor.text == SAMPLE
    ran(app.switch_page("why.py").run())
    assert (chosen(drawn), looked_at(app)) == (before, THAI)
    assert {name: address_of(app)[name] for name in address} == address


def test_link_or_button_to_the_desk_leaves_the_own_text(drawn):
    app = linked(opened(at="4"), "typed here")
    assert address_of(app) == {"text": "typed here"} and app.session_state.visitor.text == SAMPLE
    assert [piece for piece, *_ in drawn["pieces"]] == ["typed", " here"] and drawn["chosen"] == 0
    click(app, "use_desk")
    assert looked_at(app) == SAMPLE and "text" not in address_of(app)
    assert "use_desk" not in button_keys(app)
    assert "No text yet" in captions(linked(app, ""))
    linked(app, "again")
    del app.query_params["text"]
    app.query_params["at"] = "4"
    ran(app.run())
    assert looked_at(app) == SAMPLE and chosen(drawn)[0] == piece(SAMPLE, 4, "o200k_base").start


def test_own_text_can_be_put_on_the_desk_with_its_place(drawn):
    app = linked(opened(), THAI)
    app.query_params["at"] = "25"
    before = chosen(drawn) if ran(app.run()) else None
    click(app, "put_own")
    state = app.session_state.visitor
    assert looked_at(app) == THAI == state.text == state.last_push.text and state.replaced_text == SAMPLE
    assert address_of(app) == {"at": "25"} and chosen(drawn)[1] == piece(THAI, 25, "o200k_base").text == before[1]


def test_too_long_own_text_is_refused():
    with pytest.raises(
        why_text.TextUnavailable,
        match=f"This text has {3 * (MAX_FILE_BYTES // 3 + 1):,} bytes; the limit is {MAX_FILE_BYTES:,}",
    ):
        why_text.checked("ก" * (MAX_FILE_BYTES // 3 + 1))


# Long texts


def test_long_own_text_can_be_paged_through_without_gaps(drawn):
    app, seen, walked = linked(opened(), LONG_TEXT), "", 0
    assert looked_at(app) == LONG_TEXT
    while seen != LONG_TEXT:
        assert walked < 100, f"only {len(seen)} of {len(LONG_TEXT)} characters were shown"
        shown = "".join(text for text, *_ in drawn["pieces"])
        assert LONG_TEXT.encode()[drawn["offset"] :].decode().startswith(shown)
        overlap = len(seen.encode()) - drawn["offset"]
        assert overlap >= 0  # no gap between two parts
        seen = LONG_TEXT.encode()[: drawn["offset"] + len(shown.encode())].decode()
        if "part_after" in button_keys(app):
            click(app, "part_after")
            walked += 1
    assert walked > 5 and "part_after" not in button_keys(app)
    while "part_before" in button_keys(app):
        click(app, "part_before")
        walked -= 1
    assert drawn["offset"] == 0 and -5 < walked < 5
    assert looked_at(app) == LONG_TEXT


@pytest.mark.parametrize("own", [False, True])
def test_word_of_ten_thousand_letters_is_shown_whole(drawn, own):
    text, app = "ab" * 5000 + " and more", opened()
    if own:
        linked(app, text)
    else:
        app.session_state.visitor.text = text
        ran(app.run())
    assert drawn["piece"]["text"] == "ab" * 5000
    assert [id for id, _ in drawn["rungs"]["tokens"]] == get_encoding("o200k_base").encode("ab" * 5000)
    place = "in this text" if own else "in your text"
    assert f"The first 10,000 of the 10,009 characters {place} are shown." in captions(app)
    if own:
        linked(app, "word " * 100 + text)
        app.query_params["at"] = "700"  # with a place too
        ran(app.run())
        assert drawn["piece"]["text"] == " " + "ab" * 5000


@pytest.mark.parametrize("pattern", [None, r"\X", r"[^.]+\.?"])
def test_text_is_shown_whole_for_patterns_without_safe_cuts(drawn, monkeypatch, pattern):
    text = "The river runs. ที่นี่มีน้ำ " * 40
    encoding = encoding_from_merges(train(text, 300, pattern), pattern, name="own")
    monkeypatch.setattr(encoding_store, "find", lambda key: encoding_store.StoredEncoding(key, encoding))
    rng, app = random.Random(5), opened()
    linked(app, text)
    for at in rng.sample(range(len(text.encode())), 3):
        app.query_params["at"] = str(at)
        ran(app.run())
        expected = piece(text, at, pattern)
        assert not alert_text(app) and looked_at(app) == text
        assert chosen(drawn) == (expected.start, expected.text)
        assert [id for id, _ in drawn["rungs"]["tokens"]] == encoding.encode(expected.text)
    assert why.excerpt("x y " * 20_000, 0, False).has_more


# From the timeline


def send_message(monkeypatch, why):
    """Simulates a component's message in a rerun."""
    monkeypatch.setattr(component_events, "sent", lambda key, trigger: why if trigger == "why" else None)


@pytest.mark.parametrize("text", [THAI, LONG_TEXT, HOSTILE])
def test_question_of_the_timeline_opens_why_and_leaves_the_desk(drawn, monkeypatch, text):
    app = opened("train.py")
    at = len(text.encode()) // 2
    send_message(monkeypatch, {"key": "gpt2", "at": at, "text": text})
    monkeypatch.setattr("ui.train.results.draw_result", lambda found: None)
    app.session_state.ask = True

    def turn():
        import streamlit as st

        from ui.session import why_text
        from ui.widgets import encoding_component

        if st.session_state.pop("ask", False):
            encoding_component.take_why("timeline", why_text.TIMELINE)
            encoding_component.go_to_requested_why()

    monkeypatch.setattr("ui.train.trainer.shown", turn)
    ran(app.run())
    expected = piece(text, at, "gpt2")
    assert chosen(drawn) == (expected.start, expected.text) and drawn["encoding"] == "gpt2"
    assert looked_at(app) == text
    assert "the text of the merge timeline" in captions(app)
    address = address_of(app)
    assert (address["encoding"], address["at"]) == ("gpt2", str(at)) and ("text" in address) == (text != LONG_TEXT)
    state = app.session_state.visitor
    assert state.text == state.last_push.text == SAMPLE and state.replaced_text is None
    ran(app.switch_page("why.py").run())  # the browser has changed the page by now
    click(app, "use_desk")
    assert looked_at(app) == SAMPLE and app.session_state.encoding == "gpt2"


@pytest.mark.parametrize(
    "message",
    [
        *(None, "x", {}, {"key": "gpt2", "at": "3", "text": "a"}, {"key": "gpt2", "at": 3}),
        *({"key": "nothing", "at": 3, "text": "a"}, {"key": "trained-" + "0" * 32, "at": 3, "text": "a"}),
        {"key": 7, "at": 1, "text": "a"},
    ],
)
def test_invalid_questions_open_no_page(monkeypatch, message):
    send_message(monkeypatch, message)
    monkeypatch.setattr(encoding_component, "request_why", lambda *_: pytest.fail("asked"))
    encoding_component.take_why(TIMELINE)
    encoding_component.take_why(TIMELINE, why_text.TIMELINE)


@pytest.mark.parametrize("page", ["vocabulary.py", "chat.py"])
def test_text_of_another_page_is_not_said_to_come_with_a_link(drawn, monkeypatch, page):
    send_message(monkeypatch, {"key": "gpt2", "at": 0, "text": THAI})

    def draw(component, key, data, on_why_change=None, **others):
        import streamlit as st

        if on_why_change and st.session_state.pop("ask", False):
            on_why_change()
        encoding_component.go_to_requested_why()

    monkeypatch.setattr(encoding_component, "draw", draw)
    app = opened(page, encoding="gpt2")
    app.session_state.ask = True
    monkeypatch.setattr(type(pickers.ENCODING), "choose", lambda *_: None)  # no callback may set a drawn widget
    ran(app.run())
    assert looked_at(app) == THAI
    assert "This text came from another page" in captions(app) and "link" not in captions(app)


# From decoded ids


def decoded(source, encoding="gpt2", row=None):
    app = opened("decode.py", encoding=encoding)
    ran(app.text_area(key="ids").set_value(source).run())
    if row is not None:
        ids = tuple(app.dataframe[0].value["id"].tolist())
        app.session_state[f"{hash((encoding, ids))}_selection"] = {
            "selection": {"rows": [row], "columns": [], "cells": []}
        }
        ran(app.run())
    return app


def test_selected_id_opens_the_piece_that_contains_it(drawn):
    encoding = get_encoding(name := "gpt2")
    ids = encoding.encode(THAI)
    for row in range(0, len(ids), 3):
        app = decoded(str(ids), name, row)
        assert f"Token {row + 1} of {len(ids)}: " in "".join(one.value for one in app.html)
        assert "the ids differ from yours" not in captions(app)
        click(app, "why_id")
        at = len(encoding.decode_bytes(ids[:row]))
        expected = piece(THAI, at, name)
        assert chosen(drawn) == (expected.start, expected.text) and drawn["encoding"] == name
        assert address_of(app) == {"encoding": name, "text": THAI, "at": str(at)}
        assert "the text of the decoded ids" in captions(app)
        assert app.session_state.visitor.text == SAMPLE


def test_rows_first_draw_a_page_that_their_message_has_changed(monkeypatch):
    def draw():
        from server.encodings import encoding_store
        from ui.decode import page

        page.rows([15496], encoding_store.find("gpt2"))

    called = []
    monkeypatch.setattr(visitors, "draw_changed_page", lambda: called.append(visitors.runs_script()))
    assert apps.run_app(draw).dataframe and called == [True]


CASES = [  # ids, selected row, shown words, whether Why can be opened
    ("15496 995", None, "Select a row", False),
    *(
        (source, None, "bytes together are not valid UTF-8", False)
        for source in ("19567", "64 19567", "19567 64 19567")
    ),
    ("39 68 75", 0, "the ids differ from yours", True),  # H, e, l
    ("64 50256 64", 1, "This is a special token", False),
]


@pytest.mark.parametrize(("source", "row", "words", "has_way"), CASES)
def test_unanswerable_ids_show_a_reason(source, row, words, has_way):
    app = decoded(source, row=row)
    assert app.dataframe[0].value.index.tolist() == list(range(1, len(source.split()) + 1))
    assert words in captions(app) and ("why_id" in button_keys(app)) == has_way
    assert ("Select a row" in captions(app)) == ("UTF-8" not in words)


def test_markup_in_tokens_stays_text():
    ids = get_encoding("gpt2").encode(HOSTILE)
    for row in (0, 8, 16, 28):  # "<", "alert", "](" and "$"
        app = decoded(str(ids), "gpt2", row)
        [line] = [one.value for one in app.html if "Token " in one.value and " of " in one.value]
        assert re.fullmatch(r"<p>Token \d+ of \d+: <bdi><b>[^<>]*</b></bdi>, id \d+</p>", line)
        assert "alert" not in captions(app)
