"""Views of the size of a vocabulary: saved tokens, parameters, and the frequency of its tokens."""

from collections.abc import Sequence
from functools import lru_cache
from statistics import median_low

from tokenizer.encoding import bpe
from tokenizer.encoding.bpe import Merge
from tokenizer.encoding.interface import Encoding
from tokenizer.kinds.byte_bpe import byte_bpe as by_ranks
from tokenizer.kinds.extending import extended_encoding, first_new_id
from tokenizer.kinds.registry import get_encoding
from tokenizer.lessons.learned import THAI, TWO_TO_ONE, VOCABULARY_SIZE, byte_bpe, corpus
from tokenizer.lessons.training_views import counts_in_corpus, lane, named
from tokenizer.lessons.views import Area, Areas, Shown, Still, Strip, Table, Word
from tokenizer.lessons.wording import Counted, Ratio
from tokenizer.training.train import train

MILLION = 1_000_000
NUM_BYTE_VALUES = 256  # base symbols of a vocabulary
MAX_TABLE_ROWS = 10


def tables(
    text: str,
    encodings: Sequence[str] = ("gpt2",),
    width: int = 768,
    columns: Sequence[str] = ("rows", "tied"),
    widest: int = 0,
) -> Shown:
    """Encodes a text, and counts the parameters of an embedding: a row of `width` numbers for every id.

    A tied output layer shares the table; an untied one has its own, which doubles the parameters. `columns` are those
    of the table: "rows", "tokens", "tied" and "untied". With `widest`, the largest width of a slider, the last column
    is drawn as rectangles; lines in that of a single table are the rows of the text's ids.

    >>> facts = tables("hello").facts
    >>> facts["gpt2_rows"], facts["gpt2_tied"], facts["gpt2_millions"], facts["gpt2_untied"]
    (50257, 38597376, 39, 77194752)
    """
    found = {name: get_encoding(name) for name in encodings}
    facts = {}
    for name, encoding in found.items():
        ids, tied = encoding.encode(text), encoding.id_limit * width
        facts |= {
            name: Counted(len(ids)),
            f"{name}_tokens": Counted(len(ids)),
            f"{name}_used": Counted(len(set(ids))),
            f"{name}_rows": Counted(encoding.id_limit),
            f"{name}_tied": Counted(tied),
            f"{name}_untied": Counted(2 * tied),
            f"{name}_millions": Counted(round(tied / MILLION)),
            f"{name}_untied_millions": Counted(round(2 * tied / MILLION)),
        }
    first, last = encodings[0], encodings[-1]
    times, share = facts[f"{last}_rows"] / facts[f"{first}_rows"], 100 * facts[last] / (facts[first] or 1)
    facts |= {"width": Counted(width), "times": Ratio(times), "times_about": Counted(round(times))}
    facts |= {"percent": Ratio(share), "percent_about": Counted(round(share))}
    rows = [(Word(name), *(facts[f"{name}_{column}"] for column in columns)) for name in encodings]
    blocks = [Table(("vocabulary_of", *columns), rows), *(Strip(name, name, text) for name in encodings)]
    if widest:
        num_tables = 2 if columns[-1] == "untied" else 1
        lines = text if num_tables == 1 else ""
        areas = [_area(name, encoding, width, num_tables, encoding.encode(lines)) for name, encoding in found.items()]
        areas.sort(key=lambda area: -area.height)
        blocks.insert(0, Areas(f"area_{columns[-1]}", areas, widest * num_tables, areas[0].height))
    return Shown(facts, blocks)


def _area(name: str, encoding: Encoding, width: int, num_tables: int, ids: Sequence[int]) -> Area:
    """Returns the rectangle of the tables of an encoding: a row of each id, and lines at the ids of a text."""
    rows = encoding.id_limit
    facts = {"width": Counted(width), "height": Counted(rows), "area": Counted(rows * width * num_tables)}
    return Area(name, width * num_tables, rows, facts, [id / rows for id in sorted({*ids})])


