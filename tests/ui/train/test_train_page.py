"""The Train page: from choices to an encoding in every list, and failures on the way."""

import io
import json
import zipfile

import apps
import pytest
import regex
from apps import acknowledge, alert_text, captions, click, new_app, open_page, param, ran, run_app, until
from paths import FRAME

from server.encodings import encoding_store, recipes
from server.exports.take_home import has_timeline
from server.training import jobs
from tokenizer import (
    TokenizerError,
    encoding_files,
    encoding_from_merges,
    get_encoding,
    load_encoding,
    save_encoding,
    train,
    train_characters,
    train_words,
)
from tokenizer.kinds.open_models import is_installed
from tokenizer.text.samples import samples
from tokenizer.training.corpora import own_corpora
from tokenizer.training.training_history import record_training
from tokenizer.training.worker import Order
from ui.session import visitor_state
from ui.train import extension, results, trainer
from ui.train.results import zipped
from ui.widgets import pickers, tokenizer_upload

TEXT = "the cat sat on the mat, ที่นี่มีที่ดี " * 20


pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_trainings", "no_charts")]


def opened(**query):
    return apps.open_page("train.py", **{"corpus": "thai"} | query)


def with_text(text=TEXT, **query):
    app = opened(corpus="own", **query)
    return ran(app.text_area(key="corpus_text").set_value(text).run())


def on_desk(app):
    return list(app.session_state.visitor.own_encodings.values())


def choices(app):
    return app.selectbox(key="encoding").options


def assert_can_be_saved(app, *forms):
    for form in forms:
        ran(app.selectbox(key="form").select(form).run())
        assert not alert_text(app), form


def test_thai_corpus_is_trained_and_can_be_downloaded(with_charts):
    app = apps.train_on_page(opened())
    [found] = on_desk(app)
    assert found.name == "thai-512"
    assert found.history.merges == list(train(own_corpora()["thai"], 512, min_count=2))
    assert found.encoding.special_tokens == {"<|endoftext|>": 512}
    assert not alert_text(app) and "Training stopped" not in captions(app)
    took = "less than 0.1" if found.job.seconds < 0.1 else f"{found.job.seconds:.1f}"
    assert f"Training took {took} s on this server." in captions(app)
    assert [tab.label for tab in app.tabs] == ["Compression", "Tokens saved", "Token length"]
    assert_can_be_saved(app, "huggingface", "tiktoken", "gpt2", "minbpe", "csv", "page", "notebook")
    assert on_desk(apps.train_on_page(app)) == [found]  # an equal training gives the same encoding
    ran(app.text_input(key="specials").set_value("<|end|>").run())
    assert [one.name for one in on_desk(apps.train_on_page(app))] == ["thai-512", "thai-512-2"]


def test_first_choices_show_an_example_which_one_press_trains(monkeypatch, with_charts):
    drawn, draw = [], results.timeline
    monkeypatch.setattr(
        results, "timeline", lambda found, *given, **more: drawn.append(found) or draw(found, *given, **more)
    )
    app = open_page("train.py")
    [example] = drawn
    assert example.history.merges == list(train(own_corpora()["english"], 512, min_count=2))
    assert results.EXAMPLE in captions(app) and not on_desk(app)
    assert "The tokenizer learns at most" in captions(app) and not app.expander[0].proto.expanded
    [found] = on_desk(apps.train_on_page(app))
    assert found.key == example.key and results.EXAMPLE not in captions(app)
    assert found.name == "english-512" and len(found.history.base) + len(found.history) == 512
    assert app.selectbox(key="trained").options == ["english-512 · 512 tokens + 1 special token"]
    assert app.session_state.new_training == found.key
    assert "new_training" not in opened(trained=found.key).session_state, "a link does not start the animation"
    drawn.clear()
    opened(corpus="thai")
    assert not drawn, "the example is not what these choices would train"


def test_language_in_the_address_leaves_the_choices_closed():
    assert not open_page("train.py", lang="en").expander[0].proto.expanded
    assert opened().expander[0].proto.expanded


