"""Every page in its frame: it runs with all that an address, a reader or a file can bring."""

import apps
import pytest
from apps import alerts as said
from apps import captions, keys, pressed, ran
from paths import FRAME

from tokenizer import get_encoding, list_encoding_names
from tokenizer.text.hygiene import KINDS, clean, findings
from tokenizer.text.samples import samples
from ui.widgets.pickers import models

PAGES = sorted(path.name for path in FRAME.parent.glob("*.py") if path != FRAME)
HIDDEN = "\ufeffa\u00a0b\u200bc \u00ad\u202e e\u0301 \x07\U000e0041  \r\nd"

every_page = pytest.mark.parametrize("script", PAGES)
OTHERS = ("train.py", "compare.py", "languages.py", "learn.py")  # these ask for none, or for several
every_page_with_an_encoding = pytest.mark.parametrize("script", [page for page in PAGES if page not in OTHERS])


def opened(page="playground.py", **query):
    """A page as somebody opens it from an address."""
    return apps.opened(page, **query)


def turned(app, page):
    """The app after a turn to another page of the menu."""
    return ran(app.run().switch_page(page).run())


def with_text(text):
    """The playground after a reader opened a file with this text."""
    app = opened()
    app.file_uploader(key="upload").upload("text.txt", text.encode() if isinstance(text, str) else text)
    return ran(app.run())


def desk(app):
    """The text on the desk, which must be the one that the editor is told to show."""
    state = app.session_state.visitor
    assert state.last_push.text == state.text
    return state.text


# Every page


@every_page_with_an_encoding
def test_a_page_runs_with_every_encoding(script):
    app = opened(script)
    for name in list_encoding_names():
        ran(app.selectbox(key="encoding").select(name).run())
        assert app.session_state.encoding == name
        assert app.query_params["encoding"] in (name, [name])
    assert not said(app)


@pytest.mark.slow
@every_page
@pytest.mark.parametrize(
    "asked, name",
    [("o200k_base", "o200k_base"), ("gpt-4o", "o200k_base"), ("gpt2", "gpt2"), ("gpt-oss-120b", "o200k_harmony")],
)
def test_the_address_names_an_encoding_or_a_model(script, asked, name):
    app = opened(script, encoding=asked)
    assert models()[app.session_state.encoding].endswith(f"· {name}")
    assert not said(app)


@pytest.mark.slow
@every_page_with_an_encoding
@pytest.mark.parametrize("asked", ["cl100k", "", "![x](http://e)", ":red[x] $y$", "<b>", "a\n# b", "\0", "x" * 5000])
def test_an_unknown_encoding_is_said_and_the_default_shown(script, asked):
    app = opened(script, encoding=asked)
    assert app.session_state.encoding == "o200k_base"
    [notice] = said(app)
    assert f"Unknown encoding {repr(asked)[:70]}" in notice


def test_an_unknown_encoding_has_a_suggestion_until_one_is_chosen():
    app = opened(encoding="cl100k")
    assert "Did you mean 'cl100k_base'" in said(app)[0]
    ran(turned(app, "decode.py"))
    assert "Did you mean" in said(app)[0]
    ran(app.selectbox(key="encoding").select("gpt2").run())
    assert not said(app)


@pytest.mark.parametrize("asked", ["special", "text"])
def test_the_address_says_how_special_tokens_are_read(asked):
    app = opened(special=asked)
    assert app.session_state.special == asked
    assert not said(app)


@pytest.mark.parametrize("asked", ["bad", "", "![x](http://e)", "error"])
def test_a_bad_way_to_read_special_tokens_is_said(asked):
    app = opened(special=asked)
    assert app.session_state.special == "text"
    assert f"special={asked!r}; it must be" in said(app)[0]


@pytest.mark.slow
def test_choices_and_desk_outlast_a_turn_of_pages():
    app = pressed(opened(encoding="gpt2", special="special"), "example_Egg")
    text = desk(app)
    for page in PAGES * 2:
        turned(app, page)
        assert desk(app) == text
        assert (app.session_state.encoding, app.session_state.special) == ("gpt2", "special")


# The desk


def test_the_first_example_is_on_the_desk():
    app = opened()
    assert desk(app) == samples()[0].text
    assert not keys(app, "clean_") and not keys(app, "undo_put")


def test_examples_put_their_text_on_the_desk_and_undo_takes_it_back():
    app = opened()
    assert len(keys(app, "example_")) == len(samples())
    pushes = set()
    for sample in samples():
        before = desk(app)
        pressed(app, f"example_{sample.name}")
        assert desk(app) == sample.text
        pushes.add(app.session_state.visitor.last_push.id)
        pressed(app, "undo_put")
        assert desk(app) == before
        assert not keys(app, "undo_put")
    assert len(pushes) == len(samples())


def test_a_file_comes_to_the_desk_as_it_is():
    assert desk(with_text(HIDDEN)) == HIDDEN
    assert desk(with_text("ที่\r\n".encode("utf-16"))) == "ที่\r\n"
    assert desk(with_text("")) == ""


def test_a_file_that_is_no_text_is_refused_and_the_desk_kept():
    app = with_text(b"\x89PNG\r\n\x1a\n")
    assert "not UTF" in said(app)[0]
    assert desk(app) == samples()[0].text


# Hygiene


