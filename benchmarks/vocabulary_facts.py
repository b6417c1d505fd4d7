"""Measures the facts of a vocabulary: the time from an encoding to its columns, of filters, and of look-ups.

    python benchmarks/vocabulary_facts.py [encoding ...]

Prints, for each encoding, the least processor time of five runs, and the memory that its columns take.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from timeit import repeat

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

from tokenizer import get_encoding, unreachable
from tokenizer.vocabulary.facts import Facts, facts_of
from tokenizer.vocabulary.id_ranges import id_ranges, longest_tokens
from tokenizer.vocabulary.merge_graph import MergeGraph
from tokenizer.vocabulary.shared_tokens import shared_tokens
from tokenizer.vocabulary.suspicious import suspicious
from tokenizer.vocabulary.token_search import Query, find
from tokenizer.vocabulary.usage import our_texts, usage

QUERIES = {
    "all of it": Query(),
    "text": Query(text="ing"),
    "text, any case": Query(text="ing", ignores_case=True),
    "bytes": Query(hex="E0 B8"),
    "script, by length": Query(scripts=frozenset({"Thai"}), sort="characters", descending=True),
    "all, by text": Query(sort="text"),
    "expression": Query(expression="ing$"),
}


def best(function: Callable[[], object]) -> float:
    """Returns the milliseconds of processor time that the fastest of five runs takes."""
    return 1_000 * min(repeat(function, timer=time.process_time, number=1, repeat=5))


def megabytes(facts: Facts) -> float:
    """Returns the memory of the columns and the texts."""
    columns = [column for column in vars(facts).values() if isinstance(column, np.ndarray)]
    return (sum(column.nbytes for column in columns) + sum(map(sys.getsizeof, facts.texts))) / 1e6


def main() -> None:
    gpt2 = facts_of(get_encoding("gpt2"))
    for name in sys.argv[1:] or ("gpt2", "cl100k_base", "o200k_base"):
        enc = get_encoding(name)
        facts = facts_of(enc)
        found = {"facts of all": lambda enc=enc: facts_of(enc)}
        found |= {
            f"find: {label}": lambda facts=facts, query=query: find(facts, query) for label, query in QUERIES.items()
        }
        found |= {
            "over ids": lambda facts=facts: id_ranges(facts),
            "longest of each script": lambda facts=facts: longest_tokens(facts),
            "made of a space": lambda facts=facts: MergeGraph(facts).children(facts.rows[b" "]),
            "shared with gpt2": lambda facts=facts: shared_tokens(facts, gpt2),
            "suspicious": lambda facts=facts: suspicious(facts),
            "unreachable": lambda enc=enc: list(unreachable(enc)),
            "use of our texts": lambda facts=facts: usage(facts, our_texts()),
        }
        print(f"{name}: {len(facts):,} rows, {megabytes(facts):.1f} MB")
        for label, function in found.items():
            print(f"  {label:24} {best(function):8.1f} ms")


if __name__ == "__main__":
    main()
