"""Every page: it opens with any address, input and file."""

import apps
import pytest
from apps import alerts, button_keys, captions, click, ran
from paths import FRAME

from tokenizer import get_encoding
from tokenizer.text.hygiene import KINDS, clean, findings
from tokenizer.text.samples import samples
from ui.widgets.pickers import models

PAGES = sorted(path.name for path in FRAME.parent.glob("*.py") if path != FRAME)
HIDDEN = "\ufeffa\u00a0b\u200bc \u00ad\u202e e\u0301 \x07\U000e0041  \r\nd"

OTHERS = ("train.py", "compare.py", "languages.py", "learn.py")  # these have no or several encodings
every_page_with_an_encoding = pytest.mark.parametrize("script", [page for page in PAGES if page not in OTHERS])
ENCODINGS = ["gpt2", "cl100k_base", "o200k_harmony"]  # of each number of special tokens, the last with unused ids


def opened(page="playground.py", **query):
    """Opens a page from an address."""
    return apps.open_page(page, **query)


def turned(app, page):
    """Changes to another page by the menu."""
    return ran(app.run().switch_page(page).run())


def with_text(text):
    """Opens a file with this text in the playground."""
    app = opened()
    app.file_uploader(key="opened_files_0").upload("text.txt", text.encode())
    return ran(app.run())


def desk(app):
    """Returns the text on the desk; asserts that it was pushed to the editor."""
    state = app.session_state.visitor
    assert state.last_push.text == state.text
    return state.text


# Every page


@every_page_with_an_encoding
def test_pages_open_with_every_encoding(script):
    app = opened(script)
    for name in ENCODINGS:
        ran(app.selectbox(key="encoding").select(name).run())
        assert app.session_state.encoding == name
        assert app.query_params["encoding"] in (name, [name])
    assert not alerts(app)


@pytest.mark.slow
@every_page_with_an_encoding
def test_address_selects_a_model_or_shows_a_notice_and_the_default(script):
    app = opened(script, encoding="gpt-oss-120b")
    assert models()[app.session_state.encoding].endswith("· o200k_harmony") and not alerts(app)
    assert_unknown("cl100k", script)


@pytest.mark.parametrize("value", ["", "![x](http://e)", ":red[x] $y$", "<b>", "a\n# b", "\0", "x" * 5000])
def test_unknown_encoding_is_quoted_as_text(value):
    assert_unknown(value, "decode.py")


def assert_unknown(value, script):
    app = opened(script, encoding=value)
    assert app.session_state.encoding == "o200k_base"
    [notice] = alerts(app)
    assert f"Unknown encoding {repr(value)[:70]}" in notice


@pytest.mark.slow
@pytest.mark.parametrize("script", OTHERS)
def test_pages_without_an_encoding_ignore_one_in_the_address(script):
    assert not alerts(opened(script, encoding="gpt2"))


def test_suggestion_for_an_unknown_encoding_stays_until_one_is_chosen():
    app = opened(encoding="cl100k")
    assert "Did you mean 'cl100k_base'" in alerts(app)[0]
    ran(turned(app, "decode.py"))
    assert "Did you mean" in alerts(app)[0]
    ran(app.selectbox(key="encoding").select("gpt2").run())
    assert not alerts(app)


@pytest.mark.parametrize("value", ["special", "text"])
def test_address_selects_how_special_tokens_are_read(value):
    app = opened(special=value)
    assert app.session_state.special == value
    assert not alerts(app)


@pytest.mark.parametrize("value", ["bad", "", "![x](http://e)", "error"])
def test_invalid_special_mode_shows_a_notice(value):
    app = opened(special=value)
    assert app.session_state.special == "text"
    assert f"special={value!r}; it must be" in alerts(app)[0]


@pytest.mark.slow
def test_choices_and_text_survive_a_change_of_page():
    app = click(opened(encoding="gpt2", special="special"), "example_Egg")
    text = desk(app)
    for page in PAGES * 2:
        turned(app, page)
        assert desk(app) == text
        assert (app.session_state.encoding, app.session_state.special) == ("gpt2", "special")


# The desk


def test_first_example_is_on_the_desk():
    app = opened()
    assert desk(app) == samples()[0].text
    assert not button_keys(app, "clean_") and not button_keys(app, "undo_put")


@pytest.mark.slow
def test_examples_replace_the_text_and_can_be_undone():
    app = opened()
    assert len(button_keys(app, "example_")) == len(samples())
    pushes = set()
    for sample in samples():
        before = desk(app)
        click(app, f"example_{sample.name}")
        assert desk(app) == sample.text
        pushes.add(app.session_state.visitor.last_push.id)
        click(app, "undo_put")
        assert desk(app) == before
        assert not button_keys(app, "undo_put")
    assert len(pushes) == len(samples())


# Hygiene


def test_hidden_characters_are_listed_with_their_cost():
    app = with_text(HIDDEN)
    for encoding in ("gpt2", "o200k_base"):
        ran(app.selectbox(key="encoding").select(encoding).run())
        encode = get_encoding(encoding).encode
        found = findings(HIDDEN, encode)
        assert {finding.name for finding in found} == set(KINDS)
        assert button_keys(app, "clean_") == {f"clean_{finding.name}" for finding in found}
        for finding in found:
            [row] = [row.value for row in app.markdown if finding.title in row.value]
            cost = len(encode(HIDDEN)) - len(encode(clean(HIDDEN, finding.name)))
            assert (f"{abs(cost):,} token" if cost else "costs no tokens") in row


