"""A self-contained page: a text's tokens with the loupe, and the timeline of a training, without a server.

`framed` returns a smaller one, for a frame of another page.
"""

import base64
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple

from server import component_i18n
from server.bundle import as_value
from server.encodings import rank_tables
from server.encodings.encoding_store import StoredEncoding, Trained
from server.web_files import FOLDER, LOUPE, STEPS, TOKENS, VOCABULARY_SLIDER
from server.wire_format import pack_rows
from tokenizer import Tokens
from tokenizer.display import palette
from tokenizer.display.document import document
from tokenizer.display.strip import strip
from tokenizer.encoding.loupe import loupes
from tokenizer.encoding.tokens import SPECIAL
from tokenizer.errors import TokenizerError
from tokenizer.i18n import language, mark, number, tr, trn
from tokenizer.text.units import count_graphemes, count_words
from tokenizer.text.well_formed import well_formed
from tokenizer.training.training_history import closings

MAX_TEXT_CHARACTERS = 50_000  # of a text, since the page contains the loupe of each token
MAX_TIMELINE_CHARACTERS = 3_000  # of a text that the timeline cuts at every step
MAX_FRAMED_CHARACTERS = 2_000  # of a text in an address, as in a link
ROOT = Path(__file__).parents[3]
SOURCES = Path(__file__).parent
ALLOWED_SOURCES = "script-src {scripts}; img-src data:"
CATEGORY = re.compile(r"\\p\{(\w+)\}")
FIELD = re.compile(r"\{(\w+)\}")
TOO_LONG = mark(
    "This text has {size:,} characters; a page to take home can contain at most {most:,}. Use a shorter part of the"
    " text."
)
TOO_LONG_FOR_A_FRAME = mark(
    "This text has {size:,} characters; the page for another site can contain at most {most:,}. Use a shorter part of"
    " the text."
)
ORDINARY = mark(
    "The count is exact: it was made with the encoding’s own vocabulary and rules. Names of special tokens in the"
    " text are encoded as ordinary text. The sha256 of the vocabulary is {hash}."
)
SPECIALS = mark(
    "The count is exact: it was made with the encoding’s own vocabulary and rules. Names of special tokens in the"
    " text are encoded as special tokens. The sha256 of the vocabulary is {hash}."
)
TYPING = mark(
    "Type into the text: its tokens, ids and counts change as you type. The page works without a network, and nothing"
    " that you type leaves this device."
)


class TooLongToTakeHome(TokenizerError):
    """A text has more characters than MAX_TEXT_CHARACTERS, or MAX_FRAMED_CHARACTERS."""


class PagePart(NamedTuple):
    """A component of the app on the page: its folder, and the style sheets before its own."""

    folder: Path
    sheets: tuple[Path, ...]

    def style(self) -> str:
        """Returns the style sheet of its shadow root."""
        sheets = [*self.sheets, self.folder / f"{self.folder.name}.css", SOURCES / "part.css"]
        return palette.component_css(*map(read, sheets))


PARTS = {
    "editor": PagePart(SOURCES / "editor", (TOKENS, LOUPE, VOCABULARY_SLIDER)),
    "strip": PagePart(FOLDER / "token_strip", (TOKENS, LOUPE)),
    "timeline": PagePart(FOLDER / "timeline", (TOKENS, STEPS, LOUPE)),
}


def take_home(text: str, entry: StoredEncoding, special: str = "text") -> str:
    """Returns the page of a text in an encoding, as HTML; raises TooLongToTakeHome.

    For an encoding trained here by merging pairs it includes the timeline.
    """
    if len(text) > MAX_TEXT_CHARACTERS:
        raise TooLongToTakeHome(tr(TOO_LONG, size=len(text), most=MAX_TEXT_CHARACTERS))
    text, encoding = well_formed(text)[0], entry.encoding
    tokens, values = encoding.tokenize(text, special), Values()
    fixed = _why_fixed(tokens, entry)
    data = {"strip": _strip(tokens, entry, special, values)} if fixed else {"editor": _editor(tokens, entry, values)}
    if has_timeline(entry):
        data["timeline"] = _timeline(text[:MAX_TIMELINE_CHARACTERS], entry, values)
    return _page(tokens, entry, special, fixed, {"parts": data, "values": values.all})


