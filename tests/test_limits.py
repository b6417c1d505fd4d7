"""A hanging test fails at its time limit with a traceback, and the others still run."""

import os
import signal
import subprocess
import sys

import pytest
from paths import ROOT

HANGS = {
    "sleep": "time.sleep(600)",
    "thread": "threading.Thread(target=time.sleep, args=(600,), daemon=True, name='another').start()\n"
    "    [one for one in threading.enumerate() if one.name == 'another'][0].join()",
    "process": "subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE).wait()",
    "lock": "threading.Lock().acquire(timeout=600) and threading.Semaphore(0).acquire()",
    "event_loop": "asyncio.run(asyncio.Event().wait())",
}
LIMIT_SECONDS = 2
CONFTEST = f"""
import limits, pytest

limits.ALARM_INTERVAL_SECONDS, limits.EXIT_DELAY_SECONDS = {LIMIT_SECONDS}, {3 * LIMIT_SECONDS}  # each alarm delays it

def pytest_configure(config):
    config.pluginmanager.register(limits)
"""
IMPORTS = "import asyncio, re, subprocess, sys, threading, time\nimport pytest\n"


def ran(folder, *words: str, **files: str) -> str:
    """Returns pytest's output for test files in their own folder, with a short limit per test."""
    (folder / "conftest.py").write_text(CONFTEST)
    for name, code in files.items():
        (folder / f"test_{name}.py").write_text(IMPORTS + code)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    command += ["--rootdir", folder, f"--timeout={LIMIT_SECONDS}"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tests"), "COLUMNS": "80"}
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(
        [*command, "-rA", *words, folder], cwd=folder, env=environment, capture_output=True, text=True, timeout=80
    )
    return done.stdout + done.stderr


def test_every_test_has_a_time_limit(request):
    if request.config.option.timeout is not None or "PYTEST_TIMEOUT" in os.environ:
        pytest.skip("another limit is asked for")
    assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 90


LATE = """
from concurrent.futures import ThreadPoolExecutor
from hypothesis import given, strategies

@pytest.fixture
def late():
    yield
    time.sleep(600)

def test_fixture(late):
    assert 0

def test_pool():
    go_on = threading.Event()
    try:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(go_on.wait)
            time.sleep(600)
    finally:
        go_on.set()

@given(strategies.integers())
def test_examples(number):
    with open("examples", "a") as tried:
        tried.write("x")
    time.sleep(600)

def test_after():
    pass
"""


@pytest.mark.slow
def test_hang_in_a_test_its_teardown_pool_or_example_fails_it_and_the_others_run(tmp_path):
    tests = "".join(
        f"def test_{name}():\n    {code}\n\ndef test_after_{name}():\n    pass\n\n" for name, code in HANGS.items()
    )
    output = ran(tmp_path, "--numprocesses=2", "--dist=loadfile", hanging=tests, late=LATE)
    for name in HANGS:
        assert f"FAILED test_hanging.py::test_{name} - limits.TookTooLong" in output, output
        assert f"PASSED test_hanging.py::test_after_{name}" in output
    assert f"test_hanging.py::test_thread took longer than {LIMIT_SECONDS} s" in output
    assert "\nThread another:\n" in output and "\nThread MainThread:\n" in output
    assert "ERROR test_late.py::test_fixture - limits.TookTooLong" in output
    assert "FAILED test_late.py::test_pool - limits.TookTooLong" in output
    assert "FAILED test_late.py::test_examples - limits.TookTooLong" in output
    assert (tmp_path / "examples").read_text() == "x"  # Hypothesis did not try again
    assert "PASSED test_late.py::test_after" in output


@pytest.mark.slow
def test_hang_in_c_code_ends_its_process_and_the_others_run(tmp_path):
    tests = "def test_c():\n    sum(range(10**14))\n\ndef test_after():\n    pass\n"
    output = ran(tmp_path, "--numprocesses=1", "--dist=loadfile", deaf=tests)
    assert output.count("crashed while running 'test_deaf.py::test_c'") >= 1, output
    assert "PASSED test_deaf.py::test_after" in output
    assert f'test_deaf.py", line {len(IMPORTS.splitlines()) + 2} in test_c' in output  # the place of the hang


@pytest.mark.slow
@pytest.mark.timeout(300)  # of a loaded machine, on which Chromium starts slowly
def test_hang_in_a_browser_fails_its_test_and_keeps_the_browser(tmp_path):
    tests = """
import limits
from browser import chromium_path
from playwright.sync_api import sync_playwright

# Opening and closing a page takes longer than the limit on a loaded machine; the limit begins with the hang.
only_call = pytest.mark.timeout(func_only=True)
limits.ALARM_INTERVAL_SECONDS = limits.EXIT_DELAY_SECONDS = 100  # after it, for the teardown

@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        yield browser
        browser.close()

@pytest.fixture
def page(browser):
    page = browser.new_page()
    yield page
    page.close()

@pytest.mark.timeout(0)
def test_launch(page):
    pass

@only_call
def test_promise(page):
    page.evaluate("new Promise(() => {})")

@only_call
def test_handler(page):
    page.on("console", lambda message: time.sleep(600))
    page.evaluate("console.log('heard')")
    page.evaluate("new Promise(() => {})")

@pytest.mark.timeout(0)
def test_after(page):
    assert page.evaluate("1 + 1") == 2
"""
    output = ran(tmp_path, browser=tests)
    assert "FAILED test_browser.py::test_promise - limits.TookTooLong" in output, output
    assert "FAILED test_browser.py::test_handler - limits.TookTooLong" in output
    assert 'page.evaluate("new Promise' in output
    assert "PASSED test_browser.py::test_after" in output
