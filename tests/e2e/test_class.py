"""A class in browsers: a teacher and phones, with polls, texts, reloads, a late phone and a restart."""

import re

import pytest
from apps import until
from playwright.sync_api import Page, expect

from e2e.axe import AXE, violations
from e2e.desk import PHONE, Desk, drop_first_message, ignore_errors
from e2e.server import WITHOUT_WARMUP, Server
from tokenizer.lessons.lesson import lesson, lesson_names, words
from tokenizer.lessons.wording import Counted

MARKUP = "<b>mississippi</b>"
LOCALES = ("en-US", "th-TH", "en-US")
PHONE_ID = "JSON.parse(localStorage['tokenloupe.class']).me"  # a phone's id
WORDS = {"en": words("class", "en"), "th": words("class", "th")}


class Phone:
    """A phone in the class."""

    def __init__(self, page: Page, url: str, code: str, language: str):
        self.page, self.language = page, language
        self.sentences, self.around = WORDS[language].sentences["phone"], words("page", language)
        self.question = page.get_by_role("heading", level=1)
        self.feedback = page.locator("#feedback")
        self.status = page.locator("#status")
        page.goto(f"{url}/class/{code}")

    def button(self, name: str):
        return self.page.get_by_role("button", name=name, exact=True)

    def expect_step(self, name: str, at: int) -> None:
        """Waits until the phone shows a step."""
        expect(self.question).to_have_text(words(name, self.language).text("question", lesson(name).steps[at].id))

    def type(self, number: int) -> None:
        """Answers with a number and waits until it is sent."""
        self.page.get_by_role("textbox").fill(str(number))
        self.button(self.sentences["answer"]).click()
        expect(self.feedback).to_have_text(self.sentences["sent"])

    def choose(self, label: str) -> None:
        """Answers with an option and waits until it is sent."""
        self.button(label).click()
        expect(self.feedback).to_have_text(self.sentences["sent"])

    def expect_feedback(self, key: str, **facts: str) -> None:
        """Waits for the feedback on the guess."""
        expect(self.feedback).to_have_text(re.compile(re.escape(self.around.text(key, **facts))))

    def send(self, text: str) -> None:
        """Sends a text to the stage and waits until it has arrived."""
        self.page.get_by_label(self.sentences["own"]).fill(text)
        self.button(self.sentences["send"]).click()
        expect(self.page.locator("#send [role=status]")).to_have_text(self.sentences["text_sent"])


MAX_CLASSES = 12  # of 15 that one address may open; each is kept for 45 s after its phones have left


class Teacher(Desk):
    """The page of lessons, with a class."""

    language = "en"

    def press(self, key: str) -> None:
        """Presses a button of the class."""
        self.button(WORDS[self.language].sentences["teacher"][key]).click()

    def end_class(self) -> None:
        """Ends the class, and confirms it."""
        self.press("end")
        self.press("end_now")

    def restart(self) -> None:
        """Restarts the server and waits until the page has reconnected."""
        room = self.page.locator(".desk[data-visitor]")
        before = room.get_attribute("data-visitor")
        self.idle()  # the browser restores only what it has received
        self.server.restart()
        expect(self.page.locator(f'.desk[data-visitor]:not([data-visitor="{before}"])')).to_be_visible()

    def open_class(self, name: str, at: int = 0, language: str = "en") -> "Teacher":
        """Opens a class at a step."""
        self.language = language
        if self.server.num_classes == MAX_CLASSES:
            self.server.restart()
        self.server.num_classes += 1
        self.open("/learn", lesson=name, question=str(at + 1), lang=language)
        self.press("open")
        expect(self.page.locator(".code")).to_have_text(re.compile("^[A-Z0-9]{5}$"))
        return self

    @property
    def code(self) -> str:
        return self.page.locator(".code").inner_text()

    def expect_phones(self, count: int) -> None:
        """Waits until `count` phones are present."""
        wanted = WORDS[self.language].sentences["teacher"]["here"]
        expect(self.page.locator(".here")).to_have_text(wanted.format(count=Counted(count)))

    def expect_poll(self, **bars: int) -> None:
        """Waits until the bars have these counts."""
        counts = [WORDS[self.language].sentences["teacher"]["answered"].format(count=Counted(n)) for n in bars.values()]
        expect(self.page.locator(".bars .label")).to_have_text([*bars])
        expect(self.page.locator(".bars .count")).to_have_text([re.compile(f"^{one}") for one in counts])


