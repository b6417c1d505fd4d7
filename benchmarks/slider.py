"""Measures the slider of the vocabulary in real browsers, over 5,000 characters of English and of Thai.

    python benchmarks/slider.py [--moves N] [chromium] [firefox] [webkit]

It moves from bytes alone to all merges of o200k_base: the time of a move with its layout, and the frames that came
later than those of 60 a second.
"""

import argparse

from page_encoder import MODULE, give_encodings, opened

from server.web_files import TOKENS, VOCABULARY_SLIDER
from tokenizer import get_encoding
from tokenizer.display import palette
from tokenizer.languages.parallel import parallel_corpus

NAME = "o200k_base"
SHEETS = [TOKENS, VOCABULARY_SLIDER]
STYLE = palette.component_css(*(sheet.read_text(encoding="utf-8") for sheet in SHEETS))
MOVE = f"""async (text, name, sheets, moves) => {{
  const {{ VocabularySlider }} = await import('/web/js/vocabulary_slider/vocabulary-slider.js');
  const {{ mergesAt }} = await import('/web/js/vocabulary_slider/curve.js');
  const host = document.createElement('div'), desk = document.createElement('div'), found = [], frames = [];
  const style = Object.assign(document.createElement('style'), {{ textContent: sheets }});
  desk.className = 'desk';
  document.body.replaceChildren(host);
  host.attachShadow({{ mode: 'open' }}).append(style, desk);
  const slider = new VocabularySlider(desk), frame = () => new Promise(requestAnimationFrame);
  const encoder = {MODULE}.encoders[0].quick, begin = performance.now();
  slider.show(text, encoder, name);
  const shown = performance.now() - begin, total = encoder.table.mergesBelow.at(-1);
  for (let i = 0; i <= moves; i++) {{
    frames.push(await frame());
    const start = performance.now();
    slider.moveTo(mergesAt(i / moves, total));
    desk.getBoundingClientRect();
    found.push(performance.now() - start);
  }}
  slider.close();
  return [shown, found, frames.slice(1).map((time, i) => time - frames[i])];
}}"""
MAX_FRAME_MS = 1000 / 60 + 2  # with the browser's own deviation


def main() -> None:
    read = argparse.ArgumentParser()
    read.add_argument("--moves", type=int, default=240)
    read.add_argument("engines", nargs="*", default=["chromium"])
    asked = read.parse_args()
    with opened(asked.engines) as engines:
        give_encodings({NAME: get_encoding(NAME)}, engines)
        for kind, engine in engines.items():
            for language in ("en", "th"):
                text = "\n".join(parallel_corpus()[language])[:5_000]
                shown, moves, frames = engine.run(MOVE, text, NAME, STYLE, asked.moves)
                slow = sum(time > MAX_FRAME_MS for time in frames)
                median, late, longest = (sorted(moves)[int(share * (len(moves) - 1))] for share in (0.5, 0.95, 1))
                print(
                    f"{kind}: {len(text):,} characters, {language}: read in {shown:.0f} ms; a move takes {median:.1f}"
                    f" ms, 95 of 100 at most {late:.1f}, all {longest:.1f}; {slow} of {len(frames)} frames are late",
                    flush=True,
                )


if __name__ == "__main__":
    main()
