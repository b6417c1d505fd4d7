"""The launcher serves the app as `streamlit run` does, with the given options."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from urllib.request import urlopen

import pytest
from paths import ROOT

from e2e.desk import Desk
from e2e.server import LAUNCHER, Server
from e2e.test_serve_class import socket_status


@pytest.fixture(scope="module")
def launched(tmp_path_factory):
    options = ("--server.allowedHosts", "localhost", "--server.allowedHosts", "*.example.org", "--server.port")
    environment = {"STREAMLIT_SERVER_MAX_UPLOAD_SIZE": "3"}
    with Server(tmp_path_factory.mktemp("launched") / "log.txt", (*LAUNCHER[:-1], *options), **environment) as server:
        yield server
        server.stop()
        assert server.wait_for_exit() == -signal.SIGTERM
        assert "Tokenloupe: ended by SIGTERM." in server.log().splitlines()


def test_launched_app_tokenizes(launched, browser):
    context = browser.new_context()
    desk = Desk(context.new_page(), launched).open()
    desk.write("hello tokens")
    desk.expect_counts("hello tokens")
    context.close()
    assert launched.log_problems() == []


def test_only_allowed_hosts_are_answered(launched):
    hosts = ("localhost", "a.example.org", "127.0.0.1", "evil.example")
    assert [socket_status(launched.port, host) for host in hosts] == [101, 101, 403, 403]


def test_address_is_printed_and_query_texts_are_not_logged(launched):
    urlopen(f"{launched.url}/?text=secret", timeout=20).read()
    assert f"http://localhost:{launched.port}\n" in launched.log() and "secret" not in launched.log()


def test_sigint_exits_with_0_and_no_traceback(tmp_path):
    with Server(tmp_path / "log.txt", LAUNCHER) as server, socket.create_connection(("127.0.0.1", server.port)):
        assert server.interrupt() == 0
        assert server.log_problems() == [] and "Aborted" not in server.log()


@pytest.fixture
def hangups_end() -> Iterator[None]:
    """Lets SIGHUP end the processes that a test starts, also where nohup has the tests themselves ignore it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(
    "number, line",
    [
        (signal.SIGHUP, "Tokenloupe: ended by SIGHUP."),
        (signal.SIGSEGV, "Fatal Python error: Segmentation fault"),
    ],
)
def test_fatal_signals_are_logged(tmp_path, number, line, hangups_end):
    with Server(tmp_path / "log.txt", LAUNCHER) as server:
        os.kill(server.pid, number)
        assert server.wait_for_exit() == -number
        assert line in server.log().splitlines()


def test_unknown_option_exits_with_2():
    command = [sys.executable, "-m", "ui.launcher", "--server.port", "0", "--server.nothing", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stderr.endswith("Streamlit has no option --server.nothing.\n")
    assert done.returncode == 2
