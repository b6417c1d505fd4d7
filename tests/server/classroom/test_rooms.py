"""Rooms: one answer per learner until the step is revealed, access by secret only, and limits."""

from collections import Counter
from dataclasses import asdict, replace
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.classroom import phone_ids, rooms
from server.classroom.rooms import ClassProblem, Scene, read_guess
from tokenizer.lessons.lesson import CHOICE, CUTS, NUMBER, lesson, lesson_names

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
)
LEARNERS = [f"{i:08}-of-an-address-of-its-own" for i in range(rooms.MAX_LEARNERS_PER_ROOM + 1)]
AT_ONE_ADDRESS = [f"addressA-{i:03}" for i in range(rooms.MAX_LEARNERS_PER_ROOM)]
MAX_LEARNERS_PER_ADDRESS = 225  # places of one address, of 300
CUT = Scene("token", 1)
CHOOSE = Scene("token", 2)


def refused(word, does, *given):
    with pytest.raises(ClassProblem) as problem:
        does(*given)
    assert problem.value.word == word


def test_guesses_can_be_changed_until_they_are_revealed(opened):
    _, room = opened
    for learner, number in [("a", 6), ("b", 7), ("a", 8)]:
        room.guess(learner, "token", "count", number)
    assert room.counts() == {8: 1, 7: 1}
    room.show(replace(room.scene, is_revealed=True))
    refused("late", room.guess, "a", "token", "count", 6)
    refused("late", room.guess, "c", "token", "count", 6)
    assert room.counts() == {8: 1, 7: 1}
    room.show(replace(room.scene, is_revealed=False))  # the teacher asks again
    room.guess("a", "token", "count", 6)
    assert room.counts() == {6: 1, 7: 1}


def test_only_the_shown_step_takes_guesses(opened):
    _, room = opened
    refused("late", room.guess, "a", "token", "cut", [2])
    refused("late", room.guess, "a", "bpe", "first", "aa")
    refused("unreadable", room.guess, "a", "token", "none", 1)
    room.guess("a", "token", "count", 6)
    room.show(CUT)
    assert room.counts() == {}
    room.guess("a", "token", "cut", [5, 2, 2])
    assert room.counts() == {(2, 5): 1}
    room.show(Scene("token"))
    assert room.counts() == {6: 1}  # a poll is kept while the class is open


def test_self_paced_learners_answer_each_step_once(opened):
    _, room = opened
    room.show(Scene("token", 0, together=False))
    room.guess("a", "token", "years", "gpt2")
    room.guess("a", "token", "years", "o200k_base")  # the learner has seen the answer
    refused("late", room.guess, "a", "bpe", "first", "aa")
    room.show(replace(CHOOSE, together=False))
    assert room.counts() == {"gpt2": 1}


@given(JUNK)
def test_guesses_are_normalized_or_refused(value):
    for step in lesson("token").steps[:3]:
        try:
            found = read_guess(step, value)
        except ClassProblem:
            continue
        if step.ask == NUMBER:
            assert type(found) is int and 0 <= found <= rooms.MAX_GUESS
        elif step.ask == CHOICE:
            assert found in step.options
        else:
            assert found == tuple(sorted({*value})) and all(0 < one < len(step.text) for one in found)


@pytest.mark.slow
@pytest.mark.parametrize("name", lesson_names())
def test_every_right_answer_is_a_valid_guess(name):
    for step in lesson(name).steps:
        right = step.right()
        sent = str(int(right)) if step.ask == CHOICE and isinstance(right, int) else right
        read_guess(step, list(sent) if step.ask == CUTS else int(sent) if step.ask == NUMBER else sent)


@given(
    st.fixed_dictionaries(
        {"lesson": st.sampled_from(lesson_names()) | JUNK},
        optional={"at": st.integers(-1, 7) | JUNK, **dict.fromkeys(["text", "together", "is_revealed"], JUNK)},
    )
)
def test_stored_scenes_are_read_or_refused(found):
    try:
        scene = Scene.read(found)
    except ClassProblem:
        return
    assert scene.step in lesson(scene.lesson).steps and Scene.read(asdict(scene)) == scene


