"""The game: its phases by the server's clock, votes, moderation, what survives a restart, and its routes."""

import gc
import html
import json
import threading
import weakref
import zlib
from base64 import urlsafe_b64decode
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.testclient import TestClient

from server import routes as all_routes
from server.classroom import game_links, game_serializers, rooms, serializers
from server.classroom.game import (
    COLLECT,
    MAX_SENTENCES,
    MERGE_SECONDS,
    OVER,
    RESULT,
    RESULT_SECONDS,
    RUN,
    VOTE,
    VOTE_SECONDS,
    Game,
)
from server.classroom.rooms import GAME, ClassProblem
from server.encodings import encoding_store, recipes
from tokenizer import get_encoding
from tokenizer.lessons.class_training import MAX_MERGES, ClassTraining, class_training
from tokenizer.lessons.lesson import LANGUAGES, words
from tokenizer.training.training_history import record_training

CLIENT = TestClient(Starlette(routes=all_routes.routes), follow_redirects=False)
SENTENCES = (
    "<b>the</b> cat and the hat, the rat",
    "แมวกินปลาในน้ำ มีแมวอยู่ในบ้าน",
    "the theme of the mat, the hat " * 2 + "the end",
    "ในน้ำมีปลา ในนามีข้าว" * 2,
)
TRAINING = ClassTraining(SENTENCES)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.sampled_from(["run", "vote", "0a1b2c3d"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
)


def refused(word, does, *given):
    with pytest.raises(ClassProblem) as problem:
        does(*given)
    assert problem.value.word == word


@pytest.fixture
def room(clock, opened):
    """A room with a game, to which a phone has sent each of SENTENCES."""
    secret, found = opened
    found.secret = secret
    found.open_game()
    found.phones = [found.new_id(f"10.0.0.{i}") for i in range(len(SENTENCES))]
    send(found)
    return found


def send(room):
    for phone, sentence in zip(room.phones, SENTENCES, strict=True):
        room.send(phone, GAME, room.game.id, sentence)


def place(room):
    return GAME, f"{room.game.id}.{room.game.merges}"


# The clock


def test_game_passes_all_merges_and_votes_by_the_clock(room, clock):
    room.play("start")
    seen, version = [], room.version
    while room.game.phase != OVER:
        seen.append((room.game.phase, room.game.merges))
        clock.now += room.seconds_left()
        rooms.room(room.code)
    votes = [at for phase, at in seen if phase == VOTE]
    assert votes == [*TRAINING.votes] and len(votes) >= 3
    assert [at for phase, at in seen if phase == RESULT] == [at + 1 for at in votes]
    assert [at for phase, at in seen if phase != RESULT] == [*range(TRAINING.num_merges)]
    running = TRAINING.num_merges - len(votes)
    assert clock.now - 1000 == pytest.approx(running * MERGE_SECONDS + len(votes) * (VOTE_SECONDS + RESULT_SECONDS))
    # phones see votes, results, and the end, but not every merge
    assert room.version - version <= 3 * len(votes) + 1
    assert room.game.right == {at: list(vote.right) for at, vote in TRAINING.votes.items()}


def test_game_trains_once_although_other_classes_fill_the_cache(room):
    room.play("start")
    trained = room.training()
    class_training.cache_clear()
    rooms.room(room.code)
    assert room.training() is trained
    room.open_game()
    assert room.trained is None


def test_overdue_merges_are_made_at_once(room, clock):
    room.play("start")
    clock.now += 3_600 - 1
    room.note_teacher()
    assert rooms.room(room.code).game.phase == OVER
    assert room.game.merges == TRAINING.num_merges and room.game.right.keys() == TRAINING.votes.keys()


def test_phones_wait_until_the_next_vote(room, clock):
    room.play("start")
    while room.game.phase != RUN:
        clock.now += room.seconds_left()
        room.tick()
    begin, version = clock.now, room.version
    wait = room.seconds_left(for_phones=True)
    assert wait > room.seconds_left()
    clock.now = begin + wait - 0.01
    room.tick()
    assert room.version == version
    clock.now = begin + wait + 0.01
    room.tick()
    assert room.version > version and room.game.phase == VOTE


def test_teacher_pauses_goes_on_and_ends(room, clock):
    room.play("start")
    clock.now += 1
    room.play("pause")
    assert room.seconds_left() is None
    clock.now += 100
    room.tick()
    assert (room.game.phase, room.game.merges) == (VOTE, 0)
    room.guess(room.phones[0], *place(room), 0)  # the vote is open as long as its clock stands
    room.play("go_on")
    assert room.seconds_left() == pytest.approx(VOTE_SECONDS - 1)
    room.play("next")
    assert (room.game.phase, room.game.merges) == (RESULT, 1)
    room.play("end")
    assert (room.game.phase, room.game.merges, room.seconds_left()) == (OVER, 1, None)
    room.play("leave")
    assert (room.game, room.texts, room.polls) == (None, [], {})
    refused("late", room.play, "start")


def test_actions_that_do_not_fit_are_refused(room):
    for action in ("pause", "go_on", "next", "end", "refill", None, ["start"], "__class__"):
        refused("unreadable", room.play, action)
    room.play("start")
    refused("unreadable", room.play, "start")
    room.open_game()
    refused("late", room.play, "start")  # there is no sentence


# Votes


def test_votes_count_until_the_servers_clock_closes_them(room, clock):
    room.play("start")
    one, two, three, *_ = room.phones
    where = place(room)
    room.guess(one, *where, 1)
    room.guess(one, *where, 0)  # changed
    clock.now += VOTE_SECONDS - 0.01
    rooms.room(room.code).guess(two, *where, 1)
    assert room.counts() == {0: 1, 1: 1}
    clock.now += 0.02
    refused("late", rooms.room(room.code).guess, three, *where, 0)
    assert room.game.phase == RESULT and room.counts() == {0: 1, 1: 1}
    room.play("next")
    refused("late", room.guess, three, *where, 0)  # the vote before


@pytest.mark.parametrize("value", [-1, 4, True, "0", None, [0], 0.0])
def test_votes_for_no_option_are_refused(room, value):
    room.play("start")
    refused("unreadable", room.guess, room.phones[0], *place(room), value)


def test_counted_vote_is_accepted_again_after_the_end_of_the_vote(room):
    room.play("start")
    closed, phone = place(room), room.phones[0]
    room.guess(phone, *closed, 1)
    room.play("next")
    room.guess(phone, *closed, 1)  # the phone did not receive the answer to the first request
    for learner, name, step, value in (
        (phone, *closed, 0),
        (phone, *closed, None),
        (room.phones[1], *closed, 1),
        (room.phones[1], *closed, None),
        (phone, GAME, [], 1),
    ):
        refused("late", room.guess, learner, name, step, value)
    assert room.counts() == {1: 1}


def test_votes_for_a_missing_option_are_refused(opened):
    _, room = opened
    room.open_game()
    phone = room.new_id("10.0.0.1")
    room.send(phone, GAME, room.game.id, "ababac")
    room.play("start")
    options = game_serializers.scene(room, "en")["options"]
    assert len(options) == 3
    refused("unreadable", room.guess, phone, *place(room), 3)
    room.guess(phone, *place(room), 2)
    room.empty()
    room.guess(room.new_id("10.0.0.1"), *place(room), 2)  # a vote may come before the sentences are back


def test_phones_see_the_options_and_then_all_right_ones(room):
    assert any(len(vote.right) == 2 for vote in TRAINING.votes.values())  # pairs that tie both count
    room.play("start")
    for at, vote in TRAINING.votes.items():
        assert (room.game.phase, room.game.merges) == (VOTE, at)
        found = game_serializers.scene(room, "en")
        assert found["revealed"] is None and at not in found["game"]["right"]
        assert len(found["options"]) == len(vote.options)
        assert all(bar["count"] == 0 and not bar["right"] for bar in serializers.board(room, "en")["bars"])
        room.play("next")
        found = game_serializers.scene(room, "en")
        assert found["revealed"]["rights"] == vote.right and found["game"]["right"][at] == list(vote.right)
        merge = TRAINING.history.merges[at]
        tied = words("class", "en").text("tied" if vote.tied > 1 else "result", "game").split("{", 1)[0]
        assert tied in found["revealed"]["explanation"]
        assert game_serializers.named_pair(merge.left, merge.right) in found["revealed"]["explanation"]
        room.play("next")


@pytest.mark.parametrize("language", LANGUAGES)
def test_sign_for_spaces_is_explained_where_a_vote_has_it(room, language):
    space = words("class", language).text("space", "game")
    room.play("start")
    for vote in TRAINING.votes.values():
        has_space = any("·" in game_serializers.named_pair(left, right) for left, right, _ in vote.options)
        explained = space if has_space else ""
        assert game_serializers.scene(room, language)["game"]["hint"] == explained
        assert game_serializers.board(room, language)["line"] == explained
        room.play("next")
        assert space not in game_serializers.scene(room, language)["game"]["hint"]
        room.play("next")


# Several requests at once


def test_game_that_was_just_left_is_not_drawn(room):
    room.play("start")
    room.play("leave")
    for draw in (game_serializers.scene, game_serializers.bars, game_serializers.board):
        refused("late", draw, room, "en")
    refused("late", game_serializers.own, room, room.phones[0], "en")


@pytest.mark.parametrize("action", ["start", "next"])
def test_action_is_refused_if_another_request_leaves_the_game_meanwhile(room, monkeypatch, action):
    if action == "next":
        room.play("start")

    def leave(_):
        monkeypatch.undo()
        room.play("leave")

    monkeypatch.setattr(ClassTraining, "prepare", leave)
    refused("late", room.play, action)
    assert room.game is None


def test_seconds_left_are_returned_although_another_request_leaves_the_game(room, monkeypatch):
    room.play("start")
    training = room.training
    monkeypatch.setattr(room, "training", lambda: (room.play("leave") if room.game else None, training())[1])
    assert room.seconds_left(for_phones=True) == VOTE_SECONDS


def test_start_trains_only_on_sentences_that_were_not_removed_meanwhile(room, monkeypatch):
    doomed = room.sent()[:0:-1]
    monkeypatch.setattr(ClassTraining, "prepare", lambda _: [room.remove(sent.id) for sent in doomed])
    room.play("start")
    assert room.training().sentences == SENTENCES[-1:]
    room.open_game()
    send(room)
    doomed[:] = room.sent()
    refused("late", room.play, "start")
    assert room.game.phase == COLLECT


# Sentences


def test_a_phone_has_one_sentence_that_it_can_replace_until_the_start(room):
    first, *_ = room.phones
    room.send(first, GAME, room.game.id, "a new one")
    assert [sent.text for sent in room.sent()] == ["a new one", *SENTENCES[:0:-1]]
    room.play("start")
    refused("enough", room.send, first, GAME, room.game.id, "too late")
    assert room.training().sentences == (*SENTENCES[1:], "a new one")


def test_a_sentence_can_be_replaced_although_its_address_has_its_full_share(opened, monkeypatch):
    _, room = opened
    room.open_game()
    monkeypatch.setattr(rooms, "MAX_TEXTS_PER_ROOM", 8)
    crowd = [room.new_id("10.0.0.1") for _ in range(6)]  # the share of one address, before another sends
    for i, phone in enumerate([*crowd, room.new_id("10.0.0.2"), room.new_id("10.0.0.2")]):
        room.send(phone, GAME, room.game.id, f"sentence {i}")
    room.send(crowd[0], GAME, room.game.id, "a better one")
    assert "a better one" in [sent.text for sent in room.sent()] and len(room.sent()) == 8
    refused("enough", room.send, room.new_id("10.0.0.1"), GAME, room.game.id, "one more")
    assert len(room.sent()) == 8


def test_late_sentences_are_not_learned(room):
    room.play("start")
    late = room.new_id("10.0.0.9")
    room.send(late, GAME, room.game.id, "the late one")
    assert room.training().sentences == SENTENCES
    assert "the late one" not in json.dumps(game_serializers.board(room, "en"))
    room.play("end")
    assert game_serializers.own(room, late, "en")["sentence"] == "the late one"


def test_sentences_are_on_the_stage_only_after_the_start(room):
    assert game_serializers.board(room, "en")["sentences"] == []
    room.play("start")
    assert ["".join(pieces) for pieces in game_serializers.board(room, "en")["sentences"]] == [*SENTENCES]


def test_a_removed_sentence_leaves_the_training_and_does_not_return(room):
    removed = room.sent()[-1]
    room.play("start")
    room.guess(room.phones[1], *place(room), 0)
    room.remove(removed.id)
    assert room.training().sentences == SENTENCES[1:] and room.counts() == {}
    assert room.round() == 1  # phones are asked again
    room.send(room.phones[0], GAME, room.game.id, SENTENCES[0])
    assert room.training().sentences == SENTENCES[1:]
    kept = room.kept(room.secret)
    rooms.reset()
    again = rooms.reopen(kept)
    again.phones = room.phones
    send(again)
    assert again.training().sentences == SENTENCES[1:]


def test_removing_a_sentence_trains_before_it_keeps_phones_waiting(room, monkeypatch):
    room.play("start")
    answered, prepare = [], ClassTraining.prepare

    def prepared(training):
        asks = threading.Thread(target=lambda: answered.append(rooms.room(room.code)), daemon=True)
        asks.start()
        asks.join(5)
        assert answered  # a phone's request gets the lock
        prepare(training)

    monkeypatch.setattr(ClassTraining, "prepare", prepared)
    removed = room.sent()[-1]
    room.remove(removed.id)
    assert answered == [room] and room.training().sentences == SENTENCES[1:]
    assert "votes" in vars(room.training())  # nothing is left for the next tick
    room.remove(removed.id)
    room.send(room.new_id("10.0.0.9"), GAME, room.game.id, "the late one")
    room.remove(room.sent()[0].id)
    assert len(answered) == 1  # the game did not learn from these


def test_round_increases_only_for_the_vote_that_is_asked_again(room, clock):
    def state():
        return CLIENT.get(f"/class/{room.code}/state", params={"me": room.phones[0]}).json()

    room.play("start")
    room.remove(room.sent()[0].id)
    assert (state()["id"], state()["round"]) == (f"{room.game.id}.0", 1)
    room.play("next")
    while room.game.phase != RUN:
        clock.now += room.seconds_left()
        room.tick()
    room.remove(room.sent()[0].id)  # between two votes
    assert (room.game.phase, state()["id"], state()["round"]) == (RUN, room.game.id, 0)
    room.play("end")
    room.remove(room.sent()[0].id)
    assert (room.game.phase, state()["id"], state()["round"]) == (OVER, room.game.id, 0)


def test_sentence_that_two_phones_sent_is_learned_once_when_one_is_removed(room):
    for phone in (twin := room.new_id("10.0.0.8"), room.new_id("10.0.0.9")):
        room.send(phone, GAME, room.game.id, SENTENCES[0])
        if phone == twin:
            room.play("start")  # the third is late
    assert room.training().sentences == (*SENTENCES, SENTENCES[0])
    for left, wanted in ((2, (*SENTENCES, SENTENCES[0])), (1, SENTENCES), (0, SENTENCES[1:])):
        room.remove(next(sent.id for sent in room.sent() if sent.text == SENTENCES[0]))
        assert [sent.text for sent in room.sent()].count(SENTENCES[0]) == left
        assert room.training().sentences == wanted


def test_vote_does_not_count_when_a_sentence_is_removed_while_its_result_is_shown(room):
    room.play("start")
    room.guess(room.phones[1], *place(room), TRAINING.votes[0].right[0])
    room.play("next")
    assert room.game.phase == RESULT and [*room.game.right] == [0]
    room.remove(room.sent()[-1].id)
    found = game_serializers.scene(room, "en")
    assert (found["id"], found["round"], found["game"]["right"]) == (f"{room.game.id}.0", 1, {})  # phones delete theirs
    room.play("next")
    room.play("next")
    assert len(room.game.right) == 1


def test_vote_goes_on_when_a_late_sentence_is_removed(room):
    room.play("start")
    room.send(room.new_id("10.0.0.9"), GAME, room.game.id, "the late one")
    room.guess(room.phones[1], *place(room), 0)
    version = room.version
    for _ in range(2):  # the teacher presses twice
        room.remove(max(sent.id for sent in room.texts))
    assert "the late one" not in [sent.text for sent in room.sent()]
    assert (room.counts(), room.round(), room.version) == ({0: 1}, 0, version)


def test_game_without_any_sentence_begins_anew(room):
    room.play("start")
    before = room.game.id
    for sent in room.sent():
        room.remove(sent.id)
    assert room.game.phase == COLLECT and room.game.id != before
    for language in LANGUAGES:
        assert serializers.board(room, language)["game"]["sentences"] == []


def test_game_without_the_only_sentence_that_came_back_begins_anew(room, clock):
    room.play("start")
    room.empty()
    room.send(room.phones[0], GAME, room.game.id, SENTENCES[0])
    room.remove(room.sent()[0].id)
    assert room.game.is_recollecting  # the others may still come
    room.send(room.phones[1], GAME, room.game.id, SENTENCES[1])
    room.play("go_on")
    room.remove(room.sent()[0].id)
    clock.now += 100
    assert rooms.room(room.code).game.phase == COLLECT


def test_emptied_class_waits_for_its_sentences(room, clock):
    room.play("start")
    room.empty()
    clock.now += 100
    rooms.room(room.code)
    assert (room.game.phase, room.game.is_recollecting) == (VOTE, True)
    serializers.board(room, "en")
    refused("late", room.play, "go_on")
    send(room)
    room.play("go_on")
    assert room.training().sentences == SENTENCES


def test_sentences_are_at_most_as_many_as_the_board_keeps(opened):
    secret, room = opened
    room.show(replace(room.scene, text="\N{BROKEN HEART}" * 2_000))
    room.open_game()
    for i in range(MAX_SENTENCES):
        room.send(f"{i:08}-address", GAME, room.game.id, f"sentence {i} is here")
    refused("enough", room.send, "another-address", GAME, room.game.id, "one more")
    room.play("start")
    kept = json.dumps(room.kept(secret), ensure_ascii=False)
    assert len(room.game.admitted) == MAX_SENTENCES
    assert "sentence 1" not in kept  # only hashes of sentences leave the server
    rooms.reset()
    reply = CLIENT.post("/class/open", content=kept.encode(), headers={"content-type": "application/json"})
    assert reply.status_code == 200 and len(rooms.room(room.code).game.admitted) == MAX_SENTENCES


@pytest.mark.parametrize("last", [None, "leave"])
def test_no_cache_keeps_the_sentences_of_a_class_that_has_ended(room, last):
    room.play("start")
    room.play("end")
    training = weakref.ref(room.training())
    game_serializers.board(room, "en")
    game_serializers.own(room, room.phones[0], "en")
    CLIENT.get(f"/class/{room.code}/own/home", params={"me": room.phones[0]})
    if last:  # its sentences go with the game
        room.play(last)
    assert training() is not None
    rooms.end(room.secret)
    gc.collect()
    assert training() is None


# A restart


def test_game_goes_on_after_a_restart_when_the_teacher_wants(room, clock):
    room.play("start")
    room.play("next")
    room.play("next")
    kept = json.loads(json.dumps(room.kept(room.secret)))
    rooms.reset()
    again = rooms.reopen(kept)
    again.phones = room.phones
    clock.now += 100
    again.tick()
    assert again.game.is_recollecting and again.seconds_left() is None
    assert (again.game.phase, again.game.merges, again.game.right) == (VOTE, room.game.merges, room.game.right)
    send(again)
    again.play("go_on")
    assert again.training().sentences == SENTENCES and again.seconds_left() == VOTE_SECONDS
    again.guess(again.phones[0], *place(again), 0)
    again.play("next")
    assert again.game.phase == RESULT


def test_stage_says_after_the_end_that_sentences_are_not_back(room):
    room.play("start")
    room.play("end")
    before = game_serializers.board(room, "en")["line"]
    room.empty()
    assert game_serializers.board(room, "en")["line"] == words("class", "en").text("none_back", "game")
    for phone, sentence in zip(room.phones[:2], SENTENCES, strict=False):  # the others show the Playground
        room.send(phone, GAME, room.game.id, sentence)
    assert game_serializers.board(room, "en")["line"].startswith("2 of 4 sentences are back")
    send(room)
    assert game_serializers.board(room, "en")["line"] == before


@pytest.mark.parametrize("action", ["go_on", "next", "end"])
def test_game_that_goes_on_without_a_sentence_asks_its_vote_again(room, action):
    room.play("start")
    room.empty()
    where = place(room)
    for phone, sentence in zip(room.phones[:-1], SENTENCES, strict=False):
        room.send(phone, GAME, room.game.id, sentence)
    room.guess(room.phones[0], *where, 0)  # of other pairs
    room.play(action)
    assert (room.counts(), room.round(where[1])) == ({}, 1)
    room.send(room.phones[-1], GAME, room.game.id, SENTENCES[-1])  # late: the pairs of the vote stay
    assert room.training().sentences == SENTENCES[:-1]


def test_game_that_goes_on_with_all_sentences_keeps_the_votes(room):
    room.play("start")
    room.empty()
    room.guess(room.phones[0], *place(room), 0)
    send(room)
    room.play("go_on")
    assert (room.counts(), room.round(), room.training().sentences) == ({0: 1}, 0, SENTENCES)


@given(JUNK | st.fixed_dictionaries({"id": JUNK, "phase": JUNK, "merges": JUNK, "admitted": JUNK, "right": JUNK}))
def test_stored_games_are_read_or_dropped(found):
    game = Game.read(found)
    if game is not None:
        assert 0 <= game.merges <= MAX_MERGES and game.seconds_left(0.0) is None
        assert Game.read(json.loads(json.dumps(game.kept()))).kept() == game.kept()


# Routes


def test_game_needs_the_secret(room):
    path = f"/class/{room.code}/game"
    assert CLIENT.post(path, json={"do": "start"}, headers={"x-class-secret": "y" * 32}).status_code == 404
    assert room.game.phase == COLLECT
    assert CLIENT.post(path, json={"do": "start"}, headers={"x-class-secret": room.secret}).status_code == 204
    assert CLIENT.post(path, json={"do": "start"}, headers={"x-class-secret": room.secret}).status_code == 400
    assert CLIENT.post(path, json={}, headers={"x-class-secret": room.secret}).status_code == 400
    assert room.game.phase == VOTE
    state = CLIENT.get(f"/class/{room.code}/state", params={"me": room.phones[0]})
    assert state.headers["x-seconds-left"] == "5.00" and state.json()["ask"] == "choice"


@pytest.mark.parametrize("language", LANGUAGES)
def test_own_sentence_and_file_are_there_at_the_end_and_escaped(room, language):
    def ask(form, phone):
        return CLIENT.get(f"/class/{room.code}/own/{form}", params={"me": phone, "lang": language})

    room.play("start")
    assert ask("sentence", room.phones[0]).status_code == 409 == ask("home", room.phones[0]).status_code
    room.play("end")
    found = ask("sentence", room.phones[0])
    assert found.json()["sentence"] == SENTENCES[0] and "<b>the" not in found.json()["html"]
    sizes = (
        len(TRAINING.encoding(room.game.merges).encode(SENTENCES[0])),
        len(get_encoding("gpt-5").encode(SENTENCES[0])),
    )
    assert found.json()["html"].count('role="listitem"') == sum(sizes)  # a box for each token, in both tokenizers
    file = ask("home", room.phones[0])
    assert "attachment" in file.headers["content-disposition"] and "&lt;b&gt;the" in file.text
    assert "<b>the" not in file.text and SENTENCES[1] not in file.text  # only the phone's own sentence
    late = room.new_id("10.0.0.9")
    assert ask("sentence", late).json()["sentence"] is None and ask("home", late).status_code == 200
    assert ask("home", "x" * 40).status_code == 401
    assert CLIENT.get("/class/XXXXX/own/home", params={"me": late}).status_code == 404


def test_shares_are_computed_once_for_all_files(room, monkeypatch):
    asked, shares = [], ClassTraining.shares
    monkeypatch.setattr(ClassTraining, "shares", lambda *given: (asked.append(given), shares(*given))[1])
    room.play("start")
    room.play("end")
    for language in LANGUAGES:
        wanted = serializers.board(room, language)["game"]["shares"]
        files = [game_serializers.home(room, phone, language) for phone in room.phones]
        assert wanted and all(wanted in html.unescape(file) for file in files)
    assert len(asked) <= 1


def made_in(path):
    """Returns the text of a link that opens the tokenizer of the class, the key of the encoding, and the encoding."""
    fields = {name: found for name, [found] in parse_qs(urlsplit(path).fragment).items()}
    text, rest = (
        zlib.decompress(urlsafe_b64decode(fields[name] + "===")).decode() if name in fields else None for name in "ts"
    )
    [(key, made)] = json.loads(rest)["made"].items()
    assert key in urlsplit(path).query
    return text, key, made


@pytest.mark.parametrize(("merges", "language"), [(0, "en"), (3, "th"), (TRAINING.num_merges, "en")])
def test_links_open_the_tokenizer_of_the_class_and_phones_get_no_other_sentence(room, merges, language):
    room.play("start")
    room.game.merges = merges
    room.play("end")
    wanted, text, all_made = TRAINING.encoding(merges), "".join(SENTENCES), []
    for phone, own in zip([*room.phones, room.new_id("10.0.0.9")], [*SENTENCES, None], strict=True):
        found = game_serializers.own(room, phone, language)["links"]
        assert [urlsplit(path).path for _, path in found] == ["", "compare"]
        for _, path in found:
            sent, _, made = made_in(path)
            assert sent == own and not any(sentence in json.dumps(made, ensure_ascii=False) for sentence in SENTENCES)
            all_made.append(made)
    assert all(made == all_made[0] for made in all_made)
    assert recipes.add_merges(all_made[0]).encoding.encode(text) == wanted.encode(text)
    found = serializers.board(room, language)["game"]["links"]
    pages = words("page", language).sentences["pages"]
    for (label, path), name in zip(found, ("playground", "compare", "train"), strict=True):
        assert pages[name] in label and urlsplit(path).path == name.replace("playground", "")
        sent, key, made = made_in(path)
        assert sent.split("\n") == [*SENTENCES]
        if name != "train":
            assert encoding_store.find(key).encoding.encode(text) == wanted.encode(text)
            continue
        recipe = recipes.read(made)
        counts = recipe.order.counts(recipe.texts)
        again = record_training(counts, recipe.order.vocab_size, recipe.order.ties, "characters", min_count=2)
        assert again.encoding(recipe.order.pattern, [], "x").encode(text) == wanted.encode(text)


@pytest.mark.slow
def test_sentences_that_are_too_long_for_a_link_are_left_out_of_it():
    many = ["".join(chr(0x4E00 + (200 * i + j) % 20_000) for j in range(200)) for i in range(MAX_SENTENCES)]
    training = ClassTraining(many)
    links = game_links.teacher_links(training, training.num_merges, "en")
    assert [urlsplit(path).path for _, path in links] == ["", "compare"]
    assert all(len(made_in(path)[0]) == 2_000 and "texts" not in made_in(path)[2] for _, path in links)
