"""The questions of `/v1`: their fields and their answers.

Encodings that visitors trained or loaded have no name here.
"""

import base64
import difflib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from server.encodings import encoding_store, reconstructed_counts
from server.encodings.encoding_store import StoredEncoding
from server.problems import Problem
from tokenizer import Encoding, list_encoding_names, list_models, model_names
from tokenizer.chat.reading import Prompt, with_marks
from tokenizer.chat.records import EXAMPLE, messages_of
from tokenizer.chat.templates import family_of
from tokenizer.chat.tools import FORMATS, JSON, count_tools, read_tools
from tokenizer.encoding.interface import MAX_ID
from tokenizer.errors import (
    NeedsPackage,
    OnlyCounted,
    SpecialTokenInText,
    Unavailable,
    UnknownEncoding,
    UnknownTokenIds,
    shown,
)
from tokenizer.kinds import counters, open_models
from tokenizer.kinds.registry import encoding_name
from tokenizer.measure.comparison import compare as compared
from tokenizer.text.files import MAX_FILE_BYTES as MAX_TEXT_BYTES
from tokenizer.text.units import count_graphemes, count_words
from tokenizer.text.well_formed import as_text, well_formed

MAX_COMPARED_BYTES = 2_000_000  # of a text for several encodings
MAX_ENCODINGS = 6
MAX_IDS = 1_000_000
MAX_TEXTS, MAX_MESSAGES = 10_000, 2_000
MAX_NAME_CHARACTERS = 200
SPECIAL_POLICIES = ("text", "special", "error")
IDS_PER_CHUNK = 10_000  # written in one call, so that other threads run in between

Answer = bytes


@dataclass(frozen=True)
class Question:
    """The fields of a question, the required ones first, the number of these, and the function that answers it.

    Of the fields `one_of` exactly one is required. `is_nested`: a field has objects in it.
    """

    fields: tuple[str, ...]
    required: int
    answer: Callable[[dict[str, Any]], Answer]
    one_of: tuple[str, ...] = ()
    is_nested: bool = False


# ---- fields ----


def check(name: str, question: dict[str, Any]) -> None:
    """Raises Problem unless a body has the fields of a question with valid values."""
    kind = QUESTIONS[name]
    for field in question:
        if field not in kind.fields:
            known = ", ".join(kind.fields)
            raise Problem("bad-field", f"There is no field {shown(field)}.{_suggestion(field, kind)} Known: {known}.")
    for field in kind.fields[: kind.required]:
        if field not in question:
            raise Problem("bad-field", f"The field {field!r} is missing.", field=field)
    if kind.one_of and sum(field in question for field in kind.one_of) != 1:
        known = " and ".join(map(repr, kind.one_of))
        raise Problem("bad-field", f"Send exactly one of the fields {known}.", field=kind.one_of[0])
    for field, value in question.items():
        if problem := FIELDS[field](value):
            raise Problem("bad-field", f"{field} {problem}", field=field)


def _suggestion(field: str, question: Question) -> str:
    found = difflib.get_close_matches(field[:MAX_NAME_CHARACTERS], question.fields, n=1)
    return f" Did you mean {found[0]!r}?" if found else ""


def _text(value: Any) -> str | None:
    if not isinstance(value, str):
        return "must be a string."
    if not well_formed(value)[1]:
        return None
    at = next(i for i, character in enumerate(value) if "\ud800" <= character <= "\udfff")
    return (
        f"has a lone surrogate, half a character of UTF-16, at code point {at:,}: no UTF-8 text has it."
        " Was the text cut within an emoji? Send the whole character, or U+FFFD in its place."
    )


def _texts(value: Any) -> str | None:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_TEXTS:
        return f"must be a list of 1 to {MAX_TEXTS:,} strings."
    problems = ((i, _text(one)) for i, one in enumerate(value))
    return next((f"must hold strings; the one at place {i:,}, counted from 0, {no}" for i, no in problems if no), None)


def _messages(value: Any) -> str | None:
    if not _is_objects(value) or len(value) > MAX_MESSAGES:
        return f"must be a list of 1 to {MAX_MESSAGES:,} messages, such as {EXAMPLE}."
    return None


def _tools(value: Any) -> str | None:
    return None if _is_objects(value) else "must be a list of tool definitions."


def _is_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _name(value: Any) -> str | None:
    if not isinstance(value, str) or len(value) > MAX_NAME_CHARACTERS:
        return f"must be the name of an encoding or a model, of at most {MAX_NAME_CHARACTERS} characters."
    return None


