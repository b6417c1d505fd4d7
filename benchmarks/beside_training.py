"""What typing costs while others train: the route's latency at idle, and with two trainings at work.

python benchmarks/beside_training.py [people] [seconds]
"""

import asyncio
import os
import random
import statistics
import subprocess
import sys
from contextlib import contextmanager

from _serving import ROOT, app
from route import load

from tokenizer.training.worker import Order, write_order

TEXT = "".join(random.Random(1).choices("abcdefghijklmnopqrst", k=4_000_000))


@contextmanager
def training(how_many: int):
    """Trainings that do not end by themselves, in processes as the app starts them."""
    command = [sys.executable, "-m", "tokenizer.training.worker", str(os.getpid())]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    processes = [subprocess.Popen(command, cwd=ROOT, **pipes) for _ in range(how_many)]
    try:
        for process in processes:
            write_order(process.stdin, Order(900_000, None), (TEXT,))
            process.stdin.close()
            process.stdout.readline()
        yield
        assert all(process.poll() is None for process in processes), "a training ended before the measuring did"
    finally:
        for process in processes:
            process.kill()
            process.wait(timeout=10)


def main() -> None:
    people, seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 10, float(sys.argv[2]) if len(sys.argv) > 2 else 6
    with app() as (url, _):
        asyncio.run(load(url, people, 1))
        idle, busy = [], []
        for _ in range(2):  # in turns, since these machines are noisy
            idle += asyncio.run(load(url, people, seconds))
            with training(2):
                busy += asyncio.run(load(url, people, seconds))
    for name, took in (("idle", idle), ("beside two trainings", busy)):
        p99 = statistics.quantiles(took, n=100)[98]
        print(f"{name}: {len(took)} keys, median {1000 * statistics.median(took):.1f} ms, p99 {1000 * p99:.1f} ms")
    print(f"median beside trainings: {statistics.median(busy) / statistics.median(idle):.2f} times that at idle")


if __name__ == "__main__":
    main()
