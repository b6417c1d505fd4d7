"""What a page costs while three other threads work: each page with a new text, alone, and then beside them.

    python benchmarks/beside_threads.py [page ...]

Threads of Python take turns; so four times as long is what is due, and much more says that a page gives its turn away
with every small step. `regex` does that for each match where it is not told otherwise.
"""

import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from _serving import ROOT
from streamlit.testing.v1 import AppTest

TEXT = "The cat sat on the mat, it's 2026. ที่นี่มีแมวสองตัว สวัสดีครับ नमस्ते दुनिया 🙂👩‍👩‍👧 " * 22
OTHERS, TIMES, PATIENCE = 3, 3, 300  # threads; tries of each, of which the median is told; seconds
SWITCH = 0.0003  # seconds between two looks at whose turn it is, as the server has it


@contextmanager
def others() -> Iterator[None]:
    """Threads that work without end."""
    is_over = threading.Event()

    def work() -> None:
        while not is_over.is_set():
            sum(range(1_000))

    threads = [threading.Thread(target=work, daemon=True) for _ in range(OTHERS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join(10)


def drawn(page: str, text: str) -> AppTest:
    """The app with a text on the desk, about to turn to a page."""
    app = AppTest.from_file(ROOT / "app.py", default_timeout=PATIENCE)
    app.query_params["text"] = text
    app.run()
    app.switch_page(f"pages/{page}.py")
    return app


def timed(app: AppTest) -> float:
    """Seconds of one run."""
    begun = time.perf_counter()
    app.run()
    return time.perf_counter() - begun


def main(names: list[str]) -> None:
    """Prints for each page the seconds alone, beside the others, and how many times as long that is."""
    sys.setswitchinterval(SWITCH)
    for page in names or sorted(path.stem for path in Path(ROOT, "pages").glob("*.py") if path.stem != "frame"):
        timed(drawn(page, TEXT))  # what is read once is read
        alone = statistics.median(timed(drawn(page, f"{n} alone {TEXT}")) for n in range(TIMES))
        took = []
        for n in range(TIMES):
            app = drawn(page, f"{n} beside {TEXT}")
            with others():
                took.append(timed(app))
        beside = statistics.median(took)
        print(
            f"{page}: alone {alone:.2f} s, beside {OTHERS} threads {beside:.2f} s ({beside / alone:.1f} x)", flush=True
        )


if __name__ == "__main__":
    main(sys.argv[1:])
