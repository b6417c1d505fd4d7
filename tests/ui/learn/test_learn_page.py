"""The page of lessons: guesses, answers, own texts and navigation."""

import re
from html import unescape

import pytest
from apps import alerts, click, new_app, open_page, param, ran, run_app, text_of
from paths import FRAME
from streamlit.proto.WidgetStates_pb2 import WidgetStates

from server.classroom.rooms import MAX_GUESS
from tokenizer import get_encoding
from tokenizer.i18n import tr, using_language
from tokenizer.languages.parallel import parallel_corpus
from tokenizer.lessons.lesson import CHOICE, LANGUAGES, lesson, lesson_names, words
from tokenizer.lessons.telling import cut_up, is_right

MARKUP = '<b>&</b> <script>alert("1")</script>'


def page(name="token", question=1, **query):
    return open_page("learn.py", lesson=name, question=str(question), **query)


def answered_page(name, question=1, **query):
    """Opens a lesson in which all steps are answered."""
    app = new_app(FRAME, lesson=name, question=str(question), **query).switch_page("learn.py")
    app.session_state.guesses = {f"{name}_{step.id}": step.right() for step in lesson(name).steps}
    return ran(app.run())


def revealed(app):
    """Reveals the answer of the step."""
    [key] = [button.key for button in app.button if button.key and button.key.startswith("show_")]
    return click(app, key)


def test_right_and_wrong_choices_are_marked():
    app = page("bpe", 1)
    ran(app.pills(key="guess_bpe_first").set_value("aa").run())
    assert "✓ Right: aa." in text_of(app) and "it occurs 4 times" in text_of(app)
    app = page("bpe", 1)
    ran(app.pills(key="guess_bpe_first").set_value("ab").run())
    assert "You said ab. It is aa." in text_of(app) and "✓" not in text_of(app)


def restore(typed):
    """A script that restores what a link or the tab has of the page."""
    from ui.learn import page  # registers its values
    from ui.session import page_snapshot

    assert page and not page_snapshot.restore("learn", typed)


@pytest.mark.parametrize(("cuts", "is_correct"), [([5, 2], True), ([2, 4], False)])
def test_restored_cuts_are_compared_with_the_answer(cuts, is_correct):
    for typed in ({"own": [None, cuts, None]}, {"done": {"token_cut": [None, cuts, None]}}):
        [number] = [i for i, step in enumerate(lesson("token").steps, 1) if step.id == "cut"]
        app = run_app(restore, typed, lesson="token", question=str(number))
        step = lesson("token").steps[number - 1]
        assert is_right(step, app.session_state.guesses["token_cut"], step.right()) == is_correct


def test_number_is_checked_and_can_be_guessed_again():
    app = page("token", 1)
    assert "tokens. A model" not in text_of(app)  # no answer before a guess
    app.number_input(key="number_token_count").set_value(7)
    ran(next(one for one in app.button if one.label == "Check").click().run())
    assert "You said 7. It is 6." in text_of(app)
    click(app, "again_token_count")
    app.number_input(key="number_token_count").set_value(6)
    ran(next(one for one in app.button if one.label == "Check").click().run())
    assert "✓ Right: 6." in text_of(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_of_a_question_ends_inside_the_name_of_a_model(language):
    app = page("size", 4, lang=language)
    [question] = [one.value for one in app.html if "learn-question" in one.value]
    outside = re.sub('<span class="whole">.*?</span>', "", question)
    assert question.count('<span class="whole">GPT-') == 2 and "GPT" not in outside


def test_sentences_are_shown_before_the_guess():
    app = page("languages", 1)
    sentences = [parallel_corpus()[tag][int(lesson("languages").steps[0].text) - 1] for tag in ("en", "th", "ko", "hi")]
    places = [text_of(app).find(sentence) for sentence in sentences]
    assert places == sorted(places) and places[0] >= 0
    assert "23 tokens" not in text_of(app) and "23 tokens" in text_of(revealed(app))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["token", "bpe"])
def test_steps_are_answered_one_after_another(name):
    app = page(name)
    for number, step in enumerate(lesson(name).steps, 1):
        assert param(app, "question") in (str(number), None)
        if step.exercise:
            app.number_input(key=f"number_{name}_{step.id}").set_value(step.right())
            ran(next(one for one in app.button if one.label == "Check").click().run())
            assert "✓" in text_of(app)
        else:
            revealed(app)
        assert words(name, "en").text("take", step.id) in text_of(app)
        click(app, "learn_next")
    assert not alerts(app)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", lesson_names())