def test_choices_reach_the_training():
    query = {"vocab_size": "60", "pattern": "gpt2", "ties": "largest-bytes", "alphabet": "characters", "min_count": "1"}
    app = apps.train_on_page(with_text(**query))
    [found] = on_desk(app)
    expected = encoding_from_merges(found.history.merges, "gpt2", alphabet=TEXT)
    assert found.history.merges == list(train(TEXT, 60, "gpt2", "largest-bytes", "characters"))
    assert found.encoding.encode(TEXT) == expected.encode(TEXT)
    ran(app.selectbox(key="form").select("tiktoken").run())
    assert "character" in alert_text(app)


def test_text_that_was_left_out_is_missing_in_the_decoded_text():
    app = apps.train_on_page(with_text(pattern=r"\p{L}+", drop_unmatched="1", vocab_size="280"))
    [found] = on_desk(app)
    kept = "".join(regex.findall(r"\p{L}+", TEXT))
    assert found.encoding.decode(found.encoding.encode(TEXT)) == kept and found.history.num_bytes == len(kept.encode())
    assert "there is no timeline" in captions(app) and not has_timeline(found)
    assert_can_be_saved(app, "huggingface", "minbpe", "notebook")
    for form in ("tiktoken", "gpt2", "csv"):
        ran(app.selectbox(key="form").select(form).run())
        assert "leaves out text that the split pattern does not match" in alert_text(app), form
    recipe = recipes.read(recipes.as_values(found))
    assert recipe.order == found.job.order and recipe.order.drop_unmatched
    merges = recipes.add_merges(recipes.merges_as_values(found))
    assert merges.encoding.encode(TEXT) == found.encoding.encode(TEXT)
    app.switch_page("why.py").run()
    ran(app.selectbox(key="encoding").select(found.key).run())
    for text in ("one, two", ", 12!"):  # of the second nothing is left
        app.session_state.visitor.text = text
        ran(app.run())
        assert "leaves out text that the split pattern does not match" in captions(app)


def test_trained_encoding_is_listed_for_its_visitor_until_removed():
    app, other = apps.train_on_page(opened()), opened()
    [found] = on_desk(app)
    app.switch_page("playground.py").run()
    assert len(choices(app)) == len(pickers.listed()) + 1
    assert any("thai-512" in option for option in choices(app))
    app.switch_page("decode.py").run()
    ran(app.selectbox(key="encoding").select(found.key).run())
    assert param(app, "encoding") == found.key
    assert len(choices(other.switch_page("decode.py").run())) == len(pickers.listed())
    ids = [int(id) for id in app.text_area(key="ids").value.split()]
    assert not alert_text(app) and found.encoding.decode(ids) == samples()[0].text
    ran(app.text_area(key="ids").set_value("1 2 3").run())
    ran(app.selectbox(key="encoding").select("gpt2").run())
    assert app.text_area(key="ids").value == "1 2 3"
    ran(app.selectbox(key="encoding").select(found.key).run())
    click(ran(app.switch_page("train.py").run()), "remove")
    assert not on_desk(app)
    app.switch_page("playground.py").run()
    assert app.selectbox(key="encoding").value == "o200k_base"
    assert len(choices(app)) == len(pickers.listed())


def test_trained_encoding_opens_in_the_playground_and_by_a_link():
    app = click(apps.train_on_page(opened(vocab_size="280")), "use")
    [found] = on_desk(app)
    for one in (app, run_app(FRAME, encoding=found.key)):
        assert one.selectbox(key="encoding").value == found.key and not alert_text(one)
    assert on_desk(opened(trained=found.key)) == [found]


@pytest.mark.parametrize("key", ["trained-" + "0" * 32, "gpt2", "<b>", "trained-"])
def test_link_to_an_evicted_training_shows_a_notice(key):
    app = opened(trained=key)
    words = "does not have this encoding" if key.endswith("0") else "which this server does not know"
    assert words in alert_text(app) and not on_desk(app)
    assert words in alert_text(ran(app.run())), "the notice disappeared with the next click"
    assert "Train it again" in alert_text(run_app(FRAME, encoding="trained-" + "0" * 32))


def test_encodings_of_one_name_are_numbered():
    app = apps.train_on_page(with_text(vocab_size="280"))
    ran(app.text_area(key="corpus_text").set_value(TEXT + "another").run())
    assert [found.name for found in on_desk(apps.train_on_page(app))] == ["my-text-280", "my-text-280-2"]


