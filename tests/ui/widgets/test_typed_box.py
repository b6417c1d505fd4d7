"""The Undo of boxes for ids and bytes."""

from unittest.mock import patch

import pytest
from apps import button_keys, captions, click, open_page, ran
from streamlit.runtime.scriptrunner import StopException

from ui.session.import_page import Import, RunningImport

BOXES = [
    ("hood.py", "merge", "sequence", "5, 5"),
    ("hood.py", "bytes", "hex", "41 42"),
    ("decode.py", "", "ids", "7 8"),
]


@pytest.mark.parametrize(("page", "view", "box", "typed"), BOXES)
def test_replaced_numbers_can_be_restored(page, view, box, typed):
    app = open_page(page, **({"view": view} if view else {}))
    assert f"undo_{box}" not in button_keys(app)
    ran(app.text_area(key=box).set_value(typed).run())
    assert f"undo_{box}" not in button_keys(app)
    imports = app.session_state.visitor.imports
    imports.under_way = RunningImport(Import(page.removesuffix(".py"), {"view": view, box: "1 2 3"}))
    ran(ran(app.run()).run())
    assert app.text_area(key=box).value == "1 2 3" and "Numbers replaced." in captions(app)
    click(app, f"undo_{box}")
    assert app.text_area(key=box).value == typed and "Numbers replaced." not in captions(app)


def test_default_and_what_is_typed_over_other_numbers_need_no_undo():
    app = open_page("hood.py", on_desk="abab", view="merge")
    click(app, "merge_text")
    assert "undo_sequence" not in button_keys(app)
    click(app, "merge_go_on")
    ran(app.text_area(key="sequence").set_value("1, 2, 3").run())
    assert "undo_sequence" not in button_keys(app)
    click(app, "merge_text")
    click(app, "undo_sequence")
    assert app.text_area(key="sequence").value == "1, 2, 3"


def test_ids_of_the_text_are_a_default():
    app = open_page("decode.py", on_desk="a text")
    ran(app.selectbox(key="encoding").select("gpt2").run())
    assert "undo_ids" not in button_keys(app)


def test_default_of_a_run_that_ended_before_the_box_needs_no_undo():
    app = open_page("decode.py", on_desk="a text")
    with patch("streamlit.text_area", side_effect=StopException):
        ran(app.selectbox(key="encoding").select("gpt2").run())
    ran(app.selectbox(key="encoding").select("cl100k_base").run())
    assert "undo_ids" not in button_keys(app)
