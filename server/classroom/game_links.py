"""Links that open the tokenizer of a class: the teacher's have the sentences of the class, a phone's its merges."""

import base64
import json
import zlib
from contextlib import suppress
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from server.classroom import rooms
from server.encodings.encoding_store import TRAINED, StoredEncoding, StoreFull
from server.encodings.recipes import merges_as_values, store_merges
from tokenizer.i18n import mark, tr, using_language
from tokenizer.lessons.class_training import MAX_CACHED_TRAININGS, MIN_COUNT, PATTERN, ClassTraining, class_training
from tokenizer.lessons.lesson import words
from tokenizer.training.worker import Order

PAGES = {"playground": mark("Playground"), "compare": mark("Compare"), "train": mark("Train")}
NAME = "class"  # of the encoding on other pages
MAX_RECIPE_BYTES = 90_000  # a page reads at most 100,000 bytes from a link (web/js/net/text-link.js)
MAX_TEXT_CHARACTERS = 2_000  # of a link


def phone_links(training: ClassTraining, merges: int, sentence: str, language: str) -> list[list[str]]:
    """Returns labels and links with the merges, and one sentence as text; of other sentences only the merges."""
    key, made, _ = _merges(training.sentences, merges)
    return [
        _link("playground", {"encoding": key}, {key: made}, sentence, language),
        _link("compare", {"encodings": f"{key},{PATTERN}"}, {key: made}, sentence, language),
    ]


@lru_cache(MAX_CACHED_TRAININGS)  # the board asks after each change
def teacher_links(training: ClassTraining, merges: int, language: str) -> list[list[str]]:
    """Returns labels and links with the first sentences as text; on the page Train all are trained on again.

    No link leads to Train where the sentences are too long for it.
    """
    sentences = list(training.sentences)
    order = Order(len(training.history.base) + merges, PATTERN, alphabet="characters", min_count=MIN_COUNT)
    recipe = {"name": NAME, "order": json.loads(order.to_json()), "specials": [], "texts": sentences}
    text = "\n".join(sentences)[:MAX_TEXT_CHARACTERS]
    found = phone_links(training, merges, text, language)
    if len(values := _json(recipe)) <= MAX_RECIPE_BYTES:
        key = f"{TRAINED}{zlib.crc32(values):032x}"  # the page that opens the link replaces it
        found.append(_link("train", {"trained": key}, {key: recipe}, text, language))
    return found


def _link(page: str, choice: dict[str, str], made: dict[str, Any], text: str, language: str) -> list[str]:
    """Returns the label of a page and its address, which begins after the last slash of the app's address."""
    with using_language(language):
        label = words("class", language).text("open", "game", page=tr(PAGES[page]))
    query, path = urlencode({"lang": language} | choice, safe=","), "" if page == "playground" else page
    shown_text = f"&t={_packed(text.encode())}" if text else ""  # without one, the visitor's text stays
    rest = _packed(_json({"made": made, "address": choice}))
    return [label, f"{path}?{query}#v=1{shown_text}&s={rest}"]


@lru_cache(MAX_CACHED_TRAININGS)
def _merges(sentences: tuple[str, ...], merges: int) -> tuple[str, dict[str, Any], StoredEncoding]:
    """Returns the key of the encoding and its values for a link, and the encoding itself, so that the store keeps it.

    This server then opens the link at once; another one, or this one after a restart, takes the encoding from the link.
    """
    encoding = class_training(sentences).encoding(merges, NAME)
    stored = StoredEncoding("", encoding)
    with suppress(StoreFull):
        stored = store_merges(encoding)
    made = merges_as_values(stored)
    return stored.key or made["key"], made, stored


rooms.cache_clearers += (_merges.cache_clear, teacher_links.cache_clear)


def _json(found: Any) -> bytes:
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()


def _packed(found: bytes) -> str:
    """Returns bytes as a field of a link's fragment.

    >>> _packed(b"a")
    'eNpLBAAAYgBi'
    """
    return base64.urlsafe_b64encode(zlib.compress(found, 9)).decode().rstrip("=")