SLIDERS = [(name, at) for name in lesson_names() for at, step in enumerate(lesson(name).steps) if step.slider]


@pytest.mark.parametrize(("name", "at"), SLIDERS)
def test_scenes_have_only_positions_of_the_slider(name, at):
    slider = lesson(name).steps[at].slider
    values = range(slider.least, slider.most + 1)
    found = {Scene.read({"lesson": name, "at": at, "moved": value}).moved for value in values}
    assert found == {*range(slider.least, slider.most + 1, slider.by)}  # what is computed from each is cached


# Texts


def send(room, learner, text):
    """Sends a text for the step that is shown."""
    room.send(learner, room.scene.lesson, room.scene.step.id, text)


def test_texts_belong_to_a_step_are_bounded_and_can_be_removed(opened):
    _, room = opened
    for text in ("one", "two", " one ", "three"):
        send(room, "a", text)
    refused("enough", send, room, "a", "four")
    send(room, "b", "x" * 5000 + "\ud800")
    assert [len(sent.text) for sent in room.sent()] == [rooms.MAX_TEXT_CHARACTERS, 5, 3, 3]
    assert len({sent.id for sent in room.sent()}) == 4
    room.remove(room.sent()[1].id)
    assert [sent.text for sent in room.sent()][1:] == ["two", "one"]
    refused("enough", send, room, "a", "four")  # removed texts count
    room.show(CUT)
    assert room.sent() == []
    refused("late", room.send, "b", "token", "count", "sent before the step changed")
    send(room, "a", "four")
    for nothing in ("", " \n", None, 5, ["a"]):
        refused("unreadable", send, room, "a", nothing)
    room.show(Scene("languages"))
    refused("unreadable", send, room, "a", "five")  # this step takes the number of a sentence


def test_texts_of_one_address_leave_places_to_others(opened, monkeypatch):
    _, room = opened
    monkeypatch.setattr(rooms, "MAX_TEXTS_PER_ROOM", 4)
    for i in range(3):
        send(room, AT_ONE_ADDRESS[i], "x")
    refused("enough", send, room, AT_ONE_ADDRESS[3], "x")
    send(room, LEARNERS[0], "x")
    assert len(room.sent()) == 4


def test_full_room_drops_texts_of_other_steps_first(opened, monkeypatch):
    _, room = opened
    monkeypatch.setattr(rooms, "MAX_TEXTS_PER_ROOM", 5)
    for i in range(5):
        send(room, LEARNERS[i], "x")
    refused("enough", send, room, "another", "x")
    room.show(CUT)
    send(room, "another", "y")
    assert len(room.texts) == 1


# Presence


def test_learners_are_present_for_a_while_after_each_greeting(opened, clock):
    _, room = opened
    room.note_learner("a", 2)
    clock.now += 20
    room.note_learner("b")
    assert [one.at for one in room.present_learners()] == [2, 0]
    clock.now += 30
    assert len(room.present_learners()) == 1
    room.note_learner("a")
    assert [one.at for one in room.present_learners()] == [2, 0]  # from the first greeting


def answer(room, learner, number=6):
    """Greets as a learner and answers."""
    room.note_learner(learner)
    room.guess(learner, "token", "count", number)


def test_full_room_takes_newcomers_only_in_place_of_absent_learners(opened, clock):
    _, room = opened
    for learner in LEARNERS[:-1]:
        answer(room, learner)
    refused("full", room.note_learner, LEARNERS[-1])
    room.note_learner(LEARNERS[0])
    clock.now += rooms.AWAY_AFTER_SECONDS + 1
    room.note_learner(LEARNERS[-1])
    assert len(room.learners) == rooms.MAX_LEARNERS_PER_ROOM