def first_merges(text: str, encoding: str = "o200k_base", merges: int = 1_000) -> Shown:
    """Encodes a text with the first merges of a rank table, and with all of them.

    >>> facts = first_merges("the tokens", "gpt2", 3).facts
    >>> facts["first_merges"], facts["all"], facts["bytes"], facts["total"]
    (8, 2, 10, 50000)
    """
    cut, whole = _with_first_merges(encoding, merges), get_encoding(encoding)
    found, every = cut.tokenize(text), len(whole.encode(text))
    times = len(found) / (every or 1)
    facts = {
        "merges": Counted(merges),
        "first_merges": Counted(len(found)),
        "all": Counted(every),
        "total": Counted(sum(len(token) > 1 for token in whole.ranks)),
        "bytes": Counted(len(text.encode())),
        "times": Ratio(times),
        "times_about": Counted(round(times)),
    }
    return Shown(facts, [Still("first_merges", found), Strip(encoding, encoding, text)])


@lru_cache(maxsize=50)
def _with_first_merges(name: str, merges: int) -> Encoding:
    whole = get_encoding(name)
    return by_ranks(name, whole.pattern, bpe.first_merges(whole.ranks, merges))


def added_merges(
    text: str, other: str, encoding: str = "gpt2", merges: int = 200, most: int = 300, width: int = 768
) -> Shown:
    """Encodes two texts before and after an encoding got more merges, learned from our Thai text.

    `most` merges are learned, and the first `merges` of them are used. Every new id takes a row of `width` numbers.

    >>> facts = added_merges("ฝนตก", "rain", merges=100).facts
    >>> facts["before"], facts["after"], facts["other_before"], facts["other_after"], facts["change"]
    (8, 5, 1, 1, 'same')
    """
    start, more = get_encoding(encoding), _with_added_merges(encoding, merges, most)
    before, after = len(start.encode(text)), more.tokenize(text)
    other_before, other_after = len(start.encode(other)), len(more.encode(other))
    facts = {
        "merges": Counted(merges),
        "before": Counted(before),
        "after": Counted(len(after)),
        "other_before": Counted(other_before),
        "other_after": Counted(other_after),
        "change": "same" if other_after == other_before else "fewer" if other_after < other_before else "more",
        "width": Counted(width),
        "parameters": Counted(merges * width),
    }
    return Shown(facts, [Strip(encoding, encoding, text), Still("added_merges", after)])


@lru_cache(maxsize=4)  # each takes 13 MB, and is made in 70 ms
def _with_added_merges(name: str, merges: int, most: int) -> Encoding:
    return extended_encoding(get_encoding(name), _added_merges(name, most)[:merges])


@lru_cache(maxsize=2)
def _added_merges(name: str, most: int) -> list[Merge]:
    start = get_encoding(name)
    return list(train(corpus(THAI).text, first_new_id(start) + most, start=start, min_count=2))


def examples(text: str, size: int = VOCABULARY_SIZE, few: int = 10) -> Shown:
    """Counts the learned tokens of a vocabulary of this size in its corpus, and those of a text.

    Base symbols are not counted; tokens that occur fewer than `few` times are rare.

    >>> small, large = (examples("the river", size).facts for size in (300, 1000))
    >>> small["median"] > large["median"], small["tokens"] > large["tokens"]
    (True, True)
    """
    encoding = byte_bpe(TWO_TO_ONE, size)
    counts, ids = counts_in_corpus(encoding, TWO_TO_ONE), encoding.encode(text)
    learned = counts[NUM_BYTE_VALUES:]
    rarest = sorted(dict.fromkeys(ids), key=counts.__getitem__)
    facts = {
        "vocabulary": Counted(encoding.vocab_size),
        "learned": Counted(len(learned)),
        "corpus": Counted(counts.sum()),
        "few": Counted(few),
        "rare": Counted((learned < few).sum()),
        "median": Counted(median_low(learned.tolist())),
        "tokens": Counted(len(ids)),
        "rarest": Counted(counts[rarest[0]] if rarest else 0),
    }
    rows = [(named(encoding.token_bytes(id)), int(counts[id])) for id in rarest[:MAX_TABLE_ROWS]]
    return Shown(facts, [lane("mix", encoding, text), Table(("rarest_first", "in_training"), rows)])


VIEWS = {"tables": tables, "first_merges": first_merges, "added_merges": added_merges, "examples": examples}
