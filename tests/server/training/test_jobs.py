"""Trainings in processes, and the store of trained encodings."""

import gc
import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from apps import ended, until

from server.encodings import encoding_store
from server.training import jobs
from server.training.jobs import CannotTrain, Job
from tokenizer import train
from tokenizer.errors import UnknownEncoding
from tokenizer.split import guards
from tokenizer.training.corpora import own_corpora
from tokenizer.training.makers import ExternalTraining
from tokenizer.training.milestones import milestones, word_uses
from tokenizer.training.spm import Options
from tokenizer.training.spm import train as train_sentencepiece
from tokenizer.training.training_history import TrainingHistory
from tokenizer.training.worker import Order

LONG_TEXTS = ("".join(random.Random(1).choices("abcdefghijklmnopqrst", k=2_000_000)),)
ENDLESS = Order(50_000, None)
ADDRESS = "10.0.0.1"
A, B, MAKER = (ADDRESS, "a"), (ADDRESS, "b"), (ADDRESS, "maker")  # visitors


pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_trainings_left")]


def trained(text="the cat sat on the mat " * 9, order=None, visitor=A):
    return ended(jobs.begin(order or Order(270), (text,), visitor))


def endless(visitor=A):
    """Begins a training that takes long; returns once it merges."""
    job = jobs.begin(ENDLESS, LONG_TEXTS, visitor)
    until(lambda: job.stage == "merging" or job.over)
    assert not job.over, job.problem
    return job


def alive(process):
    return process.poll() is None


def test_job_learns_the_merges_and_milestones_of_train():
    text = "the cat sat on the mat ที่นี่มีที่ดี 👍 \ud800ab\0ab " * 9
    job = trained(text, Order(330))
    assert job.history.merges == list(train(text, 330))
    assert job.stage == "done" and job.problem is None
    assert job.milestones == milestones(job.history, word_uses(text))
    assert {found.kind for found in job.milestones} >= {"word", "crossing"}


def test_every_option_of_an_order_reaches_the_process():
    text, start, pattern = "abcabc bcabca cab " * 5, ((b"b", b"c"), (b"bc", b"a")), "(?x)\\w+\n"
    order = Order(40, pattern, "largest-bytes", "characters", 2, start)
    merges = list(train(text, 40, pattern, "largest-bytes", "characters", start=start, min_count=2))
    assert trained(text, order).history.merges == merges


def test_equal_trainings_share_a_job(inline_trainings):
    job = trained(visitor=A)
    assert trained(visitor=B) is job
    assert trained(order=Order(270, ties="largest-bytes")) is not job


def test_job_keys_differ_by_text_boundaries():
    assert jobs.job_key(Order(), ("ab", "c")) != jobs.job_key(Order(), ("a", "bc"))
    assert jobs.job_key(Order(), ("1:a",)) != jobs.job_key(Order(), ("1", "a"))


def test_training_continues_while_a_visitor_wants_it_and_can_restart():
    job = endless(A)
    assert endless(B) is job
    jobs.leave(job, A)
    assert alive(job.process) and not job.over
    jobs.leave(job, B)
    until(lambda: not alive(job.process), seconds=5)
    assert job.problem and job.history is None
    assert not endless().over


def test_visitor_whose_address_changed_can_leave():
    job = endless(("10.0.0.1", "a"))
    assert endless(("10.0.0.2", "a")) is job
    jobs.leave(job, ("10.0.0.3", "a"))
    assert job.over


def test_job_reports_progress_has_low_priority_and_survives_a_lost_process():
    job = endless()
    until(lambda: job.num_merges > 1000)
    first = job.num_merges
    until(lambda: job.num_merges > first)
    assert 0 < job.share < 1 and job.seconds_left > 0
    ours, its = (os.getpriority(os.PRIO_PROCESS, pid) for pid in (0, job.process.pid))
    assert its == min(19, ours + 10)  # at 19 it hardly runs beside a busy program
    job.process.kill()
    assert "ended too early" in ended(job).problem


def test_trainings_beyond_the_limits_wait_or_are_refused(monkeypatch):
    first, second = endless(), jobs.begin(Order(49_999, None), LONG_TEXTS, A)
    third, fourth = (jobs.begin(Order(size, None), LONG_TEXTS, A) for size in (49_998, 49_997))
    until(lambda: second.stage == "merging")
    assert third.stage == "waiting" and (jobs.num_before(third), jobs.num_before(fourth)) == (2, 3)
    jobs.leave(fourth, A)
    assert fourth.over and fourth.process is None
    monkeypatch.setattr(jobs, "MAX_WAITING_JOBS", 1)
    with pytest.raises(CannotTrain, match="already has"):
        jobs.begin(Order(300), ("another",), A)
    jobs.leave(first, A)
    until(lambda: third.stage != "waiting")


