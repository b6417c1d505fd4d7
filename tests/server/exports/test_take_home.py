"""The exported HTML page: its data equal the core's, and texts in it are escaped."""

import base64
import json
import re
import struct
from types import SimpleNamespace

import pytest
from amounts import examples
from html_tree import parse_html
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import oracle
from paths import ROOT
from texts import TEXTS

from server.encodings import encoding_store
from server.encodings.encoding_store import Trained
from server.exports.take_home import MAX_TEXT_CHARACTERS, PARTS, TooLongToTakeHome, as_json, take_home, theme
from tokenizer import get_encoding, train_words
from tokenizer.encoding.loupe import loupe
from tokenizer.i18n import using_language
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.text.well_formed import well_formed
from tokenizer.training.corpus import count_pre_tokens
from tokenizer.training.training_history import closings, record_training

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]></noscript><img src=x onerror=alert(1)>",
    "</template></style></title>",
    "\u2028\u2029\0\ufeff",
    "\ud800 \udfff",
    "{title} {data} {{}} \\1 \\g<0>",
    "<|endoftext|>",
]


def data_of(html):
    """Returns the data of a page."""
    [script] = [script for script in parse_html(html).all("script") if script.attributes.get("id") == "data"]
    return json.loads("".join(script.children))


def descriptions(part, values):
    """Returns the page's data of each piece."""
    found = []
    for start, end, *places in part["pieces"]:
        found.append({"start": start, "end": end})
        for place in places:
            found[-1] |= values[place]
    return found


def trained():
    history = record_training(count_pre_tokens("the cat sat on the mat, the hat. ที่นี่ " * 6, "cl100k_base"), 300)
    job = SimpleNamespace(history=history, texts=("the cat " * 9,), order=SimpleNamespace(counted=False, held_out=0))
    job.order.ties = "first-seen"
    return Trained("trained-1", history.encoding("cl100k_base", ["<|end|>"], "<b>tiny</b>"), job)


@pytest.mark.slow
@examples(40)
@given(text=TEXTS, special=st.sampled_from(["text", "special"]))
@example(text=" ".join(HOSTILE), special="text")
@example(text="".join(HOSTILE), special="special")
@example(text="", special="text")
def test_page_data_equal_tokens_and_loupe_of_the_core(text, special):
    entry = encoding_store.find("o200k_base")
    found, own = data_of(take_home(text, entry, special)), well_formed(text)[0]
    part = found["parts"].get("editor") or found["parts"]["strip"]
    assert part["data"]["text"] == own
    allowed = "all" if special == "special" else set()
    assert part["data"]["ids"] == oracle("o200k_base").encode(own, allowed_special=allowed, disallowed_special=())
    pieces = descriptions(part, found["values"])
    for one in pieces:
        assert one == loupe(own, one["start"], entry.encoding, special)
    assert [one["end"] for one in pieces[:-1]] == [one["start"] for one in pieces[1:]]
    assert (pieces[-1]["end"] if pieces else 0) == len(own.encode())


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
def test_texts_add_no_elements_or_attributes(text):
    for entry in (encoding_store.find("gpt2"), trained()):
        page, plain = parse_html(take_home(text, entry)), parse_html(take_home("a", entry))
        # without scripts, tokens are drawn as spans
        assert [tag for tag in page.tags if tag != "span"] == [tag for tag in plain.tags if tag != "span"]
        assert "src" not in page.links
        [still] = page.all("noscript")[0].all("div")
        assert still.text == well_formed(text)[0].replace("\0", "␀")


def test_equal_pieces_are_stored_once():
    text = "the cat sat on the mat. " * 200
    found = data_of(take_home(text, encoding_store.find("gpt2")))
    assert len(found["values"]) < 40
    assert len(found["parts"]["editor"]["pieces"]) == 200 * 7 + 1


