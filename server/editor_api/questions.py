"""The editor's questions, answered the same way over HTTP, over the socket and over a rerun.

A question has the number of texts, the byte length of each, and their UTF-8. An answer has the number of rows, the
length of each, and the rows. All numbers are little-endian 32-bit integers. Exports answer with the file itself, the
loupe with JSON.
"""

import json
from codecs import getincrementaldecoder

import numpy as np

from server.editor_api import corrections
from server.encodings import encoding_store, recipes
from server.encodings.encoding_store import StoredEncoding
from server.exports.notebooks import of_text
from server.exports.take_home import take_home
from server.vocabulary import anomalies, query, rows, token_detail
from server.wire_format import pack_rows
from server.workers.background_worker import worker
from tokenizer import Encoding, Tokens, has_safe_cuts
from tokenizer.display import export
from tokenizer.encoding.loupe import loupe as under_the_loupe
from tokenizer.encoding.segments import encode_segment
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.i18n.third_party_messages import translated
from tokenizer.text.units import count_graphemes, count_words
from tokenizer.training.training_history import closings, timeline_of

ROUTE = "/api"
Body = bytes | memoryview  # of a question; a view avoids a copy of a large one
MAX_EXPORT_BYTES = 2_000_000  # of a text; its file is some 50 times as large
INLINE_EXPORT_LIMIT_BYTES = {"csv": 20_000, "json": 20_000, "html": 1_000, "ipynb": 2_000_000}  # of a text
MAX_TEXTS = 20_000
DECODE_CHUNK_BYTES = 131_072  # of a text, decoded in one call, which holds the GIL
MAX_RECUT_CHARACTERS = 20_000  # of a text that a timeline cuts at every step of a training
MAX_LOUPE_BYTES = 200_000  # of the segment around a token


# Whether the first text, and whether the others, are segments of one longer text that follow a safe cut.
PLACES = {"whole": (False, False), "start": (False, True), "inside": (True, True)}


class BadQuestion(TokenizerError):
    """A question that cannot be read."""


def tokens(texts: list[str], encoding: Encoding, special: str, place: str = "whole") -> bytes:
    """Returns the tokens of texts as rows; `place` is a key of PLACES.

    The rows: tokens of each text; tokens with special names read the other way (0 where the text has none); 1 for each
    text that its tokens decode to; ids; byte lengths; byte offsets of the tokens in their texts (empty where there are
    no gaps); kinds (empty where all are ordinary).
    """
    other = "text" if special == "special" else "special"
    first, next_ones = PLACES[place]
    placed = [(text, i > 0 and next_ones or first) for i, text in enumerate(texts)]
    different = dict.fromkeys(placed)  # many lines of a text are the same
    once = {(text, is_inside): encode_segment(text, encoding, special, is_inside) for text, is_inside in different}
    read = [once[one] for one in placed]
    found, round_trips = [own for own, _ in read], [is_same for _, is_same in read]
    others = [
        len(encode_segment(text, encoding, other, is_inside)[0]) if encoding.contains_special_token(text) else 0
        for text, is_inside in placed
    ]
    ids = _joined([own.id_array for own in found])
    lengths = _joined([own.ends - own.starts for own in found])
    starts = [] if all(map(_is_gapless, found)) else _joined([own.starts for own in found])
    kinds = _joined([own.kinds for own in found])
    return pack_rows(
        [len(own) for own in found], others, round_trips, ids, lengths, starts, kinds if kinds.any() else []
    )


def _is_gapless(own: Tokens) -> bool:
    lengths = own.ends - own.starts
    return np.array_equal(own.starts, np.cumsum(lengths) - lengths)


def _joined(arrays: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.uint32)


def units(texts: list[str], encoding: Encoding, special: str) -> bytes:
    """Returns rows: graphemes of each text; words of each text, as ICU breaks them."""
    return pack_rows([count_graphemes(text) for text in texts], [count_words(text) for text in texts])


