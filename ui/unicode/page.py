"""Text under the hood, drawn: characters and their bytes, normal forms, scripts, four lanes, bytes in hex."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby

import regex
import streamlit as st

from tokenizer import Encoding
from tokenizer.display import palette
from tokenizer.display.readable import MARKS, begins_with_mark
from tokenizer.display.strip import code_points, html
from tokenizer.encoding.lanes import lanes
from tokenizer.i18n import mark, tr, trn
from tokenizer.i18n import number as written
from tokenizer.text import anatomy
from tokenizer.text.anatomy import BIDI_CLASSES, FORMS, NORMAL_FORMS, Sample, code_point, name
from tokenizer.text.regex_budget import briefly
from tokenizer.text.units import count_words
from tokenizer.text.utf8 import FAULTS, BadHex, Octet, Step, decode_steps, octets, read_decimal, read_hex
from ui.desk import carried, desk
from ui.desk.choices import Choice, one_of

VIEWS = {
    "characters": mark("Characters"),
    "forms": mark("Normal forms"),
    "scripts": mark("Scripts and direction"),
    "lanes": mark("Four lanes"),
    "list": mark("Numbers to copy"),
    "bytes": mark("Bytes to text"),
}

LOOKALIKES = "ﬁne № ① x² ½ Ａ ｶﾞ Å e\u0301 น้ำ"
HEX = "E0 B8 AA ED A0 80 FF"
ORDER_MARKS = {"UTF-16": b"\xff\xfe", "UTF-32": b"\xff\xfe\0\0"}
HEX_EXAMPLES = {
    mark("Cut emoji"): "F0 9F 91",
    mark("Latin-1"): "63 61 66 E9 21",
    mark("Overlong slash"): "C0 AF E0 80 AF",
    mark("Surrogates"): "ED A0 BD ED B1 8D",
    mark("Too large"): "F4 90 80 80 F8",
    mark("All sound"): "41 C3 A9 E0 B8 97 F0 9F 91 8D",
}
MOST_HEX = 30_000  # characters that are read
LONGEST_LINK = 2_000  # characters that go into the address
MOST_LISTED = 50_000  # characters of a text whose numbers are listed
MOST_STEPS = 200
VIEW = Choice("view", "characters", one_of(VIEWS))
LISTED = Choice("list", "code points", one_of(["code points", *FORMS]))
DIGITS = Choice("digits", "hex", one_of(["hex", "decimal"]))
BYTES = Choice("hex", HEX, spell=lambda source: source if len(source) <= LONGEST_LINK else None)
carried.carry("hood", "hex", lambda: _too_long(), lambda found: BYTES.choose(carried.as_text(found)))
MOST_CHANGES = 20
MOST_EXAMPLES = 12
UNDECIDED = mark("none: left to right, unless the page says otherwise")

LONG = ' class="long"'  # a cell that may break lines; numbers and single words may not

unseen = briefly(regex.compile(r"[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]+").fullmatch)


# What is asked


def hex_source() -> str:
    """Bytes, as they were typed, with some bad ones of ours one click away; few are in the address, too."""
    with st.container(horizontal=True, gap="small", key="hex_examples"):
        for label, example in HEX_EXAMPLES.items():
            st.button(tr(label), key=f"hex_{label}", on_click=BYTES.choose, args=(example,), type="tertiary")
    words = tr(
        "Two digits per byte, in any common notation: E0 B8 AA, e0b8aa, 0xE0, \\xE0, %E0;"
        " or in decimal within brackets, as Python prints a list of bytes: [224, 184, 170]."
    )
    return BYTES.ask(st.text_area, tr("Bytes in hex, or in decimal within brackets"), height=100, help=words)


def _too_long() -> str | None:
    """The bytes as they are written where the address has no room for them."""
    held = desk.choices().get(BYTES.name) or ""
    return held if len(held) > LONGEST_LINK else None


def read(source: str) -> tuple[bytes, list[BadHex]]:
    """Returns the bytes of as much of a source as is read, and what else stood there.

    >>> read("41 zz")[0], read("[65]")[0]
    (b'A', b'A')
    """
    return (read_decimal if source.lstrip().startswith("[") else read_hex)(source[:MOST_HEX])


def listed(text: str) -> None:
    """A whole text as numbers, to copy: its code points or its bytes, in hex or in decimal."""
    with st.container(horizontal=True):
        whats = {"code points": tr("Code points")} | {form: tr("Bytes of {form}", form=form) for form in FORMS}
        form = LISTED.segmented(tr("What"), whats)
        digits = DIGITS.segmented(tr("Digits"), {"hex": tr("Hex"), "decimal": tr("Decimal")})
    found = anatomy.numbers(text[:MOST_LISTED], form)
    st.caption(f"{_how_many(len(found), form, len(text))} {_order_mark(form)}")
    own = " ".join(own for _, own in found) if digits == "hex" else ", ".join(str(number) for number, _ in found)
    st.code(own if digits == "hex" else f"[{own}]", language=None, wrap_lines=True, height=320)


def _how_many(n: int, form: str, size: int) -> str:
    points, data = trn("{n:,} code point", "{n:,} code points", n), trn("{n:,} byte", "{n:,} bytes", n)
    facts = {"count": points if form == "code points" else data, "most": MOST_LISTED, "size": size}
    if size > MOST_LISTED:
        return tr("{count} of the first {most:,} characters of {size:,}.", **facts)
    return tr("{count}.", count=facts["count"])


def _order_mark(form: str) -> str:
    if form not in ORDER_MARKS:
        return ""
    data = ORDER_MARKS[form]
    return tr(
        "Little-endian: the low byte first. Files, like Python’s encode({form!r}), usually begin with a byte order"
        " mark, U+FEFF, that says so: {hex} ({decimal}); in big-endian order it would be {other}. It is not in this"
        " list.",
        form=form,
        hex=data.hex(" ").upper(),
        decimal=", ".join(map(str, data)),
        other=data[::-1].hex(" ").upper(),
    )


# Words and glyphs that every view has


def glyph(text: str) -> str:
    r"""Returns a grapheme or less as HTML that one can see: a space has a mark, what has no shape its number.

    >>> glyph("<"), glyph(" "), glyph("\u200b")
    ('<bdi>&lt;</bdi>', '<i>·</i>', '<i>U+200B</i>')
    >>> glyph("ี่")
    '<bdi class="mark">ี่</bdi>'
    """
    if all(character in MARKS for character in text):
        return f"<i>{''.join(MARKS[character] for character in text)}</i>"
    if unseen(text):
        return f"<i>{code_points(text)}</i>"
    if unseen(text[0]):  # a space, say, with a mark on it
        return glyph(text[0]) + glyph(text[1:])
    mark = ' class="mark"' if begins_with_mark(text) else ""  # the style sheet gives it a dotted circle
    return f"<bdi{mark}>{html(text)}</bdi>"


def named(character: str) -> str:
    """Returns the name of a character as HTML; where Unicode has one, it is English.

    >>> named("a"), named("\ue000")
    ('<span lang="en">LATIN SMALL LETTER A</span>', 'private use: no name')
    """
    words = name(character)
    return f'<span lang="en">{html(words)}</span>' if words.isupper() else html(tr(words))


def glyphs(text: str, most: int = 60) -> str:
    """Returns a text of several characters; where it is long, its beginning.

    >>> glyphs("a b"), glyphs("abc", most=2)
    ('<bdi>a</bdi><i>·</i><bdi>b</bdi>', '<bdi>ab</bdi>…')
    """
    runs = groupby(anatomy.graphemes(text[:most]), lambda grapheme: bool(unseen(grapheme)))
    return "".join(glyph("".join(run)) for _, run in runs) + ("…" if len(text) > most else "")


def about(sample: Sample) -> str:
    """Returns what of a text is shown, in HTML.

    >>> about(Sample("ab", ["a", "b"], "ab"))
    '<p class="about">2 graphemes, 2 characters.</p>'
    """
    graphemes, points = len(sample.graphemes), len(sample.text)
    facts = {
        "graphemes": trn("{n:,} grapheme", "{n:,} graphemes", graphemes),
        "characters": trn("{n:,} character", "{n:,} characters", points),
    }
    said = tr("{graphemes}, {characters}.", **facts)
    if sample.is_cut:
        facts["whole"] = len(sample.whole)
        said = tr("Only the beginning of the text is shown: {graphemes}, {characters} of {whole:,}.", **facts)
    if sample.replaced:
        said += " " + trn(
            "{n:,} lone surrogate in the text became U+FFFD.",
            "{n:,} lone surrogates in the text became U+FFFD.",
            sample.replaced,
        )
    return f'<p class="about">{html(said)}</p>'


def order(sample: Sample) -> str:
    """Returns, in HTML, how boxes stand that a browser does not reorder; nothing where all runs from left to right."""
    if all(one.direction == "left to right" for one in anatomy.paragraphs(sample.text)):
        return ""
    words = tr(
        "Boxes of characters and words are in the order in which the text is stored: from the right where a paragraph"
        " runs from right to left."
    )
    return f'<p class="about">{html(words)}</p>'


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table of cells that are HTML; the first of each row names it.

    >>> table("c", ["a", "b"], [["x", "1"]])[:88]
    '<div class="sheet" role="region" tabindex="0" aria-label="c"><table><caption>c</caption>'
    """
    columns = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = ""
    for first, *rest in rows:
        cells = "".join(f"<td{LONG if len(cell) > 24 else ''}>{cell}</td>" for cell in rest)
        body += f'<tr><th scope="row">{first}</th>{cells}</tr>'
    return (
        f'<div class="sheet" role="region" tabindex="0" aria-label="{caption}"><table><caption>{caption}</caption>'
        f"<thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def in_paragraphs(drawn: Sequence[str], pieces: Sequence[str]) -> str:
    """Returns pieces as they were drawn, in the paragraphs of their text, each with its direction.

    A browser does not find it: it looks past elements of their own direction, which all the pieces are.

    >>> in_paragraphs(["<b>x</b>", "<b>n</b>", "<b>a</b>"], ["ا", chr(10), "a"])
    '<div dir="rtl"><b>x</b><b>n</b></div><div dir="ltr"><b>a</b></div>'
    """
    starts, rows, end = [0, *accumulate(map(len, pieces))], "", 0
    for paragraph in anatomy.paragraphs("".join(pieces)):
        begin, end = end, end + len(paragraph.text)
        inside = (one for one, start in zip(drawn, starts, strict=False) if begin <= start < end)
        rows += f'<div dir="{_dir(paragraph)}">{"".join(inside)}</div>'  # a piece belongs where it begins
    return rows


# Characters


def characters(sample: Sample, encoding: Encoding) -> str:
    """Returns a strip of graphemes to choose from, and a card for each; the style sheet shows the card that is chosen.

    The choice needs no script and no rerun: the graphemes are radio buttons, so arrow keys go through them, too.
    """
    counts = Counter(sample.graphemes)
    cards = {grapheme: i for i, grapheme in enumerate(counts)}
    chosen = ",".join(f".hood:has(.of-{i}:checked) #anatomy-{i}" for i in cards.values())
    radios = [
        f'<label><input type="radio" name="grapheme" class="of-{cards[grapheme]}"'
        f' aria-label="{html(", ".join(map(name, grapheme[:8])))}"{"" if at else " checked"}>{glyph(grapheme)}</label>'
        for at, grapheme in enumerate(sample.graphemes)
    ]
    rows = in_paragraphs(radios, sample.graphemes)
    drawn = "".join(_card(grapheme, i, counts[grapheme]) for grapheme, i in cards.items())
    sizes = "".join(
        f"<li><b>{form}</b> {html(_size(form, count, size))}</li>"
        for form, (count, size) in anatomy.sizes(sample.whole).items()
    )
    return (
        f"<style>{chosen}{{display:block}}</style>"
        f'<div class="hood"><ul class="facts"><li>{html(tr("The whole text:"))}</li>{sizes}</ul>'
        f"{about(sample)}{order(sample)}"
        f'<div class="graphemes" role="radiogroup" aria-label="{html(tr("Graphemes"))}">{rows}</div>'
        f"{drawn}{key_to_bits()}</div>"
    )


def _size(form: str, units: int, size: int) -> str:
    if form == "UTF-16":
        return trn("{n:,} byte in {units:,} code units", "{n:,} bytes in {units:,} code units", size, units=units)
    return trn("{n:,} byte", "{n:,} bytes", size)


def _card(grapheme: str, i: int, count: int) -> str:
    sizes = anatomy.sizes(grapheme).items()
    facts = ", ".join(
        trn("{n:,} byte in {form}", "{n:,} bytes in {form}", size, form=form) for form, (_, size) in sizes
    )
    what = trn(
        "1 grapheme, {n:,} character: {sizes}.", "1 grapheme, {n:,} characters: {sizes}.", len(grapheme), sizes=facts
    )
    times = trn("It occurs once.", "It occurs {n:,} times.", count)
    points = "".join(map(_point, grapheme))
    return (
        f'<section id="anatomy-{i}"><header><span class="large">{glyph(grapheme)}</span>'
        f"<p>{html(what)}<br>{html(times)}</p>"
        f'</header><div class="points">{points}</div></section>'
    )


def _point(character: str) -> str:
    kind, bidi = anatomy.category(character), anatomy.bidi_class(character)
    forms = "".join(
        f"<div><dt>{form}</dt><dd><code>{' '.join(anatomy.code_units(character, form))}</code>"
        f" {html(trn('{n:,} byte', '{n:,} bytes', size))}</dd></div>"
        for form, (_, size) in anatomy.sizes(character).items()
    )
    facts = tr(
        "{category} ({kind}) · script {script} · direction {direction} ({bidi})",
        category=tr(anatomy.CATEGORIES[kind]),
        kind=kind,
        script=tr(anatomy.script(character)),
        direction=tr(BIDI_CLASSES[bidi][1]),
        bidi=bidi,
    )
    shape = "" if unseen(character) and character not in MARKS else f"{glyph(character)} "  # it is the number again
    return (
        f"<article><h2>{shape}{code_point(character)} <small>{named(character)}</small></h2>"
        f"<p>{html(facts)}</p>"
        f"<dl>{forms}</dl>{bits(octets(character.encode()))}{joined(character)}</article>"
    )


MARK_CLASSES = {"10": "next", "11111": "never"}  # the last has no payload


def bits(found: Iterable[Octet]) -> str:
    """Returns bytes with their bits by role: in a box those that mark the role, underlined the payload.

    >>> bits(octets(b"a"))
    '<span class="octets" dir="ltr"><span><b>61 <small>97</small></b><span><i class="lead">0</i><u>1100001</u></span>\
<small>one byte alone</small></span></span>'
    """
    drawn = (
        f"<span><b>{one.value:02X} <small>{one.value}</small></b>"
        f'<span><i class="{MARK_CLASSES.get(one.mark, "lead")}">{one.mark}</i>'
        f"{one.payload if one.mark == '11111' else f'<u>{one.payload}</u>'}</span>"
        f"<small>{html(tr(one.role))}</small></span>"
        for one in found
    )
    return f'<span class="octets" dir="ltr">{"".join(drawn)}</span>'


def joined(character: str) -> str:
    """Returns how the payload bits join to the code point, in binary and in hex.

    >>> print(regex.sub("<[^>]+>", "", joined("é")))
    payload 00011 101001 = 0000 0000 1110 1001 in binary = 00E9 in hex: U+00E9
    """
    payload = " ".join(f"<u>{one.payload}</u>" for one in octets(character.encode()))
    digits = code_point(character)[2:]
    nibbles = " ".join(f"{int(digit, 16):04b}" for digit in digits)
    said = tr(
        "payload {payload} = {binary} in binary = {hex} in hex: {point}",
        payload=f"<code>{payload}</code>",
        binary=f"<code>{nibbles}</code>",
        hex=f"<code>{digits}</code>",
        point=f"<b>{code_point(character)}</b>",
    )
    return f'<p class="joined" dir="ltr">{said}</p>'


def key_to_bits() -> str:
    """Returns what the marks on bits mean, in HTML."""
    begins, goes_on = tr("begins a character: as many ones as bytes"), tr("continues it")
    payload = tr("payload: joined together, the bits of the code point")
    return (
        f'<p class="about key"><span><i class="lead">1110</i> {html(begins)}</span>'
        f'<span><i class="next">10</i> {html(goes_on)}</span><span><u>0101</u> {html(payload)}</span></p>'
    )


# Normal forms


def forms(sample: Sample, encoding: Encoding) -> str:
    """Returns a text in the four normal forms: what each changes, what it costs in tokens, what is lost."""
    found = {form: anatomy.normalized(sample.graphemes, form) for form in NORMAL_FORMS}
    tokens = tr("tokens of {name}", name=f"<bdi>{html(encoding.name)}</bdi>")
    whole = tr("the text")
    texts = {whole: sample.text} | {form: "".join(one.after for one in own) for form, own in found.items()}
    rows, base = [], len(encoding.encode(sample.text))
    for form, text in texts.items():
        more = len(encoding.encode(text)) - base
        costs = written(base + more) + (f" ({written(more, '+,')})".replace("-", "−") if more else "")
        same = tr("= same as the text") if text == sample.text else tr("≠ differs")
        rows.append([form, written(len(text)), written(len(text.encode())), costs, same if form in found else ""])
    head = [tr("form"), tr("characters"), tr("bytes in UTF-8"), tokens, tr("compared with the text")]
    drawn = "".join(_normal_form(form, stretches) for form, stretches in found.items())
    compared = table(tr("Normal forms"), head, rows)
    return f'<div class="hood">{about(sample)}{compared}<div class="pairs">{drawn}</div></div>'


def _normal_form(form: str, stretches: list[anatomy.Stretch]) -> str:
    """What a form makes of a text: nothing more is drawn where that is the text itself."""
    title = f"<h2>{form} <small>{html(tr(NORMAL_FORMS[form]))}</small></h2>"
    if not (found := anatomy.changes(stretches)):
        return f"<article>{title}<p>{html(tr('Nothing changes.'))}</p></article>"
    marked = "".join(
        html(one.after) if one.before == one.after else f"<mark>{html(one.after)}</mark>" for one in stretches
    )
    items = [_change(one, count, form) for one, count in found.most_common(MOST_CHANGES)]
    if len(found) > MOST_CHANGES:
        more = trn("and {n:,} other change", "and {n:,} other changes", len(found) - MOST_CHANGES)
        items.append(f"<li>{html(more)}</li>")
    return f'<article>{title}<p class="text" dir="auto">{marked}</p><ul class="changes">{"".join(items)}</ul></article>'


def _change(one: anatomy.Stretch, count: int, form: str) -> str:
    gone = anatomy.lost(one.before) if "K" in form else []
    if gone:
        what = f"<b>{html(tr('lost: {what}', what=', '.join(map(tr, gone))))}</b>"
    else:
        what = html(tr("canonically equivalent: the same text in other characters"))
    times = f", {html(tr('{n:,} times', n=count))}" if count > 1 else ""
    return f"<li>{_numbered(one.before)} → {_numbered(one.after)}{times}: {what}</li>"


def _numbered(text: str) -> str:
    more = "…" if len(text) > MOST_EXAMPLES else ""
    return f"{glyphs(text, MOST_EXAMPLES)} <small>{code_points(text[:MOST_EXAMPLES])}{more}</small>"


# Scripts and direction


def scripts(sample: Sample, encoding: Encoding) -> str:
    """Returns the runs of one script, the paragraphs with their directions, and the bidirectional classes."""
    runs = "".join(
        f"<li><b>{html(tr(run.script))}</b>"
        f" <small>{html(trn('{n:,} grapheme', '{n:,} graphemes', len(run.graphemes)))}</small>"
        f'<span class="text" dir="auto">{html(run.text)}</span></li>'
        for run in anatomy.script_runs(sample.graphemes)
    )
    lines = [
        [
            written(i),
            f'<span class="text" dir="{_dir(one)}">{_beginning(one.text)}</span>',
            tr("right to left") if _dir(one) == "rtl" else tr("left to right"),
            f"{glyph(one.decider)} {code_point(one.decider)} {named(one.decider)}" if one.decider else tr(UNDECIDED),
        ]
        for i, one in enumerate(anatomy.paragraphs(sample.text), start=1)
    ]
    classes = (
        [kind, *map(tr, BIDI_CLASSES[kind]), written(found.total()), _examples(found)]
        for kind, found in anatomy.count_bidi_classes(sample.text).items()
    )
    words = tr(
        "consecutive graphemes of one script; spaces, digits, signs and emoji, which many scripts share, belong to the"
        " run before them, or to the first"
    )
    in_lines = [tr("paragraph"), tr("text"), tr("direction"), tr("decided by its first strong character")]
    in_classes = [tr("class"), tr("kind"), tr("in words"), tr("characters"), tr("which")]
    return (
        f'<div class="hood">{about(sample)}'
        f'<h2>{html(tr("Script runs"))} <small>{html(words)}</small></h2><ol class="runs">{runs}</ol>'
        f"{table(tr('Paragraphs'), in_lines, lines)}{table(tr('Bidirectional classes'), in_classes, classes)}</div>"
    )


def _dir(paragraph: anatomy.Paragraph) -> str:
    return "rtl" if paragraph.direction == "right to left" else "ltr"


def _beginning(text: str, most: int = 80) -> str:
    """The beginning of a text as it runs: no elements within it, which would change its order from right to left."""
    return html(text[:most].rstrip("\r\n")) + ("…" if len(text) > most else "")


def _examples(found: dict[str, int]) -> str:
    some = "".join(map(glyph, list(found)[:MOST_EXAMPLES]))
    left = len(found) - MOST_EXAMPLES
    more = f" {html(trn('and {n:,} other', 'and {n:,} others', left))}" if left > 0 else ""
    return f'<span class="few">{some}<span>{more}</span></span>'


# Four lanes


def four_lanes(sample: Sample, encoding: Encoding) -> str:
    """Returns a text cut in four ways, and how sequence length stands against vocabulary size in each, in HTML.

    It ends with the title of the tokens; these are drawn after it, by what has the loupe.
    """
    pieces = lanes(sample.text, encoding)
    n = {lane: len(found) for lane, found in pieces.items()}
    merged = "BPE" if encoding.merges else tr("tokens")
    told = {  # of each lane: its name, its title, its length, how it is drawn; its vocabulary for any text, and what is
        # not in that
        "characters": (
            tr("characters"),
            f"{html(tr('Characters'))} <small>{html(tr('code points'))}</small>",
            trn("{n:,} character", "{n:,} characters", n["characters"]),
            in_paragraphs(boxes(map(glyph, pieces["characters"])), pieces["characters"]),
            tr("1,112,064: 1,114,112 code points minus 2,048 surrogates"),
            tr("nothing is unknown, but the vocabulary is larger than most training texts"),
        ),
        "words": (
            tr("words"),
            f"{html(tr('Words'))} <small>{html(tr('as ICU breaks them, with what is between them'))}</small>",
            trn("{n:,} piece", "{n:,} pieces", n["words"]),
            in_paragraphs(boxes(map(glyphs, pieces["words"])), pieces["words"]),
            tr("endless: every new word, name or typo needs one more entry"),
            tr("a new word has no entry: it becomes “unknown”, and its letters are lost"),
        ),
        "bytes": (
            tr("bytes"),
            f"{html(tr('Bytes'))} <small>{html(tr('UTF-8, in hex'))}</small>",
            trn("{n:,} byte", "{n:,} bytes", n["bytes"]),
            f'<div dir="ltr">{"".join(boxes(piece.hex().upper() for piece in pieces["bytes"]))}</div>',
            "256",
            tr("nothing is unknown"),
        ),
        "BPE": (
            merged,
            f"{merged} <small>{tr('tokens of {name}', name=f'<bdi>{html(encoding.name)}</bdi>')}</small>",
            trn("{n:,} token", "{n:,} tokens", n["BPE"]),
            "",
            tr("{n:,}: its own tokens, including special ones", n=encoding.vocab_size),
            _unseen_before(encoding, sample.text),
        ),
    }
    sections, rows = "", []
    longest = max(n.values())
    for lane, (called, title, length, drawn, vocabulary, unknown) in told.items():
        sections += (
            f'<article class="lane"><h2>{title} <b>{html(length)}</b></h2>'
            f'<div class="bar" style="width:{100 * n[lane] / longest:.2f}%"></div>'
        )
        if drawn:
            sections += (
                f'<div class="strip" tabindex="0" role="region" aria-label="{html(tr(VIEWS["lanes"]))}: {html(called)}"'
                f' dir="{"ltr" if lane == "bytes" else "auto"}">{drawn}</div>'
            )
        sections += "</article>"
        if lane == "words":
            words = trn("{n:,} word", "{n:,} words", count_words(sample.text))
            length = tr("{pieces}, of which {words}", pieces=length, words=words)
        rows.append([called, length, written(len(set(pieces[lane]))), vocabulary, unknown])
    head = [
        tr("lane"),
        tr("sequence length"),
        tr("distinct in it"),
        tr("vocabulary for any text"),
        tr("anything never seen before"),
    ]
    summary = table(tr("Length against vocabulary"), head, rows)
    return f'<div class="hood">{about(sample)}{summary}{order(sample)}{sections}</div>'


def _unseen_before(encoding: Encoding, text: str) -> str:
    if encoding.unknown_id is None:
        return tr("nothing is unknown: anything new is spelled in smaller tokens, down to bytes")
    unknown = {character for _, character in encoding.unknown_characters(text)}
    if not unknown:
        return tr("a character that was not in the training text has no token")
    return trn(
        "a character that was not in the training text has no token; here {n:,} character",
        "a character that was not in the training text has no token; here {n:,} characters",
        len(unknown),
    )


def boxes(pieces: Iterable[str]) -> list[str]:
    """Returns pieces of HTML as boxes, colored in turn.

    >>> boxes(["a"])
    ['<span class="t c0">a</span>']
    """
    return [f'<span class="t c{i % palette.COUNT}">{piece}</span>' for i, piece in enumerate(pieces)]


# Bytes to text


def steps(data: bytes) -> str:
    """Returns how bytes are decoded, step by step: which become a character, which are refused and why."""
    found = list(decode_steps(data))
    refused = sum(bool(step.fault) for step in found)
    text = "".join(f"<mark>{one.text}</mark>" if one.fault else html(one.text) for one in found[:MOST_STEPS])
    said = _outcome(len(data), len(found) - refused, refused)
    if len(found) > MOST_STEPS:
        said += " " + tr("The first {most:,} of {n:,} steps are shown.", most=MOST_STEPS, n=len(found))
    items = "".join(map(_step, found[:MOST_STEPS]))
    return (
        f'<div class="hood"><p class="about">{html(said)}</p><p class="text decoded" dir="auto">{text}</p>'
        f'{key_to_bits()}<ol class="steps">{items}</ol></div>'
    )


def _outcome(size: int, characters: int, refused: int) -> str:
    facts = {
        "bytes": trn("{n:,} byte", "{n:,} bytes", size),
        "characters": trn("{n:,} character", "{n:,} characters", characters),
    }
    if not refused:
        return tr("{bytes}: {characters}; nothing is refused.", **facts)
    return tr("{bytes}: {characters}, and {n:,} × U+FFFD in place of bytes that are refused.", n=refused, **facts)


def _step(step: Step) -> str:
    first, last = step.start + 1, step.start + len(step.data)
    where = tr("bytes {first:,} to {last:,}", first=first, last=last)
    if first == last:
        where = tr("byte {n:,}", n=first)
    if step.fault:
        fault = html(tr(FAULTS[step.fault]))
        words = f"<b>�</b> <span>U+FFFD · <strong>{fault}</strong>: {html(tr(step.why))}</span>"
    else:
        words = f"<b>{glyph(step.text)}</b> <span>{code_point(step.text)} {named(step.text)}</span>"
    refused = ' class="refused"' if step.fault else ""
    return f"<li{refused}><small>{html(where)}</small>{bits(octets(step.data))}<p>{words}</p></li>"


DRAW = {"characters": characters, "forms": forms, "scripts": scripts, "lanes": four_lanes}