def test_trainings_wait_for_memory_in_order_but_one_always_runs(run_trainings, monkeypatch):
    monkeypatch.setattr(jobs.workers.SHARES, "trainings", 2 * Job("key", Order(300), ("s" * 10,)).max_memory)
    monkeypatch.setattr(Job, "run", lambda job: until(lambda: job.over))
    until(lambda: not jobs.running())  # of the previous test
    large, small, last = (
        jobs.begin(Order(300), (text,), (ADDRESS, text[0])) for text in ("l" * 100_000, "s" * 10, "t" * 10)
    )
    run_trainings(2)
    assert jobs.running() == {large} and jobs.num_before(small) == 1
    large.stop("it is over")
    until(lambda: jobs.running() == {small, last})


def begun(number, visitor, is_here=lambda: True, address=ADDRESS):
    return jobs.begin(Order(300 + number), ("a short text",), (address, visitor), is_here)


def test_trainings_are_served_round_robin_by_visitor(run_trainings):
    many = [begun(number, "many") for number in range(20)]
    one, two = begun(20, "one"), [begun(number, "two") for number in (21, 22)]
    both = begun(23, "two"), begun(23, "one")
    assert both[0] is both[1]
    until(lambda: not jobs.running())
    order = [many[0], one, two[0], many[1], two[1], both[0], *many[2:]]
    assert [jobs.num_before(job) for job in order] == list(range(24))


def test_visitors_without_a_turn_are_served_first(run_trainings, monkeypatch):
    ran = []
    monkeypatch.setattr(Job, "run", lambda job: (ran.append(job), job.stop("it is over")))
    first, second, late = begun(0, "a"), begun(1, "a"), begun(2, "b")
    run_trainings(1)
    until(lambda: len(ran) == 3 and not jobs.running())
    assert ran == [first, late, second]


def test_addresses_are_served_in_turn_before_their_visitors(run_trainings):
    many = [begun(number, f"tab {number}") for number in range(5)]
    other = [begun(number, "b", address="10.0.0.2") for number in (5, 6)]
    until(lambda: not jobs.running())
    order = [many[0], other[0], many[1], other[1], *many[2:]]
    assert [jobs.num_before(job) for job in order] == list(range(7))


def test_one_hundred_trainings_of_a_class_can_wait_and_another_address_has_places(run_trainings):
    for number in range(100):
        begun(number, f"visitor {number % 50}")
    with pytest.raises(CannotTrain, match="already has 100 tasks"):
        begun(1_000, "one more")
    begun(1_001, "another", address="10.0.0.2")


def test_texts_of_one_address_leave_room_for_those_of_others(run_trainings, monkeypatch):
    monkeypatch.setattr(jobs, "MAX_KEPT_BYTES", 8 * 100)
    jobs.begin(Order(300), ("a" * 100,), A)
    jobs.begin(Order(300), ("b" * 100,), A)
    with pytest.raises(CannotTrain):
        jobs.begin(Order(300), ("c" * 150,), B)
    jobs.begin(Order(300), ("d" * 100,), ("10.0.0.2", "d"))


def test_training_stops_when_all_its_visitors_are_gone_for_a_while(run_trainings, monkeypatch):
    here = {"a": True, "b": True}
    job, other = begun(0, "a", lambda: here["a"]), begun(1, "b", lambda: True)
    assert begun(0, "b", lambda: here["b"]) is job
    now = time.monotonic()
    for seconds, are_here, is_over in [
        (100, {"a": True}, False),
        (110, {"a": False, "b": True}, False),
        (120, {"b": False}, False),
        (110 + jobs.ABANDONED_AFTER_SECONDS, {}, False),  # tolerates a reload or standby
        (115, {"b": True}, False),
        (115 + jobs.ABANDONED_AFTER_SECONDS, {"b": False}, False),
        (116 + jobs.ABANDONED_AFTER_SECONDS, {}, True),
    ]:
        here |= are_here
        monkeypatch.setattr(jobs.time, "monotonic", lambda then=now + seconds: then)
        assert jobs.stop_abandoned() and job.over == is_over
    assert "has been closed or disconnected for 60 seconds" in job.problem and not other.over