@pytest.fixture
def phones(tab):
    """Returns a function that opens phones in a class, one per locale."""
    return lambda teacher, *locales: [
        Phone(tab(viewport=PHONE, locale=locale), teacher.server.url, teacher.code, locale[:2]) for locale in locales
    ]


def test_poll_counts_live_and_is_closed_by_the_reveal(make_desk, phones):
    teacher = make_desk(Teacher, viewport={"width": 1280, "height": 900}).open_class("token")
    one, two, three = phones(teacher, *LOCALES)
    teacher.expect_phones(3)
    for phone, number in [(one, 6), (two, 7), (three, 7)]:
        phone.expect_step("token", 0)
        phone.type(number)
    teacher.expect_poll(**{"6": 1, "7": 2})
    three.type(6)  # answers can change until the reveal
    teacher.expect_poll(**{"6": 2, "7": 1})
    assert "6 tokens" not in one.page.content()
    teacher.press("reveal")
    one.expect_feedback("right", answer="6")
    two.expect_feedback("wrong", guess="7", answer="6")
    expect(three.page.get_by_role("textbox")).to_have_count(1)  # only the box for a text
    expect(one.page.locator("#revealed .learn-tokens .t")).to_have_count(6)
    expect(teacher.page.locator(".answered")).to_have_text("3 answers · The poll is closed.")
    expect(teacher.page.locator(".bars .right .label")).to_have_text("6")
    teacher.button("Next").click()
    for phone in (one, two, three):
        phone.expect_step("token", 1)
    two.page.locator('.gap[data-at="2"]').click()
    two.page.locator('.gap[data-at="5"]').click()
    two.button(two.sentences["answer"]).click()
    teacher.expect_poll(**{"un | bel | ievably": 1})
    teacher.press("reveal")
    two.expect_feedback("right", answer="un | bel | ievably")
    one.expect_feedback("answer_is", answer="un | bel | ievably")


def test_phone_shows_the_sentences_of_a_question_until_the_answer(make_desk, phones):
    teacher = make_desk(Teacher).open_class("languages")
    [one] = phones(teacher, "en-US")
    one.expect_step("languages", 0)
    one.page.set_viewport_size({"width": 360, "height": 640})
    expect(one.page.locator("#ask .sentence")).to_have_count(4)
    for answer in one.page.locator("#ask button").all():
        expect(answer).to_be_in_viewport(ratio=1)
    expect(one.page.locator("#ask .learn-head b")).to_have_text(["English", "Thai", "Korean", "Hindi"])
    teacher.press("reveal")
    expect(one.page.locator("#revealed .learn-tokens")).to_have_count(4)
    expect(one.page.locator(".sentence")).to_have_count(0)


def test_text_of_a_phone_is_shown_on_stage_and_phones(make_desk, phones):
    teacher = make_desk(Teacher).open_class("bpe", 3, "th")
    [one, two] = phones(teacher, "th-TH", "en-US")
    one.choose("ab")
    teacher.expect_poll(ab=1, br=0, ra=0, ac=0)
    teacher.press("reveal")
    one.page.get_by_label(one.sentences["own"]).fill("🐘" * 201)
    expect(one.page.get_by_label(one.sentences["own"])).to_have_value("🐘" * 200)  # counts characters, not UTF-16 units
    one.send(MARKUP)
    two.send("rude")
    texts = teacher.page.locator(".texts li")
    expect(texts.locator("bdi")).to_have_text(["rude", MARKUP])
    labels = WORDS["th"].sentences["teacher"]
    texts.nth(0).get_by_role("button", name=labels["remove"]).click()
    expect(texts.locator("bdi")).to_have_text([MARKUP])
    texts.nth(0).get_by_role("button", name=labels["show"]).click()
    [states] = lesson("bpe").steps[3].show(MARKUP).blocks
    for phone in (one, two):
        expect(phone.page.locator(".own")).to_have_text(MARKUP)
        expect(phone.page.locator(".learn-merges li:not([hidden]) .tile")).to_have_text(states[1].parts)
        phone.page.get_by_role("slider").press("End")
        expect(phone.page.locator(".learn-merges li:not([hidden]) .tile")).to_have_text(states[-1].parts)
    expect(teacher.page.locator(".tiles .tile")).to_have_text(states[1].parts)
    expect(texts.nth(0).get_by_role("button", name=labels["shown"])).to_be_disabled()


