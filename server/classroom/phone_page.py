"""The page of a class for phones: a document, a script and a style sheet in each language."""

import gzip
import hashlib
import json
from functools import cache
from html import escape
from pathlib import Path

from tokenizer import i18n
from tokenizer.display.qr import qr_svg
from tokenizer.lessons import drawn
from tokenizer.lessons.lesson import LANGUAGES, words

SOURCES = Path(__file__).parent / "phone"
ICON = Path(__file__).parents[2] / "assets" / "icon.svg"
FILES = {"phone.js": "text/javascript", "phone.css": "text/css", ICON.name: "image/svg+xml"}
OF_LESSONS = ("right", "wrong", "answer_is", "no_cuts", "gap", "guess_number", "guess_choice", "take", "merge")
OF_LESSONS += ("next", "back")


@cache
def page(language: str, has_code: bool, address: str = "", root: str = "/class") -> bytes:
    """Returns the document; without a code it asks for one, and large screens show a QR code of `address`.

    `root` is the path of the page without a code.
    """
    document = (SOURCES / "phone.html").read_text(encoding="utf-8")
    sentences = words("class", language).sentences["phone"]
    return document.format(
        language=language,
        root=escape(root),
        title=escape(sentences["title"]),
        enter=escape(sentences["enter"]),
        join=escape(sentences["join"]),
        hidden=" hidden" if has_code else "",
        words=escape(json.dumps(_words(language), ensure_ascii=False)),
        others="".join(_link(tag) for tag in LANGUAGES if tag != language),
        invitation=_invitation(f"{address}/class", language) if address and not has_code else "",
        style=_stamped("phone.css"),
        script=_stamped("phone.js"),
        icon=_stamped(ICON.name),
    ).encode()


def _invitation(address: str, language: str) -> str:
    sentences = words("class", language).sentences["teacher"]
    named = f'<svg role="img" aria-label="{escape(sentences["qr"].format(address=address))}"'
    code, shown = qr_svg(address).decode().replace("<svg", named, 1), address.partition("://")[2]
    return f'<aside><p>{escape(sentences["join"])}</p>{code}<p class="address">{escape(shown)}</p></aside>'


def _words(language: str) -> dict[str, str | list[str]]:
    """Returns the sentences of the script, and the words that it keeps on one line."""
    sentences = words("class", language).sentences
    of_lessons = {key: words("page", language).text(key) for key in OF_LESSONS}
    return sentences["phone"] | sentences["phone_game"] | of_lessons | {"whole": i18n.unbreakable_words(language)}


def _link(tag: str) -> str:
    return f'<a hreflang="{tag}" lang="{tag}" href="?lang={tag}">{escape(i18n.languages()[tag])}</a>'


@cache
def file(name: str) -> tuple[bytes, bytes]:
    """Returns one of FILES, plain and compressed."""
    text = (ICON if name == ICON.name else SOURCES / name).read_text(encoding="utf-8")
    found = (f"{drawn.style()}\n{text}" if name == "phone.css" else text).encode()
    return found, gzip.compress(found)


def _stamped(name: str) -> str:
    """Returns the name of a file with a hash of its content, so that phones cache it until it changes."""
    return f"{name}?v={hashlib.sha256(file(name)[0]).hexdigest()[:12]}"
