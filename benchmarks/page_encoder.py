"""Compares the encoder of the page with the core's, which is tiktoken's, on random texts in real browsers.

    python benchmarks/page_encoder.py [--texts N] [--seed N] [--moves N] [chromium] [firefox] [webkit]

Difficult texts are drawn from the seed, a thousand a batch, and each is encoded by every encoding of NAMES. Each
difference is printed with the text; those that come from another version of Unicode are counted apart: the text has
a character whose category the browser and tiktoken do not agree on.

Then the slider of the vocabulary moves over 5,000 characters of English and of Thai, from bytes alone to all merges of
o200k_base: the time of a move with its layout, and the frames that came later than those of 60 a second.
"""

import argparse
import base64
import threading
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import _serving
import tiktoken
from browsers.conftest import ENGINES
from difficult_texts import difficult_text

from server.editor_api import rank_tables
from tokenizer import get_encoding
from tokenizer.display import palette
from tokenizer.languages.parallel import parallel_corpus
from tokenizer.text.well_formed import well_formed

NAMES = ["gpt2", "cl100k_base", "o200k_base", "llama3", "qwen3"]
BATCH = 1_000
SHEETS = [_serving.ROOT / "ui" / "components" / f"{name}.css" for name in ("tokens", "vocabulary_slider")]
STYLE = palette.component_css(*(sheet.read_text(encoding="utf-8") for sheet in SHEETS))
PREPARE = """async (given) => {
  const { PageEncoder } = await import('/ui/components/js/page_encoder/page-encoder.js');
  const { hashBytes, RankTable, unpackTable } = await import('/ui/components/js/page_encoder/rank-table.js');
  const { Chunk } = await import('/ui/components/js/editor/document.js');
  const { fromBase64 } = await import('/ui/components/js/net/wire-format.js');
  window.encoders = given.map(([pattern, table]) => new PageEncoder(
    new RegExp(pattern, 'gu'), new RankTable(unpackTable(fromBase64(table), hashBytes)), []));
  window.idsOf = (texts) => window.encoders.map((encoder) => texts.map((text) => {
    const found = encoder.encode([new Chunk(text, true)]);
    return found && Array.from(found[0].ids).join(' ');
  }));
}"""
MOVE = """async ([text, sheets, moves]) => {
  const { VocabularySlider } = await import('/ui/components/js/vocabulary_slider/vocabulary-slider.js');
  const { mergesAt } = await import('/ui/components/js/vocabulary_slider/curve.js');
  const host = document.createElement('div'), desk = document.createElement('div'), found = [], frames = [];
  const style = Object.assign(document.createElement('style'), { textContent: sheets });
  desk.className = 'desk';
  document.body.replaceChildren(host);
  host.attachShadow({ mode: 'open' }).append(style, desk);
  const slider = new VocabularySlider(desk), frame = () => new Promise(requestAnimationFrame);
  const encoder = window.encoders[2], begin = performance.now();
  slider.show(text, encoder, 'o200k_base');
  const shown = performance.now() - begin, total = encoder.table.mergesBelow.at(-1);
  for (let i = 0; i <= moves; i++) {
    frames.push(await frame());
    const start = performance.now();
    slider.moveTo(mergesAt(i / moves, total));
    desk.getBoundingClientRect();
    found.push(performance.now() - start);
  }
  slider.close();
  return [shown, found, frames.slice(1).map((time, i) => time - frames[i])];
}"""
MAX_FRAME_MS = 1000 / 60 + 2  # with the browser's own deviation
CATEGORIES = ["L", "M", "N", "Lu", "Ll", "Lt", "Lm", "Lo"]
IN_BROWSER = """async ([characters, names]) => characters.map((one) =>
  names.filter((name) => new RegExp(`\\\\p{${name}}`, 'u').test(one)))"""
BYTES = {bytes([i]): i for i in range(256)}
OF_TIKTOKEN = {
    name: tiktoken.Encoding(name, pat_str=rf"\p{{{name}}}", mergeable_ranks=BYTES, special_tokens={})
    for name in CATEGORIES
}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_) -> None:
        pass


def disputed(engine, texts: list[str]) -> set[str]:
    """Returns the characters of texts whose category differs between the browser and tiktoken."""
    characters = sorted(set("".join(texts)))
    theirs = engine.run(IN_BROWSER, [characters, CATEGORIES])
    ours = [[name for name in CATEGORIES if OF_TIKTOKEN[name].encode_ordinary(one)] for one in characters]
    return {one for one, own, other in zip(characters, ours, theirs, strict=True) if own != other}


def main() -> None:
    read = argparse.ArgumentParser()
    read.add_argument("--texts", type=int, default=20_000)
    read.add_argument("--seed", type=int, default=1)
    read.add_argument("--moves", type=int, default=240)
    read.add_argument("engines", nargs="*", default=["chromium"])
    asked = read.parse_args()
    files = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(_serving.ROOT)))
    threading.Thread(target=files.serve_forever, daemon=True).start()
    given = []
    for name in NAMES:
        encoding = get_encoding(name)
        pattern = rank_tables.page_encoder(name, encoding, "")["pattern"]
        given.append([pattern, base64.b64encode(rank_tables.packed(encoding)).decode()])
    for kind in asked.engines:
        with TemporaryDirectory() as folder, closing(ENGINES[kind](Path(folder))) as engine:
            engine.go(f"http://127.0.0.1:{files.server_port}/ui/components/tokens.css")
            engine.run(PREPARE, given)
            compared, alone, different, of_unicode = 0, 0, 0, 0
            for batch in range(asked.texts // BATCH):
                draw = Random(f"{asked.seed} {batch}")
                texts = [well_formed(difficult_text(draw))[0] for _ in range(BATCH)]
                found = engine.run("(texts) => window.idsOf(texts)", texts)
                wrong = {}
                for name, ids in zip(NAMES, found, strict=True):
                    for text, own in zip(texts, ids, strict=True):
                        compared += 1
                        alone += own is None
                        if own is not None and own != " ".join(map(str, get_encoding(name).encode(text))):
                            wrong.setdefault(text, []).append(name)
                known = disputed(engine, list(wrong)) if wrong else set()
                for text, names in wrong.items():
                    if known & set(text):
                        of_unicode += len(names)
                    else:
                        different += len(names)
                        print(f"  {names}: {text!r}")
            print(
                f"{kind}: {compared:,} comparisons, {different} differ, {of_unicode} more by another version of"
                f" Unicode; {alone} texts are left to the server",
                flush=True,
            )
            for language in ("en", "th"):
                text = "\n".join(parallel_corpus()[language])[:5_000]
                shown, moves, frames = engine.run(MOVE, [text, STYLE, asked.moves])
                slow = sum(time > MAX_FRAME_MS for time in frames)
                median, late, longest = (sorted(moves)[int(share * (len(moves) - 1))] for share in (0.5, 0.95, 1))
                print(
                    f"{kind}: {len(text):,} characters, {language}: read in {shown:.0f} ms; a move takes {median:.1f}"
                    f" ms, 95 of 100 at most {late:.1f}, all {longest:.1f}; {slow} of {len(frames)} frames are late",
                    flush=True,
                )


if __name__ == "__main__":
    main()