def test_late_phone_and_reloads_show_the_current_step(make_desk, phones):
    teacher = make_desk(Teacher).open_class("token")
    [one] = phones(teacher, "en-US")
    one.type(5)
    for at in (1, 2):
        teacher.idle()
        teacher.button("Next").click()
        one.expect_step("token", at)
    one.choose("GPT-4")
    one.page.reload()
    expect(one.page.locator('[aria-pressed="true"]')).to_have_text("GPT-4")
    teacher.expect_phones(1)  # the same phone
    code = teacher.code
    teacher.press("reveal")
    one.expect_feedback("wrong", guess="GPT-4", answer="GPT-5")
    teacher.page.goto(f"{teacher.server.url}/learn")  # without lesson and step
    expect(teacher.page.locator(".code")).to_have_text(code)
    expect(teacher.page.locator(".learn-question")).to_have_text(words("token", "en").text("question", "years"))
    teacher.expect_poll(**{"GPT-2": 0, "GPT-4": 1, "GPT-5": 0})
    expect(teacher.page.locator(".answered")).to_contain_text("The poll is closed.")
    one.expect_feedback("wrong", guess="GPT-4", answer="GPT-5")
    [late] = phones(teacher, "th-TH")
    late.expect_feedback("answer_is", answer="GPT-5")
    teacher.press("again")
    late.choose("GPT-5")
    teacher.expect_poll(**{"GPT-2": 0, "GPT-4": 1, "GPT-5": 1})
    one.page.context.set_offline(True)
    teacher.button("Next").click()
    late.expect_step("token", 3)
    one.page.context.set_offline(False)
    one.expect_step("token", 3)
    ignore_errors(one.page, "ERR_INTERNET_DISCONNECTED")
    teacher.end_class()
    for phone in (one, late):
        expect(phone.question).to_have_text(phone.sentences["over"])
    expect(teacher.button(WORDS["en"].sentences["teacher"]["open"])).to_be_visible()
    teacher.page.reload()
    expect(teacher.button(WORDS["en"].sentences["teacher"]["open"])).to_be_visible()
    expect(teacher.page.locator(".code")).to_have_count(0)


def test_a_pressed_button_is_clicked_though_answers_arrive_meanwhile(make_desk, phones):
    teacher = make_desk(Teacher).open_class("token")
    one, other = phones(teacher, "en-US", "en-US")
    one.type(5)
    expect(teacher.page.locator(".bars li")).to_have_count(1)
    teacher.idle()
    teacher.button("Next").hover()
    teacher.page.mouse.down()
    with teacher.page.expect_response("**/board?*"):
        other.type(500)
    teacher.page.mouse.up()
    for phone in (one, other):
        phone.expect_step("token", 1)


def test_last_guess_counts_where_an_earlier_one_failed(make_desk, phones):
    teacher, requests, finished = make_desk(Teacher).open_class("token", 2), [], []
    [one] = phones(teacher, "en-US")

    def abort_first(route) -> None:
        requests.append(route)
        route.abort() if len(requests) == 1 else route.continue_()

    one.page.route("**/guess", abort_first)
    one.page.on("requestfinished", lambda request: finished.append(request) if request.url.endswith("/guess") else None)
    one.button("GPT-2").click()
    until(lambda: one.page.wait_for_timeout(10) or requests)
    one.choose("GPT-4")
    until(lambda: one.page.wait_for_timeout(10) or len(finished) == 2)
    teacher.press("reveal")
    expect(teacher.page.locator(".answered")).to_have_text("1 answer · The poll is closed.")
    teacher.expect_poll(**{"GPT-2": 0, "GPT-4": 1, "GPT-5": 0})
    one.page.unroute("**/guess")
    ignore_errors(one.page, "ERR_FAILED")
    teacher.end_class()


