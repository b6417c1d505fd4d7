"""The view of a tokenizer's stages: texts are escaped, every piece is drawn, changes are marked."""

import re
from html import unescape

import pytest
from amounts import examples
from hypothesis import given
from pipelines import LIBRARY, loaded
from texts import TEXTS

from tokenizer import get_encoding
from tokenizer.display.readable import readable
from tokenizer.text.well_formed import well_formed
from ui.tokenizers.stages import MAX_DRAWN_PIECES, MAX_TEXT_CHARACTERS, html

TAGS = re.compile(r"</?(?:ol|li|h3|p|div|span|bdi|mark|del)(?: (?:class|dir|tabindex|role|aria-label)=\"[\w -]+\")*>")


@pytest.mark.parametrize("name", ["o200k_base", "BERT's way", "Llama's way", "added tokens"])
@examples(40)
@given(text=TEXTS)
def test_texts_are_escaped_and_every_piece_is_drawn(name, text):
    text = well_formed(text + "<script>&amp;")[0]
    enc = loaded(name) if name in LIBRARY else get_encoding(name)
    stages = enc.stages(text)
    drawn = html(text, stages)
    assert "<" not in TAGS.sub("", drawn)
    parts = re.split("<li>", drawn)[1:]
    assert len(parts) == len(stages)
    for stage, part in zip(stages, parts, strict=True):
        boxes = [unescape(TAGS.sub("", box)) for box in re.findall(r'<span class="box">(.*?)</span>', part)]
        if stage.name not in ("normalizer", "decoder"):
            pieces = stage.output[:MAX_DRAWN_PIECES]
            assert boxes == [readable(piece.encode(), 2 * MAX_TEXT_CHARACTERS) or "∅" for piece in pieces]


def test_changes_of_a_stage_are_marked():
    drawn = html("The cat", loaded("BERT's way").stages("The cat"))
    assert "<mark>t</mark>he·cat" in drawn
    assert '<span class="box"><bdi><mark>[CLS]</mark></bdi></span><span class="box"><bdi>the' in drawn


def test_pieces_have_the_direction_of_the_text():
    enc = get_encoding("gpt2")
    assert 'class="out" dir="rtl"' in html("שלום עולם", enc.stages("שלום עולם"))
    assert 'dir="rtl"' not in html("the", enc.stages("the"))


def test_pieces_beyond_the_limit_are_counted():
    text = "a b " * 900
    assert "and 1,501 more items" in html(text, get_encoding("gpt2").stages(text))


def test_empty_text_has_no_output():
    assert html("", loaded("BERT's way").stages("")).count("The result is empty.") == 3


def test_pieces_that_spell_bytes_are_read():
    text = "a ความ"
    enc = get_encoding("gpt2")
    pieces = [
        re.sub("<.*?>", "", box)
        for box in re.findall(r'<span class="box">(.*?)</span>', html(text, enc.stages(text), True))
    ]
    cut = [readable(enc.token_bytes(id)) for id in enc.encode(text)]
    assert pieces[-len(cut) :] == cut and "Each byte" not in html(text, enc.stages(text), True)
    assert "Each byte is written as one character" in html(text, enc.stages(text))
    bert = loaded("BERT's way").stages("café")
    assert html("café", bert, True) == html("café", bert), "é is no byte there"
