"""Counts a large file in the terminal: time and memory, compared with bare tiktoken on the same file.

    python benchmarks/count_file.py [megabytes]

Without a number 1,000. The file is made of the project's own texts in 48 languages. tiktoken is given a megabyte of
lines at a time, which is all that its own user could do in bounded memory; its count may be another for that. Each runs
in a process of its own; seconds are those of the processor, so that a busy machine changes little.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENCODING = "o200k_base"
BARE = f"""
from tokenizer import get_encoding
encode, total = get_encoding({ENCODING!r}).model.tiktoken.encode_to_numpy, 0
with open(__import__("sys").argv[1], encoding="utf-8", newline="") as file:
    while lines := file.readlines(1 << 20):
        total += len(encode("".join(lines), disallowed_special=()))
print(total)
"""


def write(path: Path, size: int) -> None:
    """Writes a file of `size` bytes or a few more."""
    folders = [ROOT / "assets" / name for name in ("parallel", "corpora")]
    unit = b"".join(path.read_bytes() for folder in folders for path in sorted(folder.glob("*.txt")))
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(unit)


def run(words: list[str]) -> tuple[int, float, int]:
    """Returns what a process printed, the seconds of processor that it took, and the most memory it had, in bytes."""
    process = subprocess.Popen([sys.executable, *words], cwd=ROOT, stdout=subprocess.PIPE)
    printed = int(process.stdout.read())
    _, _, used = os.wait4(process.pid, 0)
    return printed, used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    size = int(sys.argv[1]) * 1_000_000 if len(sys.argv) > 1 else 1_000_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.txt")
        write(path, size)
        size = path.stat().st_size
        found = {
            "tokenloupe count": run(["-m", "tokenizer", "count", "--encoding", ENCODING, str(path)]),
            "tiktoken": run(["-c", BARE, str(path)]),
        }
    print(f"{size:,} bytes, {ENCODING}")
    bare = found["tiktoken"][1]
    for label, (tokens, seconds, memory) in found.items():
        speed = size / seconds / 1_000_000
        print(f"  {label:16} {tokens:,} tokens   {seconds:6.1f} s   {seconds / bare:4.2f} times tiktoken", end="")
        print(f"   {speed:5.1f} MB/s   at most {memory / 1_000_000:.0f} MB of memory")


if __name__ == "__main__":
    main()
