"""The run lock: runs are served in a fair order; after a while the next starts beside a long one."""

import threading

from apps import until

from ui.run_lock import RunLock


def started(
    lock: RunLock, name: str, seen: list[str], may_end: threading.Event, address: str = "a"
) -> threading.Thread:
    def run():
        with lock.held(address, "a visitor"):
            seen.append(name)
            may_end.wait(60)  # longer than `until` waits

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def test_lock_is_given_to_one_run_at_a_time_in_order():
    lock, seen, events, threads = RunLock(60), [], [threading.Event() for _ in range(9)], []
    for i, event in enumerate(events):
        threads.append(started(lock, str(i), seen, event))
        until(lambda i=i: lock.num_waiting == i)  # without the first, which holds the lock
    for i, event in enumerate(events):
        until(lambda i=i: len(seen) == i + 1)
        event.set()
    for thread in threads:
        thread.join(10)
    assert seen == [str(i) for i in range(9)]


def test_run_of_another_address_comes_before_many_of_one():
    lock, seen, may_end = RunLock(60), [], threading.Event()
    threads = [started(lock, "first", seen, may_end)]
    until(lambda: seen)
    for i in range(1, 20):
        threads.append(started(lock, "one of many", seen, may_end))
        until(lambda i=i: lock.num_waiting == i)
    threads.append(started(lock, "alone", seen, may_end, "b"))
    until(lambda: lock.num_waiting == 20)
    may_end.set()
    for thread in threads:
        thread.join(10)
    assert "alone" in seen[:3] and len(seen) == 21


def test_next_run_starts_beside_a_long_one():
    lock, seen, may_end = RunLock(0.05), [], threading.Event()
    threads = [started(lock, name, seen, may_end) for name in "abc"]
    until(lambda: len(seen) == 3)
    may_end.set()
    for thread in threads:
        thread.join(10)
    with lock.held("a", "a visitor"):  # the lock is free again
        pass


def test_failed_run_releases_the_lock():
    lock = RunLock(60)
    for _ in range(2):
        try:
            with lock.held("a", "a visitor"):
                raise ValueError
        except ValueError:
            pass
    with lock.held("a", "a visitor"):
        pass