def test_late_message_of_the_list_does_not_undo_a_new_training():
    app = apps.train_on_page(opened(vocab_size="280"))
    ran(app.number_input(key="vocab_size").set_value(300).run())
    first, second = [found.key for found in on_desk(apps.train_on_page(app))]
    for _ in range(2):
        ran(app.selectbox(key="trained").set_value(first).run())  # the browser has not acknowledged yet
        assert (app.session_state.visitor.choices["trained"], app.selectbox(key="trained").value) == (second, second)
    acknowledge(app)
    ran(app.selectbox(key="trained").set_value(first).run())
    assert (app.session_state.visitor.choices["trained"], app.selectbox(key="trained").value) == (first, first)


def test_oldest_training_is_removed_above_the_limit(monkeypatch):
    monkeypatch.setattr(visitor_state, "MAX_OWN_ENCODINGS", 2)
    app = opened()
    for size in (300, 301, 302):
        ran(app.number_input(key="vocab_size").set_value(size).run())
        apps.train_on_page(app)
    assert [found.name for found in on_desk(app)] == ["thai-301", "thai-302"]


def test_zip_contains_all_files():
    files = {"a.json": b"{}", "b.txt": "ที่".encode()}
    archive = zipfile.ZipFile(io.BytesIO(zipped(files)))
    assert {name: archive.read(name) for name in archive.namelist()} == files


def test_training_may_end_during_a_run(monkeypatch, run_trainings):
    shown = trainer.shown

    def and_then_it_ends():
        found = shown()
        if "training" in trainer.st.session_state:
            run_trainings()
            until(lambda: trainer.st.session_state.training["job"].over)
        return found

    run_trainings(0)
    app = opened()
    monkeypatch.setattr(trainer, "shown", and_then_it_ends)
    click(app, "train")
    assert [one.name for one in on_desk(app)] == ["thai-512"] and "training" not in app.session_state


def test_cancel_keeps_the_choices(monkeypatch):
    monkeypatch.setattr(jobs, "MAX_RUNNING_JOBS", 0)
    app = click(with_text(vocab_size="280"), "train")
    assert not {"train"} & {button.key for button in app.button}
    click(app, "cancel_training")
    assert "Cancelled" in alert_text(app)
    assert app.text_area(key="corpus_text").value == TEXT
    assert app.number_input(key="vocab_size").value == 280


@pytest.mark.parametrize(
    "text, query",
    [
        ("".join(map(chr, range(60, 125))), {"vocab_size": "65", "alphabet": "characters"}),
        (TEXT, {"vocab_size": "256"}),
        ("ab", {"vocab_size": "300"}),
        ("\0", {"vocab_size": "300"}),
    ],
)
def test_vocabulary_without_merges_trains_and_can_be_saved(text, query, tmp_path):
    app = with_text("", **query)
    assert app.button(key="train").disabled
    apps.train_on_page(ran(app.text_area(key="corpus_text").set_value(text).run()))
    [found] = on_desk(app)
    assert not alert_text(app) and len(found.history) == 0
    assert len(found.encoding.encode(text)) == len(text if "alphabet" in query else text.encode())
    assert ("no pair occurs twice any more" in captions(app)) == (query["vocab_size"] == "300")
    [path] = save_encoding(found.encoding, tmp_path / "none.json")
    assert load_encoding(path).encode(text) == found.encoding.encode(text)


def test_failed_training_shows_a_notice_and_can_be_repeated():
    app = apps.train_on_page(with_text("abc", vocab_size="2", alphabet="characters"))
    assert "Cannot train a vocabulary of 2 tokens" in alert_text(app)
    ran(app.number_input(key="vocab_size").set_value(5).run())
    assert on_desk(apps.train_on_page(app)) and not alert_text(app)


def test_held_out_part_has_a_curve_and_its_words_are_shown(with_charts):
    app = apps.train_on_page(with_text("the cat sat on the mat. " * 30 + "the zebra", vocab_size="270", held_out="20"))
    [found] = on_desk(app)
    kept, held = found.job.texts
    assert found.history.merges == list(train(kept, 270, min_count=2))
    assert found.history.held_out.tolist()[-1] == len(found.encoding.encode(held))
    [row] = [table.value.iloc[0] for table in app.dataframe if "becomes" in table.value]
    assert row["word"] == "zebra" and row["becomes"].replace(" | ", "") == "zebra"
    assert "shows the held-out part, " in captions(app)


