"""Types random texts into the static page in real browsers, and compares the ids that it draws with tiktoken's.

    python benchmarks/static_page.py [--texts N] [--seed N] [chromium] [firefox] [webkit]

Difficult texts are drawn from the seed, a thousand a batch. The page is built for the run, and a plain server answers
with its files. For each encoding, each text replaces the one before in the box, and all ids that the page draws are
read. Each difference is printed with the text.
"""

import argparse
import re
import threading
import time
from contextlib import closing
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import _serving  # noqa: F401  (finds the tests)
from browsers.conftest import ENGINES
from difficult_texts import difficult_text
from e2e.offline_pages import WRITE
from oracles import oracle
from page_encoder import BATCH, Quiet

from server.exports import site
from tokenizer.text.well_formed import well_formed

MAX_PRINTED = 200  # characters of a text
TYPE = f"""async (name, texts) => {{
  const write = {WRITE}, frame = () => new Promise(requestAnimationFrame), MAX_WAIT_MS = 3000;
  const find = (selector) => document.querySelector('.place > div')?.shadowRoot.querySelector(selector);
  const isDrawn = () => find('.pane .tokens')?.dataset.encoding === name && !('stale' in find('.pane .tokens').dataset);
  const wait = async () => {{
    const deadline = performance.now() + MAX_WAIT_MS;
    while (!isDrawn() && find('.notice')?.hidden !== false && performance.now() < deadline) await frame();
  }};
  const input = document.querySelector(`.models input[value="${{name}}"]`), found = [];
  if (!input.checked) input.click();
  await wait();
  for (const text of texts) {{
    const ids = write(find('textarea'), text);
    if (!ids) await wait();
    const drawn = isDrawn() && Array.from(find('.ids').querySelectorAll('span'), (one) => one.textContent);
    found.push([drawn ? drawn.join(' ') : null, Boolean(ids)]);
  }}
  return found;
}}"""


def as_in_a_text_area(text: str) -> str:
    return re.sub("\r\n?", "\n", well_formed(text)[0])


def main() -> None:
    read = argparse.ArgumentParser()
    read.add_argument("--texts", type=int, default=10_000)
    read.add_argument("--seed", type=int, default=1)
    read.add_argument("engines", nargs="*", default=["chromium"])
    asked = read.parse_args()
    with TemporaryDirectory() as web, TemporaryDirectory() as home:
        site.build(Path(web))
        page = Path(web) / "index.html"  # its policy would forbid the script of the drivers
        page.write_text(re.sub('<meta http-equiv="Content-Security-Policy".*\n', "", page.read_text("utf-8")), "utf-8")
        files = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=web))
        threading.Thread(target=files.serve_forever, daemon=True).start()
        for kind in asked.engines:
            with closing(ENGINES[kind](Path(home) / kind)) as engine:
                engine.go(f"http://127.0.0.1:{files.server_port}/index.html")
                begin, different, later, refused = time.perf_counter(), 0, 0, 0
                for batch in range(asked.texts // BATCH):
                    draw = Random(f"{asked.seed} {batch}")
                    texts = [as_in_a_text_area(difficult_text(draw)) for _ in range(BATCH)]
                    for name in site.ENCODINGS:
                        found = engine.run(TYPE, name, texts)
                        for text, (ids, is_at_once) in zip(texts, found, strict=True):
                            later += not is_at_once
                            refused += ids is None
                            if ids is not None and ids != " ".join(map(str, oracle(name).encode_ordinary(text))):
                                different += 1
                                print(f"  {name}: {text[:MAX_PRINTED]!r}")
                print(
                    f"{kind}: {asked.texts:,} texts in {len(site.ENCODINGS)} encodings, {different} differ; {later}"
                    f" were drawn later, {refused} of them not at all; {time.perf_counter() - begin:.0f} s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
