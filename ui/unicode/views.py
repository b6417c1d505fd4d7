"""The views of a text as HTML: characters, normal forms, scripts, four lanes; and bytes, decoded step by step."""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, groupby
from pathlib import Path
from typing import TypeVar

import regex
from markupsafe import Markup

from tokenizer import Encoding
from tokenizer.display import palette
from tokenizer.display.readable import MARKS, begins_with_mark
from tokenizer.display.strip import code_points, html
from tokenizer.display.templates import renderer
from tokenizer.encoding.lanes import lanes
from tokenizer.i18n import mark, number, tr, trn
from tokenizer.text import anatomy
from tokenizer.text.anatomy import TextSample, code_point, name
from tokenizer.text.regex_budget import hold_gil
from tokenizer.text.units import count_words
from tokenizer.text.utf8 import FAULTS, UTF8_BYTES, decode_steps, octets
from tokenizer.training.id_pairs import MergedIds
from tokenizer.training.pairs import CountedPair, Pair

T = TypeVar("T")

MAX_DECODING_STEPS = 200
MAX_CHANGES = 20  # of one normal form
MAX_EXAMPLES = 12  # characters
MAX_GLYPHS = 60
MAX_LINE_START = 80  # characters
MAX_DRAWN_IDS = 200  # in a row
MAX_HEAT_IDS = 12  # of a heat map
NO_STRONG_CHARACTER = mark("none: left to right, unless the page that shows the text sets another direction")

is_invisible = hold_gil(regex.compile(r"[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]+").fullmatch)


def glyph(text: str) -> Markup:
    r"""Returns a visible form of a grapheme or a part of one: a mark for a space, U+… for an invisible character.

    >>> print(glyph("<"), glyph(" "), glyph("\u200b"))
    <bdi>&lt;</bdi> <i>·</i> <i>U+200B</i>
    >>> print(glyph("ี่"))
    <bdi class="mark">ี่</bdi>
    """
    if all(character in MARKS for character in text):
        return Markup(f"<i>{''.join(MARKS[character] for character in text)}</i>")
    if is_invisible(text):
        return Markup(f"<i>{code_points(text)}</i>")
    if is_invisible(text[0]):  # such as a space with a mark on it
        return glyph(text[0]) + glyph(text[1:])
    mark = ' class="mark"' if begins_with_mark(text) else ""  # the style sheet puts a dotted circle under it
    return Markup(f"<bdi{mark}>{html(text)}</bdi>")


def glyphs(text: str, max_glyphs: int = MAX_GLYPHS) -> Markup:
    """Returns the glyphs of a text, or of its first `max_glyphs` characters.

    >>> print(glyphs("a b"), glyphs("abc", max_glyphs=2))
    <bdi>a</bdi><i>·</i><bdi>b</bdi> <bdi>ab</bdi>…
    """
    runs = groupby(anatomy.graphemes(text[:max_glyphs]), lambda grapheme: bool(is_invisible(grapheme)))
    return Markup("").join(glyph("".join(run)) for _, run in runs) + ("…" if len(text) > max_glyphs else "")


def named(character: str) -> Markup:
    """Returns the name of a character; Unicode's own name is marked as English.

    >>> print(named("a"), named("\ue000"))
    <span lang="en">LATIN SMALL LETTER A</span> private use: no name
    """
    found = name(character)
    return Markup(f'<span lang="en">{html(found)}</span>' if found.isupper() else html(tr(found)))


def joined(character: str) -> Markup:
    """Returns the payload bits of a character's bytes and the code point that they form, in binary and in hex.

    >>> print(joined("é").striptags())
    payload 00011 101001 = 0000 0000 1110 1001 in binary = 00E9 in hex: U+00E9
    """
    return _render("joined", character=character)


def size_of_sample(sample: TextSample) -> str:
    """Returns a sentence on how much of a text is shown.

    >>> size_of_sample(TextSample("ab", ["a", "b"], "ab"))
    '2 graphemes, 2 characters.'
    """
    graphemes, points = len(sample.graphemes), len(sample.text)
    facts = {
        "graphemes": trn("{n:,} grapheme", "{n:,} graphemes", graphemes),
        "characters": trn("{n:,} character", "{n:,} characters", points),
    }
    message = tr("{graphemes}, {characters}.", **facts)
    if sample.is_cut:
        facts["whole"] = len(sample.full_text)
        message = tr("Only the beginning of the text is shown: {graphemes}, {characters} of {whole:,}.", **facts)
    if sample.replaced:
        message += " " + trn(
            "{n:,} lone surrogate in the text became U+FFFD.",
            "{n:,} lone surrogates in the text became U+FFFD.",
            sample.replaced,
        )
    return message


def is_left_to_right(sample: TextSample) -> bool:
    """Whether all paragraphs of a text run from left to right, so that its boxes are in reading order."""
    return all(_direction(one) == "ltr" for one in anatomy.paragraphs(sample.text))


