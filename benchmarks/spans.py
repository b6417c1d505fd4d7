"""Measures the cost of spans: the time of tokenize() over that of bare tiktoken, on 1 MB of text.

    python benchmarks/spans.py [a text file]

Prints, for each encoding, the best of seven runs.
"""

import sys
from pathlib import Path
from timeit import repeat

sys.path.insert(0, str(Path(__file__).parents[1]))

from tokenizer import get_encoding

SENTENCES = [
    "The quick brown fox jumps over the lazy dog, and it's 42 years old.\n",
    "ภาษาไทยเขียนติดกันโดยไม่เว้นวรรคระหว่างคำ\n",
    "吾輩は猫である。名前はまだ無い。\n",
    "def main(argv: list[str]) -> int:\n    return len(argv)\n",
    "Ça coûte 3,50 €, n'est-ce pas ? 👩‍👦 👍🏽\n",
]


def sample(size: int = 1_000_000) -> str:
    """Returns a text of about `size` bytes in several languages."""
    text = "".join(f"{i}. {SENTENCES[i % len(SENTENCES)]}" for i in range(size // 60))
    return text.encode()[:size].decode(errors="ignore")


def main() -> None:
    text = Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else sample()
    print(f"{len(text.encode()):,} bytes, {len(text):,} characters")
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        enc = get_encoding(name)
        bare, own = (
            1000 * min(repeat(lambda encode=encode: encode(text), number=1, repeat=7))
            for encode in (enc.model.tiktoken.encode_ordinary, enc.tokenize)
        )
        print(f"{name:12} tiktoken {bare:6.1f} ms   tokenize() {own:6.1f} ms   ratio {own / bare:.2f}")


if __name__ == "__main__":
    main()
