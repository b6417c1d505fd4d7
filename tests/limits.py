"""Fails a test that hangs at its time limit, so that the tests after it run.

pytest-timeout reads the limits: `timeout` in pyproject.toml, a mark, --timeout. This module replaces its alarm, which
- rings once, so a fixture's teardown or a thread pool's shutdown can hang after it;
- is cancelled when a test fails, so its teardown can hang;
- raises an error that Hypothesis treats as a failing example and tries again;
- writes the stacks to a terminal, which processes of xdist lack;
- cannot stop C code: here the process ends, and xdist starts another.
"""

import asyncio
import faulthandler
import os
import signal
import sys
import threading
import traceback
from functools import partial

import greenlet
import pytest
from pytest_timeout import is_debugging

ALARM_INTERVAL_SECONDS = 20
EXIT_DELAY_SECONDS = 25  # after an alarm that C code blocks, until the process ends
STDERR = pytest.StashKey[int]()


class TookTooLong(pytest.fail.Exception.__base__):  # pytest treats it as an outcome; Hypothesis does not catch it
    """A test reached its time limit."""


def pytest_configure(config):
    """Keeps standard error, because pytest replaces it by a file while tests run."""
    config.stash[STDERR] = os.dup(2)


def stacks() -> str:
    """The stack of each thread of this process."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return "\n".join(
        f"Thread {names.get(ident, ident)}:\n{''.join(traceback.format_stack(frame))}"
        for ident, frame in sys._current_frames().items()
    )


def raise_in_test(error: BaseException) -> None:
    """Raises an error in the test, also while Playwright's event loop or a handler runs in another greenlet.

    Raised there, it would be lost, or close the connection to the browser, which later tests need.
    """
    __tracebackhide__ = True
    test = current = greenlet.getcurrent()
    while test.parent:
        test = test.parent
    if test is current:
        raise error
    asyncio.get_running_loop().call_soon_threadsafe(lambda: None)  # the loop takes new work when it is resumed
    test.throw(error)


@pytest.hookimpl
def pytest_timeout_set_timer(item, settings):
    """Sets the alarm when a test begins."""
    if settings.method != "signal":  # a system without signals
        return None
    exit_later = partial(faulthandler.dump_traceback_later, exit=True, file=item.config.stash[STDERR])

    def ring(*_) -> None:
        __tracebackhide__ = True
        if is_debugging():
            return
        exit_later(EXIT_DELAY_SECONDS)
        item.add_report_section("call", "stacks", stacks())
        raise_in_test(TookTooLong(f"{item.nodeid} took longer than {settings.timeout:g} s"))

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, settings.timeout, ALARM_INTERVAL_SECONDS)
    if not is_debugging():
        exit_later(settings.timeout + EXIT_DELAY_SECONDS)
    return True


def pytest_runtest_logfinish():
    """Cancels the alarm after a test and its fixtures."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
    faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem, sched):
    """Marks a test that ended its process as done; otherwise xdist runs it again in each new process."""
    if not hasattr(sched, "workqueue"):  # only `--dist loadfile` runs it again
        return
    for units in (sched.workqueue, *sched.assigned_work.values()):
        for unit in units.values():
            if crashitem in unit:
                unit[crashitem] = True
