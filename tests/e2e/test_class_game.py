"""A class trains a tokenizer: a teacher and two phones, from the sentences to the file to take home."""

import re

import pytest
from playwright.sync_api import expect

from e2e.axe import AXE, violations
from e2e.desk import PHONE
from e2e.server import WITHOUT_WARMUP, Server
from e2e.test_class import MARKUP, WORDS, Phone, Teacher
from tokenizer.lessons.class_training import ClassTraining
from tokenizer.lessons.lesson import words
from tokenizer.lessons.wording import Counted

THAI = "แมวกินปลาในน้ำ มีแมวอยู่ในบ้าน ในน้ำมีปลา"
ENGLISH = f"{MARKUP} the cat and the hat, the mat and the rat"
SENTENCES = [ENGLISH, THAI]
STAGE = {"width": 1280, "height": 720}
LATE = "the late cat"


def page_name(place, name: str) -> str:
    return words("page", place.language).sentences["pages"][name]


class Player(Phone):
    """A phone in a game."""

    @property
    def own(self) -> dict[str, str]:
        return WORDS[self.language].sentences["phone_game"]

    def send_sentence(self, text: str) -> None:
        self.page.get_by_label(self.own["game_own"]).fill(text)
        self.button(self.sentences["send"]).click()
        expect(self.page.locator("#text")).to_have_text(text)

    def link(self, name: str):
        return self.page.get_by_role("link", name=WORDS[self.language].text("open", "game", page=page_name(self, name)))

    def vote(self, position: int) -> None:
        self.page.locator("#ask button").nth(position).click()
        expect(self.feedback).to_have_text(self.sentences["sent"])

    def expect_score(self, right: int, votes: int) -> None:
        expect(self.page.locator("#score")).to_have_text(self.own["score"].format(right=right, votes=votes))


class GameTeacher(Teacher):
    """The page of lessons with a game."""

    def text(self, key: str, **facts: object) -> str:
        return WORDS[self.language].text(key, "game", **facts)

    def open_game(self) -> "GameTeacher":
        self.button(self.text("title")).click()
        expect(self.page.locator(".game h2")).to_have_text(self.text("collect"))
        return self

    def do(self, key: str) -> None:
        self.button(self.text(key)).click()


@pytest.fixture
def players(tab):
    """Returns a function that opens phones in a class, one per locale."""
    return lambda teacher, *locales: [
        Player(tab(viewport=PHONE, locale=locale), teacher.server.url, teacher.code, locale[:2]) for locale in locales
    ]


