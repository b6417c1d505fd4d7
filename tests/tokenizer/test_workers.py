"""Limits of worker processes: memory of each and of all together, priority and processor time."""

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
CODE = "import sys; print('here', flush=True); data = b'x' * int(sys.stdin.readline()); print(len(data), flush=True)"


def output(memory: int, size: int) -> bytes:
    """Returns what a worker with that memory limit prints when it allocates so many bytes."""
    with workers.start(["-c", CODE], memory, stderr=subprocess.DEVNULL) as process:
        return process.communicate(f"{size}\n".encode(), 60)[0]


@pytest.mark.parametrize("total", [2 * GB, 4 * GB, 8 * GB, 16 * GB, 25 * GB, 64 * GB])
def test_shares_total_half_of_the_memory_and_a_tenth_per_process(total):
    shares = Shares(total)
    parts = [shares.models, shares.trainings, 2 * shares.template, shares.process]  # including background work
    assert sum(parts) == shares.all <= total // 2
    assert max(shares.process, shares.template) <= total // 10
    assert shares.models >= shares.process and shares.trainings >= shares.process


def test_larger_machines_have_room_for_more_models():
    assert [Shares(size * GB).models // Shares(size * GB).process for size in (2, 4, 8, 64)] == [2, 2, 2, 16]


@linux
def test_worker_cannot_allocate_more_than_its_limit():
    assert output(300_000_000, 100_000_000) == b"here\n100000000\n"
    assert output(300_000_000, 300_000_000) == b"here\n"


HALVES = """
import resource
from tokenizer import workers
input()
child = workers.start(["-c", "import resource; print(resource.getrlimit(resource.RLIMIT_DATA)[0])"], 10**12)
print(child.communicate()[0].decode(), resource.getrlimit(resource.RLIMIT_DATA)[0])
workers.take_all_memory()
print(resource.getrlimit(resource.RLIMIT_DATA)[0])
"""


@pytest.mark.slow
@linux
def test_worker_passes_half_of_its_limit_to_its_child():
    with workers.start(["-c", HALVES], 400_000_000) as process:
        found = list(map(int, process.communicate(b"\n", 60)[0].split()))
    whole = 400_000_000 - MAPPED_BYTES
    assert found == [whole // 2, whole // 2, whole]


@linux
def test_worker_runs_at_a_lower_priority_than_the_server():
    with workers.start(["-c", "input()"], 300_000_000, niceness=7) as process:
        assert psutil.Process(process.pid).nice() == min(19, os.getpriority(os.PRIO_PROCESS, 0) + 7)
        process.communicate(b"\n")


@linux
@pytest.mark.slow
def test_worker_is_killed_at_its_cpu_time_limit():
    with workers.start(["-c", "while True: pass"], 300_000_000, cpu_seconds=1) as process:
        until(lambda: process.poll() is not None)


@pytest.mark.parametrize(
    ("own_groups", "files", "wanted"),
    [
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": "500000000\n", "memory.max": "max\n"}, 500_000_000),
        ("0::/a\n", {"a/memory.max": "600000000\n", "memory.max": "500000000\n"}, 500_000_000),
        ("0::/\n", {"memory.max": "400000000\n"}, 400_000_000),  # a container that sees only its own group
        ("4:memory:/a\n0::/\n", {"memory/a/memory.limit_in_bytes": "300000000\n"}, 300_000_000),
        ("4:memory:/not/seen/here\n", {"memory/memory.limit_in_bytes": "300000000\n"}, 300_000_000),
    ],
)
def test_total_memory_is_the_lowest_limit_of_the_control_groups(monkeypatch, tmp_path, own_groups, files, wanted):
    for name, text in files.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "own").write_text(own_groups)
    monkeypatch.setattr(workers, "CGROUPS", tmp_path / "groups")
    monkeypatch.setattr(workers, "OWN_CGROUPS", tmp_path / "own")
    assert workers.total_memory() == wanted


def test_total_memory_without_control_groups_is_the_machines(monkeypatch, tmp_path):
    monkeypatch.setattr(workers, "CGROUPS", tmp_path)
    monkeypatch.setattr(workers, "OWN_CGROUPS", tmp_path / "none")
    assert workers.total_memory() == psutil.virtual_memory().total
