"""Lessons: answers equal an independent count, and every sentence exists in every language."""

import re
from collections import Counter
from itertools import chain, combinations, pairwise

import learned_by_hand
import pytest
import steps_by_hand
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import oracle, pre_tokens
from steps_by_hand import numbers_in
from texts import TEXTS

from tokenizer import TokenizerError, get_encoding, parallel_corpus
from tokenizer.lessons import drawn, telling
from tokenizer.lessons.lesson import (
    BESIDE_LESSONS,
    CHOICE,
    CUTS,
    LANGUAGES,
    NUMBER,
    VIEWS,
    lesson,
    lesson_names,
    plans,
    steps_of_plan,
    words,
)
from tokenizer.lessons.views import MAX_MERGES, Areas, Table, usable
from tokenizer.lessons.wording import Counted
from tokenizer.training.corpora import own_corpora
from tokenizer.vocabulary.adverts import is_advert
from tokenizer.vocabulary.facts import facts_of

STEPS = {f"{name}.{step.id}": (name, step) for name in lesson_names() for step in lesson(name).steps}
SENTENCES = ("question", "reveal", "because", "take")
every_step = pytest.mark.parametrize(("name", "step"), STEPS.values(), ids=STEPS)


def count(name, text, **special):
    """How many tokens tiktoken makes of a text."""
    return len(oracle(name).encode(text, **(special or {"disallowed_special": ()})))


def naive_merges(words, ties="first-seen"):
    """Textbook byte-pair encoding: each merge with the count of its pair, and the remaining parts."""
    words, merges, order = [list(word) for word in words], [], sorted({*chain.from_iterable(words)})
    while True:
        pairs = Counter(pair for word in words for pair in pairwise(word))
        best = max(pairs.values(), default=0)
        if best < 2:
            return merges, words
        tied = [pair for pair in pairs if pairs[pair] == best]  # the first seen first
        pair = tied[0] if ties == "first-seen" else min(tied, key=lambda pair: [*map(order.index, pair)])
        merges.append(("".join(pair), best))
        order.append("".join(pair))
        for word in words:
            at = 0
            while at < len(word) - 1:
                if (word[at], word[at + 1]) == pair:
                    word[at : at + 2] = ["".join(pair)]
                at += 1


