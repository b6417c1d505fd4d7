"""Blocks as HTML: the text they show is the one they were given, and nothing of it becomes markup."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import oracle
from texts import TEXTS

from tokenizer import TokenizerError
from tokenizer.lessons import drawn
from tokenizer.lessons.lesson import LANGUAGES, lesson, lesson_names, words
from tokenizer.lessons.views import usable

STEPS = {f"{name}.{step.id}": step for name in lesson_names() for step in lesson(name).steps}
MARKUP = "<b>&amp;\"'</b><script>alert(1)</script>\r\n\0 ที่"
TAGS = {"p", "b", "span", "i", "bdi", "div", "table", "thead", "tbody", "tr", "th", "td", "ol", "li"}
TAGS |= {"figure", "figcaption"}  # of pictures


class Tags(HTMLParser):
    """The tags of HTML, each of which must be closed in its turn."""

    def __init__(self, html):
        super().__init__()
        self.open, self.seen, self.names = [], set(), set()
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.seen.add(tag)
        self.names |= {name for name, _ in attributes}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@given(st.one_of(TEXTS, st.just(MARKUP)), st.sampled_from(sorted(STEPS)), st.sampled_from(sorted(LANGUAGES)))
@examples(60)
def test_no_text_becomes_markup(text, name, language):
    try:
        shown = STEPS[name].show(usable(text)[:200])
    except TokenizerError:
        return
    found = Tags(drawn.blocks(shown, words("page", language)))
    assert found.seen <= TAGS and not [name for name in found.names if name.startswith("on")]


@given(TEXTS)
@examples(40)
def test_tokens_are_those_of_tiktoken_and_hold_the_text(text):
    text = usable(text)[:200]
    html = drawn.blocks(lesson("token").steps[0].show(text), words("page", "en"))
    count = len(oracle("o200k_base").encode(text, disallowed_special=()))
    assert f"{count:,} token{'s' * (count != 1)}<" in html
    shown = re.search(r'<p class="learn-tokens" dir="auto">(.*)</p>', html, re.DOTALL)[1]
    assert unescape(re.sub("<[^>]+>", "", shown)) == text.replace("\0", "␀")


def test_merges_are_a_list_that_says_where_to_begin():
    step = lesson("bpe").steps[2]
    html = drawn.blocks(step.show(), words("page", "en"))
    assert html.count("<li") == 4 and html.index("<li data-first>") == html.rindex("<li")
    assert '<span class="tile new">aaab</span>' in html and "No pair occurs twice" in html


def test_of_a_long_text_only_so_many_merges_are_drawn():
    step, text = lesson("bpe").steps[2], "aaabdaaabac" * 180
    html = drawn.blocks(step.show(text), words("page", "en"))
    assert "Before the first merge" in html and html.count("data-first") == 1
    last = int(step.show(text).facts["merges"])
    assert f"After merge {last} of {last}" in html
    assert html.count('class="tile') <= drawn.MAX_TILES + 3 * len(text)
    assert html.count("<li") < last


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_style_has_every_color_of_tokens_and_nothing_that_old_phones_do_not_know(scheme):
    from tokenizer.display import palette

    style = drawn.style()
    assert all(tint in style for tint in getattr(palette, scheme.upper()))
    assert "light-dark" not in style and "color-mix" not in style and "url(" not in style