def test_training_of_a_closed_page_is_stopped(monkeypatch):
    monkeypatch.setattr(jobs, "ABANDONED_AFTER_SECONDS", 0)
    job = jobs.begin(ENDLESS, LONG_TEXTS, A, lambda: False)
    until(lambda: job.over)
    until(lambda: not job.process or not alive(job.process))


@pytest.mark.parametrize(
    ("text", "order", "words"),
    [
        ("", Order(), "nothing to train on|no text|empty"),
        ("aaa", Order(300, "[a"), "is not closed"),
        ("aaa", Order(300, "gpt-2"), "Unknown split pattern"),
        ("a" * 60 + "!", Order(300, r"(a|aa)+\d"), "longer than"),
        ("aaa", Order(10), "10"),
        ("aaa", Order(300, ties="none"), "none"),
    ],
)
def test_impossible_trainings_have_a_problem(text, order, words, inline_trainings, monkeypatch):
    monkeypatch.setattr(guards, "MIN_TIMEOUT_SECONDS", 0.2)
    job = trained(text, order)
    assert job.history is None
    with pytest.raises(AssertionError, match=f"(?i){words}"):
        raise AssertionError(job.problem)


def test_training_stops_at_the_time_limit(monkeypatch):
    monkeypatch.setattr(jobs, "MAX_TRAINING_SECONDS", 0.5)
    job = ended(jobs.begin(ENDLESS, LONG_TEXTS, A))
    assert "the limit of 0.5 seconds was reached" in job.problem
    until(lambda: not alive(job.process))


def test_invalid_output_of_the_process_is_a_problem(monkeypatch, tmp_path):
    (tmp_path / "tokenizer" / "training").mkdir(parents=True)
    (tmp_path / "tokenizer" / "training" / "worker.py").write_text("import sys; sys.stdin.read(); print('<html>')")
    monkeypatch.setattr(jobs.workers, "APP", tmp_path)
    assert "cannot be read" in trained().problem


CUT_OFF_HISTORY = """
import json, sys
from tokenizer.training.worker import Order, learn
sys.stdin.buffer.read()
data = learn(Order(258, None), ["aaabdaaabac"])[0].to_bytes()
print(json.dumps({"history": len(data), "milestones": [], "new_words": []}), flush=True)
sys.stdout.buffer.write(data[:-9])
"""


@pytest.mark.parametrize(
    ("program", "words"),
    [(CUT_OFF_HISTORY, "ended too early"), ("import sys; sys.stdin.buffer.read(); print(5)", "cannot be read")],
)
def test_job_whose_process_ends_within_its_result_does_not_start_again(program, words, monkeypatch, tmp_path):
    (tmp_path / "cut_off.py").write_text(program)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(Job, "MODULE", "cut_off")
    job = trained()
    assert job.history is None and words in job.problem


def test_job_without_a_thread_is_over_and_takes_no_place(monkeypatch):
    def fail(_):
        raise RuntimeError("can't start new thread")

    until(lambda: "trainings" not in [thread.name for thread in threading.enumerate()])  # a job starts its watch
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        found = [jobs.begin(Order(size), ("the cat",), A) for size in (258, 259, 260)]
    assert all("(can't start new thread). Try again" in job.problem for job in found) and not jobs.running()
    assert trained().succeeded


