"""Views of the cabinet of oddities: spelling, digits, spaces, endings, forms of data, texts that look alike."""

import json
import math
import unicodedata
from functools import cache
from threading import Lock
from typing import Any

import regex
import yaml

from tokenizer.display.changing import more_in_words
from tokenizer.display.readable import readable
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.tokens import segments
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, number, tr
from tokenizer.kinds.registry import get_encoding
from tokenizer.lessons.views import Lane, Parts, Shown, Strip, Table, Word, cuts
from tokenizer.lessons.wording import Counted, Ratio
from tokenizer.measure.small_changes import changes, effects
from tokenizer.measure.unreachable import has_text, unreachable
from tokenizer.text.anatomy import code_point
from tokenizer.text.units import graphemes
from tokenizer.vocabulary.adverts import is_advert

TEXT_SEPARATOR = "|"  # separates texts that are compared
SOME_JSON = '{"name": "Mali", "age": 7}'
MAX_VARIANTS = 8
MAX_BEGINNINGS = 12  # the longest ones of a text
MAX_CELL_ITEMS = 60  # characters, code points or ids in a cell of a table
MAX_DATA_CHARACTERS = 20_000  # of data in one form
MAX_LAST_TOKENS = 6  # of a beginning that are shown

_counting = Lock()


class NoJSON(TokenizerError):
    """A text is not JSON; `line` and `column` are the position of the error."""

    def __init__(self, line: int, column: int):
        self.line, self.column = line, column
        super().__init__(
            tr(
                "This is not JSON: there is an error in line {line:,}, column {column:,}. Type for example {some}.",
                line=line,
                column=column,
                some=SOME_JSON,
            )
        )


class UnfitData(TokenizerError):
    """Data that cannot be written in each form."""


def letters(text: str, encoding: str = "o200k_base", letter: str = "r", turned: bool = True) -> Shown:
    """Encodes a text forwards and backwards, and counts a letter in it; draws it backwards only if `turned`.

    >>> facts = letters("strawberry").facts
    >>> facts["tokens"], facts["characters"], facts["times"], facts["backwards"]
    (3, 10, 3, 3)
    """
    found, reverse = get_encoding(encoding), "".join(reversed(graphemes(text)))
    tokens = found.tokenize(text)
    facts = {
        "tokens": Counted(len(tokens)),
        "characters": Counted(len(text)),
        "backwards": Counted(len(found.encode(reverse))),
        "times": Counted(text.casefold().count(letter)),
        "cuts": tuple(cuts(tokens)),
    }
    return Shown(facts, [Strip("forwards", encoding, text), *[Strip("backwards", encoding, reverse)] * turned])


def digits(text: str, encoding: str = "o200k_base") -> Shown:
    """Splits the digits of a text into tokens, and into groups of three from the right.

    >>> facts = digits("1234567").facts
    >>> facts["cut"], facts["tokens"], facts["digits"]
    ('123 | 456 | 7', 3, 7)
    """
    tokens = get_encoding(encoding).tokenize(text)
    numbers = regex.findall(r"\p{Nd}+", text)
    facts = {
        "tokens": Counted(len(tokens)),
        "digits": Counted(sum(map(len, numbers))),
        "cut": " | ".join(one.text for one in segments(text, tokens)),
    }
    grouped = [group for number in numbers for group in in_threes(number)]
    return Shown(facts, [Strip(encoding, encoding, text), Lane("grouped", grouped)])


def in_threes(number: str) -> list[str]:
    """Returns the digits of a number in groups of three from the right.

    >>> in_threes("1234567")
    ['1', '234', '567']
    """
    first = len(number) % 3
    return [number[:first]] * bool(first) + [number[i : i + 3] for i in range(first, len(number), 3)]


def variants(text: str, encoding: str = "o200k_base", spelled: bool = False) -> Shown:
    """Compares texts, given with `|` between them, by their ids, or by their code points if `spelled`.

    >>> facts = variants("egg|Egg|EGG| egg").facts
    >>> facts["variants"], facts["distinct"], facts["fewest"], facts["most"], facts["ids"]
    (4, 4, 1, 2, 5)
    """
    found, texts = get_encoding(encoding), text.split(TEXT_SEPARATOR, MAX_VARIANTS - 1)
    read = [tuple(found.encode(one)) for one in texts]
    sizes = list(map(len, read))
    facts = {
        "variants": Counted(len(texts)),
        "distinct": Counted(len(set(read))),
        "composed": Counted(len({unicodedata.normalize("NFC", one) for one in texts})),
        "ids": Counted(len({id for ids in read for id in ids})),
        "fewest": Counted(min(sizes)),
        "most": Counted(max(sizes)),
        "best": texts[sizes.index(min(sizes))],
    }
    strips = [Strip(f"{i}.", encoding, one) for i, one in enumerate(texts, 1)]
    head, cell = ("code_points", _code_points) if spelled else ("ids", lambda one: _ids(found.encode(one)))
    table = Table(("line", head), [(i, cell(one)) for i, one in enumerate(texts, 1)])
    return Shown(facts, [*strips, table])


