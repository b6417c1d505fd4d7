"""Pictures and their ids as HTML: the drawing has the exact pixels, and ids are readable on their colors."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracles import contrast

from tokenizer.lessons import drawn
from tokenizer.lessons.lesson import VIEWS, lesson, words
from tokenizer.lessons.picture_colors import ink


def test_stripes_equal_the_pixels_and_cells_equal_the_ids():
    shown = lesson("beyond").steps[5].show("<b>&")
    [block], html = shown.blocks, drawn.blocks(shown, words("page", "en"))
    rows = [*block.pixels, *block.rebuilt]
    for stripe, row in zip(re.findall(r"gradient\(90deg,(.*?)\)\"", html), rows, strict=True):
        painted = np.full((32, 3), -1)
        for *color, start, end in re.findall(r"rgb\((\d+),(\d+),(\d+)\) ([\d.]+)% ([\d.]+)%", stripe):
            place = slice(*(round(float(at) * 32 / 100) for at in (start, end)))
            assert (painted[place] == -1).all()
            painted[place] = list(map(int, color))
        assert (painted == row).all()
    ids = [int(id) for id in re.findall(r"<td[^>]*>(\d+)</td>", html)]
    assert ids == block.ids.ravel().tolist()
    assert "<b>&" not in html


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_ink_has_enough_contrast_on_any_color(color):
    on = "#{:02x}{:02x}{:02x}".format(*color)
    written = {"#000": "#000000", "#fff": "#ffffff"}[ink(np.array(color))]
    assert contrast(on, written) >= 4.5


def test_text_that_equals_a_page_key_is_not_translated():
    html = drawn.blocks(VIEWS["bytes"]("yes"), words("page", "th"))
    assert "<bdi>yes</bdi>" in html and "<bdi>เป็น</bdi>" in html