def test_full_poll_takes_answers_only_in_place_of_absent_learners(opened, clock):
    _, room = opened
    for learner in LEARNERS[:-1]:
        answer(room, learner)
    refused("full", room.guess, LEARNERS[-1], "token", "count", 6)
    answer(room, LEARNERS[0], 7)
    assert room.counts() == Counter({6: rooms.MAX_LEARNERS_PER_ROOM - 1, 7: 1})
    clock.now += rooms.AWAY_AFTER_SECONDS + 1
    answer(room, LEARNERS[-1])  # replaces an absent learner and that learner's answer
    assert room.counts().total() == rooms.MAX_LEARNERS_PER_ROOM


def test_phones_of_one_address_leave_places_to_others(opened):
    _, room = opened
    for learner in AT_ONE_ADDRESS[:MAX_LEARNERS_PER_ADDRESS]:
        answer(room, learner)
    refused("full", room.note_learner, AT_ONE_ADDRESS[MAX_LEARNERS_PER_ADDRESS])
    assert room.is_full()
    for i in range(50):
        answer(room, f"addressB-{i:03}", 7)
    assert room.counts() == {6: MAX_LEARNERS_PER_ADDRESS, 7: 50}


def test_answers_of_one_address_leave_places_to_others(opened, clock):
    """Also where each phone is absent before the next one arrives."""
    _, room = opened
    for learner in AT_ONE_ADDRESS:
        clock.now += rooms.AWAY_AFTER_SECONDS + 1
        answer(room, learner)
    assert room.counts()[6] == MAX_LEARNERS_PER_ADDRESS
    for i in range(50):
        answer(room, f"addressB-{i:03}", 7)
    assert room.counts()[7] == 50


def test_phones_without_an_answer_are_replaced_and_can_return(opened):
    _, room = opened
    answer(room, AT_ONE_ADDRESS[0])
    for learner in AT_ONE_ADDRESS[1:MAX_LEARNERS_PER_ADDRESS]:
        room.note_learner(learner)
    for newcomer in ("addressA-new", "addressB-new"):
        answer(room, newcomer)
    assert room.learners.keys() > {AT_ONE_ADDRESS[0], "addressA-new", "addressB-new"}
    assert AT_ONE_ADDRESS[1] not in room.learners
    room.note_learner(AT_ONE_ADDRESS[1])
    assert len(room.learners) == MAX_LEARNERS_PER_ADDRESS + 1 and not room.is_full()


# Starting over


def test_ask_anew_clears_the_answers_and_texts_of_the_step(opened):
    _, room = opened
    answer(room, "a")
    send(room, "a", "x")
    room.show(CUT)
    send(room, "a", "y")
    room.show(Scene("token"))
    room.ask_anew()
    assert room.counts() == {} and room.sent() == [] and room.round() == 1
    answer(room, "a", 7)
    assert room.counts() == {7: 1}
    room.show(CUT)
    assert [sent.text for sent in room.sent()] == ["y"] and room.round() == 0


def test_emptied_room_refuses_ids_and_removed_texts_from_before(opened):
    secret, room = opened
    before, epoch = room.new_id("10.0.0.1"), room.epoch
    room.check(before)
    answer(room, before)
    for text in ("rude", "kind"):
        send(room, before, text)
    room.remove(room.sent()[1].id)
    room.empty()
    assert not room.learners and room.counts() == {} and room.sent() == [] and room.epoch != epoch
    refused("stranger", room.check, before)
    again = room.new_id("10.0.0.1")
    room.check(again)
    answer(room, again)
    for text in ("rude", "kind"):  # a phone sends its texts again
        send(room, again, text)
    assert room.counts() == {6: 1} and [sent.text for sent in room.sent()] == ["kind"]


def test_emptied_room_takes_one_answer_each_to_a_revealed_step(opened):
    _, room = opened
    answer(room, "a")
    room.show(replace(room.scene, is_revealed=True))
    refused("late", room.guess, "b", "token", "count", 6)
    room.empty()
    answer(room, "a")
    refused("late", room.guess, "a", "token", "count", 7)
    assert room.counts() == {6: 1}