def _code_points(text: str) -> str:
    """Returns the first code points of a text."""
    return " ".join(map(code_point, text[:MAX_CELL_ITEMS])) + " …" * (len(text) > MAX_CELL_ITEMS)


def _ids(ids: list[int]) -> str:
    """Returns the first ids as a list."""
    return ", ".join(map(str, ids[:MAX_CELL_ITEMS])) + ", …" * (len(ids) > MAX_CELL_ITEMS)


def trailing(text: str, then: str, encoding: str = "o200k_base") -> Shown:
    """Encodes a text and the next word together, and separately with the space at the end of the text.

    >>> facts = trailing("Once upon a time", "there").facts
    >>> facts["together"], facts["apart"]
    (5, 6)
    """
    found = get_encoding(encoding)
    apart = [f"{text} ", then]
    sizes = [len(found.encode(one)) for one in apart]
    facts = {
        "together": Counted(len(found.encode(f"{text} {then}"))),
        "with_space": Counted(sizes[0]),
        "tokens": Counted(len(found.encode(text))),
        "apart": Counted(sum(sizes)),
        "then": then,
    }
    separate = [Strip(label, encoding, one) for label, one in zip(("with_space", "alone"), apart, strict=True)]
    return Shown(facts, [Strip("in_one", encoding, f"{text} {then}"), *separate])


def endings(text: str, encoding: str = "o200k_base") -> Shown:
    """Encodes the beginnings of a text, and counts those whose last tokens change when the text continues.

    >>> facts = endings("unbelievable").facts
    >>> facts["beginnings"], facts["unstable"]
    (11, 9)
    """
    found = get_encoding(encoding)
    all_ids = found.encode(text)
    read = [found.encode(text[:end]) for end in range(max(1, len(text) - MAX_BEGINNINGS), len(text))]
    stays = [ids == all_ids[: len(ids)] for ids in read]
    rows = [
        (_last_parts(ids, found), Word("kept" if same else "changed")) for ids, same in zip(read, stays, strict=True)
    ]
    facts = {
        "tokens": Counted(len(all_ids)),
        "beginnings": Counted(len(read)),
        "unstable": Counted(stays.count(False)),
    }
    return Shown(facts, [Strip(encoding, encoding, text), Table(("beginning", "stays"), rows, one_by_one=True)])


def _last(ids: list[int], encoding: Encoding) -> str:
    """Returns the texts of the last tokens of a beginning."""
    return " | ".join(_last_parts(ids, encoding).parts)


def _last_parts(ids: list[int], encoding: Encoding) -> Parts:
    """Returns the same as parts, with the last one marked."""
    parts = [readable(encoding.token_bytes(id), MAX_CELL_ITEMS) for id in ids[-MAX_LAST_TOKENS:]]
    return Parts(["…"] * (len(ids) > MAX_LAST_TOKENS) + parts, *parts[-1:])


def lost(text: str, encoding: str = "o200k_base") -> Shown:
    """Finds the tokens that their own text does not produce, and counts a text's tokens.

    >>> facts = lost(" I'").facts
    >>> facts["unreachable"], facts["tokens"]
    (12, 2)
    """
    found, (with_text, ids) = get_encoding(encoding), _unreachable(encoding)
    rows = [(str(id), *_token_and_gives(id, found)) for id in ids]
    facts = {
        "tokens": Counted(len(found.encode(text))),
        "unreachable": Counted(len(ids)),
        "with_text": Counted(with_text),
    }
    return Shown(facts, [Strip(encoding, encoding, text), Table(("id", "token", "gives"), rows)])


def _token_and_gives(id: int, encoding: Encoding) -> tuple[str, str]:
    """Returns the text of a token and the tokens that its text gives; both are replaced for an advert."""
    text = encoding.decode([id])
    if is_advert(text):
        return Word("advert"), Word("advert")
    return readable(text.encode()), _last(encoding.encode(text), encoding)