def test_job_that_cannot_be_given_its_work_does_not_start_again(monkeypatch):
    def fail(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(jobs, "write_order", fail)
    job = trained()
    assert job.history is None and "ended too early" in job.problem
    until(lambda: not jobs.running())


def test_finished_trainings_are_evicted_above_the_size_limit(monkeypatch, inline_trainings):
    first = trained()
    monkeypatch.setattr(jobs, "MAX_KEPT_BYTES", first.size)
    second = trained(order=Order(271))
    trained(order=Order(272))
    assert trained(order=Order(271)) is not second


# The encoding store


def test_find_returns_a_trained_encoding_by_key(inline_trainings):
    job = trained()
    found = encoding_store.add_trained(job, "cl100k_base", ["<|end|>"], "cat")
    assert encoding_store.find(found.key) is found
    assert found.name == "cat" and found.encoding.special_tokens == {"<|end|>": found.encoding.vocab_size - 1}
    assert encoding_store.find("gpt2").name == "gpt2"


def test_keys_depend_on_everything_that_defines_an_encoding(inline_trainings):
    job, other = trained(), trained("another text " * 9)
    keys = [
        encoding_store.add_trained(job, "cl100k_base", ["<|end|>"], "cat").key,
        encoding_store.add_trained(job, "cl100k_base", [], "cat").key,
        encoding_store.add_trained(job, "cl100k_base", [], "dog").key,
        encoding_store.add_trained(other, "cl100k_base", [], "cat").key,
    ]
    assert len(set(keys)) == 4
    assert encoding_store.add_trained(job, "cl100k_base", [], "dog") is encoding_store.trained(keys[2])


def test_concurrent_additions_return_one_entry(monkeypatch, inline_trainings):
    job, both = trained(), threading.Barrier(2)
    make = TrainingHistory.encoding

    def encoding(history, *arguments):
        both.wait(10)
        return make(history, *arguments)

    monkeypatch.setattr(TrainingHistory, "encoding", encoding)
    with ThreadPoolExecutor(2) as two:
        one, other = two.map(lambda name: encoding_store.add_trained(job, "cl100k_base", [], name), ["twins", "twins"])
    assert one is other is encoding_store.find(one.key)


def test_unreferenced_entries_are_evicted_above_the_limit(monkeypatch, inline_trainings):
    job = trained()
    monkeypatch.setattr(encoding_store, "MAX_RECENT_MERGES", encoding_store.MIN_SIZE_MERGES + len(job.history))
    held, key = (
        encoding_store.add_trained(job, "cl100k_base", [], "held"),
        encoding_store.add_trained(job, "cl100k_base", [], "loose").key,
    )
    encoding_store.add_trained(job, "cl100k_base", [], "last")
    gc.collect()
    assert encoding_store.find(held.key) is held
    with pytest.raises(encoding_store.Evicted, match="Train it again"):
        encoding_store.find(key)


def is_kept(key):
    try:
        return bool(encoding_store.find(key))
    except encoding_store.Evicted:
        return False


def test_many_small_entries_are_evicted_above_the_limit(monkeypatch, inline_trainings):
    monkeypatch.setattr(encoding_store, "MAX_RECENT_MERGES", 3 * (encoding_store.MIN_SIZE_MERGES + 99))
    job = trained()
    keys = [encoding_store.add_trained(job, "cl100k_base", [], f"class-{i}").key for i in range(9)]
    gc.collect()
    assert [key for key in keys if is_kept(key)] == keys[-3:]


@pytest.mark.parametrize("key", ["trained-", "trained-0", "trained-../../x", "trained-" + "0" * 32, "trained"])
def test_unknown_keys_raise(key):
    with pytest.raises(encoding_store.Evicted if "-" in key else UnknownEncoding):
        encoding_store.find(key)


def test_job_before_its_start_has_no_estimate():
    assert Job("key", Order(), ("a",)).share == 0
    assert Job("key", Order(), ("a",)).seconds_left is None


def test_external_training_runs_in_a_process_and_can_be_stopped():
    order = ExternalTraining("sentencepiece", Options("bpe"))
    texts = (own_corpora()["thai"],)
    job = jobs.begin(order, texts, MAKER)
    until(lambda: job.over)
    assert job.file == train_sentencepiece(order.options, texts) and job.history is None and job.problem is None
    assert jobs.finished(order, texts) is job
    found = encoding_store.add_external(job, "thai-spm")
    assert (found.key[:14], found.encoding.kind) == ("sentencepiece-", "sentencepiece-bpe")
    assert encoding_store.find(found.key) is encoding_store.of_training(found.key) is found
    with pytest.raises(encoding_store.UnknownKey):
        encoding_store.of_training("gpt2")
    with pytest.raises(encoding_store.Evicted, match="which was trained with SentencePiece"):
        encoding_store.of_training(f"sentencepiece-{'0' * 32}")
    long = jobs.begin(ExternalTraining("sentencepiece", Options(vocab_size=700)), texts * 50, MAKER)
    jobs.leave(long, MAKER)
    until(lambda: long.over)
    assert long.file is None and "you cancelled" in long.problem


def test_cut_off_file_of_an_external_training_is_no_result(monkeypatch, tmp_path):
    (tmp_path / "cut_off.py").write_text("import sys\nsys.stdin.buffer.read()\nprint('{\"file\": 9}\\nabc', end='')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(Job, "MODULE", "cut_off")
    job = Job("key", ExternalTraining("sentencepiece", Options("bpe")), ("a text",))
    job.run()
    assert job.file is None and "ended too early" in job.problem
