"""Ends a test that hangs: it fails at its limit, and the tests after it run.

pytest-timeout reads the limits: `timeout` in pyproject.toml, a mark, --timeout. This replaces its alarm, which
- goes off once, so that a fixture's end, or a pool of threads that is waited for, can hang after it;
- is taken off as soon as a test fails, so that what comes after that can hang;
- raises what Hypothesis takes for a failing example, and tries again;
- writes the stacks to a terminal that a process of xdist does not have;
- cannot stop C code: here the process ends then, and xdist goes on with another.
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

AGAIN = 20  # seconds from one alarm of a test to its next
UNHEARD = 25  # seconds after an alarm that Python code does not hear, until the process ends
STDERR = pytest.StashKey[int]()


class TookTooLong(pytest.fail.Exception.__base__):  # pytest treats it as an outcome; Hypothesis does not catch it
    """A test has reached its limit."""


def pytest_configure(config):
    """Keeps standard error as it is now: while tests run, pytest has a file in its place."""
    config.stash[STDERR] = os.dup(2)


def stacks() -> str:
    """Where each thread of this process is."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return "\n".join(
        f"Thread {names.get(ident, ident)}:\n{''.join(traceback.format_stack(frame))}"
        for ident, frame in sys._current_frames().items()
    )


def raise_in_test(error: BaseException) -> None:
    """Raises an error in the test, also while Playwright's event loop or a handler runs, each a greenlet of its own.

    Raised there it would be swallowed, or end the connection to the browser, which later tests need.
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
    """Sets the alarm of a test that begins."""
    if settings.method != "signal":  # a system that has no signals
        return None
    at_last = partial(faulthandler.dump_traceback_later, exit=True, file=item.config.stash[STDERR])

    def ring(*_) -> None:
        __tracebackhide__ = True
        if is_debugging():
            return
        at_last(UNHEARD)
        item.add_report_section("call", "stacks", stacks())
        raise_in_test(TookTooLong(f"{item.nodeid} took longer than {settings.timeout:g} s"))

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, settings.timeout, AGAIN)
    if not is_debugging():
        at_last(settings.timeout + UNHEARD)
    return True


def pytest_runtest_logfinish():
    """Takes the alarm off when a test and its fixtures are over."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
    faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem, sched):
    """Counts a test that ended its process as done: else xdist runs it again in each process that replaces another."""
    if not hasattr(sched, "workqueue"):  # only what gives tests out by file, `--dist loadfile`, runs it again
        return
    for units in (sched.workqueue, *sched.assigned_work.values()):
        for unit in units.values():
            if crashitem in unit:
                unit[crashitem] = True