def test_teacher_starts_over_and_phones_return(make_desk, phones):
    teacher, labels = make_desk(Teacher).open_class("token", 0, "th"), WORDS["th"].sentences["teacher"]
    [one] = phones(teacher, "th-TH")
    one.type(6)
    teacher.expect_poll(**{"6": 1})
    expander = teacher.page.locator(".st-key-class_anew")
    first = expander.get_by_role("button", name=labels["ask_anew"], exact=True)
    expander.locator("summary").focus()
    teacher.page.keyboard.press("Enter")
    expect(first).to_be_visible()
    teacher.page.keyboard.press("Tab")
    expect(first).to_be_focused()
    teacher.page.keyboard.press("Enter")
    expect(one.feedback).to_have_text(one.sentences["anew"])
    expect(teacher.page.locator(".answered")).to_have_text(labels["nobody"])
    one.page.reload()
    expect(one.feedback).to_have_text(one.sentences["anew"])
    one.type(7)
    strangers, address = teacher.page.request, f"{teacher.server.url}/class/{teacher.code}"
    for _ in range(3):
        me = strangers.post(f"{address}/join", data={}).json()["me"]
        answer = {"me": me, "lesson": "token", "id": "count", "guess": 8}
        assert strangers.post(f"{address}/guess", data=answer).status == 204
        assert strangers.post(f"{address}/guess", data=answer | {"me": "x" * 24}).status == 401
    teacher.expect_poll(**{"7": 1, "8": 3})
    teacher.press("empty")
    teacher.expect_poll(**{"7": 1})
    teacher.expect_phones(1)
    teacher.press("reveal")
    one.expect_feedback("wrong", guess="7", answer="6")
    ignore_errors(one.page, "401")  # for its previous id


def test_lost_message_about_the_class_is_sent_again(make_desk):
    teacher = make_desk(Teacher, alone=True)
    dropped = drop_first_message(teacher.page, b"secret")
    code = teacher.open_class("token", 1).code
    teacher.page.reload()
    expect(teacher.page.locator(".code")).to_have_text(code)
    assert dropped
    teacher.end_class()
    expect(teacher.page.locator(".code")).to_have_count(0)


def test_self_paced_class_shows_the_progress_of_phones(make_desk, phones):
    teacher = make_desk(Teacher).open_class("token")
    one, two = phones(teacher, "en-US", "th-TH")
    teacher.page.get_by_role("radio", name="Each alone").click()
    steps = teacher.page.locator(".steps li")
    expect(steps).to_contain_text(["Step 1: 2 phones", "Step 2: 0 phones"])
    two.button(two.around.text("next")).click()
    two.button(two.around.text("next")).click()
    two.expect_step("token", 2)
    expect(steps).to_contain_text(["Step 1: 1 phone", "Step 2: 0 phones", "Step 3: 1 phone"])
    two.button("GPT-5").click()
    two.expect_feedback("right", answer="GPT-5")
    one.expect_step("token", 0)
    two.page.reload()
    two.expect_step("token", 2)
    two.expect_feedback("right", answer="GPT-5")
    slider = lesson("size").steps[0].slider
    teacher.choose("Lesson", "9")
    one.page.goto(f"{teacher.server.url}/class/WWWWW")  # an unknown code
    one.page.get_by_role("textbox").fill(teacher.code.lower())
    one.button(one.sentences["join"]).click()
    one.expect_step("size", 0)
    ignore_errors(one.page, "/class/WWWWW/")
    one.page.locator("#ask button").first.click()
    one.page.get_by_role("slider").press("End")
    shown = lesson("size").steps[0].show(**{slider.name: slider.most})
    expect(one.page.locator(".explanation")).to_contain_text(words("size", "en").text("reveal", "table", **shown.facts))
    teacher.page.get_by_role("radio", name="All together").click()
    two.expect_step("size", 0)


def test_stage_and_phone_are_accessible(make_desk, phones):
    teacher = make_desk(Teacher, viewport={"width": 1920, "height": 1080}).open_class("walls", 0, "th")
    [one] = phones(teacher, "th-TH")
    for scheme in ("light", "dark"):
        one.page.emulate_media(color_scheme=scheme)
        one.page.evaluate(AXE.read_text(encoding="utf-8"))
        assert violations(one.page) == []
    one.choose("GPT-4")
    teacher.enter_stage()
    expect(teacher.page.locator(".st-key-bar")).to_be_hidden()
    teacher.expect_poll(**{"GPT-2": 0, "GPT-4": 1})
    expect(teacher.page.locator("img.qr")).to_be_visible()
    for is_large in (False, True):
        assert teacher.texts_smaller_than(24) == {}, is_large
        assert teacher.horizontal_overflow() == [0, 0]
        expect(teacher.page.locator(".bars")).to_be_in_viewport(ratio=1)
        # that only this computer can open the address
        expect(teacher.page.locator(".warning")).to_be_visible(visible=is_large)
        teacher.press("small" if is_large else "large")
    teacher.press("large")
    teacher.press("reveal")
    expect(teacher.button(WORDS["th"].sentences["teacher"]["large"])).to_be_visible()  # the answer takes the room
    teacher.page.keyboard.press("Escape")
    one.expect_feedback("right", answer="GPT-4")
    assert one.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert violations(one.page) == []