def test_every_step_shows_its_answer_in_every_language(name, language):
    with using_language(language):  # the language of the labels that the browser sends
        app, lesson_words = answered_page(name, lang=language), words(name, language)
        for number, step in enumerate(lesson(name).steps, 1):
            if number > 1:
                click(app, "learn_next")
            [question] = [one.value for one in app.html if "learn-question" in one.value]
            assert unescape(re.sub("<.*?>", "", question)) == lesson_words.text("question", step.id)
            facts = step.show().facts
            for key in ("reveal", "because", "take"):
                assert lesson_words.text(key, step.id, **facts) in text_of(app)
            assert not step.exercise or 0 <= step.right() <= MAX_GUESS  # it can be typed
        assert not alerts(app)


@pytest.mark.parametrize(("name", "number"), [("token", 1), ("walls", 1), ("bpe", 1), ("special", 1), ("bytes", 1)])
def test_own_text_is_analysed_and_escaped(name, number):
    app, step = page(name, number), lesson(name).steps[number - 1]
    revealed(app)
    ran(app.text_input(key=f"own_{name}_{step.id}").set_value(MARKUP).run())
    assert words(name, "en").text("because", step.id) not in text_of(app)  # explains the text of the step only
    assert not any("<script" in one.value for one in app.html)
    if name == "token":
        assert f"{len(get_encoding('o200k_base').encode(MARKUP))} tokens." in text_of(app)
    ran(app.text_input(key=f"own_{name}_{step.id}").set_value("x").run())
    if name == "bpe":
        assert "No pair occurs twice" in text_of(app) and "“”" not in text_of(app)
    if name == "bytes":
        assert "No pair is in the list" in text_of(app) and "“”" not in text_of(app)


def test_invalid_link_values_show_a_notice():
    app = open_page("learn.py", lesson="<b>", question="3")
    assert "The link says lesson='<b>'" in " ".join(alerts(app)) and not any("<b>;" in one.value for one in app.html)
    app = open_page("learn.py", lesson="bytes", question="19")
    assert "Step 1 of 7" in text_of(app)


def test_pipeline_is_drawn_before_the_first_guess_of_the_first_step():
    app, picture = page("token", 1), 'class="learn-pipeline"'
    assert any(picture in one.value for one in app.html)
    assert not any(picture in one.value for one in revealed(app).html)
    assert not any(picture in one.value for number in (2, 3) for one in page("token", number).html)


def test_only_a_right_or_a_shown_answer_is_marked_among_the_steps():
    app = page("bpe", 1)
    ran(app.pills(key="guess_bpe_first").set_value("ab").run())
    assert app.segmented_control(key="question").options[0] == "1"  # a wrong guess
    click(app, "again_bpe_first")
    ran(app.pills(key="guess_bpe_first").set_value("aa").run())
    assert app.segmented_control(key="question").options[0] == "1 ✓"
    exercise = len(lesson("bpe").steps)
    app = revealed(page("bpe", exercise))
    assert "The answer is 4." in text_of(app)
    assert app.segmented_control(key="question").options[exercise - 1] == f"{exercise} ✓"


def test_next_lesson_starts_at_its_first_step_and_done_steps_are_marked():
    app = revealed(page("token", 1))
    click(app, "learn_next")
    assert "1 ✓" in app.segmented_control(key="question").options
    app = page("token", len(lesson("token").steps))
    click(app, "learn_next")
    assert (param(app, "lesson"), param(app, "question")) == ("bpe", "1")


@pytest.mark.slow
def test_step_opens_its_page_with_its_text_and_encodings():
    app = click(answered_page("token", 3), "open_token_years")
    desk = app.session_state.visitor
    assert desk.text == lesson("token").steps[2].text
    assert desk.choices["encodings"] == ["gpt2", "cl100k_base", "o200k_base"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "step", "leads_to", "text", "encoding"),
    [
        ("oddities", "lost", "why", " I'", "o200k_base"),
        ("oddities", "name", "playground", ".DefaultCellStyle", "cl100k_base"),
        ("oddities", "dates", "playground", lesson("oddities").steps[5].text.replace("|", "\n"), "o200k_base"),
        ("bytes", "order", "why", "strawberry", "gpt2"),
        ("walls", "shout", "why", "I'll and I'LL", "gpt2"),
        ("beyond", "rows", "catalog", "<|user|> <|assistant|> <|tool|>", "cl100k_base"),
        ("beyond", "picture", "train", None, "o200k_base"),
    ],
)
def test_step_opens_its_page_with_its_text_and_encoding(name, step, leads_to, text, encoding):
    at = [one.id for one in lesson(name).steps].index(step)
    assert lesson(name).steps[at].page == leads_to
    app = answered_page(name, at + 1)
    before = app.session_state.visitor.text
    click(app, f"open_{name}_{step}")
    desk = app.session_state.visitor
    assert desk.text == (before if text is None else text)
    assert desk.choices.get("encoding", "o200k_base") == encoding


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "step", "own", "wanted"),
    [
        (
            "languages",
            "four",
            7,
            {"sentence": 7, "language": "th", "base": "en", "lens": "premium", "encoding": "gpt2"},
        ),
        ("bytes", "replace", None, {"ids": " ".join(map(str, get_encoding("gpt2").encode("ไทย")))}),
        (
            "bpe",
            "ties",
            "abab",
            {"corpus": "desk", "alphabet": "characters", "pattern": "none", "ties": "largest-bytes"},
        ),
        ("bpe", "words", "low low lower", {"corpus": "words", "ties": "first-seen"}),
        ("special", "as-special", None, {"special": "special"}),
    ],
)
def test_step_opens_its_page_with_its_choices(name, step, own, wanted):
    app = answered_page(name, [one.id for one in lesson(name).steps].index(step) + 1)
    if own is not None:
        field = app.number_input if isinstance(own, int) else app.text_input
        ran(field(key=f"own_{name}_{step}").set_value(own).run())
    click(app, f"open_{name}_{step}")
    assert wanted.items() <= app.session_state.visitor.choices.items()
    if name == "languages":
        assert app.session_state.seen_in == "gpt2"
    if step == "words":
        assert app.session_state.corpus_words == "low 2\nlower 1"


