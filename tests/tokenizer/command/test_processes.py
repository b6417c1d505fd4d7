"""The command in its own process: broken pipes, Ctrl-C and a terminal."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
from functools import partial

import pytest
from paths import ROOT

from tokenizer import get_encoding

pytestmark = pytest.mark.slow
COMMAND = [sys.executable, "-m", "tokenizer"]
SEQUENCE = re.compile(r"\x1b\[[\d;?]*[a-zA-Z]")


def start(*words, **given):
    return subprocess.Popen([*COMMAND, *words], cwd=ROOT, stderr=subprocess.PIPE, **given)


def on_terminal(*words, width=40, **environment):
    """Returns what the command sends to a terminal, with standard error, and its exit code."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, width))
    given = os.environ | {"TERM": "xterm-256color", "NO_COLOR": ""} | environment
    with subprocess.Popen(
        [*COMMAND, *words], cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs, env=given
    ) as process:
        os.close(theirs)
        found = b""
        while select.select([ours], [], [], 60)[0]:
            try:
                found += os.read(ours, 65_536)
            except OSError:  # the other end is closed
                break
    os.close(ours)
    return found.decode(), process.returncode


def test_broken_pipe_ends_the_command_without_an_error():
    with start("vocab", "--all", "-e", "gpt2", stdout=subprocess.PIPE) as process:  # more than a pipe holds
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b"" and process.wait(60) == 0


def test_ctrl_c_exits_with_130_without_a_traceback():
    accepts = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # background processes ignore SIGINT
    with start("count", stdin=subprocess.PIPE, preexec_fn=accepts) as process:
        process.stdin.write(b"some words\n" * 300_000)  # more than a pipe holds, so the command is reading
        process.send_signal(signal.SIGINT)
        with pytest.raises(BrokenPipeError):
            for _ in range(10_000):  # Python handles a signal that arrives between two reads after the second one
                process.stdin.write(b"some words\n" * 1_000)
        assert process.wait(60) == 130 and process.stderr.read().strip() == b""
        process.stdin = None


def test_terminal_gets_colors_and_no_control_sequence_of_the_text():
    text = "two words\x1b]0;title\x07\x1b[2J\x9b5n"
    shown, code = on_terminal("show", "-e", "gpt2", "-t", text)
    assert code == 0 and "\x1b[48;5;" in shown
    assert set(SEQUENCE.findall(shown)) <= {"\x1b[0m", *re.findall(r"\x1b\[[34]8;5;\d+m", shown)}
    assert not re.search(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]", SEQUENCE.sub("", shown))
    assert "│" in SEQUENCE.sub("", shown)
    assert "\x1b" not in on_terminal("show", "-e", "gpt2", "-t", text, NO_COLOR="1")[0]
    ids = map(str, get_encoding("gpt2").encode(text))
    assert "\x1b" not in on_terminal("decode", "-e", "gpt2", *ids)[0]


def test_train_draws_its_progress_on_a_narrow_terminal(tmp_path):
    shown, code = on_terminal("train", "README.md", "-n", "400", "-o", str(tmp_path / "x.model"), width=20)
    assert code == 0 and "Reading" in shown and "Merging" in shown and "100%" in shown