def test_class_trains_a_tokenizer(make_desk, players, tmp_path):
    training = ClassTraining(SENTENCES)
    teacher = make_desk(GameTeacher, viewport=STAGE).open_class("token").open_game()
    one, two = players(teacher, "en-US", "th-TH")
    one.send_sentence("another sentence")
    one.send_sentence(ENGLISH)  # replaces it
    expect(teacher.page.locator(".texts bdi")).to_have_text([ENGLISH])
    two.send_sentence(THAI)
    expect(teacher.page.locator(".texts bdi")).to_have_text([THAI, ENGLISH])
    teacher.enter_stage()
    expect(teacher.page.get_by_text(THAI)).to_be_hidden()  # until the teacher starts
    teacher.do("start")
    right, votes = 0, 0
    for at, vote in training.votes.items():
        teacher.do("pause")
        expect(one.question).to_have_text(teacher.text("ask"))
        for button in ("go_on", "next", "end", "leave"):
            expect(teacher.button(teacher.text(button))).to_be_in_viewport(ratio=1)
        assert teacher.texts_smaller_than(24) == {}
        assert teacher.horizontal_overflow() == [0, 0]
        one.vote(vote.right[0])
        two.vote(next(i for i in range(4) if i not in vote.right))
        teacher.do("next")
        right, votes = right + 1, votes + 1
        one.expect_score(right, votes)
        two.expect_score(0, votes)
        expect(teacher.page.locator(".bars .right")).to_have_count(len(vote.right))
        teacher.do("pause")
        pieces = [piece for position in (0, 1) for piece in training.pieces(position, at + 1)]
        expect(teacher.page.locator(".corpus li span")).to_have_text(pieces)
        teacher.do("next")
    assert votes >= 3
    over = teacher.text("over", merges=Counted(training.num_merges))
    expect(teacher.page.locator(".game h2")).to_have_text(over)
    expect(teacher.page.locator(".shares")).to_have_text(teacher.text("shares", **training.shares(training.num_merges)))
    expect(one.question).to_have_text(over)
    for phone, sentence in ((one, ENGLISH), (two, THAI)):
        expect(phone.page.locator("#text")).to_have_text(sentence)
        size = len(training.encoding().encode(sentence))
        wanted = phone.around.text("tokens", count=Counted(size))
        expect(phone.page.locator("#revealed .learn-head").first).to_contain_text(wanted)
        assert phone.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        phone.page.evaluate(AXE.read_text(encoding="utf-8"))
        assert violations(phone.page) == []
    word = two.question.locator(".whole").first
    expect(word).to_have_text("โทเคน")
    expect(word).to_have_css("white-space", "nowrap")
    assert "\u2060" not in two.page.evaluate("document.body.textContent + document.title")
    with one.page.expect_download() as download:
        one.page.locator("a.save").click()
    download.value.save_as(tmp_path / "home.html")
    page = (tmp_path / "home.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;mississippi" in page and "<b>mississippi" not in page
    for part in (".game .actions button", ".links a", ".shrunk", ".corpus li", ".qr", ".code"):
        expect(teacher.page.locator(part).first).to_be_in_viewport(ratio=1)
    assert teacher.page.locator(".corpus").evaluate("(one) => one.getBoundingClientRect().bottom <= innerHeight")
    [late] = players(teacher, "en-US")
    expect(late.question).to_have_text(over)
    expect(late.link("playground")).to_be_visible()
    late.send_sentence(LATE)
    size = len(training.encoding().encode(LATE))
    expect(late.page.locator("#revealed .learn-head").first).to_contain_text(f"{size} tokens")
    expect(teacher.page.locator(".stage-hint")).to_be_hidden()  # it fades
    teacher.page.evaluate(AXE.read_text(encoding="utf-8"))
    # axe takes a link for a skip link only if it can compare it with the first other link, which is in a shadow root
    assert [one for one in violations(teacher.page) if "stSkipToContent" not in one] == []
    leave = teacher.button(teacher.text("leave"))
    leave.dblclick()  # deletes nothing yet
    teacher.button(teacher.text("leave_now")).press("Tab")
    leave.click()
    expect(late.link("playground")).to_be_visible()
    teacher.do("leave_now")
    one.expect_step("token", 0)


def test_tokenizer_of_the_class_opens_on_other_pages(make_desk, players):
    teacher = make_desk(GameTeacher, viewport=STAGE).open_class("token", 0, "th").open_game()
    word = teacher.page.locator(".game h2 .whole").first
    expect(word).to_have_text("โทเคน")
    expect(word).to_have_css("white-space", "nowrap")  # no line of the stage ends inside it
    phones = players(teacher, "en-US", "th-TH")
    for phone, sentence in zip(phones, SENTENCES, strict=True):
        phone.send_sentence(sentence)
    expect(teacher.page.locator(".texts bdi")).to_have_count(2)
    teacher.do("start")
    teacher.do("end")
    for name in ("train", "playground", "compare"):
        label = teacher.text("open", page=page_name(teacher, name))
        with teacher.page.expect_popup() as popup:
            teacher.page.get_by_role("link", name=label).click()
        if name == "train":
            shown = popup.value.locator(".timeline .tokens")
            expect(shown).to_have_text("\n".join(SENTENCES), timeout=60_000)  # trains again
        else:
            expect_tokens_of_class(popup.value, name, "\n".join(SENTENCES))
        popup.value.close()
    for phone, name, sentence in zip(phones, ("playground", "compare"), SENTENCES, strict=True):
        phone.link(name).click()
        expect_tokens_of_class(phone.page, name, sentence)


def expect_tokens_of_class(page, name, text):
    tokens = page.locator(".tokens" if name == "playground" else ".column .tokens").first
    expect(tokens).to_have_attribute("data-encoding", "class")
    expect(tokens).to_have_text(text)


def test_game_survives_a_server_restart(browser, tmp_path):
    with Server(tmp_path / "log.txt", WITHOUT_WARMUP) as server:
        contexts = [browser.new_context(viewport=size, locale="en-US") for size in (STAGE, PHONE, PHONE)]
        teacher = GameTeacher(contexts[0].new_page(), server).open_class("token").open_game()
        one, two = (Player(context.new_page(), server.url, teacher.code, "en") for context in contexts[1:])
        one.send_sentence(ENGLISH)
        two.send_sentence(THAI)
        expect(teacher.page.locator(".texts bdi")).to_have_text([THAI, ENGLISH])
        teacher.do("start")
        teacher.do("pause")
        training = ClassTraining(SENTENCES)
        first, second = list(training.votes.items())[:2]
        one.vote(first[1].right[0])
        teacher.do("next")
        one.expect_score(1, 1)
        teacher.do("next")
        teacher.do("pause")
        expect(one.page.locator("#ask button")).to_have_count(len(second[1].options))
        expect(teacher.button(teacher.text("go_on"))).to_be_visible()  # the page follows the server
        teacher.restart()
        back = teacher.text("refilling", back=2, count=Counted(2))
        expect(teacher.page.locator(".game h2")).to_have_text(back)
        teacher.do("go_on")
        teacher.do("pause")
        expect(one.page.locator("#ask button")).to_have_count(len(second[1].options))
        expect(teacher.page.locator(".corpus li")).to_have_text(SENTENCES)
        one.vote(second[1].right[0])
        teacher.do("next")
        one.expect_score(2, 2)
        expect(teacher.page.locator(".bars .right .count").first).to_have_text(re.compile("^1 answer"))
        teacher.idle()
        server.restart()
        teacher.page.reload()  # the browser has stored the game, at this vote or at the one before
        expect(teacher.page.locator(".game h2")).to_have_text(back)
        teacher.do("end")
        expect(teacher.page.locator(".corpus li")).to_have_text(SENTENCES)
        expect(one.page.locator("a.save")).to_be_visible()
        for context in contexts:
            context.close()