@pytest.mark.parametrize("encoding", ["gpt2", "o200k_base"])
def test_hidden_matter_is_listed_with_its_cost(encoding):
    app = with_text(HIDDEN)
    ran(app.selectbox(key="encoding").select(encoding).run())
    encode = get_encoding(encoding).encode
    found = findings(HIDDEN, encode)
    assert {finding.name for finding in found} == set(KINDS)
    assert keys(app, "clean_") == {f"clean_{finding.name}" for finding in found}
    for finding in found:
        [row] = [row.value for row in app.markdown if finding.title in row.value]
        cost = len(encode(HIDDEN)) - len(encode(clean(HIDDEN, finding.name)))
        assert (f"{abs(cost):,} token" if cost else "costs no tokens") in row


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_a_clean_changes_the_desk_and_undo_brings_it_back(name):
    app = pressed(with_text(HIDDEN), f"clean_{name}")
    assert desk(app) == clean(HIDDEN, name)
    assert f"clean_{name}" not in keys(app, "clean_")
    pressed(app, "undo_put")
    assert desk(app) == HIDDEN
    assert f"clean_{name}" in keys(app, "clean_")


def test_cleaning_all_leaves_nothing_hidden():
    app = with_text(HIDDEN)
    while left := keys(app, "clean_"):
        pressed(app, left.pop())
    assert findings(desk(app), str.encode) == []


# Decode


def decoded(source, encoding="gpt2"):
    app = opened("decode.py", encoding=encoding)
    return ran(app.text_area(key="ids").set_value(source).run())


def put_on_desk(app):
    """The text on the desk after the button of the decode page, the only one without a key."""
    [button] = [button for button in app.button if "playground" in button.label]
    return desk(ran(button.click().run()))


@pytest.mark.parametrize("encoding", list_encoding_names())
def test_ids_become_rows_and_their_text_goes_to_the_desk(encoding):
    text = "Hello, ที่ 👩‍👦 <|endoftext|>\r\n    \nx"
    ids = get_encoding(encoding).encode(text, special="special")
    app = decoded(str(ids), encoding)
    [table] = app.dataframe
    assert table.value["id"].tolist() == ids
    assert b"".join(map(bytes.fromhex, table.value["bytes"])) == text.encode()
    assert not said(app)
    assert put_on_desk(app) == text


def test_decode_begins_with_the_ids_of_the_desks_text_and_its_example_is_of_the_encoding():
    app = opened("decode.py", encoding="gpt2")
    assert app.text_area(key="ids").value == " ".join(map(str, get_encoding("gpt2").encode(samples()[0].text)))
    assert str(get_encoding("gpt2").encode("Hello world")) in captions(decoded("", "gpt2"))


def test_of_several_lists_the_ids_are_read_and_that_is_said():
    app = decoded("{'input_ids': [15496, 995], 'token_type_ids': [0, 0], 'attention_mask': [1, 1]}")
    assert app.dataframe[0].value["id"].tolist() == [15496, 995] and not said(app)
    assert "input_ids" in captions(app)


def test_lists_without_input_ids_are_refused():
    app = decoded('{"attention_mask": [1, 1]}')
    [notice] = said(app)
    assert "attention_mask" in notice and "input_ids" in notice and not app.dataframe


@pytest.mark.parametrize("source, note", [('{"input_ids":[15496', "cut off"), ("24,912 2,375", "24912")])
def test_a_doubtful_list_is_decoded_with_a_note(source, note):
    app = decoded(source)
    assert note in captions(app) and app.dataframe and not said(app)


def test_bad_ids_are_named_and_the_rest_decoded():
    app = decoded("[15496, x, 50257, -1, ![y](http://e), 995]")
    assert app.dataframe[0].value["id"].tolist() == [15496, 995]
    [notice] = said(app)
    assert all(word in notice for word in ("item 2", "item 3", "50257", "item 4", "not an id of gpt2"))
    assert "'y'" in notice
    assert put_on_desk(app) == "Hello world"


@pytest.mark.parametrize("source", ["", " \n ", "[]"])
def test_no_ids_are_no_fault(source):
    app = decoded(source)
    assert not said(app) and not app.dataframe
    assert app.caption


@pytest.mark.parametrize("source", ["x", "1.5", "9" * 5000, " ".join(["y"] * 500), "`", "* _ #"])
def test_nothing_but_bad_ids_is_said(source):
    app = decoded(source)
    assert not app.dataframe
    assert all("nothing is left to decode" in notice for notice in said(app))
    assert said(app) or not source.strip("`")


def test_ids_that_are_no_text_alone_are_shown_with_a_word_on_it():
    app = decoded("19567")
    assert "�" in captions(app)
    assert app.dataframe[0].value["bytes"].tolist() == ["E0 B8"]
    assert put_on_desk(app) == "�"


def test_ids_outlast_a_turn_of_pages():
    app = decoded("15496 995")
    turned(app, "playground.py")
    turned(app, "decode.py")
    assert app.text_area(key="ids").value == "15496 995"


def test_the_same_ids_are_read_anew_in_another_encoding():
    app = decoded("50257 9906")
    assert "50257" in said(app)[0]
    ran(app.selectbox(key="encoding").select("cl100k_base").run())
    assert not said(app)
    assert app.dataframe[0].value["id"].tolist() == [50257, 9906]


# Several encodings


def test_a_cleared_list_of_encodings_keeps_the_columns_and_leaves_the_address():
    app = opened("compare.py", encodings="gpt2,o200k_base")
    assert app.multiselect(key="encodings").value == ["gpt2", "o200k_base"]
    ran(app.multiselect(key="encodings").set_value([]).run())
    assert app.session_state.visitor.choices["encodings"] == ["gpt2", "o200k_base"]
    [notice] = said(app)
    assert "encodings" not in app.query_params and "Choose at least two." in notice


@pytest.mark.parametrize(
    "asked", ["", "gpt2,nothing", "<b>", ",".join(["gpt2", "cl100k_base", "o200k_base"] * 9 + ["x"])]
)
def test_encodings_that_cannot_be_compared_are_said(asked):
    assert said(opened("compare.py", encodings=asked))
