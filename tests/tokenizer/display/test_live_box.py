"""The live box of a notebook: the page that the app exports, escaped in a frame with a sandbox."""

import re

import pytest
from html_tree import parse_html

from server.encodings import encoding_store
from server.exports.take_home import MAX_TEXT_CHARACTERS, take_home
from tokenizer import TokenizerError, loupe
from tokenizer.display import live_box
from tokenizer.errors import UnknownEncoding
from tokenizer.i18n import using_language

HOSTILE = "</iframe></script><img src=x onerror=alert(1)> \" ' & &quot; ที่ 👍🏽 \ud800 $x$"


@pytest.mark.slow
def test_box_is_the_exported_page_in_a_frame_in_the_current_language():
    with using_language("th"):
        box = loupe(HOSTILE, "gpt-2")
        assert box.page == take_home(HOSTILE, encoding_store.find("gpt2")) and '<html lang="th">' in box.page
    [frame] = parse_html(box._repr_html_()).all("iframe")
    assert frame.attributes["srcdoc"] == box.page
    assert frame.attributes["sandbox"] == "allow-scripts"
    assert parse_html(box._repr_html_()).tags == ["div", "style", "iframe", "p"]
    assert len(repr(box)) < 80


@pytest.mark.slow
def test_unknown_names_and_long_texts_are_refused():
    with pytest.raises(UnknownEncoding, match="Did you mean 'gpt-4'"):
        loupe("a", "gpt4")
    with pytest.raises(TokenizerError, match=re.escape("at most 50,000. Use a shorter part of the text.")):
        loupe("a" * (MAX_TEXT_CHARACTERS + 1), "gpt2")


def test_message_of_a_page_that_takes_too_long_says_what_was_waited_for(monkeypatch):
    monkeypatch.setattr(live_box, "TIMEOUT_SECONDS", 0.01)  # no Python starts so fast
    with pytest.raises(live_box.NoPage, match=r"exports\.take_home, .* in gpt2, was stopped after 0\.01 s"):
        loupe("a", "gpt-2")