def by_paragraph(drawn: Sequence[T], pieces: Sequence[str]) -> list[tuple[str, list[T]]]:
    """Groups the elements drawn for the pieces of a text by paragraph; returns the direction and elements of each.

    The browser cannot find the direction: it ignores elements with a direction of their own, as all pieces have. A
    piece belongs to the paragraph in which it begins.

    >>> by_paragraph([1, 2, 3], ["ا", chr(10), "a"])
    [('rtl', [1, 2]), ('ltr', [3])]
    """
    starts, rows, end = [0, *accumulate(map(len, pieces))], [], 0
    for paragraph in anatomy.paragraphs("".join(pieces)):
        begin, end = end, end + len(paragraph.text)
        inside = [one for one, start in zip(drawn, starts, strict=False) if begin <= start < end]
        rows.append((_direction(paragraph), inside))
    return rows


def _direction(paragraph: anatomy.Paragraph) -> str:
    return "rtl" if paragraph.direction == anatomy.RIGHT_TO_LEFT else "ltr"


def characters(sample: TextSample, encoding: Encoding) -> Markup:
    """Returns the graphemes as radio buttons, and a card for each; the style sheet shows the card of the chosen one.

    The choice needs no script and no rerun, and arrow keys move between the graphemes.
    """
    counts = Counter(sample.graphemes)
    cards = {grapheme: i for i, grapheme in enumerate(counts)}
    radios = [(grapheme, cards[grapheme], i == 0) for i, grapheme in enumerate(sample.graphemes)]
    return _render("characters", sample=sample, counts=counts, rows=by_paragraph(radios, sample.graphemes))


def size(form: str, units: int, count: int) -> str:
    """Returns a size in bytes; in UTF-16 with its 16-bit units.

    >>> size("UTF-16", 2, 4), size("UTF-8", 1, 1)
    ('4 bytes (2 units of 16 bits)', '1 byte')
    """
    if form == "UTF-16":
        return trn(
            "{size:,} bytes ({n:,} unit of 16 bits)", "{size:,} bytes ({n:,} units of 16 bits)", units, size=count
        )
    return trn("{n:,} byte", "{n:,} bytes", count)


def forms(sample: TextSample, encoding: Encoding) -> Markup:
    """Returns a text in the four normal forms, with the changes, tokens and losses of each."""
    found = {form: anatomy.normalized(sample.graphemes, form) for form in anatomy.NORMAL_FORMS}
    texts = {tr("the text"): sample.text}
    texts |= {form: "".join(one.after for one in parts) for form, parts in found.items()}
    rows, base = [], len(encoding.encode(sample.text))
    for form, text in texts.items():
        more = len(encoding.encode(text)) - base
        costs = number(base + more) + (f" ({number(more, '+,')})".replace("-", "−") if more else "")
        same = tr("= same as the text") if text == sample.text else tr("≠ differs from the text")
        rows.append([form, number(len(text)), number(len(text.encode())), costs, same if form in found else ""])
    changes = {form: anatomy.changes(parts) for form, parts in found.items()}
    return _render("normal_forms", sample=sample, encoding=encoding, rows=rows, found=found, changes=changes)


def scripts(sample: TextSample, encoding: Encoding) -> Markup:
    """Returns the runs of one script, the paragraphs with their directions, and the bidirectional classes."""
    return _render(
        "scripts",
        sample=sample,
        runs=anatomy.script_runs(sample.graphemes),
        paragraphs=[(_direction(one), _line_start(one.text), one.decider) for one in anatomy.paragraphs(sample.text)],
        classes=anatomy.count_bidi_classes(sample.text),
    )


def _line_start(text: str) -> str:
    return text[:MAX_LINE_START].rstrip("\r\n") + ("…" if len(text) > MAX_LINE_START else "")


def four_lanes(sample: TextSample, encoding: Encoding) -> Markup:
    """Returns a text cut in four ways, with the sequence length and the vocabulary size of each.

    It ends with the title of the tokens, which the page draws after it, in the strip that has the loupe.
    """
    pieces = lanes(sample.text, encoding)
    drawn = {
        "characters": by_paragraph(list(map(glyph, pieces["characters"])), pieces["characters"]),
        "words": by_paragraph(list(map(glyphs, pieces["words"])), pieces["words"]),
        "bytes": [("ltr", [piece.hex().upper() for piece in pieces["bytes"]])],
    }
    return _render(
        "lanes",
        sample=sample,
        encoding=encoding,
        n={lane: len(found) for lane, found in pieces.items()},
        distinct={lane: len(set(found)) for lane, found in pieces.items()},
        num_words=count_words(sample.text),
        drawn=drawn,
        unknown=_unknown(encoding, sample.text),
    )


