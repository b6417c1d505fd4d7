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

from tokenizer import get_encoding
from tokenizer.text.samples import samples
from tokenizer.training.train import train
from ui.unicode import page as anatomy

PAGE = PAGES / "hood.py"
HOSTILE = "<img src=x onerror=alert(1)> ![x](http://e) :red[y] $z$ \0\u202e\r\n`"

every_view = pytest.mark.parametrize("view", anatomy.VIEWS)


def opened(text=None, **query):
    """Opens the page from an address, with a text on the desk."""
    return run_app(PAGE, on_desk=text, **query)


def drawn(app):
    """Returns the words in the page's own HTML."""
    [html] = [one.value for one in app.html if 'class="hood' in one.value]
    return plain_text(re.sub(r"<style>.*?</style>", "", html))


def test_first_view_lists_the_characters_of_the_text():
    app = opened()
    assert app.session_state["view"] == "characters"
    for word in re.findall(r"\w", samples()[0].text)[:20]:
        assert word in drawn(app)
    assert "LATIN CAPITAL LETTER T" in drawn(app) and "THAI CHARACTER" in drawn(app)


def test_lanes_view_links_to_why():
    assert not [one for one in opened(view="characters").button if one.key == "hood_why"]
    app = opened_in_frame("hood.py", view="lanes", encoding="o200k_base")
    ran(app.button(key="hood_why").click().run())
    assert app.session_state.visitor.page == "why" and app.selectbox(key="encoding").value == "o200k_base"


def test_only_views_of_the_text_ask_for_a_model():
    for view in anatomy.VIEWS:
        has_model = any(one.key == "encoding" for one in opened(view=view, encoding="gpt2").selectbox)
        assert has_model == (view not in ("bytes", "merge")), view


def test_model_of_a_link_is_kept_by_a_view_without_models():
    app = opened(view="merge", encoding="gpt2")
    ran(app.segmented_control(key="view").set_value("lanes").run())
    assert app.selectbox(key="encoding").value == "gpt2"


@pytest.mark.parametrize("value", ["Characters", "<b>"])
def test_unknown_view_shows_a_notice_and_the_first_view(value):
    app = opened(view=value)
    assert app.session_state["view"] == "characters"
    assert f"view={value!r}" in alert_text(app)


@pytest.mark.parametrize("view", ["forms", "lanes"])
def test_views_count_tokens_with_the_chosen_encoding(view):
    text = "น้ำ costs ①"
    app = opened(text, view=view)
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        ran(app.selectbox(key="encoding").select(name).run())
        count = len(get_encoding(name).encode(text))
        assert name in drawn(app)
        shown = rf"\b{count} tokens" if view == "lanes" else rf"the text +{len(text)} +{len(text.encode())} +{count}\b"
        assert re.search(shown, drawn(app))


@every_view
def test_address_selects_the_view_in_which_markup_stays_text(view):
    app = opened(HOSTILE * 3, view=view)
    assert app.session_state["view"] == view and not alert_text(app)
    html = "".join(one.value for one in app.html)
    assert "<img" not in html and "\0" not in html
    markdown = "".join(one.value for one in [*app.markdown, *app.caption])
    assert "alert" not in markdown and "http://e" not in markdown


@pytest.mark.slow
@every_view
def test_any_text_is_accepted(view):
    app = opened(view=view)
    for text in ["", " ", "\n", "\ud800", "\u0301", "e" + "\u0301" * 5000, "x" * 100_000, "👩‍👦🇹🇭"]:
        app.session_state.visitor.text = text
        ran(app.run())
        assert ("No text yet" in "".join(one.value for one in app.caption)) == (
            text == "" and view not in ("bytes", "merge")
        )


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


def test_page_shows_which_unicode_it_uses():
    assert f"come from Unicode {unicodedata.unidata_version}, which has" in " ".join(
        one.value for one in opened("café", view="forms").caption
    )


def merged(sequence, pair="6, 7", new_id="99", **query):
    """Opens the view of ids from a link."""
    return opened(view="merge", sequence=sequence, pair=pair, new_id=new_id, **query)


def test_link_with_a_sequence_shows_its_merge_and_the_counts_of_its_pairs():
    app = merged("5, 6, 6, 7, 9, 1")
    assert not alert_text(app)
    assert "merge([5, 6, 6, 7, 9, 1], (6, 7), 99) → [5, 6, 99, 9, 1]" in " ".join(drawn(app).split())
    [html] = [one.value for one in app.html if 'class="hood' in one.value]
    listed = re.search(r"<table>.*?</table>", html, re.DOTALL)[0]
    pairs = [plain_text(row).split() for row in re.findall(r"<tr.*?</tr>", listed, re.DOTALL)[1:]]
    assert pairs == [
        [left, right, "1", str(place)]
        for place, (left, right) in enumerate([("5,", "6"), ("6,", "6"), ("6,", "7"), ("7,", "9"), ("9,", "1")], 1)
    ]