# Phone ids


def test_ids_are_valid_only_in_their_room_and_after_a_restart(opened):
    secret, room = opened
    found, other = room.new_id("10.0.0.1"), rooms.new_room(CUT)[1]
    room.check(found)
    refused("stranger", other.check, found)
    for wrong in (found[:-1] + "-_"[found[-1] == "-"], found[1:] + found[0], found.upper(), "a" * 40, "", None, 5):
        refused("stranger", room.check, wrong)
    room.empty()
    found, kept = room.new_id("10.0.0.1"), room.kept(secret)
    rooms.reset()
    again = rooms.reopen(kept)
    again.check(found)
    assert again is not room and again.kept(secret) == kept


@pytest.mark.parametrize("emptied", [-1, 10**9, True, "1", None, [1]])
def test_stored_room_with_an_invalid_number_is_refused(opened, emptied):
    secret, room = opened
    rooms.reset()
    refused("unreadable", rooms.reopen, room.kept(secret) | {"emptied": emptied})


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("10.0.0.1", "10.0.0.1", True),
        ("10.0.0.1", "10.0.0.2", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("::ffff:10.0.0.1", "::ffff:10.0.0.2", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("", "10.0.0.1", False),
    ],
)
def test_ids_have_the_same_mark_within_one_network(opened, one, other, is_same):
    _, room = opened
    marks = [phone_ids.mark_of(room.new_id(address)) for address in (one, other)]
    assert (marks[0] == marks[1]) == is_same


# Codes and secrets


@pytest.mark.slow
def test_codes_are_readable_and_derived_from_the_secret():
    codes = {rooms.code_of(f"{i:032}") for i in range(9)}
    assert len(codes) == 9
    assert not set("".join(codes)) & set("0O1IL5S2Z8B") and {*map(len, codes)} == {5}
    assert rooms.code_of(f"{7:032}") in codes


def test_rooms_are_opened_by_their_secret_only(opened, monkeypatch):
    secret, room = opened
    assert rooms.room(room.code) is rooms.room_of(secret) is rooms.open_room(secret, CUT) is room
    assert room.scene == Scene("token")  # opening an open room changes nothing
    monkeypatch.setattr(rooms, "code_of", lambda _: room.code)
    refused("taken", rooms.open_room, "y" * 32, CUT)
    assert rooms.room_of("y" * 32) is None


@pytest.mark.parametrize("secret", ["", "x" * 31, "x" * 33, "x" * 31 + "ก", "x" * 31 + "!", None, 5, ["x"] * 32])
def test_invalid_secrets_are_refused(secret):
    refused("unreadable", rooms.open_room, secret, CUT)
    assert rooms.open_rooms() == []


def test_reopened_room_keeps_its_code_and_takes_one_answer_when_revealed(opened):
    secret, room = opened
    rooms.reset()
    scene = replace(CHOOSE, is_revealed=True, text="own")
    again = rooms.open_room(secret, scene)
    assert (again.code, again.scene) == (room.code, scene) and again.epoch != room.epoch
    again.guess("a", "token", "years", "gpt2")
    refused("late", again.guess, "a", "token", "years", "o200k_base")
    assert again.counts() == {"gpt2": 1}
    again.show(replace(scene, text=None))  # the teacher has continued
    refused("late", again.guess, "b", "token", "years", "gpt2")


def test_ended_class_cannot_be_opened_again(opened):
    secret, room = opened
    rooms.end("y" * 32)
    assert rooms.room(room.code) is room
    rooms.end(secret)
    refused("over", rooms.room, room.code)
    refused("over", rooms.open_room, secret, CUT)
    refused("unknown", rooms.room, "AAAAA")


