"""The data of the Playground's editor."""

import base64
import json
import re

import numpy as np
import pytest
from apps import open_page, ran
from oracles import oracle
from paths import ROOT

from tokenizer.text.samples import samples


def given(app):
    """The tokens that come with the text."""
    [found] = [one.proto for one in app.get("bidi_component") if one.proto.component_name == "tokenloupe_editor"]
    return json.loads(found.json)["given"]


@pytest.mark.parametrize("text", [samples()[0].text, "ที่ costs\r\nmore <|endoftext|>", ""])
def test_text_of_the_server_comes_with_its_tokens(text):
    app = open_page("playground.py")
    app.session_state.visitor.put_text(text)
    found = given(ran(app.run()))
    assert (found["key"], found["special"], found["text"]) == ("o200k_base", "text", text)
    numbers = np.frombuffer(base64.b64decode(found["answer"]), "<u4")
    rows = np.split(numbers[1 + numbers[0] :], np.cumsum(numbers[1 : 1 + numbers[0]]))
    assert rows[3].tolist() == oracle("o200k_base").encode(text, disallowed_special=())


def test_typed_and_long_texts_come_without_tokens():
    app = open_page("playground.py")
    visitor = app.session_state.visitor
    assert given(app)
    visitor.commit_text("typed", "by the editor", visitor.last_push.id)
    assert given(ran(app.run())) is None
    visitor.put_text("long " * 1000)
    assert given(ran(app.run())) is None


def test_no_element_is_matched_by_any_earlier_sibling():
    """Chromium examines all earlier siblings of each id that is added: quadratic time for a chunk of many ids."""
    for file in (ROOT / "web/tokens.css", ROOT / "web/loupe.css", ROOT / "ui/playground/editor.css"):
        styles = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.S)
        assert "~" not in styles, file
