"""The page of lessons: guesses, what is told of them, texts of one's own, the way through."""

import pytest
from apps import alerts, asked, opened, pressed, ran, seen

from tokenizer import get_encoding
from tokenizer.lessons.lesson import CHOICE, LANGUAGES, lesson, lesson_names, words
from tokenizer.lessons.telling import cut_up, is_right

MARKUP = '<b>&</b> <script>alert("1")</script>'


def page(name="token", question=1, **query):
    return opened("learn.py", lesson=name, question=str(question), **query)


def shown(app):
    """The page after its answer was asked for."""
    [key] = [button.key for button in app.button if button.key and button.key.startswith("show_")]
    return pressed(app, key)


def test_a_right_choice_is_told_from_a_wrong_one():
    app = page("bpe", 1)
    ran(app.pills(key="guess_bpe_first").set_value("aa").run())
    assert "✓ Right: aa." in seen(app) and "it occurs 4 times" in seen(app)
    app = page("bpe", 1)
    ran(app.pills(key="guess_bpe_first").set_value("ab").run())
    assert "You said ab. It is aa." in seen(app) and "✓" not in seen(app)


def test_a_number_is_checked_and_can_be_guessed_again():
    app = page("token", 1)
    assert "tokens. A model" not in seen(app)  # nothing is told before one has guessed
    app.number_input(key="number_token_count").set_value(7)
    ran(next(one for one in app.button if one.label == "Check").click().run())
    assert "You said 7. It is 6." in seen(app)
    pressed(app, "again_token_count")
    app.number_input(key="number_token_count").set_value(6)
    ran(next(one for one in app.button if one.label == "Check").click().run())
    assert "✓ Right: 6." in seen(app)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", lesson_names())
def test_every_step_shows_its_answer_in_every_language(name, language):
    app = page(name, lang=language)
    said, around = words(name, language), words("page", language)
    for number, step in enumerate(lesson(name).steps, 1):
        assert asked(app, "question") in (str(number), None)
        assert said.text("question", step.id) in seen(app).replace("  ", " ")
        if step.exercise:
            assert not [button for button in app.button if button.label == around.text("show")]
            app.number_input(key=f"number_{name}_{step.id}").set_value(step.right())
            ran(next(one for one in app.button if one.label == around.text("check")).click().run())
            assert "✓" in seen(app)
        else:
            shown(app)
        facts = step.show().facts
        for key in ("reveal", "because", "take"):
            assert said.text(key, step.id, **facts) in seen(app)
        if number < len(lesson(name).steps) or name != lesson_names()[-1]:
            pressed(app, "learn_next")
    assert not alerts(app)


@pytest.mark.parametrize(("name", "number"), [("token", 1), ("walls", 1), ("bpe", 1), ("special", 1), ("bytes", 1)])
def test_a_text_of_ones_own_is_shown_as_it_is(name, number):
    app, step = page(name, number), lesson(name).steps[number - 1]
    shown(app)
    ran(app.text_input(key=f"own_{name}_{step.id}").set_value(MARKUP).run())
    assert words(name, "en").text("because", step.id) not in seen(app)  # that is of another text
    assert not any("<script" in one.value for one in app.html)
    if name == "token":
        assert f"{len(get_encoding('o200k_base').encode(MARKUP))} tokens." in seen(app)
    ran(app.text_input(key=f"own_{name}_{step.id}").set_value("x").run())
    if name == "bpe":
        assert "No pair occurs twice" in seen(app) and "“”" not in seen(app)


def test_what_a_link_asks_for_in_vain_is_said():
    app = opened("learn.py", lesson="<b>", question="3")
    assert "The link says lesson='<b>'" in " ".join(alerts(app)) and not any("<b>;" in one.value for one in app.html)
    app = opened("learn.py", lesson="bytes", question="19")
    assert "Step 1 of 7" in seen(app)


def test_the_next_lesson_begins_at_its_first_step_and_what_is_done_is_marked():
    app = shown(page("token", 1))
    pressed(app, "learn_next")
    assert "1 ✓" in app.segmented_control(key="question").options
    app = page("token", len(lesson("token").steps))
    pressed(app, "learn_next")
    assert (asked(app, "lesson"), asked(app, "question")) == ("bpe", "1")


def test_a_step_leads_into_a_page_with_its_text_and_encodings():
    app = shown(page("token", 3))
    pressed(app, "open_token_years")
    desk = app.session_state.desk
    assert desk["text"] == lesson("token").steps[2].text
    assert desk["choices"]["encodings"] == ["gpt2", "cl100k_base", "o200k_base"]


def test_a_guess_is_compared_with_the_fact_as_its_button_spells_it():
    choice = next(step for step in lesson("token").steps if step.ask == CHOICE and step.answer == "characters")
    assert is_right(choice, "3", choice.right()) and not is_right(choice, "9", choice.right())
    assert cut_up("unhappily", (2, 7)) == "un | happi | ly"
