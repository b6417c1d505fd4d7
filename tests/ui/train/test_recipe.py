"""The options of a training: choices are used, kept and linked; invalid ones show a notice and stay."""

import re
import unicodedata
from dataclasses import replace
from html import unescape

import pytest
from apps import alerts, param, ran, run_app
from html_tree import parse_html
from hypothesis import given
from hypothesis import strategies as some

from tokenizer import PATTERNS, TokenizerError, encoding_from_merges, list_encoding_names, pre_tokens, train
from tokenizer.display import palette
from tokenizer.display.lanes import lanes
from tokenizer.text.well_formed import well_formed
from tokenizer.training.worker import Order
from ui.session.validation import MAX_SPECIAL_TOKENS, special_tokens
from ui.train.recipe import TrainingOptions
from ui.widgets.patterns import OWN_START

TEXT = "ที่ร้านนี้มีกาแฟ 100 บาท it's <b>cheap</b>, isn't it?\n"
DEFAULT = TrainingOptions(Order(512, "cl100k_base", "first-seen", "bytes", 2), ("<|endoftext|>",), "thai-512")
HOSTILE = """<img src=x onerror="alert('1')"> &amp; '"` $x$ [a](http://b) :red[c] </span></ul><script>"""
RUNAWAY = r"(?:.|..)+(?:!|\d\d\d\d)"


def page(sample, name):
    import streamlit as st

    from ui.train.recipe import recipe

    if not st.session_state.get("elsewhere"):
        st.session_state.made = recipe(sample, name)


def opened(sample=TEXT, name="thai", **query):
    """Opens the options from an address."""
    return run_app(page, sample, name, **query)


WIDGETS = {"vocab_size": "number_input", "alphabet": "segmented_control", "min_count": "toggle"}
WIDGETS |= dict.fromkeys(["pattern", "ties"], "selectbox")


def made(app):
    return app.session_state.made


def chosen(app, **choices):
    """Sets these options one by one."""
    for key, value in choices.items():
        getattr(app, WIDGETS.get(key, "text_input"))(key=key).set_value(value)
        ran(app.run())
    return app


def drawn(app):
    """Returns the names of the lanes on the page, and those marked as chosen."""
    source = "".join(element.value for element in app.html if "lanes" in element.value)
    names = re.findall(r"<b>(.*?)</b>", source)
    marked = re.findall(r'aria-current="true">.*?<b>(.*?)</b> ✓ chosen', source)
    return list(map(unescape, names)), marked


# Choices


def test_default_choices_make_the_default_recipe():
    app = opened()
    assert made(app) == DEFAULT
    assert not alerts(app)
    assert not app.query_params


CHOICES = [
    ("vocab_size", 300, "300", {"vocab_size": 300, "name": "thai-300"}),
    ("pattern", "gpt2", "gpt2", {"pattern": "gpt2"}),
    ("pattern", "llama3", "llama3", {"pattern": "llama3"}),
    ("pattern", "none", "none", {"pattern": None}),
    ("ties", "largest-bytes", "largest-bytes", {"ties": "largest-bytes"}),
    ("ties", "smallest-ids", "smallest-ids", {"ties": "smallest-ids"}),
    ("alphabet", "characters", "characters", {"alphabet": "characters"}),
    ("min_count", False, "1", {"min_count": 1}),
    ("specials", "<|a|> <|b|>", "<|a|> <|b|>", {"special_tokens": ("<|a|>", "<|b|>")}),
    ("specials", "", "", {"special_tokens": ()}),
]


@pytest.mark.parametrize("key, value, spelled, changed", CHOICES)
def test_choice_is_in_the_recipe_and_in_the_address(key, value, spelled, changed):
    own = {name: value for name, value in changed.items() if name in ("special_tokens", "name")}
    order = replace(DEFAULT.order, **{name: value for name, value in changed.items() if name not in own})
    wanted = replace(DEFAULT, order=order, **own)
    app = chosen(opened(), **{key: value})
    assert made(app) == wanted
    assert param(app, key) == spelled
    again = opened(**{key: spelled})
    assert made(again) == wanted
    assert not alerts(app) and not alerts(again)