@pytest.mark.parametrize(
    ("name", "at", "role"), [("special", 3, "user"), ("special", 4, "user"), ("beyond", 5, "system")]
)
def test_chat_step_opens_a_chat_of_its_text(name, at, role):
    step = lesson(name).steps[at - 1]
    app = click(answered_page(name, at), f"open_{name}_{step.id}")
    there = open_page("chat.py", **{key: app.session_state.visitor.address[key] for key in ("chat", "encoding")})
    assert there.session_state.visitor.choices["chat"] == ((role, step.text, ""),)


def test_invalid_json_shows_a_notice_and_the_text_of_the_step():
    app = revealed(page("oddities", 12))
    ran(app.text_input(key="own_oddities_forms").set_value("<b>").run())
    assert "This is not JSON: there is an error in line 1, column 1" in " ".join(alerts(app))
    assert words("oddities", "en").text("because", "forms") in text_of(app)
    ran(app.text_input(key="own_oddities_forms").set_value('{"a": 1}').run())
    assert not alerts(app) and words("oddities", "en").text("because", "forms") not in text_of(app)


def test_guess_is_compared_as_its_button_spells_it():
    choice = next(step for step in lesson("token").steps if step.ask == CHOICE and step.answer == "characters")
    assert is_right(choice, "3", choice.right()) and not is_right(choice, "9", choice.right())
    assert cut_up("unhappily", (2, 7)) == "un | happi | ly"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["train", "sentencepiece", "size"])
def test_training_lessons_accept_any_text_or_show_a_notice(name):
    for number, step in enumerate(lesson(name).steps, 1):
        app = answered_page(name, number)
        for text in (f"{MARKUP}\0\x1b", "🦆" * 2_000, " "):
            app.session_state[f"own_{name}_{step.id}"] = text
            ran(app.run())
            is_too_long = step.view == "ways" and len(text) > 300
            assert bool(alerts(app)) == is_too_long
            assert (words(name, "en").text("because", step.id) in text_of(app)) == is_too_long
            assert not any("<script" in one.value for one in app.html)


def test_too_long_text_is_cut_with_a_notice():
    app = revealed(page("token", 1))
    ran(app.text_input(key="own_token_count").set_value("ที่ " * 1_250).run())
    assert "Only the first 2,000 of 5,000 characters are read." in " ".join(alerts(app))
    assert f"2,000 characters, 500 words, {len(get_encoding('o200k_base').encode('ที่ ' * 500)):,} tokens" in text_of(app)
    assert len(app.text_input(key="own_token_count").value) == 5_000


@pytest.mark.slow
def test_too_long_text_to_segment_shows_a_notice_and_keeps_the_step():
    app = revealed(page("sentencepiece", 5))
    ran(app.text_input(key="own_sentencepiece_ways").set_value("a" * 301).run())
    assert "more than the 300 characters that can be shown" in " ".join(alerts(app))
    assert words("sentencepiece", "en").text("because", "ways") in text_of(app)
    assert app.text_input(key="own_sentencepiece_ways").value == "a" * 301


@pytest.mark.parametrize("language", LANGUAGES)
def test_slider_updates_the_result_and_hides_the_explanation(language):
    with using_language(language):  # the language of the labels that the browser sends
        lesson_words = words("size", language)
        step = lesson("size").steps[0]
        app = revealed(page("size", 1, lang=language))
        because = lesson_words.text("because", step.id)
        assert because in text_of(app) and "38,597,376" in text_of(app)
        ran(app.slider(key="slide_size_table").set_value(1024).run())
        assert f"{50_257 * 1024:,}" in text_of(app) and because not in text_of(app)
        assert lesson_words.text("reveal", step.id, **step.show(width=1024).facts) in text_of(app)
        ran(app.slider(key="slide_size_table").set_value(768).run())
        assert because in text_of(app)
        click(app, "again_size_table")
        assert not app.slider


