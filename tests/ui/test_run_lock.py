"""The run lock: runs are served in order; after a while the next starts beside a long one."""

import threading

from apps import until

from ui.run_lock import RunLock


def started(lock: RunLock, name: str, seen: list[str], may_end: threading.Event) -> threading.Thread:
    def run():
        with lock.held():
            seen.append(name)
            may_end.wait(10)

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


def test_next_run_starts_beside_a_long_one():
    lock, seen, may_end = RunLock(0.05), [], threading.Event()
    threads = [started(lock, name, seen, may_end) for name in "abc"]
    until(lambda: len(seen) == 3)
    may_end.set()
    for thread in threads:
        thread.join(10)
    with lock.held():  # the lock is free again
        pass


def test_failed_run_releases_the_lock():
    lock = RunLock(60)
    for _ in range(2):
        try:
            with lock.held():
                raise ValueError
        except ValueError:
            pass
    with lock.held():
        pass