def framed(text: str, entry: StoredEncoding, special: str = "text") -> str:
    """Returns the page of a text for a frame: its tokens with the loupe; raises TooLongToTakeHome.

    >>> from server.encodings.encoding_store import find
    >>> page = framed("<b>", find("gpt2"))
    >>> "<h1>3 tokens in gpt2</h1>" in page, "<b>" in page
    (True, False)
    """
    if len(text) > MAX_FRAMED_CHARACTERS:
        raise TooLongToTakeHome(tr(TOO_LONG_FOR_A_FRAME, size=len(text), most=MAX_FRAMED_CHARACTERS))
    tokens, values = entry.encoding.tokenize(well_formed(text)[0], special), Values()
    parts = {"strip": _strip(tokens, entry, special, values)}
    filled = {
        "title": _title(tokens, entry),
        "shown": _shadow_root("strip", tr("Tokens")),
        "still": strip(tokens),
        "data": as_json({"parts": parts, "values": values.all}),
        "script": (script := _script(("strip",), language())),
    }
    # The server's other pages are of the same origin, so this page runs no script but its own.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _document(filled, "frame.html", read(SOURCES / "frame.css"), f"'sha256-{digest}'")


def has_timeline(entry: StoredEncoding) -> bool:
    """Whether the page of an encoding has a timeline."""
    return isinstance(entry, Trained) and entry.has_timeline


class Values:
    """The details of pieces, with each distinct value once."""

    def __init__(self):
        self.all, self.places = [], {}

    def place(self, value: dict) -> int:
        """Returns the index of a value among all."""
        key = json.dumps(value)
        if key not in self.places:
            self.places[key] = len(self.all)
            self.all.append(value)
        return self.places[key]

    def pieces(self, descriptions: Iterable[dict]) -> list[list[int]]:
        """Returns for each piece its start and end, and the indices of its other details."""
        return [
            [one["start"], one["end"], *(self.place({k: v}) for k, v in one.items() if k not in ("start", "end"))]
            for one in descriptions
        ]


def _why_fixed(tokens: Tokens, entry: StoredEncoding) -> str:
    """Returns a sentence on why the page cannot encode another text, "" if it can."""
    if SPECIAL in tokens.kinds:
        return tr("The text in this file cannot be changed, because it contains special tokens.")
    if rank_tables.page_encoder(entry.key, entry.encoding, "") is None:
        return tr(
            "The text in this file cannot be changed: a file like this cannot encode new text with {name}. The"
            " Tokenloupe app can.",
            name=entry.name,
        )
    return ""


def _editor(tokens: Tokens, entry: StoredEncoding, values: Values) -> dict:
    """The data of a text that can be changed: its tokens, and what the page needs to encode by itself."""
    encoding = entry.encoding
    data = {
        "encoding": {"key": entry.key, "name": entry.name, "special": "text"},
        "text": tokens.text,
        "ids": tokens.ids,
        "ends": tokens.ends.tolist(),
        **encoder_facts(entry),
        "ranks": base64.b64encode(rank_tables.compressed_table(encoding)).decode(),
    }
    return {"data": data, "answers": {}, "pieces": values.pieces(loupes(tokens.text, encoding))}


def encoder_facts(entry: StoredEncoding) -> dict:
    """Returns what a page needs to encode exactly, besides the rank table: the pattern, and the characters of its
    categories, since a browser may have another version of Unicode.

    >>> from server.encodings.encoding_store import find
    >>> [*encoder_facts(find("gpt2"))["categories"]]
    ['L', 'N']
    """
    pattern = rank_tables.page_encoder(entry.key, entry.encoding, "")["pattern"]
    categories = {name: rank_tables.category_steps(name) for name in sorted(set(CATEGORY.findall(pattern)))}
    return {"pattern": pattern, "categories": categories}


def _strip(tokens: Tokens, entry: StoredEncoding, special: str, values: Values) -> dict:
    names = {name: id for name, id in entry.encoding.special_tokens.items() if id in set(tokens.ids)}
    data = {
        "encoding": {"key": entry.key, "name": entry.name, "special": special, "specials": names},
        "text": tokens.text,
        "ids": tokens.ids,
        "starts": tokens.starts.tolist(),
        "ends": tokens.ends.tolist(),
        "kinds": tokens.kinds.tolist(),
        "stretches": None,
        "lines": [],
        "lang": "",
        "direction": "auto",
    }
    return {"data": data, "answers": {}, "pieces": values.pieces(loupes(tokens.text, entry.encoding, special))}


def _timeline(text: str, entry: Trained, values: Values) -> dict:
    rows = {"history": pack_rows(*entry.history_rows), "recut": pack_rows(*closings(text, entry.encoding))}
    return {
        "data": {**entry.facts, "parent": None, "text": text, "ended": 0, "isNew": False},
        "answers": {name: base64.b64encode(row).decode() for name, row in rows.items()},
        "pieces": values.pieces(loupes(text, entry.encoding)),
    }


# ---- the page ----


