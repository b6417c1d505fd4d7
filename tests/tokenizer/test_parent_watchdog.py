"""A process ends with its parent, also if the parent is killed."""

import os
import signal
import subprocess
import sys

import psutil
import pytest
from apps import until
from paths import ROOT

PARENT = """
import os, subprocess, sys
child = "import os, sys, time; from tokenizer.parent_watchdog import exit_with_parent as end; end(int(sys.argv[1]));"
child += "print(os.getpid(), flush=True); {work}"
subprocess.Popen([sys.executable, "-c", child, str(os.getpid())]).wait()
"""


@pytest.mark.slow
@pytest.mark.parametrize("work", ["time.sleep(60)", "sum(range(10 ** 10))"], ids=["waiting", "at work"])
def test_process_ends_when_its_parent_is_killed(work):
    code = PARENT.replace("{work}", work)
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
    child = psutil.Process(int(parent.stdout.readline()))
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait(timeout=10)
    until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, seconds=10)