def test_all_choices_together_are_linked_and_trained():
    app = chosen(
        opened(),
        alphabet="characters",
        vocab_size=60,
        pattern="own",
        own_pattern=r"\p{L}\p{M}*+",
        ties="largest-bytes",
        min_count=False,
        specials="<|x|>",
    )
    recipe = made(app)
    assert recipe == TrainingOptions(
        Order(60, r"\p{L}\p{M}*+", "largest-bytes", "characters", 1), ("<|x|>",), "thai-60"
    )
    link = {key: param(app, key) for key in app.query_params}
    assert set(link) == {"alphabet", "vocab_size", "pattern", "ties", "min_count", "specials"}
    assert made(opened(**link)) == recipe

    order = recipe.order
    merges = list(train(TEXT, order.vocab_size, order.pattern, order.ties, order.alphabet, min_count=1))
    encoding = encoding_from_merges(merges, order.pattern, recipe.special_tokens, recipe.name, set(TEXT))
    assert merges and encoding.decode(encoding.encode(TEXT)) == TEXT


def test_text_that_an_own_pattern_does_not_match_can_be_left_out():
    app = opened("a cat. A dog, 1!\n<b>", pattern=r"[a-z<>]+")
    assert not made(app).order.drop_unmatched
    ran(app.toggle(key="drop_unmatched").set_value(True).run())
    assert made(app).order == Order(512, r"[a-z<>]+", min_count=2, drop_unmatched=True)
    assert any('<p class="why-text" dir="auto">acatdog&lt;b&gt;</p>' in one.value for one in app.html)
    [own] = re.findall(r'aria-current="true">.*?</li>', "".join(one.value for one in app.html))
    assert "✓ chosen (4 pre-tokens)" in own and "cat" in own and "1!" not in own
    assert "every text can be encoded" not in "".join(one.value for one in app.caption)
    link = {key: param(app, key) for key in app.query_params}
    assert link == {"pattern": r"[a-z<>]+", "drop_unmatched": "1"} and made(opened(**link)) == made(app)
    ran(app.selectbox(key="pattern").select("gpt2").run())  # which matches every text
    assert not made(app).order.drop_unmatched and not [one for one in app.toggle if one.key == "drop_unmatched"]


def test_choices_survive_a_change_of_page():
    app = chosen(opened(), pattern="own", own_pattern=r"\w+", vocab_size=777, min_count=False, trained_name="mine")
    recipe = made(app)
    app.session_state.elsewhere = True
    ran(app.run())
    assert not app.text_input
    app.session_state.elsewhere = False
    ran(app.run())
    assert (
        made(app) == recipe == TrainingOptions(Order(777, r"\w+", "first-seen", "bytes", 1), ("<|endoftext|>",), "mine")
    )


# Invalid choices

OTHER_CHOICES = {key: value for key, value, _, _ in CHOICES}


@pytest.mark.parametrize(
    "key, value",
    [
        *[("vocab_size", value) for value in ("", "0", "50001", "1e3", "٣٠٠", "9" * 5000, HOSTILE)],
        *[("ties", "first"), ("alphabet", HOSTILE), ("min_count", "0"), ("min_count", "True")],
        *[("pattern", value) for value in ("", "cl100k", "own", "a(b", "x{9999999}", "[a]" * 200)],
        *[("specials", value) for value in ("a a", "x" * 65, " ".join(map(str, range(100, 165))))],
    ],
)
def test_invalid_link_values_show_a_notice_and_use_the_default(key, value):
    app = opened(**{key: value})
    assert made(app) == DEFAULT
    [notice] = alerts(app)
    assert "The page shows " in notice
    assert app.session_state.more_choices == (key != "vocab_size")  # opened where the notice is about a choice inside
    chosen(app, **{key: OTHER_CHOICES[key]})
    assert not alerts(app)
    assert made(app) and made(app) != DEFAULT


def test_vocabulary_size_out_of_bounds_shows_a_notice_and_stays():
    app = opened()
    for size in (-1, 0, 1, 255, 50_001, 2**53 - 1):
        chosen(app, vocab_size=size)
        assert made(app) is None
        [notice] = alerts(app)
        assert f"a vocabulary of {size} tokens" in notice and "from 256" in notice and "50,000" in notice
        assert app.number_input(key="vocab_size").value == size
    chosen(app, vocab_size=100)
    assert made(app) is None
    assert made(chosen(app, alphabet="characters")).order.vocab_size == 100
    assert made(chosen(app, alphabet="bytes")) is None
    chosen(app, vocab_size=300, alphabet="bytes")
    chosen(app, vocab_size=None)  # a cleared number keeps its last value
    assert made(app).order.vocab_size == app.number_input(key="vocab_size").value == 300


