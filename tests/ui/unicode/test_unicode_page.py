"""The Unicode page: views, encodings and hex input."""

import json
import re
import unicodedata

import pytest
from apps import alert_text, plain_text, ran, run_app
from apps import open_page as opened_in_frame
from hypothesis import given
from hypothesis import strategies as some
from paths import PAGES

from tokenizer import get_encoding, list_encoding_names
from tokenizer.text.samples import samples
from ui.unicode import page as anatomy

PAGE = PAGES / "hood.py"
HOSTILE = "<img src=x onerror=alert(1)> ![x](http://e) :red[y] $z$ \0\u202e\r\n`"

every_view = pytest.mark.parametrize("view", anatomy.VIEWS)


def opened(text=None, **query):
    """Opens the page from an address, with a text on the desk."""
    app = run_app(PAGE, **query)
    if text is not None:
        app.session_state.visitor.text = text
        ran(app.run())
    return app


def drawn(app):
    """Returns the words in the page's own HTML."""
    [html] = [one.value for one in app.html if 'class="hood"' in one.value]
    return plain_text(re.sub(r"<style>.*?</style>", "", html))


def test_first_view_lists_the_characters_of_the_text():
    app = opened()
    assert app.session_state["view"] == "characters"
    for word in re.findall(r"\w", samples()[0].text)[:20]:
        assert word in drawn(app)
    assert "LATIN CAPITAL LETTER T" in drawn(app) and "THAI CHARACTER" in drawn(app)


@every_view
def test_address_selects_the_view(view):
    app = opened(view=view)
    assert app.session_state["view"] == view and not alert_text(app)


def test_lanes_view_links_to_why():
    assert not [one for one in opened(view="characters").button if one.key == "hood_why"]
    app = opened_in_frame("hood.py", view="lanes", encoding="o200k_base")
    ran(app.button(key="hood_why").click().run())
    assert app.session_state.visitor.page == "why" and app.selectbox(key="encoding").value == "o200k_base"


@pytest.mark.parametrize("value", ["", "Characters", "<b>", "![x](http://e)"])
def test_unknown_view_shows_a_notice_and_the_first_view(value):
    app = opened(view=value)
    assert app.session_state["view"] == "characters"
    assert f"view={value!r}" in alert_text(app)


@pytest.mark.parametrize("view", ["forms", "lanes"])
def test_views_count_tokens_with_the_chosen_encoding(view):
    text = "น้ำ costs ①"
    app = opened(text, view=view)
    for name in list_encoding_names():
        ran(app.selectbox(key="encoding").select(name).run())
        count = len(get_encoding(name).encode(text))
        assert name in drawn(app)
        shown = rf"\b{count} tokens" if view == "lanes" else rf"the text +{len(text)} +{len(text.encode())} +{count}\b"
        assert re.search(shown, drawn(app))


@every_view
def test_markup_in_a_text_stays_text(view):
    app = opened(HOSTILE * 3, view=view)
    html = "".join(one.value for one in app.html)
    assert "<img" not in html and "\0" not in html
    markdown = "".join(one.value for one in [*app.markdown, *app.caption])
    assert "alert" not in markdown and "http://e" not in markdown


@every_view
def test_any_text_is_accepted(view):
    app = opened(view=view)
    for text in ["", " ", "\n", "\ud800", "\u0301", "e" + "\u0301" * 5000, "x" * 100_000, "👩‍👦🇹🇭"]:
        app.session_state.visitor.text = text
        ran(app.run())
        assert ("No text yet" in "".join(one.value for one in app.caption)) == (text == "" and view != "bytes")


def test_lookalikes_button_loads_the_example():
    app = ran(opened(view="forms").button(key="look_alikes").click().run())
    assert app.session_state.visitor.text == anatomy.LOOKALIKES
    assert "lost: the circle around a character" in drawn(app)


def test_hex_is_decoded_step_by_step_and_examples_fill_the_field():
    app = opened(view="bytes")
    assert "7 bytes: 1 character, and 4 × the replacement character � (U+FFFD)" in drawn(app)
    for part in ("THAI CHARACTER SO SUA", "surrogate", "stray continuation byte", "never in UTF-8", "byte 7"):
        assert part in drawn(app)
    for label, example in anatomy.HEX_EXAMPLES.items():
        ran(app.button(key=f"hex_{label}").click().run())
        assert app.text_area(key="hex").value == example
        refused = bytes.fromhex(example).decode("utf-8", "replace").count("\ufffd")
        assert (f"{refused} × the replacement character � (U+FFFD)" if refused else "every byte is valid") in drawn(app)


def test_invalid_hex_is_named_and_kept():
    app = opened(view="bytes")
    for source in ("E0 zz B8", "<b>", "![x](http://e) 41", "4", "0x", "é", "x" * 500 + " 41"):
        ran(app.text_area(key="hex").set_value(source).run())
        assert "left out" in alert_text(app) and "at character" in alert_text(app)
        assert app.text_area(key="hex").value == source
    for source in ("", "  \n", "41 " * 20_000):
        ran(app.text_area(key="hex").set_value(source).run())
        assert ("30,000 of 60,000 characters" in alert_text(app)) == (len(source) > 30_000)
        assert app.text_area(key="hex").value == source


def test_short_hex_is_in_the_address():
    app = opened(view="bytes", hex="C3 A9")
    assert app.text_area(key="hex").value == "C3 A9" and "LATIN SMALL LETTER E WITH ACUTE" in drawn(app)
    for source, value in (("41 zz", "41 zz"), ("", ""), ("41 " * 700, None), ("42", "42")):
        ran(app.text_area(key="hex").set_value(source).run())
        assert app.query_params.get("hex") in (value, [value])
    label, example = next(iter(anatomy.HEX_EXAMPLES.items()))
    ran(app.button(key=f"hex_{label}").click().run())
    assert app.query_params["hex"] in (example, [example])


@pytest.mark.parametrize(
    ("form", "python"), [("UTF-8", "utf-8"), ("UTF-16", "utf-16-le"), ("UTF-32", "utf-32-le"), ("code points", None)]
)
@pytest.mark.parametrize("digits", ["hex", "decimal"])
def test_numbers_of_a_text_equal_those_of_python(form, python, digits):
    text = "ที่ \U0001f44d\n" + "long " * 500
    app = opened(text, view="list", list=form, digits=digits)
    numbers = list(text.encode(python)) if python else list(map(ord, text))
    [written] = [one.value for one in app.code]
    if digits == "decimal":
        assert json.loads(written) == numbers
    else:
        assert [int(number.removeprefix("U+"), 16) for number in written.split()] == numbers
    mark = text.encode("utf-16")[:2]
    captions = " ".join(caption.value for caption in app.caption)
    assert (" ".join(f"{byte:02X}" for byte in mark) in captions) == (form in ("UTF-16", "UTF-32"))


@given(some.binary(max_size=40))
def test_list_of_bytes_printed_by_python_is_read(data):
    assert anatomy.read(str(list(data))) == (data, [])


def test_page_says_which_unicode_it_uses():
    assert f"are those of Unicode {unicodedata.unidata_version}, which has" in " ".join(
        one.value for one in opened("café", view="forms").caption
    )