def _page(tokens: Tokens, entry: StoredEncoding, special: str, fixed: str, content: dict) -> str:
    about = SPECIALS if special == "special" and fixed else ORDINARY
    ids = f'<p class="ids">{" ".join(map(str, tokens.ids))}</p>'
    filled = {
        "title": _title(tokens, entry),
        "counts": "".join(
            f'<div><dd data-count="{name}">{number(size)}</dd><dt>{escape(unit)}</dt></div>'
            for name, size, unit in counts(tokens.text, len(tokens))
        ),
        "typing": escape(fixed or tr(TYPING)),
        "shown": _shadow_root("strip" if fixed else "editor", tr("Tokens")),
        "still": strip(tokens),
        "ids_without_scripts": "" if fixed else ids,
        "ids": f"<details><summary>{escape(tr('All ids'))}</summary>{ids}</details>" if fixed else "",
        "timeline": _shadow_root("timeline") if "timeline" in content["parts"] else "",
        "about": escape(tr(about, hash=entry.encoding.fingerprint)),
        "data": as_json(content),
        "script": _script(tuple(content["parts"]), language()),
    }
    return _document(filled, "page.html", "", "'unsafe-inline'")


def _title(tokens: Tokens, entry: StoredEncoding) -> str:
    return escape(trn("{n:,} token in {name}", "{n:,} tokens in {name}", len(tokens), name=entry.name))


def _document(filled: dict[str, str], template: str, style: str, scripts: str) -> str:
    """Returns a template filled with HTML; `scripts` says which scripts run, as in a Content Security Policy."""
    body = FIELD.sub(lambda found: filled[found[1]], component_i18n.html(read(SOURCES / template)))
    style = "\n".join([theme(), read(SOURCES / "page.css"), _colors(), style])
    return document(filled["title"], style, body, language(), ALLOWED_SOURCES.format(scripts=scripts))


def counts(text: str, count: int) -> list[tuple[str, int, str]]:
    """Returns the counts of a text with this many tokens: their names in scripts, numbers and units.

    >>> counts("é", 2)[:2]
    [('tokens', 2, 'tokens'), ('characters', 1, 'character')]
    """
    characters, graphemes, words, size = len(text), count_graphemes(text), count_words(text), len(text.encode())
    return [
        ("tokens", count, trn("token", "tokens", count)),
        ("characters", characters, trn("character", "characters", characters)),
        ("graphemes", graphemes, trn("grapheme", "graphemes", graphemes)),
        ("words", words, trn("word", "words", words)),
        ("bytes", size, trn("byte", "bytes", size)),
    ]


def as_json(value: object) -> str:
    r"""Returns a value as JSON that is safe in a script element: it cannot end the element or begin a comment.

    >>> as_json("</script><!--")
    '"\\u003c/script\\u003e\\u003c!--"'
    """
    found = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return found.translate({ord(one): f"\\u{ord(one):04x}" for one in "<>&\u2028\u2029"})


@cache
def theme() -> str:
    """Returns the app's colours and radii as CSS variables with the names that its components use."""
    found = _configured_theme()
    colors = {name: f"light-dark({color}, {found['dark'][name]})" for name, color in found["light"].items()}
    corners = {name: found[name] for name in ("baseRadius", "buttonRadius")}
    return f":root {{\n{''.join(f'--st-{_dashed(name)}: {value};' for name, value in (colors | corners).items())}\n}}"


def background_colors() -> tuple[str, str]:
    """Returns the colour of the page in light and in dark.

    >>> background_colors()[1].startswith("#")
    True
    """
    found = _configured_theme()
    return found["light"]["backgroundColor"], found["dark"]["backgroundColor"]


def _configured_theme() -> dict:
    with (ROOT / ".streamlit" / "config.toml").open("rb") as file:
        return tomllib.load(file)["theme"]


def _dashed(name: str) -> str:
    return re.sub("[A-Z]", lambda found: f"-{found[0].lower()}", name)


def _colors() -> str:
    return f":root {{ {palette.css_variables()} }}\n{palette.css_classes()}"


def _shadow_root(name: str, label: str = "") -> str:
    inside, label = _template(name, language()), f' aria-label="{escape(label)}"' if label else ""
    return f'<section{label} data-part="{name}"><template shadowrootmode="open">{inside}</template></section>'


@cache
def _template(name: str, language: str) -> str:
    """Returns a component's HTML with its style sheets, as in the app."""
    folder = PARTS[name].folder
    return f"<style>{PARTS[name].style()}</style>{component_i18n.html(read(folder / f'{folder.name}.html'))}"


@cache
def _script(names: tuple[str, ...], language: str) -> str:
    folders = {name: PARTS[name].folder for name in names}
    parts = ",\n".join(f"{name}: {as_value(it / 'js' / f'{it.name}.js')}" for name, it in folders.items())
    return component_i18n.js(f"({as_value(SOURCES / 'js' / 'page.js')})({{\n{parts}\n}});", language)


def read(path: Path) -> str:
    """Returns a source of a page."""
    return path.read_text(encoding="utf-8")