@pytest.mark.parametrize(
    "pattern, words",
    [
        ("a(b", "a ) is missing (character 4)"),
        ("[a-", "(character 4)"),
        ("", "it is empty"),
        ("gpt", "Did you mean 'gpt2'?"),
        ("(" * 900 + ")" * 900, "nested too deeply"),
        ("(?:a|b){10000000}", "multiplied by each repeat count"),
        ("(?:(?:a|b){1000}){1000}", "multiplied by each repeat count"),
        (RUNAWAY, "longer than 0.5 seconds"),
        (HOSTILE + "(", "a ) is missing"),
    ],
)
def test_invalid_pattern_shows_a_notice_and_stays(pattern, words):
    app = chosen(opened(), pattern="own", own_pattern=pattern)
    assert_refused(app, "own_pattern", pattern, words)
    assert drawn(app) == ([*PATTERNS, "none"], [])
    assert param(app, "pattern") == (pattern if pattern == RUNAWAY else None)  # valid for other texts
    assert made(chosen(app, pattern="gpt2")).order.pattern == "gpt2"  # an unused pattern is ignored


@pytest.mark.parametrize("length, travels", [(500, True), (501, False)])
def test_long_pattern_is_not_in_the_address(length, travels):
    pattern = f"[{'ab' * 250}"[: length - 1] + "]"
    app = chosen(opened(), pattern="own", own_pattern=pattern)
    assert made(app).order.pattern == pattern
    assert param(app, "pattern") == (pattern if travels else None)


def assert_refused(app, key, typed, words):
    """Asserts that the reason is shown and the input stays as typed."""
    assert made(app) is None
    assert words in alerts(app)[0]
    assert app.text_input(key=key).value == typed


def test_invalid_special_tokens_show_a_notice_and_stay():
    app = opened()
    for specials in ("a b a", "y" * 65, " ".join(map(str, range(100, 165))), HOSTILE * 5):
        assert_refused(chosen(app, specials=specials), "specials", specials, "special token")
        assert param(app, "specials") is None


@given(some.lists(some.text("ab<|>\u0e17é\ud800", min_size=1, max_size=5), max_size=5))
def test_special_tokens_are_accepted_as_by_an_encoding(tokens):
    try:
        encoding_from_merges([], None, special_tokens=dict(zip(tokens, range(256, 300), strict=False)))
        sound = len(set(tokens)) == len(tokens)
    except TokenizerError:
        sound = False
    if sound:
        assert special_tokens(" ".join(tokens)) == tuple(tokens)
    else:
        pytest.raises(TokenizerError, special_tokens, " ".join(tokens))


def test_the_largest_number_of_special_tokens_is_accepted():
    assert len(special_tokens(" ".join(str(i) for i in range(100, 100 + MAX_SPECIAL_TOKENS)))) == MAX_SPECIAL_TOKENS


def test_problem_in_a_closed_expander_is_announced_outside():
    app = chosen(opened(), specials="a a")
    assert app.session_state.more_choices is False
    assert len(alerts(app)) == 2 and "More settings" in alerts(app)[1]
    app.session_state.more_choices = True
    assert len(alerts(ran(app.run()))) == 1


# The name


def test_name_follows_the_choices_until_edited_and_after_clearing():
    app = chosen(opened(), vocab_size=300)
    assert made(app).name == app.text_input(key="trained_name").value == "thai-300"
    chosen(app, trained_name="mine", vocab_size=301)
    assert made(app).name == app.text_input(key="trained_name").value == "mine"
    chosen(app, trained_name="")
    assert made(app).name == app.text_input(key="trained_name").value == "thai-301"
    chosen(app, trained_name="mine", vocab_size=301)
    chosen(app, trained_name="thai-301", vocab_size=302)  # typing the default name counts as no edit
    assert made(app).name == "thai-302"


def test_invalid_or_taken_name_shows_a_notice_and_stays():
    app = opened()
    unfit = "a b", ".", "..", "-x", "a/b", "ไทย", "x" * 41, "a\0", "a\n", "gpt-4o", "GPT2", HOSTILE
    for name in (*unfit, *list_encoding_names()):
        assert_refused(chosen(app, trained_name=name), "trained_name", name, "Cannot use the name")
    for name in ("a", "x" * 40, "Thai_512.v2-b", "0"):
        assert made(chosen(app, trained_name=name)).name == name and not alerts(app)


# The lanes


class Lanes:
    """The drawn lanes: for each, its heading and its boxes with their classes."""

    ATTRIBUTES = {"class", "role", "dir", "tabindex", "aria-label", "aria-current", "data-m"}

    def __init__(self, source):
        assert "\n" not in source and "\r" not in source and "\0" not in source
        self.rows, page = [], parse_html(source)
        for element in page.all():
            assert element.tag in ("ul", "li", "span", "b", "i") and set(element.attributes) <= self.ATTRIBUTES
        for row in page.all("li"):
            head = "".join(name.text for name in row.all(of_class="name"))
            boxes = [[box.text, box.classes] for box in row.all() if box.attributes.get("role") == "listitem"]
            assert row.text == head + "".join(text for text, _ in boxes)  # there is no other text
            self.rows.append({"head": head, "boxes": boxes, "current": row.attributes.get("aria-current")})
        self.marks = [mark.attributes["data-m"] for mark in page.all("i")]

    def texts(self, row):
        return [text for text, _ in self.rows[row]["boxes"]]