@pytest.mark.slow
def test_clean_changes_the_text_and_can_be_undone():
    app = with_text(HIDDEN)
    for name in KINDS:
        click(app, f"clean_{name}")
        assert desk(app) == clean(HIDDEN, name)
        assert f"clean_{name}" not in button_keys(app, "clean_")
        click(app, "undo_put")
        assert desk(app) == HIDDEN
        assert f"clean_{name}" in button_keys(app, "clean_")


@pytest.mark.slow
def test_cleaning_everything_leaves_no_findings():
    app = with_text(HIDDEN)
    while left := button_keys(app, "clean_"):
        click(app, left.pop())
    assert findings(desk(app), str.encode) == []


# Decode


def decoded(source, encoding="gpt2"):
    app = opened("decode.py", encoding=encoding)
    return ran(app.text_area(key="ids").set_value(source).run())


def put_on_desk(app):
    """Presses the decode page's button without a key; returns the text on the desk."""
    [button] = [button for button in app.button if "Playground" in button.label]
    return desk(ran(button.click().run()))


@pytest.mark.parametrize("encoding", ["gpt2", "o200k_harmony"])
def test_ids_are_listed_and_their_text_can_be_put_on_the_desk(encoding):
    text = "Hello, ที่ 👩‍👦 <|endoftext|>\r\n    \nx"
    ids = get_encoding(encoding).encode(text, special="special")
    app = decoded(str(ids), encoding)
    [table] = app.dataframe
    assert table.value["id"].tolist() == ids
    assert b"".join(map(bytes.fromhex, table.value["bytes"])) == text.encode()
    assert not alerts(app)
    assert put_on_desk(app) == text


def test_decode_opens_with_the_ids_of_the_text():
    app = opened("decode.py", encoding="gpt2")
    assert app.text_area(key="ids").value == " ".join(map(str, get_encoding("gpt2").encode(samples()[0].text)))
    assert str(get_encoding("gpt2").encode("Hello world")) in captions(decoded("", "gpt2"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "source, ids, words",
    [
        ("{'input_ids': [15496, 995], 'token_type_ids': [0, 0]}", [15496, 995], "input_ids"),
        ('{"input_ids":[15496', [15496], "The end of the list is missing"),
        ("24,912 2,375", [24, 912, 2, 375], "24912"),
    ],
)
def test_ambiguous_lists_are_decoded_with_a_note(source, ids, words):
    app = decoded(source)
    assert app.dataframe[0].value["id"].tolist() == ids and words in captions(app) and not alerts(app)


def test_lists_without_input_ids_are_refused():
    app = decoded('{"attention_mask": [1, 1]}')
    [notice] = alerts(app)
    assert "attention_mask" in notice and "input_ids" in notice and not app.dataframe


def test_invalid_ids_are_named_and_the_others_decoded():
    app = decoded("[15496, x, 50257, -1, ![y](http://e), 995]")
    assert app.dataframe[0].value["id"].tolist() == [15496, 995]
    [notice] = alerts(app)
    assert all(word in notice for word in ("item 2", "item 3", "50257", "item 4", "not an id of gpt2"))
    assert "'y'" in notice
    assert put_on_desk(app) == "Hello world"


@pytest.mark.parametrize("source", ["", "[]", "`", "x", "9" * 5000, "* _ #"])
def test_no_valid_id_shows_a_notice_or_a_caption_where_nothing_was_typed(source):
    app = decoded(source)
    assert not app.dataframe
    assert all("there is nothing to decode" in notice for notice in alerts(app))
    assert any("Nothing to decode yet" in one.value for one in app.caption) != bool(alerts(app))
    assert bool(alerts(app)) == bool(source.strip("`[]"))


def test_ids_of_partial_characters_show_a_note():
    app = decoded("19567")
    assert "�" in captions(app)
    assert app.dataframe[0].value["bytes"].tolist() == ["E0 B8"]
    assert put_on_desk(app) == "�"


def test_ids_survive_a_change_of_page():
    app = decoded("15496 995")
    turned(app, "playground.py")
    turned(app, "decode.py")
    assert app.text_area(key="ids").value == "15496 995"


def test_ids_are_decoded_again_in_another_encoding():
    app = decoded("50257 9906")
    assert "50257" in alerts(app)[0]
    ran(app.selectbox(key="encoding").select("cl100k_base").run())
    assert not alerts(app)
    assert app.dataframe[0].value["id"].tolist() == [50257, 9906]


# Several encodings


def test_cleared_encodings_keep_the_comparison_and_leave_the_address():
    app = opened("compare.py", encodings="gpt2,o200k_base")
    assert app.multiselect(key="encodings").value == ["gpt2", "o200k_base"]
    ran(app.multiselect(key="encodings").set_value([]).run())
    assert app.session_state.visitor.choices["encodings"] == ["gpt2", "o200k_base"]
    [notice] = alerts(app)
    assert "encodings" not in app.query_params and "Choose at least two models to compare." in notice


@pytest.mark.parametrize(
    "value", ["", "gpt2,nothing", "<b>", ",".join(["gpt2", "cl100k_base", "o200k_base"] * 9 + ["x"])]
)
def test_invalid_encodings_to_compare_show_a_notice(value):
    assert alerts(opened("compare.py", encodings=value))