def _unknown(encoding: Encoding, text: str) -> str:
    if encoding.drops_unmatched:
        return tr(
            "{name} leaves out text that the split pattern does not match; that text is not in any token.",
            name=encoding.name,
        )
    if not UTF8_BYTES.difference(encoding.table):
        return tr(
            "no text is unknown: a character without a token of its own can be split into several tokens, at most one "
            "for each of its bytes"
        )
    if encoding.unknown_id is None:
        return tr("there is no unknown token: text that is not in the vocabulary is left out")
    unknown = encoding.unknown_characters(text)
    if not unknown:
        return tr("text that is not in the vocabulary becomes the unknown token")
    return trn(
        "text that is not in the vocabulary becomes the unknown token; the text shown has {n:,} such part",
        "text that is not in the vocabulary becomes the unknown token; the text shown has {n:,} such parts",
        len(unknown),
    )


def steps(data: bytes) -> Markup:
    """Returns the decoding of bytes, step by step: the characters, and the refused bytes with the reason."""
    found = list(decode_steps(data))
    message = _outcome(len(data), len(found), sum(bool(step.fault) for step in found))
    if len(found) > MAX_DECODING_STEPS:
        message += " " + tr("The first {most:,} of {n:,} steps are shown.", most=MAX_DECODING_STEPS, n=len(found))
    return _render("decoding", message=message, steps=found[:MAX_DECODING_STEPS], total=len(data))


def _outcome(size: int, num_steps: int, refused: int) -> str:
    if not size:
        return tr("There are no bytes yet.")
    facts = {
        "bytes": trn("{n:,} byte", "{n:,} bytes", size),
        "characters": trn("{n:,} character", "{n:,} characters", num_steps - refused),
    }
    if not refused:
        return tr("{bytes}: {characters}; every byte is valid.", **facts)
    return tr(
        "{bytes}: {characters}, and {n:,} × the replacement character � (U+FFFD) in place of invalid bytes.",
        n=refused,
        **facts,
    )


def merged_ids(ids: Sequence[int], counted: Sequence[CountedPair], pair: Pair, new: int, found: MergedIds) -> Markup:
    """Returns a merge in a sequence of ids, and the counts of its pairs as a table and a heat map.

    >>> from tokenizer.training.id_pairs import count_pairs, merge_pair
    >>> ids, pair = [5, 6, 6, 7, 9, 1], (6, 7)
    >>> drawn = merged_ids(ids, count_pairs(ids), pair, 99, merge_pair(ids, pair, 99))
    >>> "[5, 6, 99, 9, 1]" in drawn
    True
    """
    counts = {one.pair: one.count for one in counted}
    return _render(
        "merging",
        ids=ids,
        counted=counted,
        counts=counts,
        most=counted[0].count,
        heat=_heat_ids(counted),
        num_ids=len({*ids}),
        pair=pair,
        new=new,
        found=found,
        before={*found.places},
        after={place - i for i, place in enumerate(found.places)},
        message=_merge_in_words(counts.get(pair, 0), ids, pair, new, found),
    )


def _heat_ids(counted: Sequence[CountedPair]) -> list[int]:
    """Returns the ids of the most frequent pairs in numeric order, at most MAX_HEAT_IDS."""
    found: set[int] = set()
    for one in counted:
        if len(found | {*one.pair}) > MAX_HEAT_IDS:
            break
        found |= {*one.pair}
    return sorted(found)


def _merge_in_words(count: int, ids: Sequence[int], pair: Pair, new: int, found: MergedIds) -> str:
    facts = {"left": pair[0], "right": pair[1], "new": new}
    if not count:
        return tr("The pair {left}, {right} does not occur, so the merge changes nothing.", **facts)
    n, left = trn("{n:,} id", "{n:,} ids", len(ids)), trn("{n:,} id is", "{n:,} ids are", len(found.ids))
    words = [
        trn(
            "The pair {left}, {right} occurs once and becomes {new}: of {ids}, {rest} left.",
            "The pair {left}, {right} occurs {n:,} times and becomes {new}: of {ids}, {rest} left.",
            count,
            ids=n,
            rest=left,
            **facts,
        )
    ]
    if len(found.places) < count:
        words.append(
            trn(
                "Its occurrences overlap, so only {n:,} of them is merged.",
                "Its occurrences overlap, so only {n:,} of them are merged.",
                len(found.places),
            )
        )
    if new in ids:
        words.append(
            tr(
                "The id {new} was already in the sequence, so decoding the result may not give the sequence back.",
                **facts,
            )
        )
    return " ".join(words)


DRAW = {"characters": characters, "forms": forms, "scripts": scripts, "lanes": four_lanes}

_render = renderer(
    Path(__file__).parent / "templates",
    **{one.__name__: one for one in (glyph, glyphs, named, joined, size_of_sample, is_left_to_right, size)},
    **{one.__name__: one for one in (code_point, code_points, octets, name)},
    anatomy=anatomy,
    is_invisible=is_invisible,
    FAULTS=FAULTS,
    MARKS=MARKS,
    MAX_CHANGES=MAX_CHANGES,
    MAX_DRAWN_IDS=MAX_DRAWN_IDS,
    MAX_EXAMPLES=MAX_EXAMPLES,
    NUM_COLORS=palette.NUM_COLORS,
    NO_STRONG_CHARACTER=NO_STRONG_CHARACTER,
)