def test_words_with_counts_are_trained():
    app = apps.train_on_page(opened(corpus="words", alphabet="characters", vocab_size="10"))
    [found] = on_desk(app)
    assert [merge.token for merge in found.history.merges] == [b"ug", b"un", b"hug"]
    assert found.sample == ("hug pug pun bun hugs", 10 * 3 + 5 * 3 + 12 * 3 + 4 * 3 + 5 * 4)


def test_first_difference_from_published_merges_is_shown():
    app = opened(corpus="english")
    app.session_state.beside_published = True
    app = apps.train_on_page(app)
    assert any(
        r"cl100k\_base has 254 of the 256 tokens that this training made; "
        "the first that is missing was made by merge 129" in text.value
        for text in app.markdown
    )
    for other in ("gpt2", "llama3") if is_installed() else ("gpt2",):
        ran(app.selectbox(key="published").select(other).run())
        assert any(f"{other} has" in text.value for text in app.markdown)
    options = app.selectbox(key="published").options
    assert not any("Gemma" in option or option.startswith("english") for option in options)  # no byte merges; itself


def test_word_tokenizer_is_trained_listed_and_saved(tmp_path):
    app = apps.train_on_page(opened(corpus="words", kind="words", vocab_size="10"))
    [found] = on_desk(app)
    theirs = train_words({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 10)
    assert found.history.merges == theirs.merges.learned and found.name == "words-words-10"
    assert found.encoding.encode("Unhug bugs!") == theirs.encode("Unhug bugs!")
    assert not alert_text(app) and "In this encoding white space is not" in captions(app)
    [path] = save_encoding(found.encoding, tmp_path / "hugs.tokenloupe")
    assert load_encoding(path).encode("Unhug bugs!") == theirs.encode("Unhug bugs!")
    for page in ("playground.py", "decode.py"):
        app.switch_page(page).run()
        assert any(found.name in option for option in choices(app)) and not app.exception


def test_character_tokenizer_is_trained_without_a_size():
    app = apps.train_on_page(with_text(TEXT + "z", kind="characters", held_out="20"))
    [found] = on_desk(app)
    kept, held = found.job.texts
    theirs = train_characters(kept)
    assert found.encoding.encode(TEXT + "?") == theirs.encode(TEXT + "?") and len(found.history) == 0
    assert found.encoding.special_tokens == {"<|endoftext|>": len(set(kept)) + 1}
    assert not {box.key for box in app.number_input} and not alert_text(app)
    assert found.history.held_out.tolist() == [len(held)]


def test_text_that_arrives_with_the_press_is_trained_on():
    app = with_text("abab " * 20, vocab_size="258")
    app.text_area(key="corpus_text").set_value("cdcd " * 20)
    [found] = on_desk(apps.train_on_page(app))
    assert found.job.texts == ("cdcd " * 20,) and not app.expander[0].proto.expanded


def test_encoding_with_a_plus_in_its_name_can_be_trained_on():
    made = tokenizer_upload.with_special_tokens(encoding_store.find("gpt2"), ["<|a|>"])
    app = opened(begin=encoding_store.add(made, encoding_store.EXTENDED).key)
    assert not alert_text(app) and app.text_input(key="trained_name").value == "thai-gpt2-1-500"
    assert r"merges to gpt2\+1, learned from" in captions(app)  # as Markdown: a name could be read as a link


def test_link_to_a_start_that_is_not_installed_names_the_install_command(without_splintr):
    app = opened(begin="llama3")
    assert app.selectbox(key="begin").value == "bytes"
    assert "pip install splintr-rs" in alert_text(app) and "The page shows bytes instead" in alert_text(app)


def test_interrupted_training_continues_although_a_message_comes_meanwhile(monkeypatch):
    begun, times = apps.interrupted_once(jobs.begin)
    app = with_text("abab " * 20, vocab_size="258")
    monkeypatch.setattr(jobs, "begin", begun)
    app.session_state["cut_off"] = jobs.job_key(Order(258, "cl100k_base", min_count=2), ("abab " * 20,))
    apps.finish_training(ran(app.run()))
    assert len(times) == 1 and len(on_desk(app)) == 1


def test_plan_counts_no_characters_that_are_held_out():
    app = with_text("a" * 80 + "b" * 20, held_out="20", kind="characters")
    assert "The tokenizer learns from 80 characters." in captions(app)


def test_words_with_counts_in_one_line_are_held_out_whole():
    app = opened(corpus="words", vocab_size="260", held_out="20")
    ran(app.text_area(key="corpus_words").set_value("hug 10, pug 5, pun 12, bun 4, hugs 5").run())
    assert f"learns at most 260 tokens from {(10 + 5 + 12) * 3} characters." in captions(app)
    [found] = on_desk(apps.train_on_page(app))
    assert found.job.texts == ("hug 10, pug 5, pun 12, ", "bun 4, hugs 5") and not alert_text(app)
    assert found.history.held_out[0] == 4 * len("bun") + 5 * len("hugs")


def test_words_that_the_normal_form_splits_show_the_line():
    app = opened(corpus="words", text_form="nfc")
    ran(app.text_area(key="corpus_words").set_value("a\u037eb 10").run())  # NFC of the Greek question mark is “;”
    assert "Line 1 is not a word followed by a number" in alert_text(app)


def test_held_out_words_are_encoded_with_the_learned_tokens():
    app = apps.train_on_page(
        with_text("The cat sat on the mat. " * 30 + "the ZEBRA", kind="words", vocab_size="20", held_out="20")
    )
    [found] = on_desk(app)
    [row] = [table.value.iloc[0] for table in app.dataframe if "becomes" in table.value]
    assert row["word"] == "zebra" and row["tokens"] == 5 and row["becomes"] == "<unk> | e | <unk> | <unk> | a"
    assert found.history.held_out[-1] == len(found.encoding.encode(found.job.texts[1]))


def test_ties_are_listed_with_the_choices_of_other_rules():
    app = apps.train_on_page(with_text("aaabdaaabac", vocab_size="259", pattern="none"))
    row = app.dataframe[0].value.iloc[0]
    assert row["merge"] == 2 and row["smallest-ids (Hugging Face)"] == "a + b"


def test_second_training_is_refused_while_the_first_runs(monkeypatch):
    app = apps.train_on_page(opened(vocab_size="280"))
    monkeypatch.setattr(jobs, "MAX_RUNNING_JOBS", 0)
    ran(app.number_input(key="vocab_size").set_value(300).run())
    click(app, "train")
    assert "train" not in {button.key for button in app.button}
    [found] = on_desk(app)

    def ask_for_a_fork():
        from ui.session.visitor_state import visitor
        from ui.train import trainer

        trainer.fork(next(iter(visitor().of_trainings().values())), 5, 101, 32)

    running = app.session_state.training["job"]
    fork = new_app(ask_for_a_fork)
    fork.session_state["visitor"] = app.session_state["visitor"]
    fork.session_state["training"] = app.session_state.training
    ran(fork.run())
    assert fork.session_state.training["job"] is running
    assert "already running" in fork.session_state.training_problem


@pytest.mark.parametrize(
    ("query", "name"), [({"begin": "gpt2", "add": "40"}, "thai-gpt2-40"), ({"lift_after": "15"}, "thai-512-lifted-15")]
)
def test_fork_records_its_parent_and_the_forced_merges(query, name):
    def fork_twice():
        import time

        from ui.session.visitor_state import visitor
        from ui.train import trainer

        for step in (20, 7):
            parent = next(reversed(visitor().of_trainings().values()))
            left, right, _ = parent.history.rivals[step][0].tolist()
            trainer.fork(parent, step, left, right)
            while not (trainer.st.session_state.get("training") or {"job": parent.job})["job"].over:
                time.sleep(0.01)
            trainer.shown()

    app = apps.train_on_page(opened(**query))
    fork = new_app(fork_twice)
    fork.session_state["visitor"] = app.session_state["visitor"]
    ran(fork.run())
    first, second, third = fork.session_state.visitor.own_encodings.values()
    assert second.parent == {"key": first.key, "name": name, "at": 20, "forced": [20]}
    assert second.encoding.special_tokens == first.encoding.special_tokens
    assert third.parent["forced"] == [7]
    assert second.history.merges[:20] == first.history.merges[:20] != third.history.merges[:20]
    left, right, count = first.history.runners_up(20)[0]
    assert second.history.merges[20][1:3] == (left, right) and second.history.merges[20].count == count


def test_training_text_is_shown_before_training():
    app = with_text("<b>short", alphabet="characters")
    assert "Now every character is a token" in captions(app)
    assert any("&lt;b&gt;short</div>" in html.value for html in app.html)
    assert any(html.value.endswith(" …</div>") for html in opened().html)


def test_address_lists_all_trainings():
    app = apps.train_on_page(opened(vocab_size="280"))
    ran(app.number_input(key="vocab_size").set_value(300).run())
    apps.train_on_page(app)
    ran(app.number_input(key="vocab_size").set_value(310).run())
    keys = [found.key for found in on_desk(apps.train_on_page(app))]
    assert len(keys) == 3 and param(app, "trained") == ",".join(reversed(keys))
    again = opened(trained=f"{param(app, 'trained')},trained-{'0' * 32}")
    assert [found.key for found in on_desk(again)] == keys, "the first is removed where there is no room"
    assert "does not have this encoding" in alert_text(again)
    assert again.selectbox(key="trained").value == keys[-1]


def test_choices_return_to_the_address_after_a_change_of_page():
    app = opened(corpus="english", vocab_size="300")
    ran(app.switch_page("decode.py").run())
    app.query_params.clear()
    ran(app.switch_page("train.py").run())
    assert (param(app, "corpus"), param(app, "vocab_size")) == ("english", "300")


def test_special_tokens_can_have_ids_of_their_own():
    typed = "<|begin_of_text|>=1101 <|end|> <|eot_id|>=1105"
    [found] = on_desk(apps.train_on_page(opened(specials=typed)))
    assert found.encoding.special_tokens == {"<|begin_of_text|>": 1101, "<|end|>": 512, "<|eot_id|>": 1105}
    assert found.encoding.encode("<|eot_id|>", special="special") == [1105]
    assert recipes.read(recipes.as_values(found)).special_tokens == tuple(typed.split())
    files = encoding_files(found.encoding, "minbpe")
    assert any(b"<|eot_id|> 1105" in data for name, data in files.items() if name.endswith(".model"))


def test_training_begins_from_a_published_encoding(with_charts):
    app = apps.train_on_page(opened(begin="gpt2", add="40"))
    [found] = on_desk(app)
    start, text = get_encoding("gpt2"), own_corpora()["thai"]
    assert found.name == "thai-gpt2-40"
    assert found.history.merges == list(train(text, 50_257 + 40, start=start, min_count=2))
    assert found.encoding.encode("the cat") == start.encode("the cat")
    assert len(found.encoding.encode(text)) == found.history.num_tokens[-1] < len(start.encode(text))
    english = own_corpora()["english"]
    assert found.history.english[[0, -1]].tolist() == [len(one.encode(english)) for one in (start, found.encoding)]
    page = " ".join(one.proto.body for one in app.get("html"))
    assert "All 50,257 tokens of" in page and "the new ids begin at 50,257" in page
    assert "40 more rows" in page and f"{40 * 4096:,} parameters" in page
    rows = extension.coverage_rows(found)
    assert [row["id"] for row in rows] == [*range(50_257, 50_297)]
    for row in rows:
        old = b"".join(start.token_bytes(int(id)) for id in row["old ids"].split())
        assert old == found.encoding.token_bytes(row["id"])
    assert_can_be_saved(app, "tiktoken", "coverage")
    ran(app.selectbox(key="form").select("minbpe").run())
    assert "bytes 0 to 255" in alert_text(app)
    recipe = recipes.read(recipes.as_values(found))
    assert (recipe.order, recipe.texts) == (found.job.order, found.job.texts)


@pytest.mark.parametrize(
    ("begin", "min_count", "reason"),
    [  # in GPT-2, one pair makes <|endoftext|>, thrice
        ("gpt2", 2, "after 5 of the 43 merges asked for: no pair that may become a token occurs twice any more."),
        ("gpt2", 1, "after 5 of the 43 merges asked for: no pair is left that may become a token."),
        ("", 1, "at 268 of the 50,300 tokens asked for: no pair is left."),
    ],
)
def test_training_that_stops_early_shows_why(begin, min_count, reason):
    order = Order(50_300, None, min_count=min_count, begin=begin)
    history = record_training({"<|endoftext|>": 3}, order.vocab_size, alphabet=order.base, min_count=min_count)
    assert history.num_tokens[-1] == (6 if begin else 3)
    assert results.stopped_early(history, order).endswith(reason)


def test_split_pattern_is_lifted_after_a_number_of_merges(with_charts):
    app = apps.train_on_page(opened(lift_after="100"))
    [found] = on_desk(app)
    text, order = own_corpora()["thai"], found.job.order
    assert found.history.merges == list(train(text, 512, order.pattern, min_count=2, lift_after=100))
    assert (order.lift_after, found.encoding.pattern, found.history.lift) == (100, None, 100)
    assert found.history.num_tokens[-1] == len(found.encoding.encode(text))
    assert "lifted after 100 merges" in captions(app)
    assert "Split pattern lifted: merge 101 made" in " ".join(one.proto.body for one in app.get("html"))
    assert_can_be_saved(app, "huggingface", "minbpe", "page")
    recipe = recipes.read(recipes.as_values(found))
    assert (recipe.order, recipe.texts) == (order, found.job.texts)


def test_lift_that_no_merge_follows_is_refused():
    assert "at most 256 merges" in alert_text(opened(lift_after="256"))
    assert not alert_text(opened(lift_after="255"))
    assert "from 0 to 50,000" in alert_text(opened(lift_after="-1"))
    facts = json.loads(Order(lift_after=3).to_json())
    for change in ({"lift_after": "3"}, {"lift_after": 300}, {"pattern": None}, {"counted": True}, {"parity": True}):
        with pytest.raises(TokenizerError):
            recipes.read({"name": "x", "order": {**facts, **change}, "texts": ["ab ab"]})


def test_counts_of_words_cannot_be_lifted():
    app = click(opened(corpus="words", lift_after="3"), "train")
    assert "the training has counts of pre-tokens" in alert_text(app)
    assert not on_desk(app)


def test_lift_is_offered_only_where_a_pattern_splits_all_text():
    for query in ({"pattern": "none"}, {"kind": "words"}, {"pattern": r"\p{L}+", "drop_unmatched": "1"}):
        app = opened(**query)
        assert "lift_after" not in [one.key for one in app.number_input], query
        assert not alert_text(app)


@pytest.mark.parametrize("add", ["0", "50001"])
def test_merges_to_add_outside_the_limits_are_refused_from_the_address(add):
    assert "from 1 to 50,000" in alert_text(opened(begin="gpt2", add=add))


def test_training_goes_on_from_an_own_encoding_until_that_is_removed():
    app = apps.train_on_page(opened(vocab_size="300"))
    [first] = on_desk(app)
    ran(app.selectbox(key="begin").select(first.key).run())
    ran(app.number_input(key="add").set_value(25).run())
    app = apps.train_on_page(app)
    [_, second] = on_desk(app)
    assert second.name == "thai-thai-300-25"
    assert second.encoding.special_tokens == {"<|endoftext|>": 300}
    expected = list(train(own_corpora()["thai"], 326, start=first.encoding, min_count=2))
    assert second.history.merges == expected and expected[0].rank == 301
    with pytest.raises(TokenizerError, match="cannot be shared"):
        recipes.as_values(second)
    # the same merges as in one training, with one id between them
    longer = list(train(own_corpora()["thai"], 325, min_count=2))
    assert [merge.token for merge in expected] == [merge.token for merge in longer[44:]]
    click(app, "remove")
    assert (on_desk(app), app.selectbox(key="begin").value) == ([first], first.key)
    click(app, "remove")
    assert not on_desk(app) and not alert_text(app)
    assert app.selectbox(key="begin").value == "bytes"


def test_what_cannot_be_continued_is_not_offered():
    app = apps.train_on_page(with_text(alphabet="characters", vocab_size="60"))
    [found] = on_desk(app)
    assert found.name not in app.selectbox(key="begin").options
    assert "gpt2" in alert_text(opened(begin=found.key))
    assert "gpt2" in alert_text(opened(begin="what"))
