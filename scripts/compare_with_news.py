"""Compares the premiums of our sentences with those of news: of the PUD treebanks of Universal Dependencies.

    python scripts/compare_with_news.py FOLDER

The folder has the files `xx_pud-ud-test.conllu` of English and of other languages (github.com/UniversalDependencies,
CC BY-SA 3.0). Of each, the 500 sentences from news are counted, whose ids begin with "n" (Zeman et al. 2017); the
others are from Wikipedia. Prints both premiums over English, and by how much ours is higher.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tokenizer import Encoding, get_encoding  # noqa: E402
from tokenizer.languages.parallel import parallel_corpus  # noqa: E402

ENCODINGS = ("gpt2", "cl100k_base", "o200k_base")
BASE, TAGS = "en", {"zh": "zh-Hant"}  # the Chinese treebank is in traditional characters
NEWS = re.compile(r"^# sent_id = (n\d+)$\n(?:#.*\n)*?# text = (.*)$", re.MULTILINE)


def premium(encoding: Encoding, texts: Iterable[str], base: Iterable[str]) -> float:
    """Returns the ratio of the tokens of texts to those of the same texts in the base language."""
    count, of_base = (sum(len(encoding.encode_array(text)) for text in one) for one in (texts, base))
    return count / of_base


def main(folder: Path) -> None:
    news = {path.name[:2]: dict(NEWS.findall(path.read_text("utf-8"))) for path in folder.glob("??_pud-*.conllu")}
    ours = parallel_corpus()
    for name in ENCODINGS:
        encoding = get_encoding(name)
        more = {}
        for code in sorted(news.keys() - {BASE}):
            tag, common = TAGS.get(code, code), news[code].keys() & news[BASE].keys()
            if tag not in ours or not common:
                continue
            in_news = premium(encoding, [news[code][one] for one in common], [news[BASE][one] for one in common])
            in_ours = premium(encoding, ours[tag], ours[BASE])
            more[tag] = in_ours / in_news - 1
            print(f"{name} {tag}: {len(common)} sentences, news {in_news:.2f}, ours {in_ours:.2f}, {more[tag]:+.1%}")
        print(f"{name}: {len(more)} languages, median {median(more.values()):+.1%}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