ALL_PATTERNS = [*((name, name) for name in PATTERNS), ("none", None), ("own", r"\w|\s+")]


@pytest.mark.parametrize("sample", [TEXT, HOSTILE, "", "\0\u200b\x07", "مرحبا كَتَبَ 12", "👩‍👦\u00a0\u3000x", "ที่ที่"])
def test_lanes_show_the_pre_tokens_of_their_patterns(sample):
    page = Lanes(lanes(sample, ALL_PATTERNS, "gpt2"))
    for (name, pattern), row in zip(ALL_PATTERNS, page.rows, strict=True):
        found = [pre_token.text for pre_token in pre_tokens(sample, pattern)]
        assert [text for text, _ in row["boxes"]] == [text.replace("\0", "␀") for text in found]
        unit = "pre-token" if len(found) == 1 else "pre-tokens"
        count = f"{len(found):,} {unit}"
        assert row["head"] == f"{name} {f'✓ chosen ({count})' if name == 'gpt2' else count}"
        assert row["current"] == ("true" if name == "gpt2" else None)
        for i, (text, classes) in enumerate(row["boxes"]):
            assert classes[:2] == ["t", f"c{i % palette.NUM_COLORS}"]
            assert ("mark" in classes) == (unicodedata.category(text[0])[0] == "M")


@given(some.text("aB1 '\t\n\r\0<>&\"\u0e17\u0e35\u0e48\u0621\u064e\u00a0\u200b😀\ud800", max_size=30))
def test_lanes_of_any_text_show_the_pre_tokens_of_their_patterns(sample):
    test_lanes_show_the_pre_tokens_of_their_patterns(well_formed(sample)[0])


def test_white_space_is_named_by_attributes_and_marks_by_a_class():
    page = Lanes(lanes("a b\t\n\r\u00a0", [("none", None)], ""))
    assert page.marks == ["·", "→", "↵", "␍", "U+00A0"]
    assert page.texts(0) == ["a b\t\n\r\u00a0"]
    cut = Lanes(lanes("ที่", [("gpt2", "gpt2")], ""))
    assert cut.rows[0]["boxes"] == [["ท", ["t", "c0"]], ["ี่", ["t", "c1", "mark"]]]
    hostile = Lanes(lanes(HOSTILE, [(HOSTILE, None)], HOSTILE))
    assert hostile.rows[0]["head"] == f"{HOSTILE} ✓ chosen (1 pre-token)"
    assert hostile.texts(0) == [HOSTILE]


def test_lane_of_an_invalid_pattern_has_no_boxes():
    page = Lanes(lanes("ab", [("bad", "("), ("good", "[a]")], "bad"))
    assert [row["head"] for row in page.rows] == ["bad ✓ chosen (cannot be used)", "good 2 pre-tokens"]
    assert page.texts(0) == []


def test_page_has_a_lane_per_pattern_and_marks_the_chosen_one():
    app = opened()
    assert drawn(app) == ([*PATTERNS, "none"], ["cl100k_base"])
    chosen(app, pattern="none")
    assert drawn(app)[1] == ["none"]
    chosen(app, pattern="own")
    assert drawn(app) == ([*PATTERNS, "none", "my own regex"], ["my own regex"])
    assert made(app).order.pattern == OWN_START
    chosen(app, own_pattern=r"\w+", pattern="gpt2")
    assert drawn(app) == ([*PATTERNS, "none", "my own regex"], ["gpt2"])  # the own pattern stays for comparison


@pytest.mark.parametrize("sample", ["", "x", "ที่" * 100, HOSTILE * 3, "\ud800a", "a" + "\u0301" * 500])
def test_any_sample_is_accepted(sample):
    app = opened(sample)
    assert made(app) == DEFAULT
    assert bool(drawn(app)[0]) == bool(sample)


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("<|a|>=511", "its id is less than 512"),
        ("<|a|>=600 <|b|>=600", "its id appears twice"),
        ("a=600 a", "it appears"),
    ],
)
def test_ids_of_special_tokens_are_above_the_vocabulary_and_different(typed, reason):
    app = chosen(opened(), specials=typed)
    assert reason in " ".join(alerts(app))
    assert special_tokens("<|a|>=512 <|b|>", 512) == ("<|a|>=512", "<|b|>")