def recut(texts: list[str], encoding: Encoding, special: str) -> bytes:
    """Returns rows: the byte offsets where the base symbols of a text end; the merge that closes the gap after each."""
    if timeline_of(encoding) is None:
        raise BadQuestion(
            tr(
                "{name} has no merge timeline, so a text cannot be shown in it. Choose an encoding that Tokenloupe"
                " trained with BPE.",
                name=encoding.name,
            )
        )
    text = "".join(texts)
    if len(text) > MAX_RECUT_CHARACTERS:
        problem = mark(
            "This text has {n:,} characters; the merge timeline can show at most {most:,}. Use a shorter part of the"
            " text."
        )
        raise BadQuestion(tr(problem, n=len(text), most=MAX_RECUT_CHARACTERS))
    return pack_rows(*closings(text, encoding))


def loupe(texts: list[str], encoding: Encoding, special: str, at: str, place: str = "whole") -> bytes:
    """Returns as JSON the facts of the piece of a text that contains the byte `at`."""
    text = "".join(texts)
    size = len(text.encode())
    if not at.isdecimal() or len(at) > 9 or int(at) >= size:
        raise BadQuestion(
            tr(
                "The parameter “at” is {at!r}; it must be the position of a byte in the text: a whole number below"
                " {size:,}.",
                at=at[:40],
                size=size,
            )
        )
    if size > MAX_LOUPE_BYTES:
        problem = mark(
            "The loupe cannot explain this token: the text around the token cannot be divided and has {n:,} bytes,"
            " more than the limit of {most:,} bytes. Try a shorter text."
        )
        raise BadQuestion(tr(problem, n=size, most=MAX_LOUPE_BYTES))
    return json.dumps(under_the_loupe(text, int(at), encoding, special, is_inside=PLACES[place][0])).encode()


def history(key: str) -> bytes:
    """Returns the history of a training as rows.

    The rows: facts (1 if the base symbols are characters, else 0; rivals per merge; base symbols in the corpus; its
    bytes; different base symbols); base symbols; left half, right half, count and tokens saved of each merge; its
    rivals, as left, right, count; uses of each symbol after the last merge.
    """
    return pack_rows(*encoding_store.trained(key).history_rows)


def recipe(key: str) -> bytes:
    """Returns as JSON the recipe of an encoding that was trained here; see `server/encodings/recipes.py`."""
    return json.dumps(recipes.as_values(encoding_store.of_training(key)), ensure_ascii=False).encode()


def merges(key: str) -> bytes:
    """Returns as JSON the merges of a training, without its text."""
    found = encoding_store.find(key)
    if not isinstance(found, encoding_store.FromTraining | encoding_store.MergesOnly):
        raise BadQuestion(
            tr(
                "The merges of {name} cannot be shared: the encoding was not trained here. Share the file that it came"
                " from instead.",
                name=found.name,
            )
        )
    return json.dumps(recipes.merges_as_values(found), ensure_ascii=False).encode()


# questions about a vocabulary instead of a text
VOCABULARY = {
    "vocabulary": rows.table,
    "vocabulary_token": token_detail.token,
    "vocabulary_anomalies": anomalies.anomalies,
    "vocabulary_csv": rows.to_csv,
    "vocabulary_json": rows.to_json,
    "vocabulary_map": rows.map_columns,
    "vocabulary_ids": rows.by_ids,
}
FILES = {"csv": export.to_csv, "json": export.to_json, "html": take_home, "ipynb": of_text}  # each of one text
WITH_ORIGIN = ("html", "ipynb")  # files that include how the encoding was made
INLINE_LIMIT_BYTES = {"tokens": 4_000, "units": 4_000, "loupe": 1_000}  # of a question
QUESTIONS = {"tokens": tokens, "units": units, "recut": recut, "history": history, "loupe": loupe}
QUESTIONS |= {"recipe": recipe, "merges": merges}
QUESTIONS |= FILES | VOCABULARY
EXPORTS = {*FILES, "vocabulary_csv", "vocabulary_json"}  # answers that take seconds to write


def cost_class(parameters: dict[str, str], stored: StoredEncoding) -> str:
    """Returns the queue for a question about a text.

    "known" if the encoding splits by one of our patterns, "own" if by a visitor's own pattern, and the encoding's key
    if another library reads the text, in a process of its own.
    """
    if "query" in parameters and (found := query.cost_class(parameters["query"])):
        return found
    if stored.encoding.runs_in_library:
        return stored.key
    return "known" if has_safe_cuts(stored.encoding.pattern) else "own"


