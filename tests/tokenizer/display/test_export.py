"""Exports: CSV, JSON and pages hold the exact tokens of any text."""

import csv
import io
import json
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from amounts import examples
from html_tree import parse_html
from hypothesis import given
from hypothesis import strategies as st
from texts import CHUNKS

from tokenizer import Tokens, get_encoding, list_encoding_names
from tokenizer.display import export, palette
from tokenizer.display.strip import bands, decoded_strip, html, strip, strip_css
from tokenizer.encoding.tokens import pieces
from tokenizer.text.units import grapheme_ends
from tokenizer.text.well_formed import well_formed

MARKUP = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "</style><style>*{display:none}</style>",
    "</div></html><!-- ",
    "\"' onmouseover='alert(1)' \"",
    "&amp; &lt;b&gt; &#x3c; &notit; &",
    "{title} {0} {{}} %s",
    "<![CDATA[x]]> <?php ?>",
]
FORMULAS = ["=1+1", "+x", "@a", "-2", "\t=1", "\r=1", "=HYPERLINK(a;b)"]
SHOWN = ["e\u0301", "Z\u0351\u0352\u0353", "हिन्दी", "각", "ﷺ", "👩‍👦", "🇹🇭", "👍🏽", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "1️⃣", "\u200f", "␀", "    \n"]
PIECES = CHUNKS | st.sampled_from(MARKUP + FORMULAS + SHOWN)
TEXTS = st.lists(PIECES, max_size=25).map(lambda found: well_formed("".join(found))[0])
SPECIAL = st.sampled_from(["text", "special"])
both = pytest.mark.parametrize("name", ["gpt2", "o200k_base"])


def spans(text, encoding, special):
    return [tuple(token) for token in encoding.tokenize(text, special=special)]


def page_of(text, encoding, special="text"):
    return export.comparison_html(text, [encoding], special, "")


def spelled(piece):
    """The text of a token in a table: empty if its bytes are not UTF-8."""
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return ""


def shown_text(html):
    """Returns the text of .tokens or .strip, which must be in elements in it."""
    [box] = [*parse_html(html).all(of_class="tokens"), *parse_html(html).all(of_class="strip")]
    assert not [child for child in box.children if isinstance(child, str)], "text outside the spans"
    return box.text


def colors(span):
    """The palette indices of a span, left to right."""
    classes, style = span.attributes["class"], span.attributes.get("style", "")
    return [int(i) for i in re.findall(r"\bc(\d)\b", classes) or re.findall(r"--tok-(\d)", style)]


# CSV


