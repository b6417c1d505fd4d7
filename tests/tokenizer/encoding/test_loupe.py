"""The loupe: piece, merges and boundaries at any byte, against the encoder and the patterns."""

import random
import re
from functools import partial

import pipelines
import pytest
import regex
import sentencepieces
from amounts import SHARE
from texts import NASTY, WORDS

from tokenizer import PATTERNS, encoding_from_merges, get_encoding, train
from tokenizer.encoding import loupe as core
from tokenizer.encoding.loupe import loupe
from tokenizer.split.alternatives import explain, explain_at
from tokenizer.split.patterns import as_seen
from tokenizer.split.plain import OWN_STEPS
from tokenizer.text.well_formed import well_formed

PIECES = ["ที่", "น้ำ", "the", "THE", "Open", "12", "345", "'s", "'LL", "!", "/", "é", "e\u0301", "م", "\u064e"]
PIECES += ["👩\u200d👧", "中", "。", " ", "  ", "\n", "\r\n", "\t", "\u200b", "½", "_", *NASTY, *WORDS]
OWN_PATTERNS = [r"\w+", r"[a-z]{1,2}|\s+?|\d+(?=t)", r"\d+", r"(a|b)+|\p{Thai}+|.", r"x*"]


def random_text(rng, count):
    return well_formed("".join(rng.choices(PIECES, k=count)))[0]


@pytest.mark.parametrize("pattern", [*PATTERNS, *OWN_PATTERNS, None])
def test_explain_at_equals_explain_of_the_whole_text(pattern):
    rng = random.Random(str(pattern))
    for text in (random_text(rng, 20) for _ in range(10)):
        every = explain(text, pattern)
        for i, piece in enumerate(every):
            at = rng.randrange(piece.start, piece.end)
            assert explain_at(text, pattern, at) == every[max(0, i - 1) : i + 1]


KINDS = {
    "a space": r"[\p{Z}]",
    "a letter": r"\p{L}",
    "a capital letter": r"[\p{Lu}\p{Lt}]",
    "a digit": r"\p{Nd}",
    "a numeral": r"\p{N}",
    "a combining mark": r"\p{M}",
    "a symbol": r"[\p{P}\p{S}]",
    "a line ending": r"[\r\n\u2028\u2029]",
    "a tab": r"\t",
    "a formatting character": r"\p{Cf}",
    "a control character": r"\p{Cc}",
    "an unassigned character": r"\p{Cn}",
}
PATTERNS_OF_RUNS = KINDS | {
    "a run of letters": r"\p{L}+",
    "a run of letters and combining marks": r"[\p{L}\p{M}]+",
    "a run of numerals": r"\p{N}+",
    "a run of symbols": r"[^\s\p{L}\p{N}]+",
    "a run of white space": r"\s+",
    "the ending of a contraction ('s, 'll …)": r"(?i)'(s|t|re|ve|m|ll|d)",
}
SENTENCE = re.compile(
    r"This pre-token(?: \(| is complete: it is )(?:(?P<first>a space|a tab|one other character|“◌?.”), then )?"
    r"(?P<run>.+?)(?P<ending>, with the ending of a contraction)?"
    r"(?P<lines>, followed by (?:a line ending|line endings))?(?:\) ends before (?P<next>.+))?\."
)


