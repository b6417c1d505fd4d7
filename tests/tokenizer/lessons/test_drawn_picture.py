"""Pictures and their ids as HTML: the file holds just these pixels, and every id can be read on its color."""

import re
from base64 import b64decode
from io import BytesIO

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracles import contrast
from PIL import Image

from tokenizer.lessons import drawn
from tokenizer.lessons.drawn_picture import ink
from tokenizer.lessons.lesson import VIEWS, lesson, words


def test_the_files_hold_the_pixels_and_the_cells_the_ids():
    shown = lesson("beyond").steps[5].show("<b>&")
    [block], html = shown.blocks, drawn.blocks(shown, words("page", "en"))
    files = [Image.open(BytesIO(b64decode(data))) for data in re.findall(r"base64,([^\"]+)", html)]
    for file, pixels in zip(files, (block.coded.pixels, block.coded.rebuilt), strict=True):
        assert (np.asarray(file) == pixels).all()
    ids = [int(id) for id in re.findall(r"<td[^>]*>(\d+)</td>", html)]
    assert ids == block.coded.ids.ravel().tolist()
    assert "<b>&" not in html


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_an_id_is_readable_on_any_color(color):
    on = "#{:02x}{:02x}{:02x}".format(*color)
    written = {"#000": "#000000", "#fff": "#ffffff"}[ink(np.array(color))]
    assert contrast(on, written) >= 4.5


def test_a_text_that_is_a_key_of_the_page_stays_as_it_is():
    html = drawn.blocks(VIEWS["bytes"]("yes"), words("page", "th"))
    assert "<bdi>yes</bdi>" in html and "<bdi>เป็น</bdi>" in html
