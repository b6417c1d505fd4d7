"""Views of the lesson on what lies beyond a vocabulary: added tokens, gist tokens, pictures as ids, bytes alone."""

from functools import cache, lru_cache

from tokenizer.encoding.interface import Encoding
from tokenizer.kinds.registry import get_encoding
from tokenizer.lessons.pictures import SIDE_PIXELS, code, face
from tokenizer.lessons.views import Area, Areas, Shown, Still, Strip, Table
from tokenizer.lessons.wording import Counted, Ratio
from tokenizer.text.well_formed import as_text
from tokenizer.training.corpora import own_corpora
from tokenizer.training.train import train

MIN_PAIR_COUNT = 2  # occurrences of a pair that is merged


def rows(text: str, width: int, encoding: str = "cl100k_base") -> Shown:
    """Adds names to an encoding as special tokens, and counts the new rows of its embedding.

    Names have spaces between them; existing special tokens are not added again. Raises BadSpecialTokens.

    >>> facts = rows("<|user|> <|bot|>", 4096).facts
    >>> facts["added"], facts["numbers"], facts["before"], facts["after"]
    (2, 8192, 100277, 100279)
    """
    found = get_encoding(encoding)
    new = [name for name in dict.fromkeys(text.split()) if name not in found.special_tokens]
    larger = found.with_special_tokens({name: found.id_limit + i for i, name in enumerate(new)})
    facts = {
        "added": Counted(len(new)),
        "width": Counted(width),
        "before": Counted(found.id_limit),
        "after": Counted(larger.id_limit),
        "numbers": Counted((larger.id_limit - found.id_limit) * width),
        "as_text": Counted(len(found.encode(text))),
        "as_special": Counted(len(larger.encode(text, special="special"))),
    }
    ids = Table(("name", "id"), [(name, str(larger.special_tokens[name])) for name in new])
    return Shown(facts, [Strip("as_text", encoding, text), Still("as_special", larger.tokenize(text, "special")), ids])


def thai(text: str, pieces: int, width: int, encoding: str = "cl100k_base") -> Shown:
    """Encodes a text with an encoding and added pieces, which were learned from our own Thai text.

    >>> facts = thai("ไม่ได้", 300, 4096).facts
    >>> facts["tokens"], facts["after"], facts["added"], facts["numbers"]
    (5, 1, 300, 1228800)
    """
    sizes = [0, pieces // 5, pieces, len(learned(encoding))]
    read = {size: extended(encoding, size).tokenize(text, "special") for size in sizes}
    before, after, most = (len(read[size]) for size in (0, pieces, sizes[-1]))
    facts = {
        "tokens": Counted(before),
        "after": Counted(after),
        "most": Counted(most),
        "added": Counted(pieces),
        "all": Counted(sizes[-1]),
        "width": Counted(width),
        "numbers": Counted(pieces * width),
        "change": "same" if before == after else "fewer" if after < before else "more",
    }
    counts = [(size, len(tokens), size * width) for size, tokens in read.items()]
    table = Table(("pieces_added", "tokens", "numbers_added"), counts)
    return Shown(facts, [Strip("before", encoding, text), Still("after", read[pieces]), table])


@lru_cache(maxsize=24)  # all positions of the slider; each takes 1.5 MB
def extended(encoding: str, pieces: int) -> Encoding:
    """Returns an encoding with the first pieces of Thai added to it.

    Added pieces are matched first, the longest at each position, and the text between them is encoded as before, like
    added tokens in Hugging Face's library.
    """
    base = get_encoding(encoding)
    added = {piece: base.id_limit + i for i, piece in enumerate(learned(encoding)[:pieces])}
    return Encoding(encoding, base.model, added)


@cache
def learned(encoding: str) -> tuple[str, ...]:
    """Returns the texts that training learns from our Thai text, in order, without tokens of the encoding."""
    merges = train(own_corpora()["thai"], 100_000, "o200k_base", min_count=MIN_PAIR_COUNT)
    texts = [as_text(merge.token) for merge in merges if merge.token not in get_encoding(encoding).ranks]
    return tuple(text for text in texts if text)


def gist(text: str, gists: int, window: int, encoding: str = "gpt2", compared: bool = True) -> Shown:
    """Counts a prompt's tokens, and the rest of a context window with gist tokens in its place.

    With `compared`, a table has other numbers of gist tokens.

    >>> facts = gist("You are a helpful teacher.", 2, 1024).facts
    >>> facts["tokens"], facts["left"], facts["left_with_gists"], facts["times"]
    (6, 1018, 1022, 3.00)
    """
    size = len(get_encoding(encoding).encode(text))
    facts = {
        "tokens": Counted(size),
        "gists": Counted(gists),
        "window": Counted(window),
        "left": Counted(max(0, window - size)),
        "left_with_gists": Counted(window - gists),
        "times": Ratio(size / gists),
    }
    sizes = [(number, Ratio(size / number), window - number) for number in (1, 2, 5, 10)]
    table = Table(("gists", "tokens_each", "left"), sizes)
    return Shown(facts, [Strip(encoding, encoding, text), *[table] * compared])


def patches(text: str, entries: int) -> Shown:
    """Draws a face that depends on a text, as the ids of its patches in a codebook.

    >>> facts = patches("Mali", 8).facts
    >>> facts["ids"], facts["entries"], facts["pixels"], facts["numbers"]
    (64, 8, 1024, 3072)
    """
    found = code(face(text), entries)
    is_exact = (found.rebuilt == found.pixels).all(axis=2)
    facts = {
        "ids": Counted(found.ids.size),
        "entries": Counted(len(found.codebook)),
        "pixels": Counted(SIDE_PIXELS**2),
        "numbers": Counted(found.pixels.size),
        "exact": Counted(int(is_exact.sum())),
    }
    return Shown(facts, [found])


def without_tokens(text: str, percent: int = 100, encoding: str = "o200k_base") -> Shown:
    """Counts a text's bytes and tokens, and the n × n pairs of positions that full attention compares.

    `percent` is the part of the text's characters that is read, from the beginning.

    >>> facts = without_tokens("hello world").facts
    >>> facts["bytes"], facts["tokens"], facts["times"], facts["squared"]
    (11, 2, 5.50, 30.25)
    """
    whole, text = len(text.encode()), text[: len(text) * percent // 100]
    size, tokens = len(text.encode()), len(get_encoding(encoding).encode(text))
    times = size / tokens if tokens else 1
    facts = {
        "bytes": Counted(size),
        "tokens": Counted(tokens),
        "byte_pairs": Counted(size**2),
        "token_pairs": Counted(tokens**2),
        "times": Ratio(times),
        "squared": Ratio(times**2),
        "about": Counted(round(times**2)),
    }
    areas = [
        Area(unit, n, n, {"width": Counted(n), "height": Counted(n), "area": Counted(n**2)})
        for unit, n in (("in_bytes", size), ("in_tokens", tokens))
    ]
    return Shown(facts, [Areas("area_pairs", areas, whole, whole), Strip(encoding, encoding, text)])


VIEWS = {
    "rows": rows,
    "thai": thai,
    "gist": gist,
    "patches": patches,
    "without_tokens": without_tokens,
}