def _names(value: Any) -> str | None:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_ENCODINGS or any(map(_name, value)):
        return f"must be a list of 1 to {MAX_ENCODINGS} names of encodings or models."
    return None


def _ids(value: Any) -> str | None:
    if not isinstance(value, list):
        return "must be a list of whole numbers."
    for i, id in enumerate(value):
        if type(id) is not int or not 0 <= id <= MAX_ID:
            most = f"from 0 to {MAX_ID:,}, such as [24912, 2375]"
            return f"must hold whole numbers {most}; the one at place {i:,}, counted from 0, is {shown(id)}."
    return None


def _special(value: Any) -> str | None:
    return None if value in SPECIAL_POLICIES else f"must be one of {', '.join(map(repr, SPECIAL_POLICIES))}."


FIELDS = {"encoding": _name, "encodings": _names, "text": _text, "texts": _texts, "ids": _ids, "special": _special}
FIELDS |= {"messages": _messages, "tools": _tools}


# ---- encodings by name ----


def names(question: dict[str, Any]) -> list[str]:
    """Returns the names of the encodings in a body, models resolved to their encodings; raises Problem."""
    return [_own_name(name) for name in question.get("encodings", [question.get("encoding")])]


def counter(question: dict[str, Any]) -> str | None:
    """Returns the key of the counter that a body names, whose tokens can only be counted; None where it names none.

    >>> counter({"encoding": "claude"}), counter({"encoding": "gpt-4"})
    ('claude-4.8', None)
    """
    return counters.key_of(question.get("encoding"))


def _own_name(name: str) -> str:
    try:
        return encoding_name(name)
    except UnknownEncoding as error:
        facts = {"suggestion": error.suggestion} if error.suggestion else {}
        raise Problem("unknown-encoding", f"{error} /v1/encodings has them all.", **facts) from None
    except Unavailable as error:
        raise Problem("unknown-encoding", str(error)) from None
    except OnlyCounted as error:
        raise Problem("only-counted", f"{error} Ask /v1/count.") from None


def find(name: str) -> StoredEncoding:
    """Returns an encoding by its own name, loaded at the first use; raises Problem."""
    try:
        return encoding_store.find(name)
    except NeedsPackage as error:
        raise Problem("not-installed", str(error), command=error.command) from None


# ---- answers ----


def count(question: dict[str, Any]) -> Answer:
    """Returns the number of tokens of a text, or of each of several; a counter also states its accuracy."""
    if key := counter(question):
        return _counted(key, question)
    found = [len(ids) for ids in _read(question)]
    return _json({"tokens": found[0] if "text" in question else found})


def _counted(key: str, question: dict[str, Any]) -> Answer:
    texts = question.get("texts") or [question["text"]]
    _bounded(texts, reconstructed_counts.MAX_TEXT_BYTES)
    if question.get("special", "text") != "text":
        raise Problem("bad-field", "special must be 'text' where tokens are only counted.", field="special")
    try:
        own = counters.find(key)
    except NeedsPackage as error:
        raise Problem("not-installed", str(error), command=error.command) from None
    facts = {"model": own.display_name, "frame": own.frame, "by": counters.MEASURED_VERSION, "accuracy": own.accuracy}
    found = [reconstructed_counts.count(key, text) for text in texts]
    return _json({"tokens": found[0] if "text" in question else found, "reconstruction": facts})


def encode(question: dict[str, Any]) -> Answer:
    """Returns the ids of a text, or of each of several."""
    found = ",".join(map(_as_list, _read(question)))
    return f'{{"ids": {found if "text" in question else f"[{found}]"}}}'.encode()


def _as_list(ids: np.ndarray) -> str:
    parts = (",".join(map(str, ids[at : at + IDS_PER_CHUNK].tolist())) for at in range(0, len(ids), IDS_PER_CHUNK))
    return f"[{','.join(parts)}]"


def _read(question: dict[str, Any]) -> list[np.ndarray]:
    """Returns the ids of each text; a special token that is refused is reported with the place of its text."""
    texts, encoding = question.get("texts") or [question["text"]], find(_own_name(question["encoding"])).encoding
    _bounded(texts, MAX_TEXT_BYTES)
    found = []
    for text in texts:
        try:
            found.append(encoding.encode_array(text, question.get("special", "text")))
        except SpecialTokenInText as error:
            facts = {"token": error.token, "code_point": error.position, "byte": error.byte_position}
            facts |= {"place": len(found)} if "texts" in question else {}
            raise Problem("special-token", str(error), **facts) from None
    return found