@pytest.mark.parametrize("language", ["en", "th"])
def test_answers_and_buttons_are_in_view_on_the_stage(make_desk, phones, language):
    teacher = make_desk(Teacher, viewport={"width": 1280, "height": 720}).open_class("bpe", 4, language)
    labels, around = WORDS[language].sentences["teacher"], words("page", language)
    expect(teacher.button(labels["small"])).to_be_visible()  # nobody has joined
    phones(teacher, "th-TH")
    teacher.expect_phones(1)
    expect(teacher.button(labels["large"])).to_be_visible()
    buttons, bars = teacher.page.locator(".st-key-stage_turn button"), teacher.page.locator(".bars")

    def end(one):
        return one.bounding_box()["y"] + one.bounding_box()["height"]

    for name, at in (("bpe", 4), ("size", 0), ("train", 0), ("beyond", 3)):
        teacher.choose(around.text("lesson"), str(lesson_names().index(name) + 1))
        steps = teacher.page.get_by_role("radiogroup", name=around.text("step"), exact=True)
        step = steps.get_by_role("radio").nth(at)
        if not step.is_checked():
            step.click()
        asked = words(name, language).text("question", lesson(name).steps[at].id)
        expect(teacher.page.locator(".learn-question")).to_have_text(asked)
        teacher.idle()
        teacher.enter_stage()
        expect(buttons).to_have_count(3)  # Reveal, Back, Next
        for seen in (*buttons.all(), bars, teacher.page.get_by_role("heading", level=2).first):
            expect(seen).to_be_in_viewport(ratio=1)
        until(lambda: end(bars) <= buttons.first.bounding_box()["y"])  # the buttons cover no answer
        teacher.page.keyboard.press("Escape")


def test_class_survives_a_server_restart(browser, tmp_path):
    with Server(tmp_path / "log.txt", WITHOUT_WARMUP) as server:
        contexts = [browser.new_context(viewport=PHONE, locale="en-US") for _ in range(3)]
        teacher = Teacher(contexts[0].new_page(), server).open_class("token")
        one, two = (Phone(context.new_page(), server.url, teacher.code, "en") for context in contexts[1:])
        one.type(6)
        two.type(7)
        for at in (1, 2):
            teacher.idle()  # phones update before the teacher's page
            teacher.button("Next").click()
            one.expect_step("token", at)
        one.choose("GPT-4")
        teacher.expect_poll(**{"GPT-2": 0, "GPT-4": 1, "GPT-5": 0})
        code, me = teacher.code, one.page.evaluate(PHONE_ID)
        teacher.restart()
        expect(one.question).to_have_text(words("token", "en").text("question", "years"))
        teacher.expect_poll(**{"GPT-2": 0, "GPT-4": 1, "GPT-5": 0})  # the phone has sent it again
        assert teacher.code == code and one.page.evaluate(PHONE_ID) == me
        two.choose("GPT-5")
        teacher.expect_poll(**{"GPT-2": 0, "GPT-4": 1, "GPT-5": 1})
        teacher.press("reveal")
        one.expect_feedback("wrong", guess="GPT-4", answer="GPT-5")
        one.send(MARKUP)
        expect(teacher.page.locator(".texts bdi")).to_have_text([MARKUP])
        teacher.page.set_viewport_size({"width": 1280, "height": 900})
        teacher.turn_to("Compare")
        teacher.idle()
        server.restart()
        one.page.reload()
        one.expect_feedback("wrong", guess="GPT-4", answer="GPT-5")  # the class is restored on any page of the teacher
        two.expect_feedback("right", answer="GPT-5")
        teacher.turn_to("Lessons")
        teacher.expect_poll(**{"GPT-2": 0, "GPT-4": 1, "GPT-5": 1})
        expect(teacher.page.locator(".answered")).to_contain_text("The poll is closed.")
        expect(teacher.page.locator(".texts bdi")).to_have_text([MARKUP])  # the phone has sent it again
        teacher.button("Next").click()
        two.expect_step("token", 3)
        server.stop()  # does not wait for open polls
        for context in contexts:
            context.close()