def answer(name: str, parameters: dict[str, str], body: Body, stored: StoredEncoding) -> bytes:
    """Answers one question about an encoding, in the current language; raises TokenizerError."""
    if name not in QUESTIONS:
        raise BadQuestion(
            tr(
                "Unknown function {name!r}. Known functions: {questions}.",
                name=name[:40],
                questions=", ".join(QUESTIONS),
            )
        )
    special = parameters.get("special", "text")
    if special not in ("text", "special"):
        raise BadQuestion(
            tr("The parameter “special” is {special!r}; it must be 'text' or 'special'.", special=special[:40])
        )
    place = parameters.get("from", "whole")
    if place not in PLACES:
        raise BadQuestion(
            tr(
                "The parameter “from” is {place!r}; it must be one of: {places}.",
                place=place[:40],
                places=", ".join(PLACES),
            )
        )
    texts = read_texts(body)
    if name in ("history", "recipe", "merges"):
        return QUESTIONS[name](stored.key)
    if name in VOCABULARY:
        found = VOCABULARY[name](stored.key, parameters)
        return found if isinstance(found, bytes) else found.encode()
    if name == "loupe":
        return loupe(texts, stored.encoding, special, parameters.get("at", ""), place)
    if name == "tokens":
        corrections.count(parameters.get("corrected", "0"))
        return tokens(texts, stored.encoding, special, place)
    if name not in FILES:
        return QUESTIONS[name](texts, stored.encoding, special)
    text = "".join(texts)
    if (size := len(text.encode())) > MAX_EXPORT_BYTES:
        problem = mark(
            "This text has {n:,} bytes; a file can contain a text of at most {most:,} bytes. Use a shorter part of the"
            " text."
        )
        raise BadQuestion(tr(problem, n=size, most=MAX_EXPORT_BYTES))
    if size > INLINE_EXPORT_LIMIT_BYTES[name]:
        return worker.run(_file, name, text, stored, special)
    return _file(name, text, stored, special)


def _file(name: str, text: str, stored: StoredEncoding, special: str) -> bytes:
    return FILES[name](text, stored if name in WITH_ORIGIN else stored.encoding, special).encode()


def read_texts(body: Body) -> list[str]:
    """Returns the texts of a question's body; raises BadQuestion where its form is wrong."""
    if len(body) < 4:
        raise BadQuestion(
            tr("The body of the request is too short: it must begin with the number of texts, in 4 bytes.")
        )
    count = int.from_bytes(body[:4], "little")
    if count > MAX_TEXTS:
        problem = mark("The body of the request announces {count} texts; at most {most} are allowed.")
        raise BadQuestion(tr(problem, count=count, most=MAX_TEXTS))
    if len(body) < 4 + 4 * count:
        raise BadQuestion(
            tr(
                "The body of the request is too short: after the number of texts, it must contain the length of each"
                " text, in 4 bytes."
            )
        )
    lengths = np.frombuffer(body, "<u4", count, 4)
    ends = 4 + 4 * count + np.cumsum(lengths, dtype=np.int64)
    if (int(ends[-1]) if count else 4) != len(body):
        raise BadQuestion(
            tr(
                "The body of the request has {n} bytes, which does not match the text lengths at its beginning.",
                n=len(body),
            )
        )
    try:
        bounds = zip(ends.tolist(), lengths.tolist(), strict=True)
        return [decoded(body[end - length : end]) for end, length in bounds]
    except UnicodeDecodeError as error:
        raise BadQuestion(
            tr(
                "A text of the request is not valid UTF-8: {reason} at byte {at:,}.",
                reason=translated(error.reason),
                at=error.start + 1,
            )
        ) from None


def decoded(data: Body) -> str:
    """Returns the text of some UTF-8, decoded in chunks so that other threads can run.

    >>> decoded(b"a")
    'a'
    """
    if len(data) <= DECODE_CHUNK_BYTES:
        return str(data, "utf-8")
    decoder, starts = getincrementaldecoder("utf-8")(), range(0, len(data), DECODE_CHUNK_BYTES)
    try:
        chunks = [(data[at : at + DECODE_CHUNK_BYTES], at == starts[-1]) for at in starts]
        return "".join([decoder.decode(chunk, is_last) for chunk, is_last in chunks])
    except UnicodeDecodeError:
        return str(data, "utf-8")  # its error names the offset