@both
@examples(60)
@given(text=TEXTS, special=SPECIAL)
def test_csv_has_one_line_a_token_and_no_formulas(name, text, special):
    encoding = get_encoding(name)
    file = export.to_csv(text, encoding, special)
    frame = pd.read_csv(io.StringIO(file), dtype={"bytes": str, "text": str})
    found = list(zip(frame["id"], frame["start"], frame["end"], frame["special"], strict=True))
    assert found == spans(text, encoding, special)
    assert frame["index"].tolist() == list(range(len(frame)))
    assert b"".join(map(bytes.fromhex, frame["bytes"])) == text.encode()
    assert [json.loads(cell) for cell in frame["text"]] == [spelled(bytes.fromhex(cell)) for cell in frame["bytes"]]
    assert "\r" not in file and file.count("\n") == 1 + len(frame) and file.endswith("\n")
    cells = [cell for row in csv.reader(io.StringIO(file)) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


# JSON


@pytest.mark.parametrize("name", list_encoding_names())
@examples(20)
@given(text=TEXTS, special=SPECIAL)
def test_json_holds_the_text_and_its_tokens(name, text, special):
    encoding = get_encoding(name)
    record = json.loads(export.to_json(text, encoding, special))
    assert (record["encoding"], record["text"], record["special"]) == (name, text, special)
    assert record["rank_table_sha256"] == encoding.fingerprint
    data, ends = text.encode(), [0, *(token["end"] for token in record["tokens"])]
    assert [token["start"] for token in record["tokens"]] == ends[:-1]
    assert ends[-1] == len(data)
    assert [token["id"] for token in record["tokens"]] == encoding.encode(text, special=special)
    for token in record["tokens"]:
        piece = data[token["start"] : token["end"]]
        assert (bytes.fromhex(token["bytes"]), token["text"]) == (piece, spelled(piece))


def test_special_token_with_two_names_keeps_the_name_in_the_text():
    text, encoding = "a<|reserved_200018|>b<|endofprompt|>", get_encoding("o200k_harmony")
    record = json.loads(export.to_json(text, encoding, "special"))
    named = [(token["id"], token["text"]) for token in record["tokens"] if token["special"]]
    assert named == [(200018, "<|reserved_200018|>"), (200018, "<|endofprompt|>")]
    assert shown_text(page_of(text, encoding, "special")) == text


def test_lone_surrogates_are_replaced_in_every_export():
    encoding = get_encoding("gpt2")
    for write in (export.to_csv, export.to_json, page_of):
        assert write("a\ud800b", encoding) == write("a\ufffdb", encoding)


# HTML


@both
@examples(80)
@given(text=TEXTS, special=SPECIAL)
def test_page_shows_the_exact_text_and_none_becomes_markup(name, text, special):
    # HTML cannot hold NUL: a parser drops it, or replaces a reference to it by U+FFFD.
    page = page_of(text, get_encoding(name), special)
    assert shown_text(page) == text.replace("\0", "␀")
    allowed = ["html", "head", *["meta"] * 3, "title", "style", "body", "p", "h2", "div"]
    tags = parse_html(page).tags
    assert tags == allowed + ["span"] * (len(tags) - len(allowed))


@both
def test_page_loads_nothing_from_elsewhere(name):
    source = page_of("https://example.org //example.org", get_encoding(name))
    assert parse_html(source).links == []
    frame = source.replace(strip(get_encoding(name).tokenize("https://example.org //example.org")), "")
    assert not re.search(r"//|url\(|@import|<script|<link", frame)
    assert all(f"--tok-{i}:" in frame and f".c{i} " in frame for i in range(palette.NUM_COLORS))


def test_html_escapes_what_parsers_change():
    assert html("\r\n\0<&>\"'") == "&#13;&#10;␀&lt;&amp;&gt;&quot;&#x27;"


# The strip


@both
@examples(100)
@given(text=TEXTS, special=SPECIAL)
def test_pieces_are_whole_graphemes_with_every_token_in_order(name, text, special):
    tokens = get_encoding(name).tokenize(text, special=special)
    check_pieces(tokens)
    alone = [piece.first for piece in pieces(tokens) if piece.first == piece.last]
    assert len(alone) == len(set(alone))  # at most one piece belongs to one token only


@examples(150)
@given(text=TEXTS, data=st.data())
def test_pieces_of_arbitrary_spans_are_whole_graphemes(text, data):
    # Spans begin and end anywhere, also inside characters; they have gaps or no bytes.
    bounds = sorted(data.draw(st.lists(st.integers(0, len(text.encode())))))
    if data.draw(st.booleans()):  # without gaps
        bounds = [bound for pair in zip([0, *bounds], [*bounds, len(text.encode())], strict=True) for bound in pair]
    starts, ends = np.array(bounds[: len(bounds) // 2 * 2], dtype=np.int64).reshape(-1, 2).T
    check_pieces(Tokens(text, np.arange(len(ends)), ends - starts, starts))


def check_pieces(tokens):
    found, cuts = list(pieces(tokens)), {0, *grapheme_ends(tokens.text).tolist()}
    assert "".join(piece.text for piece in found) == tokens.text
    last, start = -1, 0
    for piece in found:
        end = start + len(piece.text.encode())
        touched = [i for i, token in enumerate(tokens) if token.start < end and start < token.end]
        if not piece.text:
            assert piece.first == piece.last and tokens[piece.first][1:3] == (start, start)
        else:
            assert list(range(piece.first, piece.last + 1)) == touched
        assert end in cuts
        if piece.first < piece.last:  # shared, so one grapheme
            assert not [cut for cut in cuts if start < cut < end]
        assert piece.first in (last, last + 1)
        last, start = piece.last, end
    assert last == len(tokens) - 1


@both
@examples(60)
@given(text=TEXTS)
def test_strip_is_one_line_and_neighboring_tokens_differ_in_color(name, text):
    encoding = get_encoding(name)
    tokens = encoding.tokenize(text)
    # Streamlit removes the common indent and blank lines from HTML.
    assert "\n" not in strip(tokens)
    shown = [color for span in parse_html(strip(tokens)).all("span") for color in colors(span)]
    expected = [i for piece in pieces(tokens) for i in range(piece.first, piece.last + 1)]
    assert shown == [i % palette.NUM_COLORS for i in expected]
    for (left, right), (earlier, later) in zip(pairwise(shown), pairwise(expected), strict=True):
        assert (left == right) == (earlier == later)


def test_strip_titles_give_id_and_bytes():
    encoding = get_encoding("gpt2")
    spans = parse_html(strip(encoding.tokenize("a ที"))).all("span")
    assert [span.attributes["title"] for span in spans] == [
        "token 1: id 64, bytes 61",
        "token 2: id 220, bytes 20",
        "token 3: id 19567, bytes E0 B8\ntoken 4: id 245, bytes 97\n"
        "token 5: id 19567, bytes E0 B8\ntoken 6: id 113, bytes B5",
    ]


@pytest.mark.parametrize("count", [2, 3, 7, 30])
def test_bands_cover_the_whole_width(count):
    stops = re.findall(r"var\(--tok-(\d)\) ([\d.]+)% ([\d.]+)%", bands(5, count))
    assert [int(color) for color, _, _ in stops] == [(5 + i) % palette.NUM_COLORS for i in range(count)]
    assert [start for _, start, _ in stops] == ["0.00", *(end for _, _, end in stops[:-1])]
    assert stops[-1][2] == "100.00"


# The strip of ids


@both
@examples(60)
@given(text=TEXTS)
def test_decoded_strip_of_encoded_ids_shows_the_text(name, text):
    encoding = get_encoding(name)
    assert shown_text(decoded_strip(encoding.encode(text), encoding)) == text.replace("\0", "␀")


@both
@examples(60)
@given(data=st.data())
def test_decoded_strip_of_any_ids_shows_every_id(name, data):
    encoding = get_encoding(name)
    ids = data.draw(st.lists(st.integers(0, 255) | st.integers(0, 50255), max_size=20))
    html = decoded_strip(ids, encoding)
    spans = parse_html(html).all("span")
    titles = "\n".join(span.attributes["title"] for span in spans)
    titled = re.findall(r"^(?:token (\d+): )?id (\d+)", titles, re.M)
    if all(number for number, _ in titled):
        assert [int(id) for _, id in sorted(set(titled), key=lambda fact: int(fact[0]))] == ids
        assert shown_text(html) == encoding.decode(ids).replace("\0", "␀")
    else:
        assert [int(id) for _, id in titled] == ids
        assert shown_text(html) == "".join(encoding.decode([id]) for id in ids).replace("\0", "␀")
        assert [colors(span) for span in spans] == [[k % palette.NUM_COLORS] for k in range(len(ids))]


def test_each_line_of_a_strip_in_a_file_has_its_own_direction():
    [declarations] = re.findall(r"^\.tokens \{(.*?)\}", strip_css(), re.M | re.S)
    assert {"unicode-bidi: plaintext", "text-align: start"} <= {one.strip() for one in declarations.split(";")}


def test_decoded_strip_shows_incomplete_characters():
    spans = parse_html(decoded_strip([64, 19567, np.int64(64)], get_encoding("gpt2"))).all("span")
    assert [span.text for span in spans] == ["a", "�", "a"]
    assert spans[1].attributes["title"] == "id 19567"
    closing = get_encoding("gpt2").encode("</")  # one token
    assert shown_text(decoded_strip([*closing, 19567], get_encoding("gpt2"))) == "</�"


@pytest.mark.parametrize("before", [export.MAX_SHOWN_CHARACTERS - 4, export.MAX_SHOWN_CHARACTERS])
def test_comparison_shows_tokens_of_the_whole_text_up_to_the_limit(before):
    enc, text = get_encoding("gpt2"), "." + "a" * (before - 2) + " internationalization"
    page, ids = export.comparison_html(text, [enc], "text", ""), enc.encode(text)
    drawn = [int(one) for one in re.findall(r'title="token [\d,]+: id (\d+)', page)]
    assert drawn == ids[: len(drawn)] and len(drawn) < len(ids)
    assert f"{len(ids):,} tokens, the first {len(enc.decode(drawn)):,} characters are shown" in page


def test_comparison_says_that_no_token_is_shown_of_a_grapheme_beyond_the_limit():
    text = "e" + "\u0301" * (export.MAX_SHOWN_CHARACTERS + 1)
    page = export.comparison_html(text, [get_encoding("gpt2")], "text", "")
    assert "; no tokens are shown: in the first 20,000 characters no token ends where a grapheme ends</h2>" in page