def test_trained_encoding_includes_its_timeline():
    entry, text = trained(), "the cat; ที่นี่ <|end|>"
    found = data_of(take_home(text, entry))
    part = found["parts"]["timeline"]
    rows = []
    for name in ("history", "recut"):
        numbers = [one for (one,) in struct.iter_unpack("<I", base64.b64decode(part["answers"][name]))]
        rows.append(numbers)
    count = rows[0][0]
    assert rows[0][1 : 1 + count] == list(map(len, entry.history_rows))
    assert rows[0][1 + count :] == [int(one) for row in entry.history_rows for one in row]
    ends, gaps = closings(text, entry.encoding)
    assert rows[1] == [2, len(ends), len(gaps), *map(int, ends), *map(int, gaps)]
    for one in descriptions(part, found["values"]):
        assert one == loupe(text, one["start"], entry.encoding)
    assert "timeline" not in data_of(take_home(text, encoding_store.find("gpt2")))["parts"]


@pytest.mark.slow
def test_page_of_the_largest_encoding_is_below_1_5_megabytes():
    page = take_home("The cat sat on the mat. " * 40, encoding_store.find("o200k_base"))
    assert len(page.encode()) < 1_500_000
    assert "Type into the text" in page


@pytest.mark.parametrize(
    ("encoding", "text", "reason"),
    [
        (train_words("low lower lowest", 40), "low", "a file like this cannot encode new text with words"),
        (
            byte_bpe("own", r"\w+", {bytes([i]): i for i in range(256)}),
            "low",
            "a file like this cannot encode new text with own",
        ),
        (get_encoding("gpt2"), "<|endoftext|>", "it contains special tokens"),
    ],
    ids=["kind", "pattern", "special"],
)
def test_page_that_cannot_encode_shows_why(encoding, text, reason):
    page = take_home(text, encoding_store.add(encoding, encoding_store.LOADED), "special")
    assert reason in parse_html(page).all("main")[0].text
    assert "Type into the text" not in page
    assert list(data_of(page)["parts"]) == ["strip"]


def test_page_is_deterministic():
    assert take_home("the cat", encoding_store.find("gpt2")) == take_home("the cat", encoding_store.find("gpt2"))


def test_too_long_texts_are_refused_with_the_limit():
    with pytest.raises(
        TooLongToTakeHome, match=r"This text has 50,001 characters; a page to take home can contain at most 50,000\."
    ):
        take_home("a" * (MAX_TEXT_CHARACTERS + 1), encoding_store.find("gpt2"))
    buttons = (ROOT / "ui" / "playground" / "editor.html").read_text(encoding="utf-8")
    assert f"The limit is {MAX_TEXT_CHARACTERS:,} characters of text." in buttons


def test_page_loads_nothing_from_elsewhere():
    source = take_home("see https://example.org", trained())
    page = parse_html(source)
    policies = [meta.attributes["content"] for meta in page.all("meta") if "http-equiv" in meta.attributes]
    assert policies[0].startswith("default-src 'none'; ") and "connect-src" not in policies[0]
    assert not re.search(r"@import|url\((?!#|.data:image)|<link|<iframe|\bsrc=", source)
    assert set(page.tags) & {"a", "img", "form", "link", "iframe", "object", "base"} == set()
    assert source.count("</script") == 2


@examples(100)
@given(value=st.recursive(TEXTS | st.integers() | st.none(), lambda some: st.lists(some, max_size=4), max_leaves=6))
@example(value=HOSTILE[:5])
def test_script_data_round_trip_without_html_characters(value):
    written = as_json(value)
    assert json.loads(written) == value
    assert not set("<>&\u2028\u2029") & set(written)


def test_theme_defines_every_colour_that_components_use():
    sheets = [path for part in PARTS.values() for path in (*part.sheets, *part.folder.glob("*.css"))]
    used = set(re.findall(r"var\((--st-[a-z-]+)\)", "".join(path.read_text(encoding="utf-8") for path in sheets)))
    own = (ROOT / "server" / "exports" / "take_home" / "page.css").read_text(encoding="utf-8")
    assert {name for name in used if f"{name}:" not in theme() + own} == set()


def test_page_is_in_the_language_of_the_reader():
    with using_language("th"):
        source = take_home("the cat", encoding_store.find("gpt2"))
    assert '<html lang="th">' in source and "<h1>2 โทเคนใน gpt2</h1>" in source
    assert '<html lang="en">' in take_home("the cat", encoding_store.find("gpt2"))