def _unreachable(encoding: str) -> tuple[int, list[int]]:
    """Returns how many tokens of an encoding have a text, and the ids of those that it does not produce."""
    with _counting:  # takes a second; computed once for all phones of a class
        return _counted(encoding)


@cache
def _counted(encoding: str) -> tuple[int, list[int]]:
    found = get_encoding(encoding)
    special = {*found.special_tokens.values()}
    return sum(has_text(found, id) for id in found.ids() if id not in special), list(unreachable(found))


def forms(text: str, encoding: str = "o200k_base") -> Shown:
    """Writes JSON data on many lines, minified, and as YAML; raises NoJSON, UnfitData.

    >>> facts = forms('{"a": [1, 2]}').facts
    >>> facts["fewest"], facts["minified"]
    ('minified', 7)
    """
    try:
        written = _written(json.loads(text))
    except json.JSONDecodeError as error:
        raise NoJSON(error.lineno, error.colno) from None
    except (RecursionError, ValueError):
        problem = mark(
            "This JSON is nested too deeply, or contains an invalid number or character. Type for example {some}."
        )
        raise UnfitData(tr(problem, some=SOME_JSON)) from None
    sizes = {form: len(get_encoding(encoding).encode(one)) for form, one in written.items()}
    facts = {form: Counted(size) for form, size in sizes.items()} | {"fewest": min(sizes, key=sizes.get)}
    return Shown(facts, [Strip(form, encoding, one) for form, one in written.items()])


def _written(data: Any) -> dict[str, str]:
    """Returns the data in each form; raises ValueError for values that are not JSON, and for long data."""
    written = {
        "pretty": json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False),
        "minified": json.dumps(data, ensure_ascii=False, separators=(",", ":")),
        "yaml": _yaml(data, allow_unicode=True),
    }
    if yaml.safe_load(written["yaml"]) != data:  # for example U+0085, which PyYAML reads as a line end
        written["yaml"] = _yaml(data, allow_unicode=False)
    "".join(written.values()).encode()  # raises UnicodeEncodeError, a ValueError, for a lone surrogate
    if max(map(len, written.values())) > MAX_DATA_CHARACTERS:
        raise ValueError("it is nested too deeply")
    return written


def _yaml(data: Any, allow_unicode: bool) -> str:
    return yaml.safe_dump(data, allow_unicode=allow_unicode, sort_keys=False, width=math.inf)


def escaped(text: str, encoding: str = "o200k_base") -> Shown:
    r"""Writes a text as JSON, and as JSON in ASCII with \u escapes.

    >>> facts = escaped("ที่").facts
    >>> facts["plain"] < facts["escaped"]
    True
    """
    written = {"plain": json.dumps(text, ensure_ascii=False), "escaped": json.dumps(text)}
    sizes = {form: len(get_encoding(encoding).encode(one)) for form, one in written.items()}
    times = sizes["escaped"] / sizes["plain"]
    facts = {form: Counted(size) for form, size in sizes.items()} | {
        "times": Ratio(times),
        "about": Counted(round(times)),
    }
    return Shown(facts, [Strip(form, encoding, one) for form, one in written.items()])


def small_changes(text: str, encoding: str = "o200k_base", seed: int = 0) -> Shown:
    """Changes a text at one place in each way, and compares the ids; the worst change has the largest edit distance.

    >>> facts = small_changes("The weather today is wonderful.").facts
    >>> facts["tokens"], facts["kinds"], facts["fewest"], facts["most"], facts["worst"]
    (6, 6, 1, 4, 'zero-width')
    """
    found, changed = get_encoding(encoding), changes(text, seed)
    effects_of = effects(text, changed, found)
    distances = [one.distance for one in effects_of]
    rows = [
        (Word(one.kind), readable(one.after.encode()), number(effect.distance), more_in_words(effect))
        for one, effect in zip(changed, effects_of, strict=True)
    ]
    most = max(distances, default=0)
    facts = {
        "tokens": Counted(len(found.encode(text))),
        "kinds": Counted(len(changed)),
        "fewest": Counted(min(distances, default=0)),
        "most": Counted(most),
        "worst": changed[distances.index(most)].kind if changed else "",
    }
    return Shown(facts, [Strip(encoding, encoding, text), Table(("change", "after", "distance", "more"), rows)])


VIEWS = {
    "letters": letters,
    "digits": digits,
    "variants": variants,
    "trailing": trailing,
    "endings": endings,
    "lost": lost,
    "forms": forms,
    "escaped": escaped,
    "small_changes": small_changes,
}