@pytest.mark.parametrize(("size", "label"), [(1_000, "the bytes"), (1_001, "the first 1,000 bytes")])
def test_button_says_how_many_bytes_of_the_text_it_takes(size, label):
    button = opened("a" * size, view="merge").button(key="merge_text")
    assert button.label == f"Take {label} of my text"
    assert ran(button.click().run()).text_area(key="sequence").value.count("97") == 1_000


def test_bytes_of_a_lone_surrogate_are_those_that_encodings_read():
    app = ran(opened("a\ud800", view="merge").button(key="merge_text").click().run())
    assert json.loads(f"[{app.text_area(key='sequence').value}]") == [*"a\ufffd".encode()]


def test_button_says_whether_other_pairs_are_as_frequent():
    label = merged("5, 6, 6, 7, 9, 1").button(key="merge_most_frequent").label
    assert label == "Merge the first of the most frequent pairs: 5, 6"
    assert merged("1, 2, 1, 2").button(key="merge_most_frequent").label == "Merge the most frequent pair: 1, 2"
    assert merged("1, 2").button(key="merge_most_frequent").label == "Merge the most frequent pair: 1, 2"


def test_one_press_merges_the_most_frequent_pair_and_another_goes_on_as_in_training():
    text, ids = "aaabdaaabac", [*b"aaabdaaabac"]
    app = ran(opened(text, view="merge").button(key="merge_text").click().run())
    assert json.loads(f"[{app.text_area(key='sequence').value}]") == ids
    for merge in train(text, vocab_size=259, pattern=None):
        ran(app.text_input(key="pair").set_value(f"{merge.rank}, 1").run())
        assert "does not occur, so the merge changes nothing" in drawn(app)
        ran(app.button(key="merge_most_frequent").click().run())
        assert app.text_input(key="new_id").value == str(merge.rank)
        occurs = f"occurs {merge.count} times and becomes {merge.rank}: of {len(ids)} ids, {len(ids) - merge.saved} ids"
        assert occurs in drawn(app)
        assert ("occurrences overlap" in drawn(app)) == (merge.saved < merge.count)
        ran(app.button(key="merge_go_on").click().run())
        ids = json.loads(f"[{app.text_area(key='sequence').value}]")
    assert ids == [258, 100, 258, 97, 99]


def test_press_goes_on_with_what_was_typed_just_before():
    app = merged("5, 6, 6, 7, 9, 1")
    app.text_input(key="pair").set_value("6, 6")
    app.text_input(key="new_id").set_value("50")
    ran(app.button(key="merge_go_on").click().run())
    assert app.text_area(key="sequence").value == "5, 50, 7, 9, 1"
    app.text_input(key="pair").set_value("5")
    ran(app.button(key="merge_go_on").click().run())
    assert app.text_input(key="pair").value == "5" and "has 1." in alert_text(app)
    assert app.text_area(key="sequence").value == "5, 50, 7, 9, 1"


@pytest.mark.parametrize(
    ("box", "typed", "said"),
    [
        ("sequence", "5, x, 6, y", "Not an id: item 2: 'x' is not a whole number (and 1 more)."),
        ("sequence", "5, -1, 6", "Not an id: item 2: '-1' is not from 0 to 999,999,999."),
        ("sequence", "5, 1234567890", "Not an id: item 2: '1234567890' is not from 0"),
        ("sequence", "5 <b>", "'b' is not a whole number"),
        ("pair", "6", "A pair is two ids, such as 6, 7. The box “Pair to merge” has 1."),
        ("pair", "6 7 8", "has 3."),
        ("pair", "", "has 0."),
        ("new_id", "", "The new id is one number, such as 99. The box “New id” has 0."),
        ("new_id", "ninety", "'ninety' is not a whole number"),
    ],
)
def test_input_that_cannot_be_merged_is_explained_and_kept(box, typed, said):
    app = merged("5, 6, 6, 7, 9, 1")
    element = (app.text_area if box == "sequence" else app.text_input)(key=box)
    ran(element.set_value(typed).run())
    assert said in alert_text(app)
    assert (app.text_area if box == "sequence" else app.text_input)(key=box).value == typed


def test_short_sequence_shows_that_it_has_no_pair():
    for sequence in ("", "5", " [5] "):
        app = merged(sequence)
        assert not alert_text(app) and "There is no pair yet" in "".join(one.value for one in app.caption)


def test_long_sequence_is_cut_and_its_heat_map_bounded():
    ids = [*range(100)] * 20 + [7, 7] * 3
    app = merged(" ".join(map(str, reversed(ids))))
    assert "Only the first 1,000 of 2,006 ids are read." in alert_text(app)
    assert "and 800 more ids" in drawn(app)
    assert (
        "frame, if it is in the map. The map shows the ids of the most frequent pairs: 12 of 100 different ids."
        in drawn(app)
    )


def test_new_id_that_was_in_the_sequence_is_noted():
    assert "The id 5 was already in the sequence" in drawn(merged("5, 6, 6, 7", new_id="5"))
    assert "was already in the sequence" not in drawn(merged("5, 6, 6, 7"))