def test_answer_shown_during_the_run_that_forgets_it_has_neither_slider_value_nor_text():
    """The browser then sends both once more."""
    app = revealed(page("size", 4))
    ran(app.slider(key="slide_size_price").set_value(1024).run())
    ran(app.text_input(key="own_size_price").set_value("typed").run())
    states = WidgetStates()
    states.widgets.add(id=app.slider(key="slide_size_price").id).double_array_value.data.append(1024)
    states.widgets.add(id=app.text_input(key="own_size_price").id, string_value="typed")
    click(app, "again_size_price")
    states.widgets.add(id=app.button(key="show_size_price").id, trigger_value=True)
    ran(app._run(states))
    assert app.slider(key="slide_size_price").value == lesson("size").steps[3].slider.begins
    assert app.text_input(key="own_size_price").value == ""
    ran(app.slider(key="slide_size_price").set_value(2048).run())
    assert app.slider(key="slide_size_price").value == 2048


def test_answer_shown_during_the_run_that_forgets_it_has_no_number_of_a_sentence():
    app = revealed(page("languages", 1))
    [own] = [one for one in app.number_input if one.key.startswith("own_")]
    ran(own.set_value(3).run())
    states = WidgetStates()
    states.widgets.add(id=own.id, double_value=3)
    [again] = [one.key for one in app.button if one.key and one.key.startswith("again_")]
    click(app, again)
    [show] = [one for one in app.button if one.key and one.key.startswith("show_")]
    states.widgets.add(id=show.id, trigger_value=True)
    ran(app._run(states))
    assert app.number_input(key=own.key).value is None
    ran(app.number_input(key=own.key).set_value(4).run())
    assert app.number_input(key=own.key).value == 4


@pytest.mark.slow
def test_rerun_does_not_train_again(monkeypatch):
    app = revealed(page("train", 5))
    ran(app.text_input(key="own_train_own").set_value("a text that no other test trains on").run())
    before = text_of(app)
    monkeypatch.setattr("tokenizer.lessons.training_views.train", None)
    monkeypatch.setattr("tokenizer.lessons.learned.train", None)
    assert text_of(ran(app.run())) == before


STEPS = [step for name in lesson_names() for step in lesson(name).steps if step.choices]
STATES = {(step.page, *step.choices.items()): step for step in STEPS}  # several steps have the same


@pytest.mark.slow
@pytest.mark.parametrize("step", STATES.values(), ids=lambda step: step.id)
def test_choices_of_a_step_are_valid_on_its_page(step):
    there = open_page(f"{step.page}.py", **{key: str(value) for key, value in step.choices.items()})
    assert not alerts(there)
    assert step.choices.items() <= there.session_state.visitor.choices.items()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "at", "moved"), [("train", 2, 30), ("size", 4, 2000)])
def test_slider_position_is_passed_to_the_page(name, at, moved):
    step = lesson(name).steps[at]
    key, choice = f"{name}_{step.id}", step.slider.choice
    for stands in (step.slider.begins, moved):
        app = answered_page(name, at + 1)
        ran(app.slider(key=f"slide_{key}").set_value(stands).run())
        assert click(app, f"open_{key}").session_state.visitor.choices[choice] == stands
    there = open_page(f"{step.page}.py", **step.choices, **{choice: str(moved)})
    assert there.session_state.visitor.choices[choice] == moved and not alerts(there)


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_have_the_names_of_the_menu(language):
    with using_language(language):
        called = {key: tr(name) for key, name in words("page", "en").sentences["pages"].items()}
        labels = [link.label for link in page(lang=language).get("page_link")]
        menu = {re.sub(r"^\*\*(.+?)\*\* .+", r"\1", label) for label in labels}
    assert called == words("page", language).sentences["pages"]
    assert {*called.values()} <= menu


@using_language("th")
def test_typed_words_are_not_translated_in_tables():
    app = revealed(page("token", 4, lang="th"))
    ran(app.text_input(key="own_token_characters").set_value("no").run())
    cells = words("page", "th").sentences["cells"]
    assert cells["no"] not in text_of(app)
    app = revealed(page("sentencepiece", 4, lang="th"))
    ran(app.text_input(key="own_sentencepiece_fallback").set_value("no").run())
    assert cells["no"] not in text_of(app) and cells["no_fallback"] in text_of(app)


def test_long_row_of_tokens_is_cut_with_a_count():
    app = revealed(page("sentencepiece", 4))
    ran(app.text_input(key="own_sentencepiece_fallback").set_value("🦆" * 300).run())
    assert "1,201 tokens" in text_of(app) and "and 701 more" in text_of(app)