def test_room_closes_without_its_teacher_and_can_be_reopened(opened, clock):
    secret, room = opened
    room.note_teacher()
    clock.now += rooms.CLOSED_AFTER_SECONDS
    assert rooms.room(room.code) is room
    clock.now += 1
    refused("unknown", rooms.room, room.code)
    assert rooms.open_room(secret, CUT).code == room.code


@pytest.fixture
def open_rooms(clock, monkeypatch):
    """Returns a function that opens rooms from an address, one a second, and returns them."""
    monkeypatch.setattr(rooms, "code_of", lambda secret: secret[-5:])
    numbers = count()

    def open_them(how_many, address="10.0.0.1", is_watched=True, has_phones=False):
        found = []
        for _ in range(how_many):
            clock.now += 1
            found.append(rooms.open_room(f"{next(numbers):032}", CUT, address))
            if is_watched:
                found[-1].note_teacher()
            if has_phones:
                found[-1].note_learner("a" * 16)
        return found

    return open_them


def are_open(found):
    return [one in rooms.open_rooms() for one in found]


def test_rooms_of_one_address_leave_places_to_others(open_rooms):
    many = open_rooms(15)
    refused("full", open_rooms, 1)
    others = open_rooms(3, "10.0.0.2") + open_rooms(1, "10.0.0.3")
    assert all(are_open(many + others))


def test_rooms_without_a_teacher_are_replaced_first(open_rooms, clock):
    teacher, *strangers = open_rooms(1) + open_rooms(14, is_watched=False)
    open_rooms(1)
    assert are_open([teacher, *strangers]) == [True, False] + [True] * 13


def test_rooms_with_a_teacher_are_never_replaced(open_rooms, clock):
    found = open_rooms(15)
    for _ in range(100):
        clock.now += rooms.AWAY_AFTER_SECONDS / 2
        for room in found:
            room.note_teacher()
        refused("full", open_rooms, 1)
    assert all(are_open(found))


def test_rooms_with_phones_are_kept_for_a_while_without_a_teacher(open_rooms, clock):
    found = open_rooms(15)
    for wait in (rooms.AWAY_AFTER_SECONDS + 1, rooms.REPLACEABLE_AFTER_SECONDS - rooms.AWAY_AFTER_SECONDS - 20):
        clock.now += wait
        for room in found:
            room.note_learner("a" * 16)
        refused("full", open_rooms, 1)
    clock.now += 30
    open_rooms(1)
    assert are_open(found) == [False] + [True] * 14


def test_empty_room_is_replaced_where_every_address_has_its_share(open_rooms, clock):
    found = [*open_rooms(15), *open_rooms(4, "10.0.0.2"), *open_rooms(1, "10.0.0.3")]
    refused("full", open_rooms, 1, "10.0.0.4")
    clock.now += rooms.AWAY_AFTER_SECONDS + 1
    open_rooms(1, "10.0.0.4")
    assert are_open(found) == [False] + [True] * 19


def test_only_the_last_ended_codes_stay_refused(monkeypatch):
    monkeypatch.setattr(rooms, "MAX_ENDED_CODES", 3)
    secrets = [rooms.new_room(CUT)[0] for _ in range(5)]
    for secret in secrets:
        rooms.end(secret)
    for secret in secrets[:2]:
        rooms.open_room(secret, CUT)
    for secret in secrets[2:]:
        refused("over", rooms.open_room, secret, CUT)


# Change notifications


def test_scene_changes_notify_phones_and_other_changes_only_boards(opened, monkeypatch):
    _, room = opened
    calls = []
    monkeypatch.setattr(rooms, "on_change", lambda room, for_phones: calls.append(for_phones))
    room.show(room.scene)
    assert calls == []  # nothing has changed
    room.show(CHOOSE)
    room.note_learner("a")
    room.note_learner("a")
    room.guess("a", "token", "years", "gpt2")
    send(room, "a", "x")
    assert calls == [True, False, False, False] and room.version == 1 and room.news == 4
