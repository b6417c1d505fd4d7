"""Worker processes are bounded in memory, each and all together, by what the machine has."""

import os
import subprocess
import sys

import psutil
import pytest
from apps import until

from tokenizer import workers
from tokenizer.workers import MAPPED_BYTES, Shares

GB = 1_000_000_000
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a parent limit a worker")
TAKES = "import sys; print('here', flush=True); data = b'x' * int(sys.stdin.readline()); print(len(data), flush=True)"


def took(memory: int, size: int) -> bytes:
    """What a worker prints that may have so much memory and asks for so many bytes at once."""
    with workers.start(["-c", TAKES], memory, stderr=subprocess.DEVNULL) as process:
        return process.communicate(f"{size}\n".encode(), 60)[0]


@pytest.mark.parametrize("total", [2 * GB, 4 * GB, 8 * GB, 16 * GB, 25 * GB, 64 * GB])
def test_shares_are_half_of_the_machine_together_and_a_tenth_for_each_process(total):
    shares = Shares(total)
    parts = [shares.models, shares.trainings, 2 * shares.template, shares.process]  # that of background work
    assert sum(parts) == shares.all <= total // 2
    assert max(shares.process, shares.template) <= total // 10
    assert shares.models >= shares.process and shares.trainings >= shares.process


def test_a_larger_machine_has_room_for_more_models():
    assert [Shares(size * GB).models // Shares(size * GB).process for size in (2, 4, 8, 64)] == [2, 2, 2, 16]


@linux
def test_a_worker_cannot_take_more_than_its_limit():
    assert took(300_000_000, 100_000_000) == b"here\n100000000\n"
    assert took(300_000_000, 300_000_000) == b"here\n"


HALVES = """
import resource
from tokenizer import workers
input()
child = workers.start(["-c", "import resource; print(resource.getrlimit(resource.RLIMIT_DATA)[0])"], 10**12)
print(child.communicate()[0].decode(), resource.getrlimit(resource.RLIMIT_DATA)[0])
workers.take_all_memory()
print(resource.getrlimit(resource.RLIMIT_DATA)[0])
"""


@linux
def test_a_worker_gives_half_of_its_memory_to_one_that_it_starts():
    with workers.start(["-c", HALVES], 400_000_000) as process:
        found = list(map(int, process.communicate(b"\n", 60)[0].split()))
    whole = 400_000_000 - MAPPED_BYTES
    assert found == [whole // 2, whole // 2, whole]


@linux
def test_a_worker_lets_the_server_go_first():
    with workers.start(["-c", "input()"], 300_000_000, niceness=7) as process:
        assert psutil.Process(process.pid).nice() == min(19, os.getpriority(os.PRIO_PROCESS, 0) + 7)
        process.communicate(b"\n")


@linux
def test_the_time_of_a_processor_is_limited():
    with workers.start(["-c", "while True: pass"], 300_000_000, cpu_seconds=1) as process:
        until(lambda: process.poll() is not None)


@pytest.mark.parametrize(
    ("said", "files", "wanted"),
    [
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": "500000000\n", "memory.max": "max\n"}, 500_000_000),
        ("0::/a\n", {"a/memory.max": "600000000\n", "memory.max": "500000000\n"}, 500_000_000),
        ("0::/\n", {"memory.max": "400000000\n"}, 400_000_000),  # a container that sees its own alone
        ("4:memory:/a\n0::/\n", {"memory/a/memory.limit_in_bytes": "300000000\n"}, 300_000_000),
        ("4:memory:/not/seen/here\n", {"memory/memory.limit_in_bytes": "300000000\n"}, 300_000_000),
    ],
)
def test_memory_is_what_the_control_groups_allow(monkeypatch, tmp_path, said, files, wanted):
    for name, text in files.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "own").write_text(said)
    monkeypatch.setattr(workers, "CGROUPS", tmp_path / "groups")
    monkeypatch.setattr(workers, "OWN_CGROUPS", tmp_path / "own")
    assert workers.total_memory() == wanted


def test_without_control_groups_memory_is_that_of_the_machine(monkeypatch, tmp_path):
    monkeypatch.setattr(workers, "CGROUPS", tmp_path)
    monkeypatch.setattr(workers, "OWN_CGROUPS", tmp_path / "none")
    assert workers.total_memory() == psutil.virtual_memory().total
