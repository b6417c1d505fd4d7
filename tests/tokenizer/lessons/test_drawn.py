"""Lesson blocks as HTML: they show the exact text, and none becomes markup."""

import re
from html import unescape

import pytest
from amounts import examples
from html_tree import parse_html
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


@given(st.one_of(TEXTS, st.just(MARKUP)), st.sampled_from(sorted(STEPS)), st.sampled_from(sorted(LANGUAGES)))
@examples(60)
def test_text_never_becomes_markup(text, name, language):
    try:
        shown = STEPS[name].show(usable(text)[:200])
    except TokenizerError:
        return
    found = parse_html(drawn.blocks(shown, words("page", language)))
    assert set(found.tags) <= TAGS


@given(TEXTS)
@examples(40)
def test_token_block_shows_tiktokens_count_and_the_text(text):
    text = usable(text)[:200]
    html = drawn.blocks(lesson("token").steps[0].show(text), words("page", "en"))
    count = len(oracle("o200k_base").encode(text, disallowed_special=()))
    assert f"{count:,} token{'s' * (count != 1)}<" in html
    shown = re.search(r'<p class="learn-tokens" dir="auto">(.*?)</p>', html, re.DOTALL)[1]
    assert unescape(re.sub("<[^>]+>", "", shown)) == text.replace("\0", "␀")


@pytest.mark.parametrize("language", LANGUAGES)
def test_blocks_name_models_as_the_options_of_the_step_do(language):
    step, lesson_words = STEPS["walls.moved"], words("walls", language)
    html = drawn.blocks(step.show(), words("page", language))
    names = re.findall(r'<p class="learn-head"><b>(.*?)</b>', html)
    assert names == [lesson_words.option("moved", option) for option in step.options]


def test_merge_block_is_a_list_with_a_marked_first_item():
    step = lesson("bpe").steps[2]
    html = drawn.blocks(step.show(), words("page", "en"))
    assert html.count("<li") == 4 and html.index("<li data-first>") == html.rindex("<li")
    assert '<span class="tile new">aaab</span>' in html and "No pair occurs twice" in html


def test_merge_block_of_a_long_text_is_bounded():
    step, text = lesson("bpe").steps[2], "aaabdaaabac" * 180
    html = drawn.blocks(step.show(text), words("page", "en"))
    assert "Before the first merge" in html and html.count("data-first") == 1
    last = int(step.show(text).facts["merges"])
    assert f"After merge {last}:" in html
    assert html.count('class="tile') <= drawn.MAX_TILES + 3 * len(text)
    assert html.count("<li") < last


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_style_has_all_token_colors_and_works_on_old_phones(scheme):
    from tokenizer.display import palette

    style = drawn.style()
    assert all(tint in style for tint in getattr(palette, scheme.upper()))
    assert "light-dark" not in style and "color-mix" not in style and "url(" not in style