@pytest.mark.slow
@pytest.mark.parametrize("name", PATTERNS)
def test_plain_explanations_are_true_of_every_piece(name):
    rng, seen = random.Random(name), set()
    for text in (random_text(rng, 25) for _ in range(400 // SHARE)):
        for piece in explain(as_seen(text, name), name):
            following = as_seen(text, name).encode()[piece.end :].decode()[:1]
            assert (piece.plain == "The text ends here.") == (not following)
            if found := piece.plain == "This pre-token has reached the limit of three numerals.":
                assert regex.fullmatch(r"\p{N}{3}", piece.text) and regex.match(r"\p{N}", following)
            elif "takes no capital after a lower-case letter" in piece.plain:
                assert regex.match(r"[\p{Lu}\p{Lt}]", following) and regex.search(r"\p{Ll}", piece.text)
            elif "last line ending" in piece.plain:
                assert regex.fullmatch(r"\s*[\r\n]", piece.text[-1]) and piece.text.isspace()
            elif "is left for the next" in piece.plain:
                assert piece.text.isspace() and following.isspace()
            elif following and not piece.plain.startswith("A new pre-token begins"):
                found = SENTENCE.fullmatch(piece.plain)
                assert found, piece.plain
                run, first = found["run"], piece.text[0]
                own = piece.text[1:] if found["first"] else piece.text
                own = regex.sub(r"[\r\n][\r\n/]*$", "", own) if found["lines"] else own
                sign = f"“◌{first}”" if regex.match(r"\p{M}", first) else f"“{first}”"
                sign = sign if first.isprintable() else "one other character"
                named = {" ": "a space", "\t": "a tab"}.get(first, sign)
                assert found["first"] in (None, named)
                own = regex.sub(r"(?i)'(s|t|re|ve|m|ll|d)$", "", own) if found["ending"] else own
                assert regex.fullmatch(PATTERNS_OF_RUNS[run], own), (piece.text, piece.plain)
                assert len(own) > 1 or not run.startswith("a run of"), (piece.text, piece.plain)
                if found["next"]:
                    kind = found["next"].rpartition("”, ")[2]
                    assert regex.match(KINDS[kind], following), (following, piece.plain)
                seen.add(run)
    assert len(seen) >= 4


def trained():
    corpus = "the cat sat on the mat ที่นี่ " * 5
    return {
        "bytes": encoding_from_merges(train(corpus, 290), "cl100k_base", ["<|end|>"], name="by bytes"),
        "characters": encoding_from_merges(
            train(corpus, 40, "gpt2", alphabet="characters"), "gpt2", alphabet=set(corpus)
        ),
        "unsplit": encoding_from_merges(train(corpus, 290, None), None, name="no pattern"),
    }


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base", "bytes", "characters", "unsplit"])
def test_merges_in_the_loupe_end_in_the_tokens_of_the_text(name):
    encoding, rng = trained().get(name) or get_encoding(name), random.Random(name)
    for _ in range(25):
        text = random_text(rng, 12)
        tokens, spans = list(encoding.tokenize(text)), encoding.pre_tokens(text)
        for at in rng.sample(range(len(text.encode())), 5):
            found = loupe(text, at, encoding)
            [span] = [span for span in spans if span[0] <= at < span[1]]
            assert (found["start"], found["end"]) == span
            own = [[one.id, one.end - one.start] for one in tokens if span[0] <= one.start < span[1]]
            if found["merges"]:
                assert found["merges"]["tokens"] == own and not found["problem"]
            else:
                assert name == "characters" and found["problem"]


def test_loupe_explains_both_ends_of_a_piece():
    encoding = get_encoding("gpt2")
    assert loupe("one", 0, encoding)["walls"] == ["The text begins here.", "The text ends here."]
    assert loupe("one two", 6, encoding)["walls"][0] == "The previous pre-token (a run of letters) ends before a space."
    thai = loupe("ภาษาAI", 0, get_encoding("o200k_base"))  # its pattern takes capitals after Thai letters: ภาษาAi
    assert thai["walls"][1] == "This pre-token (a run of letters) ends before “A”, a capital letter."
    text = "a<|endoftext|>b c"
    assert loupe(text, 0, encoding, "special")["walls"][1] == "A special token comes next."
    assert loupe(text, 3, encoding, "special")["problem"] == core.SPECIAL_TOKEN
    assert (
        loupe(text, 14, encoding, "special")["walls"][0]
        == "The special token <|endoftext|> comes before this pre-token."
    )
    assert loupe(text, 14, encoding, "special")["merges"]["tokens"] == [[encoding.encode("b")[0], 1]]


def test_loupe_reports_what_it_cannot_show_and_shows_the_rest():
    found = loupe("ab" * 7000, 3, trained()["unsplit"])
    assert found["merges"] is None and found["problem"] == core.TOO_LONG.format(n=14_000, most=12_000)
    assert found["walls"][1] == "There is no split pattern, so the whole text is one pre-token."
    corpus = train("the cat " * 5, 12, r"\w+", alphabet="characters")
    unknown = encoding_from_merges(corpus, r"\w+", alphabet=set("thecat "), name="unknown")
    assert loupe("the x cat", 4, unknown)["merges"]["tokens"] == [[unknown.unknown_id, 1]]
    words = encoding_from_merges(corpus, r"\w+", alphabet=set("thecat"), is_words=True)
    assert loupe("the Cat", 5, words)["problem"] == core.OTHER_FORM
    assert loupe("the cat", 3, words)["problem"] == core.DROPPED


def test_loupe_names_the_own_splitting_steps_of_a_pipeline():
    found = loupe("two words", 0, pipelines.loaded("added tokens"))
    assert found["walls"] == [core.TEXT_BEGINS, OWN_STEPS] and found["problem"].endswith(
        "choose another encoding, such as gpt2."
    )


ENCODINGS = {
    **{name: partial(get_encoding, name) for name in ("gpt2", "o200k_base")},
    **{name: lambda name=name: trained()[name] for name in ("bytes", "characters", "unsplit")},
    **{name: partial(sentencepieces.encoding, name) for name in ("bpe, bytes, as Llama", "unigram")},
    **{name: partial(pipelines.loaded, name) for name in ("Llama's way", "added tokens")},
}


@pytest.mark.slow
@pytest.mark.parametrize("special", ["text", "special"])
@pytest.mark.parametrize("name", ENCODINGS)
def test_loupes_of_a_text_equal_the_loupe_at_each_byte(name, special):
    encoding, rng = ENCODINGS[name](), random.Random(name + special)
    end = next(iter(encoding.special_tokens), "")
    texts = [f"{random_text(rng, 12)}{end}{random_text(rng, 4)}{end}" for _ in range(2)]
    for text in ["", "a", end, *texts]:
        found = list(core.loupes(text, encoding, special))
        assert [one["start"] for one in found] == sorted({one["start"] for one in found})
        for at in range(len(text.encode())):
            piece = [one for one in found if one["start"] <= at][-1]
            assert piece == loupe(text, at, encoding, special)
