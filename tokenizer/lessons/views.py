"""Views: each computes facts for the sentences of a step, and blocks to draw."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from tokenizer.display.readable import readable
from tokenizer.encoding.tokens import SPECIAL, Tokens
from tokenizer.kinds.registry import get_encoding
from tokenizer.languages.parallel import parallel_corpus
from tokenizer.lessons.pictures import Coded
from tokenizer.lessons.wording import Counted, Ratio
from tokenizer.split.patterns import KNOWN_PATTERNS, pre_tokens
from tokenizer.text.anatomy import code_point, sizes
from tokenizer.text.scripts import script
from tokenizer.text.units import count_graphemes, count_words, graphemes
from tokenizer.text.well_formed import as_text, well_formed
from tokenizer.training.train import Merge, top_pairs, train

MAX_TEXT_CHARACTERS = 2_000  # of a text for a step
MAX_MERGES = 60  # shown step by step
MAX_PAIRS = 6
WORD_END = ""  # marks the end of a word among parts
TIMES, RANK = "times", "rank"  # the criterion for the next pair


class Strip(NamedTuple):
    """A text as the tokens of an encoding; `special` as `Encoding.tokenize` takes it, `lang` a BCP 47 tag or empty."""

    label: str
    encoding: str
    text: str
    special: str = "text"
    lang: str = ""


class Lane(NamedTuple):
    """Pieces in a row, such as those of a split pattern; `unit` is the key of their name."""

    label: str
    pieces: list[str]
    unit: str = "pieces"


class Word(str):
    """A cell of a table that is translated; other cells, such as typed text, are shown unchanged."""


class Parts(NamedTuple):
    """A cell of a table with the parts of a text; those equal to `made` are marked."""

    parts: Sequence[str]
    made: str = ""


class Table(NamedTuple):
    """Rows of cells; the head has keys, which are translated. With `one_by_one`, the rows appear one after another."""

    head: tuple[str, ...]
    rows: list[tuple]
    one_by_one: bool = False


class Area(NamedTuple):
    """A rectangle; `facts` are those of its sentence, `marks` the heights of lines in it, from 0 to 1."""

    label: str
    width: float
    height: float
    facts: Mapping[str, Any]
    marks: Sequence[float] = ()


class Areas(NamedTuple):
    """Rectangles with one corner in common, the largest first, in a frame of `width` and `height`; a sentence each."""

    sentence: str
    areas: list[Area]
    width: float
    height: float


class Still(NamedTuple):
    """Tokens of an encoding that exists only in the step."""

    label: str
    tokens: Tokens


class State(NamedTuple):
    """A state of a text between two merges: its parts, and the candidates for the next merge, the best first.

    The number of a pair is how many TIMES it occurs, or its RANK. `made` is the result of the last merge.
    """

    parts: list[str]
    pairs: list[tuple[str, str, int]]
    made: str = ""
    by: str = TIMES


class Pipeline(NamedTuple):
    """The way of a text through a model: its tokens, their ids and rows, and `then`, an example of the next token."""

    text: str
    then: str
    encoding: str = "o200k_base"


class Shown(NamedTuple):
    """The result of a view: facts by name, and blocks."""

    facts: dict[str, Any]
    blocks: list[Strip | Still | Lane | Table | Areas | Coded | list[State]]


def tokens(text: str, encodings: Sequence[str] = ("o200k_base",), thai: bool = False, ids: bool = False) -> Shown:
    """Encodes a text, with one encoding or several.

    With `thai`, counts the Thai tokens of their vocabularies; with `ids`, draws the ids of the first encoding.

    >>> tokens("hello world").facts["tokens"], tokens("ab", ["gpt2", "o200k_base"]).facts["gpt2"]
    (2, 1)
    """
    found = {name: get_encoding(name).tokenize(text) for name in encodings}
    counts = {name: len(one) for name, one in found.items()}
    first, last = counts[encodings[0]], counts[encodings[-1]]
    facts = {
        **{name: Counted(count) for name, count in counts.items()},
        "tokens": Counted(first),
        "characters": Counted(len(text)),
        "words": Counted(count_words(text)),
        "bytes": Counted(len(text.encode())),
        "fewest": min(counts, key=counts.get),
        "times": Ratio(first / last if last else 1),
        "cuts": tuple(cuts(found[encodings[0]])),
        **({f"{name}_thai": Counted(num_thai_tokens(name)) for name in encodings} if thai else {}),
    }
    numbers = Lane("token_ids", list(map(str, found[encodings[0]].ids)), "ids")
    return Shown(facts, [*(Strip(name, name, text) for name in encodings), *[numbers] * ids])


@cache
def num_thai_tokens(encoding: str) -> int:
    """Returns how many tokens of an encoding the page Vocabulary lists as Thai.

    >>> num_thai_tokens("gpt2"), num_thai_tokens("cl100k_base")
    (0, 58)
    """
    found = get_encoding(encoding)
    # the script of a token takes longer to find than the first two bytes of a Thai character
    possible = (token for token in map(found.token_bytes, found.ids()) if b"\xe0\xb8" in token or b"\xe0\xb9" in token)
    return sum(script(token) == "Thai" for token in possible)


def cuts(found: Tokens) -> list[int]:
    """Returns the token boundaries inside a text, in characters; those within a character are left out.

    >>> cuts(get_encoding("gpt2").tokenize("a cat"))
    [1]
    """
    ends, at = set(found.ends.tolist()), 0
    places = []
    for i, character in enumerate(found.text[:-1], 1):
        at += len(character.encode())
        if at in ends:
            places.append(i)
    return places


def special(text: str, encoding: str = "o200k_base", drawn: Sequence[str] = ("text", "special")) -> Shown:
    """Encodes a text with special names read as text, and as special tokens; `drawn` are the readings to draw.

    >>> special("<|endoftext|>", "gpt2").facts["as_special"]
    1
    """
    found = get_encoding(encoding)
    read = {f"as_{policy}": found.tokenize(text, special=policy) for policy in ("text", "special")}
    signals = {policy: int((tokens.kinds == SPECIAL).sum()) for policy, tokens in read.items()}
    facts = {policy: Counted(len(tokens)) for policy, tokens in read.items()}
    facts["signals"] = max(signals, key=signals.get)
    return Shown(facts, [Strip(f"as_{policy}", encoding, text, policy) for policy in drawn])


def units(text: str) -> Shown:
    """Counts graphemes, characters and bytes of a text, and its size in each encoding form of Unicode.

    >>> {name: units("ที่").facts[name] for name in ("graphemes", "characters", "utf8", "utf16", "utf32")}
    {'graphemes': 1, 'characters': 3, 'utf8': 9, 'utf16': 6, 'utf32': 12}
    """
    size = {form: size for form, (_, size) in sizes(text).items()}
    facts = {
        "graphemes": Counted(count_graphemes(text)),
        "characters": Counted(len(text)),
        **{form.lower().replace("-", ""): Counted(size[form]) for form in size},
    }
    rows = [
        (readable(one.encode()), " ".join(map(code_point, one)), one.encode().hex(" ").upper())
        for one in graphemes(text)
    ]
    return Shown(
        facts, [Table(("form", "bytes"), list(size.items())), Table(("grapheme", "code_points", "utf8"), rows)]
    )


def in_bytes(text: str, encoding: str = "gpt2") -> Shown:
    """Decodes the bytes of each token alone.

    >>> in_bytes("ที่").facts["broken"]
    6
    """
    found = get_encoding(encoding)
    ids = found.encode(text)
    token_bytes = [found.token_bytes(id) for id in ids]
    broken = [as_text(one) is None for one in token_bytes]
    rows = [
        (str(id), data.hex(" ").upper(), data.decode(errors="replace"), Word("no" if is_broken else "yes"))
        for id, data, is_broken in zip(ids, token_bytes, broken, strict=True)
    ]
    facts = {
        "tokens": Counted(len(ids)),
        "broken": Counted(sum(broken)),
        "bytes": Counted(len(text.encode())),
        "replacements": Counted(sum(row[2].count("\ufffd") for row in rows)),
        "thai": Counted(num_thai_tokens(encoding)),
    }
    return Shown(facts, [Strip(encoding, encoding, text), Table(("id", "bytes", "alone", "is_text"), rows)])


def merging(
    text: str, by_words: bool = False, start: int = 1, ties: str = "first-seen", drawn: int = MAX_MERGES
) -> Shown:
    """Merges a text, the most frequent pair first, until no pair occurs twice.

    With `by_words`, no merge spans a space, and the spaces are left out. `start` is the state to show first, `drawn`
    the number of merges to draw, and `ties` one of TIE_RULES.

    >>> facts = merging("aaabdaaabac").facts
    >>> facts["pair"], facts["count"], facts["merges"], facts["after"], facts["least"]
    ('aa', 4, 3, 9, 5)
    """
    pieces = Counter(text.split() if by_words else filter(None, [text]))
    merges = list(_learned(pieces, ties))
    states, sizes, parts = [], [], [list(piece) for piece in (text.split() if by_words else [text])]
    for done in range(len(merges) + 1):
        sizes.append(sum(map(len, parts)))
        if done <= drawn:
            shown = [part for word in parts for part in [*word, WORD_END]][:-1] if by_words else parts[0]
            made = merges[done - 1].token.decode() if done else ""
            states.append(State(shown, _next(pieces, merges[:done], ties), made))
        if done < len(merges):
            parts = [_merged(word, merges[done]) for word in parts]
    first, after = (merges[0], sizes[1]) if merges else (None, sizes[0])
    facts = {
        "start": min(start, len(merges)),
        "pair": first.token.decode() if first else "",
        "count": Counted(first.count if first else 0),
        "merges": Counted(len(merges)),
        "characters": Counted(sizes[0]),
        "after": Counted(after),
        "least": Counted(sizes[-1]),
        "ratio": Ratio(sizes[0] / sizes[-1] if sizes[-1] else 1),
    }
    return Shown(facts, [states])


def _learned(pieces: Mapping[str, int], ties: str) -> Iterable[Merge]:
    base = len(set("".join(pieces)))
    options = {"ties": ties, "alphabet": "characters", "counts": pieces, "min_count": 2}
    return train((), base + MAX_TEXT_CHARACTERS, None, **options) if pieces else ()


def _next(pieces: Mapping[str, int], merges: Sequence[Merge], ties: str) -> list[tuple[str, str, int]]:
    """Returns the candidates for the next merge after some merges, the best first."""
    pairs = top_pairs(pieces, MAX_PAIRS, ties, "characters", merges) if pieces else []
    return [(left.decode(), right.decode(), count) for left, right, count in pairs]


def _merged(parts: list[str], merge: Merge) -> list[str]:
    """Returns the parts after a merge.

    >>> _merged(["a", "a", "a"], Merge(2, b"a", b"a", b"aa", 2, 1))
    ['aa', 'a']
    """
    pair, made, at = [merge.left.decode(), merge.right.decode()], [], 0
    while at < len(parts):
        is_pair = parts[at : at + 2] == pair
        made.append("".join(pair) if is_pair else parts[at])
        at += 1 + is_pair
    return made


def walls(text: str, patterns: Sequence[str] = ("gpt2", "cl100k_base", "o200k_base")) -> Shown:
    """Splits a text by patterns into pieces that no merge crosses.

    >>> walls("I'LL").facts["gpt2"], walls("1234567").facts["cl100k_base"]
    (3, 3)
    """
    found = {name: [one.text for one in pre_tokens(text, KNOWN_PATTERNS[name])] for name in patterns}
    facts = {name: Counted(len(pieces)) for name, pieces in found.items()}
    facts |= {"fewest": min(facts, key=facts.get), "most": max(facts, key=facts.get)}
    return Shown(facts, [Lane(name, pieces, "pre_tokens") for name, pieces in found.items()])


def parallel(text: str, tags: Sequence[str], encoding: str = "o200k_base") -> Shown:
    """Encodes a sentence of the parallel corpus in some languages; `text` is its number.

    >>> facts = parallel("1", ["en", "th"]).facts
    >>> facts["en"] < facts["th"]
    True
    """
    number = int(text) - 1 if text.isdecimal() else 0
    lines = {tag: parallel_corpus()[tag][number % len(parallel_corpus()["en"])] for tag in tags}
    found = {tag: len(get_encoding(encoding).encode(line)) for tag, line in lines.items()}
    facts = {tag: Counted(count) for tag, count in found.items()}
    size = {tag: len(line.encode()) for tag, line in lines.items()}
    for tag in tags:
        times, byte_times = found[tag] / found[tags[0]], size[tag] / size[tags[0]]
        facts |= {
            f"{tag}_bytes": Counted(size[tag]),
            f"{tag}_times": Ratio(times),
            f"{tag}_byte_times": Ratio(byte_times),
        }
        facts |= {f"{tag}_about": Counted(round(times)), f"{tag}_byte_about": Counted(round(byte_times))}
    facts |= {"most": max(found, key=found.get), "fewest": min(found, key=found.get)}
    return Shown(facts, [Strip(tag, encoding, line, lang=tag) for tag, line in lines.items()])


VIEWS: dict[str, Callable[..., Shown]] = {
    "tokens": tokens,
    "special": special,
    "units": units,
    "bytes": in_bytes,
    "merging": merging,
    "walls": walls,
    "parallel": parallel,
}


def usable(text: str) -> str:
    """Returns a typed text in the form that a step accepts: well-formed, and cut at the limit."""
    return well_formed(text)[0][:MAX_TEXT_CHARACTERS]