def _bounded(texts: list[str], max_bytes: int, whose: str = "") -> None:
    if (size := sum(len(text.encode()) for text in texts)) > max_bytes:
        whose = whose or ("The text has" if len(texts) == 1 else "The texts together have")
        detail = f"{whose} {size:,} bytes; the limit is {max_bytes:,}. Send less in one call."
        raise Problem("too-large", detail, limit=max_bytes)


def chat(question: dict[str, Any]) -> Answer:
    """Returns the tokens of a chat as its model's template writes it, and what tool definitions add to a prompt."""
    encoding = find(_own_name(question["encoding"])).encoding
    family = family_of(encoding)
    marked = with_marks(encoding, family.marks, family.ids.get(encoding.name)).encoding
    prompt = Prompt(family.render(messages_of(question["messages"])), marked)
    _bounded([prompt.text], MAX_TEXT_BYTES, "The chat as its template writes it has")
    facts = {"tokens": len(prompt.tokens), "template": family.label, "is_known": family.is_known_of(encoding)}
    if "tools" not in question:
        return _json(facts)
    found, notes = read_tools(json.dumps(question["tools"], ensure_ascii=False))
    is_written = family.name in FORMATS and family.is_of(encoding)
    written = FORMATS[family.name] if is_written else JSON
    counts = count_tools(found, encoding, written)
    each = zip(found, counts.tools, strict=True)
    tools = [{"name": tool["function"]["name"], "tokens": own.total} for tool, own in each]
    own = {"tokens": counts.added, "form": written.label, "is_estimate": not is_written, "each": tools, "notes": notes}
    return _json(facts | {"tools": own})


def decode(question: dict[str, Any]) -> Answer:
    """Returns the text of ids, and the bytes where they are not UTF-8."""
    ids, encoding = question["ids"], find(_own_name(question["encoding"])).encoding
    if len(ids) > MAX_IDS:
        detail = f"There are {len(ids):,} ids; the limit is {MAX_IDS:,}. Send them in parts."
        raise Problem("too-large", detail, limit=MAX_IDS)
    data = _bytes(ids, encoding)
    if (text := as_text(data)) is not None:
        return _json({"text": text})
    return _json({"text": encoding.decode(ids), "bytes": base64.b64encode(data).decode()})


def _bytes(ids: list[int], encoding: Encoding) -> bytes:
    try:
        return encoding.decode_bytes(ids)
    except UnknownTokenIds as error:
        raise Problem("unknown-ids", str(error), places=list(error.unknown)[:100]) from None


def compare(question: dict[str, Any]) -> Answer:
    """Returns the Compare page's numbers of one text in each encoding, and where token boundaries agree."""
    text = question["text"]
    _bounded([text], MAX_COMPARED_BYTES)
    found = [find(_own_name(name)).encoding for name in question["encodings"]]
    measured = compared(text, {str(i): encoding for i, encoding in enumerate(found)}, question.get("special", "text"))
    sizes = {"bytes": len(text.encode()), "code_points": len(text)}
    sizes |= {"graphemes": count_graphemes(text), "words": count_words(text)}
    rows = zip(question["encodings"], found, measured.values, strict=True)
    total, shared, disputed, _ = measured.agreement
    return _json(
        {
            "text": sizes,
            "results": [{"asked": name, "encoding": one.name, **values} for name, one, values in rows],
            "boundaries": {"all": total, "shared": shared, "disputed": disputed},
        }
    )


def encodings() -> Answer:
    """Returns all encodings, with the models that use them."""
    return _json({"encodings": list(_listed())})


def _listed() -> Iterator[dict[str, Any]]:
    best_known = {encoding: called for called, encoding in reversed(list_models().values())}
    for name in [*list_encoding_names(), *(model.key for model in open_models.MODELS if model.is_here)]:
        yield {"name": name, "known_as": best_known.get(name, name), "models": model_names(name)}
    for own in counters.COUNTERS if counters.is_installed() else []:
        yield {"name": own.key, "known_as": own.display_name, "models": list(own.aliases), "only_counted": True}


def _json(found: dict[str, Any]) -> Answer:
    return json.dumps(found, ensure_ascii=False).encode()


QUESTIONS = {
    "count": Question(("encoding", "text", "texts", "special"), 1, count, ("text", "texts")),
    "encode": Question(("encoding", "text", "texts", "special"), 1, encode, ("text", "texts")),
    "decode": Question(("encoding", "ids"), 2, decode),
    "compare": Question(("encodings", "text", "special"), 2, compare),
    "chat": Question(("encoding", "messages", "tools"), 2, chat, is_nested=True),
}