def naive_encode(text, ranks, chosen):
    """The tokens of a pre-token if `chosen` selects each merge from the possible ones, and the first merge."""
    parts, first = [bytes([byte]) for byte in text.encode()], None
    while True:
        found = [(ranks[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in ranks]
        if not found:
            return parts, first
        _, i = chosen(found)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
        first = first or parts[i].decode()


def first_of(found):
    return found[0]


def expected(step):
    """The facts of a step's answer, computed independently."""
    text, how = step.text, step.how
    match step.view:
        case "tokens":
            names = how.get("encodings", ["o200k_base"])
            counts = {name: count(name, text) for name in names}
            data, ends, at = oracle(names[0]), [], 0
            for id in data.encode(text):
                at += len(data.decode_single_token_bytes(id))
                ends.append(at)
            inside = [i for i in range(1, len(text)) if len(text[:i].encode()) in ends]
            return counts | {"tokens": counts[names[0]], "fewest": min(counts, key=counts.get), "cuts": tuple(inside)}
        case "units":
            return {"characters": len([*text]), "utf8": len(text.encode())}
        case "bytes":
            found = oracle(how.get("encoding", "gpt2"))
            alone = [found.decode_single_token_bytes(id) for id in found.encode(text)]
            decoded = [one.decode(errors="replace") for one in alone]
            return {
                "tokens": len(alone),
                "broken": sum("\ufffd" in one for one in decoded),
                "replacements": "".join(decoded).count("\ufffd"),
            }
        case "merging":
            merges, left = naive_merges(text.split() if how.get("by_words") else [text], how.get("ties", "first-seen"))
            pair, times = merges[0]
            after = len(text) - text.count(pair)  # str.count does not overlap, as merges do not
            numbers = {"merges": len(merges), "least": sum(map(len, left))}
            return {"pair": pair, "count": times, "after": after} | numbers
        case "ties":
            counts = Counter(pairwise(text))
            tied = [pair for pair in counts if counts[pair] == max(counts.values())]
            return {"largest_bytes": "".join(max(tied))}
        case "in_order":
            ranks = oracle("gpt2")._mergeable_ranks
            return {
                "first": naive_encode(text, ranks, min)[1],
                "from_the_left": len(naive_encode(text, ranks, first_of)[0]),
            }
        case "chat":
            around = ["<|im_start|>", "user", "<|im_sep|>", "<|im_end|>", "<|im_start|>", "assistant", "<|im_sep|>"]
            names = sum(1 if name.startswith("<|") else count("cl100k_base", name) for name in around)
            return {"wrapping": names}
        case "causes":
            lines = [parallel_corpus()[tag][int(text) - 1] for tag in ("en", how["tag"])]
            (a, c), (x, z) = ((len(one), count(how["encoding"], one)) for one in lines)
            factors = {"by_characters": x / a, "by_tokens": z / x / (c / a)}
            return {"largest": max(factors, key=factors.get)}
        case "walls":
            names = how.get("patterns", ["gpt2", "cl100k_base", "o200k_base"])
            counts = {name: len(pre_tokens(name, text)) for name in names}
            return counts | {"fewest": min(counts, key=counts.get), "most": max(counts, key=counts.get)}
        case "special":
            as_special = count("o200k_base", text, allowed_special="all")
            return {"as_text": count("o200k_base", text), "as_special": as_special, "signals": "as_special"}
        case "parallel":
            lines = {tag: parallel_corpus()[tag][int(text) - 1] for tag in how["tags"]}
            counts = {tag: count(how["encoding"], line) for tag, line in lines.items()}
            times = counts[how["tags"][1]] / counts["en"]
            bytes_times = len(lines["th"].encode()) / len(lines["en"].encode())
            about = {"th_about": round(times), "th_byte_about": round(bytes_times)}
            return counts | about | {"fewest": min(counts, key=counts.get), "most": max(counts, key=counts.get)}


# test_learned.py and test_oddities_and_beyond.py check the other steps.
COUNTED_HERE = {
    key for key, found in STEPS.items() if not learned_by_hand.covers(*found) | steps_by_hand.covers(*found)
}


@pytest.mark.parametrize("key", sorted(COUNTED_HERE))
def test_answer_equals_an_independent_count(key):
    step = STEPS[key][1]
    assert step.right() == expected(step)[step.answer]


def literal_numbers(sentence):
    """The numbers that are written in a sentence itself, without names, code points, years and fields."""
    names = r"{[^}]*}|GPT-\d|UTF-\d+|(?i:llama)[ -]\w+|T5|U\+\w+|<0x\w+>|(?:19|20)\d\d\)|in (?:19|20)\d\d"
    return {*re.findall(r"\d[\d,.]*\d|\d", re.sub(names, "", sentence))}


def computed_numbers():
    """The numbers in sentences of steps that are no fact of the step and no parameter, computed independently."""
    text = {key: step.text for key, (_, step) in STEPS.items()}
    by_word = Counter(text["bpe.words"].split())
    un, pu, pu_after = (
        sum(count for word, count in by_word.items() if part in word and without not in word)
        for part, without in (("un", "-"), ("pu", "-"), ("pu", "ug"))
    )
    en, th = (count("cl100k_base", parallel_corpus()[tag][11]) for tag in ("en", "th"))
    day = text["oddities.dates"].split("|")
    found = {
        "token.family": {len({bytes([value]) for value in range(256)})},
        "bpe.words": {by_word["hug"], by_word["pug"], by_word["hugs"], pu, pu_after, un},
        "walls.exercise": {"202", "6", "11", "23"} & {*pre_tokens("o200k_base", text["walls.exercise"])},
        "languages.exercise": {f"{th / en:.2f}", f"{en * round(th / en, 2):.2f}"},
        "oddities.sum": {part.strip() for part in tokens_of("gpt2", text["oddities.sum"])}
        | {text["oddities.sum"][-3:]},
        "oddities.dates": {*tokens_of("o200k_base", day[0]), day[0][:4], f"{int(day[0][:4]) + 543}", day[3][0]},
        "oddities.exercise": {*tokens_of("o200k_base", text["oddities.exercise"]), "0", "9"},
        "beyond.picture": {32, 32 // 8},  # pixels of a side, and of a side of a patch: there are 8 patches in a row
    }
    return {key: {str(one) for one in numbers} for key, numbers in found.items()}


QUOTED = {  # numbers that papers report, and names
    "walls.moved": {"3", "3.5"},  # Qwen
    "beyond.gist": {"26"},  # times shorter: Mu, Li and Goodman (2023)
    "beyond.picture": {"8,192"},  # entries: Ramesh et al. (2021)
}


def tokens_of(name, text):
    return [oracle(name).decode_single_token_bytes(id).decode(errors="replace") for id in oracle(name).encode(text)]


@pytest.mark.slow
def test_numbers_in_sentences_are_facts_parameters_quoted_or_computed_here():
    computed = computed_numbers()
    for key, (name, step) in STEPS.items():
        english = words(name, "en").sentences[step.id]
        begins = [step.slider.begins] if step.slider else []
        known = {f"{int(fact):,}" for fact in step.show().facts.values() if isinstance(fact, Counted)}
        known |= {f"{value:,}" for value in [*step.how.values(), *begins] if isinstance(value, int)}
        known |= QUOTED.get(key, set()) | computed.get(key, set())
        written = {one: literal_numbers(english[one]) for one in SENTENCES}
        assert set().union(*written.values()) <= known, key
        for language in LANGUAGES:
            for one in SENTENCES:
                digits = [{*re.findall(r"\d+", words(name, tag).sentences[step.id][one])} for tag in (language, "en")]
                assert digits[0] <= digits[1], (key, language, digits)


@pytest.mark.slow
def test_answer_fits_its_kind_of_question():
    for key, (_, step) in STEPS.items():
        right = step.right()
        assert step.ask in (NUMBER, CHOICE, CUTS), key
        if step.ask == CHOICE:
            assert str(right) in step.options and len({*step.options}) == len(step.options) > 1, key
        elif step.ask == NUMBER:
            assert isinstance(right, Counted) and not step.options, key
        else:
            assert right and max(right) < len(step.text), key


@every_step
def test_sentences_have_the_same_numbers_in_every_language(name, step):
    english, facts = words(name, "en").sentences[step.id], step.show().facts
    for wording in (words(name, language) for language in LANGUAGES):
        for key in SENTENCES:
            sentence = wording.sentences[step.id][key]
            assert sentence.strip() == sentence != ""
            assert numbers_in(sentence) == numbers_in(english[key]) <= facts.keys()
            digits = [re.findall(r"\d+", re.sub(r"{[^}]*}", "", one)) for one in (sentence, english[key])]
            assert key == "because" or sorted(digits[0]) == sorted(digits[1]), (sentence, digits)
        assert wording.text("reveal", step.id, **facts)
        assert set(wording.sentences[step.id].get("options", {})) <= {*step.options}


@pytest.mark.parametrize(("name", "step"), [(name, step) for name, step in STEPS.values() if step.slider])
def test_slider_at_its_least_value_shows_the_sentence_of_the_step(name, step):
    shown = step.show(**{step.slider.name: step.slider.least})
    for language in LANGUAGES:
        wording = words(name, language)
        told = telling.sentences(step, shown, wording, words("page", language), is_own=True)
        assert told == wording.text("reveal", step.id, **shown.facts)  # no merges were chosen, so none is missing


@pytest.mark.parametrize("name", [*lesson_names(), "page", "class"])
def test_languages_have_the_same_keys_as_english(name):
    def keys(sentences, above=""):
        for key, value in sentences.items():
            yield from keys(value, f"{above}{key}.") if isinstance(value, dict) else [f"{above}{key}"]

    for sentences in (words(name, language).sentences for language in LANGUAGES):
        assert sorted(keys(sentences)) == sorted(keys(words(name, "en").sentences))
        if name in lesson_names():
            assert len(sentences["teacher"]["ask"]) >= 2
            assert all(len(pair) == 2 for pair in sentences["teacher"]["thought"])
    if name in lesson_names():
        assert lesson(name).minutes > 0 and sum(step.exercise for step in lesson(name).steps) == 1


def test_plans_have_their_length_and_lessons_in_order():
    assert list(plans()) == [45, 90, 180]
    for minutes, parts in plans().items():
        named = [name for name in parts if name not in BESIDE_LESSONS]
        assert [*parts][0] == "join" and [*parts][-1] == "recap"
        assert all(steps_of_plan(minutes, name) for name in named if len(lesson(name).steps) > 12)
        assert not any(steps_of_plan(minutes, name) for name in named if len(lesson(name).steps) <= 10)
        assert sum(parts.values()) == minutes and named == [name for name in lesson_names() if name in parts]


@given(TEXTS, st.sampled_from(sorted(STEPS)))
@examples(60)
def test_every_step_shows_any_text_or_raises(text, key):
    name, step = STEPS[key]
    try:
        shown = step.show(usable(text))
    except TokenizerError:
        return
    for language in LANGUAGES:
        assert words(name, language).text("reveal", step.id, **shown.facts)


@given(st.text("ab c", max_size=40), st.booleans(), st.sampled_from(["first-seen", "smallest-ids"]))
def test_merging_view_equals_textbook_merges(text, by_words, ties):
    shown = VIEWS["merging"](text, by_words=by_words, ties=ties)
    merges, left = naive_merges(text.split() if by_words else [text], ties)
    assert shown.facts["merges"] == len(merges)
    assert shown.facts["least"] == sum(map(len, left))
    [states] = shown.blocks
    assert len(states) == len(merges) + 1
    for state, (made, times) in zip(states, merges, strict=False):
        assert ("".join(state.pairs[0][:2]), state.pairs[0][2]) == (made, times)
    if not by_words:
        assert states[-1].parts == left[0]


def test_merging_view_counts_all_merges_and_shows_the_first():
    text = own_corpora()["english"][:1_000]
    shown, (merges, left) = VIEWS["merging"](text), naive_merges([text])
    assert shown.facts["merges"] == len(merges) > MAX_MERGES and shown.facts["least"] == len(left[0])
    [states] = shown.blocks
    assert len(states) == MAX_MERGES + 1 and len(states[-1].parts) > len(left[0])


def test_textbook_example_gives_the_merges_of_the_courses_and_shows_what_a_tie_does():
    text, because = "aaabdaaabac", words("bpe", "en").text("because", "stop")
    merges, [left] = naive_merges([text], "smallest-ids")
    assert merges == [("aa", 4), ("ab", 2), ("aaab", 2)] and left == ["aaab", "d", "aaab", "a", "c"]
    assert "The merges are a + a, a + b and aa + ab." in because
    assert f"The tokens left are {', '.join(left[:-1])} and {left[-1]}." in because
    undone = left
    for token, *pair in re.findall(r"(\w+) becomes (\w+) and (\w+)", because):  # the last merge first
        undone = [part for one in undone for part in (pair if one == token else [one])]
    assert undone == [*text]
    others = [made for made, _ in naive_merges([text])[0]]
    assert f"{', '.join(others[:-1])} and {others[-1]}" in because
    ids = {token: id for id, token in enumerate(["a", "b", "c", "d", "aa"])}
    after = Counter(pairwise(["aa", "a", "b", "d", "aa", "a", "b", "a", "c"]))
    assert after["aa", "a"] == after["a", "b"] == max(after.values()) == 2 and ids["a"] < ids["aa"]


def test_counts_in_the_step_of_words_hold_before_and_after_the_first_merge():
    step = STEPS["bpe.words"][1]
    found, because = Counter(step.text.split()), words("bpe", "en").text("because", "words")
    assert found == {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}  # as in Hugging Face's course, but pun, bun
    before, after = (
        {"".join(state.pairs[i][:2]): state.pairs[i][2] for i in range(4)} for state in step.show().blocks[0][:2]
    )
    assert before["pu"] == 17 > before["un"] == found["pun"] + found["bun"] == 16
    assert after["pu"] == found["pun"] == 12 and max(after, key=after.get) == "un"
    assert "“pu” occurs 12 times instead of 17" in because and "pun and bun, 16 times" in because


def test_ladders_side_by_side_are_those_of_both_orders():
    step, ranks = STEPS["bytes.left"][1], oracle("gpt2")._mergeable_ranks
    [table] = step.show().blocks
    for at, chosen in ((1, min), (2, first_of)):
        ladder = [row[at].parts for row in table.rows]
        assert ladder[0] == [*step.text] and ladder[-1] == [
            part.decode() for part in naive_encode(step.text, ranks, chosen)[0]
        ]
        assert all(one == other or len(one) == len(other) + 1 for one, other in pairwise(ladder))
    assert [row[1].made for row in table.rows][1] == naive_encode(step.text, ranks, min)[1]


@pytest.mark.slow
def test_rectangles_have_the_area_that_their_sentence_says():
    for key, (_, step) in STEPS.items():
        at = {} if step.slider is None else {step.slider.name: step.slider.least}
        for block in step.show(**at).blocks:
            for area in block.areas if isinstance(block, Areas) else ():
                assert area.width * area.height == pytest.approx(area.facts["area"]), key
                assert 0 < area.width <= block.width and 0 < area.height <= block.height
                for language in LANGUAGES:
                    assert words("page", language).text(block.sentence, **area.facts)
    for width in (768, 4096):
        for num_tables, name in ((1, "size.table"), (2, "size.price")):
            [found] = [block for block in STEPS[name][1].show(width=width).blocks if isinstance(block, Areas)]
            for area in found.areas:
                facts = area.facts
                assert facts["width"] == width and facts["area"] == facts["height"] * width * num_tables
                assert area.width * area.height == facts["area"]
    [lines] = [block for block in STEPS["size.table"][1].show().blocks if isinstance(block, Areas)]
    ids = oracle("gpt2").encode(STEPS["size.table"][1].text)
    assert lines.areas[0].marks == [id / 50_257 for id in sorted({*ids})]


def test_pipeline_has_the_ids_of_the_tokens():
    found, page = lesson("token").pipeline, words("page", "en")
    html = drawn.pipeline(found, "<caption>", page)
    for id in oracle("o200k_base").encode(found.text) + oracle("o200k_base").encode(found.then):
        assert f">{id}<" in html
    assert "&lt;caption&gt;" in html and len(oracle("o200k_base").encode(found.then)) == 1


def test_statements_about_special_tokens_and_softmax_hold():
    names = re.findall(r"<\|fim_\w+\|>", words("special", "en").text("because", "as-special"))
    assert len({*names}) == 3 and {*names} <= oracle("cl100k_base").special_tokens_set
    assert STEPS["size.price"][1].show().facts["o200k_base_rows"] == oracle("o200k_base").n_vocab


def test_tokens_around_a_chat_are_drawn_one_by_one():
    shown = STEPS["special.chat"][1].show()
    assert len(shown.blocks[0].tokens) == shown.facts["tokens"] == 9


def test_adverts_in_a_vocabulary_are_hidden_in_the_steps_that_list_tokens():
    [table] = [block for block in STEPS["oddities.lost"][1].show().blocks if isinstance(block, Table)]
    texts = {id: get_encoding("o200k_base").decode([int(id)]) for id, *_ in table.rows}
    adverts = {id for id, text in texts.items() if is_advert(text)}
    assert adverts == {id for id, *cells in table.rows if cells == ["advert", "advert"]} != set()
    assert all(words("page", language).sentences["cells"]["advert"] for language in LANGUAGES)


def test_no_table_of_a_step_shows_an_advert():
    blocks = [block for _, step in STEPS.values() for block in step.show().blocks]
    rows = [row for block in blocks if isinstance(block, Table) for row in block.rows]
    cells = [getattr(cell, "parts", [cell]) for row in rows for cell in row]
    assert [cell for cell in cells if is_advert("".join(map(str, cell)))] == [] != cells


def test_statements_about_dates_hold():
    date = STEPS["oddities.dates"][1].options[3]
    sizes = {digit: count("o200k_base", digit) for digit in date if digit.isdigit()}
    assert sizes.pop("๒") == 1 and {*sizes.values()} == {2}
    assert sum(int(one) * 10**i for i, one in enumerate(reversed(date[-4:]))) == 2569 == 2026 + 543


def test_thai_tokens_are_those_of_the_page_vocabulary():
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        facts = facts_of(get_encoding(name))
        listed = sum(facts.script_of(row) == "Thai" for row in range(len(facts)))
        assert STEPS["token.years"][1].show().facts[f"{name}_thai"] == listed
        assert VIEWS["bytes"]("x", encoding=name).facts["thai"] == listed


def test_no_step_gives_the_answer_of_a_later_step_on_the_same_text():
    for (name, earlier), (other, later) in combinations(STEPS.values(), 2):
        asked = [(step.text, step.view, step.how.get("encoding")) for step in (earlier, later)]
        if name == other and asked[0] == asked[1] and earlier.answer != later.answer:
            told = numbers_in(words(name, "en").sentences[earlier.id]["reveal"])
            assert later.answer not in told, (earlier.id, later.id)


def test_statements_about_thai_in_gpt2_hold():
    tokens = [oracle("gpt2").decode_single_token_bytes(id) for id in range(oracle("gpt2").n_vocab - 1)]
    assert not [one for one in tokens if re.search("[\u0e00-\u0e7f]", one.decode(errors="ignore"))]
    sentence = parallel_corpus()["th"][11]
    assert len(oracle("gpt2").encode(sentence)) == sum(2 if "\u0e00" <= one <= "\u0e7f" else 1 for one in sentence)
