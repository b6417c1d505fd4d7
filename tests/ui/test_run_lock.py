"""Runs come one after the other, as they asked; one that lasts is joined by the next."""

import threading

from apps import until

from ui.run_lock import RunLock


def started(lock: RunLock, name: str, seen: list[str], go_on: threading.Event) -> threading.Thread:
    def run():
        with lock.held():
            seen.append(name)
            go_on.wait(10)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def test_runs_are_given_the_lock_one_at_a_time_in_the_order_in_which_they_asked():
    lock, seen, events, threads = RunLock(60), [], [threading.Event() for _ in range(9)], []
    for i, event in enumerate(events):
        threads.append(started(lock, str(i), seen, event))
        until(lambda i=i: len(lock._waiting) == i)  # the first does not wait
    for i, event in enumerate(events):
        until(lambda i=i: len(seen) == i + 1)
        event.set()
    for thread in threads:
        thread.join(10)
    assert seen == [str(i) for i in range(9)]


def test_the_next_run_begins_beside_one_that_lasts():
    lock, seen, go_on = RunLock(0.05), [], threading.Event()
    threads = [started(lock, name, seen, go_on) for name in "abc"]
    until(lambda: len(seen) == 3)
    go_on.set()
    for thread in threads:
        thread.join(10)
    with lock.held():  # it is free again
        pass


def test_a_run_that_fails_gives_the_lock_back():
    lock = RunLock(60)
    for _ in range(2):
        try:
            with lock.held():
                raise ValueError
        except ValueError:
            pass
    with lock.held():
        pass
