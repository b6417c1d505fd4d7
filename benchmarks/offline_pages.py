"""Types difficult texts into the pages without a server in real browsers, and compares the ids on screen with tiktoken.

    python benchmarks/offline_pages.py [--texts N] [--seed N] [--static] [chromium] [firefox] [webkit]

The static page is served below a path; files to take home are opened from disk, unless --static leaves them out. Each
text is typed in one of the encodings in turn. The pages refuse a text with a part of over 20,000 bytes that the split
pattern does not divide: such texts are counted, and any other that has no tokens after ten seconds is an error.
"""

import argparse
import re
import threading
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import _serving  # noqa: F401  (finds the tests)
from browsers.conftest import ENGINES
from browsers.engine import Engine
from difficult_texts import difficult_text
from oracles import oracle, pre_tokens

from server.encodings import encoding_store
from server.exports import site
from server.exports.take_home import take_home
from tokenizer.text.well_formed import well_formed

BATCH = 10  # texts a call; in calls of a hundred Firefox may close the connection
MAX_UNDIVIDED_BYTES = 20_000
MAX_PRINTED = 400  # characters of a text
FIND = """(selector) => {
  const roots = [document, ...Array.from(document.querySelectorAll('*'), (one) => one.shadowRoot).filter(Boolean)];
  return roots.map((root) => root.querySelector(selector)).find(Boolean);
}"""
# Types texts; gives the ids on screen of each, whether they were there at once, and the number of tokens. Of a text
# without tokens it gives the notice under it instead.
TYPE = f"""async (texts, encoding) => {{
  const find = {FIND}, wait = (ms) => new Promise((done) => setTimeout(done, ms)), found = [];
  const isReady = () => find('.tokens[data-tokens]:not([data-stale])')?.dataset.encoding === encoding;
  for (let i = 0; i < 1_000 && !isReady(); i++) await wait(20);
  const area = find('textarea'), root = area.getRootNode(), view = root.querySelector('.tokens');
  const notice = root.querySelector('.notice'), isWaiting = (i) => 'stale' in view.dataset && (notice.hidden || i < 25);
  const idsOnScreen = () => {{ // up to the first block that is drawn later
    const blocks = Array.from(root.querySelectorAll('.ids div')).filter((one) => !one.querySelector('div'));
    const end = blocks.findIndex((block) => !block.firstChild), drawn = end < 0 ? blocks : blocks.slice(0, end);
    return drawn.flatMap((block) => Array.from(block.querySelectorAll('span'), (one) => Number(one.textContent)));
  }};
  for (const text of texts) {{
    area.value = text;
    area.dispatchEvent(new Event('input', {{ bubbles: true }}));
    const isAtOnce = !('stale' in view.dataset);
    for (let i = 0; i < 500 && isWaiting(i); i++) await wait(20);
    let ids = idsOnScreen();
    for (let i = 0; i < 500 && !ids.length && !('stale' in view.dataset) && view.dataset.tokens > 0; i++) {{
      await wait(20);
      ids = idsOnScreen();
    }}
    found.push('stale' in view.dataset ? notice.innerText : [ids, isAtOnce, Number(view.dataset.tokens)]);
  }}
  return found;
}}"""


class Files(SimpleHTTPRequestHandler):
    """Serves a folder, and writes no log."""

    def log_message(self, *_: object) -> None:
        pass


def compare(engine: Engine, what: str, name: str, texts: list[str], counts: dict[str, int]) -> None:
    """Types texts into the open page, and counts what it shows."""
    shown = [re.sub("\r\n?", "\n", text) for text in texts]  # as in a text area
    for text, found in zip(shown, engine.run(TYPE, shown, name), strict=True):
        counts["texts"] += 1
        if isinstance(found, str):
            longest = max(len(part.encode()) for part in pre_tokens(name, well_formed(text)[0]))
            is_refused = longest > MAX_UNDIVIDED_BYTES and f"{MAX_UNDIVIDED_BYTES:,} bytes" in found
            counts["refused" if is_refused else "without tokens"] += 1
            if not is_refused:
                print(
                    f"  {what}, {name}: {text[:MAX_PRINTED]!r} has no tokens, {found!r}, {longest:,} bytes", flush=True
                )
            continue
        ids, is_at_once, count = found
        wanted = oracle(name).encode_ordinary(text)
        counts["at once"] += is_at_once
        # ids far below the first screen are drawn later
        if count != len(wanted) or ids != wanted[: len(ids)] or not (ids or not wanted):
            counts["differ"] += 1
            print(f"  {what}, {name}: {text[:MAX_PRINTED]!r} has the ids {ids[:MAX_PRINTED]}", flush=True)


def main() -> None:
    read = argparse.ArgumentParser()
    read.add_argument("--texts", type=int, default=600)
    read.add_argument("--seed", type=int, default=1)
    read.add_argument("--static", action="store_true")
    read.add_argument("engines", nargs="*", default=["chromium"])
    asked = read.parse_args()
    with TemporaryDirectory() as folder:
        site.build(Path(folder, "page"))
        files = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=folder))
        threading.Thread(target=files.serve_forever, daemon=True).start()
        for name in site.ENCODINGS:
            Path(folder, f"{name}.html").write_text(
                take_home("Type here.", encoding_store.find(name)), encoding="utf-8"
            )
        for kind in asked.engines:
            with TemporaryDirectory() as home, closing(ENGINES[kind](Path(home))) as engine:
                for what in ("static page", "take-home page")[: 1 if asked.static else 2]:
                    counts = dict.fromkeys(("texts", "at once", "refused", "without tokens", "differ"), 0)
                    for k, name in enumerate(site.ENCODINGS):
                        if what == "static page":
                            engine.go(f"http://127.0.0.1:{files.server_port}/page/?lang=en&encoding={name}")
                        else:
                            engine.go(Path(folder, f"{name}.html").as_uri())
                        for number in range(k, asked.texts // BATCH, len(site.ENCODINGS)):
                            draw = Random(f"{asked.seed} {number}")
                            compare(
                                engine, f"{kind}, {what}", name, [difficult_text(draw) for _ in range(BATCH)], counts
                            )
                    print(f"{kind}, {what}: {counts}", flush=True)
                assert not engine.faults, engine.faults


if __name__ == "__main__":
    main()
