"""The chat template that a tokenizer_config.json holds, rendered in a process of its own: within 3 seconds of a
processor, bounded in memory and in length, whoever wrote it."""

import json
import signal
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from itertools import product
from pathlib import Path
from typing import NamedTuple

import regex

from tokenizer import workers
from tokenizer.chat.messages import DEFAULT_DAY, BadChat, Message, Part, begins_calls, call_ids, value
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.text.well_formed import well_formed

PROGRAM = Path(__file__).with_name("rendering.py")
SECONDS = 3  # of a processor, so that one whom others keep busy takes nothing away
PATIENCE = 20  # seconds by the clock
MOST_BYTES = 5_000_000  # of a file
MOST_SOURCE = 200_000  # characters of a template
_at_a_time = threading.Semaphore(2)  # as `workers.Shares` has it
PLACES = 0xF0000  # where the private-use characters begin that mark what messages say: two for each stretch

WRONG = {
    "long": mark("It makes more than 1 MB of text of these messages."),
    "memory": mark("It takes more memory, or nests deeper, than it may."),
    "refused": mark("It refuses these messages and says: {words}"),
    "syntax": mark("Line {line} is not Jinja: {words}"),
    "unsafe": mark("It reaches for something that a template may not touch: {words}"),
    "failed": mark("It fails on these messages: {words}"),
}
TOO_SLOW = mark("The template takes more than {seconds} seconds, so it was stopped.")

APART = mark("The template takes one tool call a message, so calls in a row are given to it one by one.")
AS_TEXT = mark("The arguments of calls are given to the template as text, since it does not take them as JSON objects.")
NO_TOOLS = mark("The template takes no tool definitions.")
WANTS_TOOLS = mark("It may want tool definitions: give it some.")
UNTOLD = mark(
    "The template looks into what the messages say, so which of its text is theirs cannot be told: all of it is shown"
    " as wrapping."
)


class BadTemplate(TokenizerError):
    """A file that holds no chat template that can be used."""


class Form(NamedTuple):
    """How a template is given calls: their arguments as text, calls in a row apart, and what is said with them."""

    is_text: bool = False
    is_apart: bool = False
    content: str | None = ""


USUAL = Form()


@dataclass(frozen=True)
class JinjaTemplate:
    """A chat template: its name where a file has several, its source, and the special tokens that the file names.

    `names` are those by what templates call them, such as bos_token; `ids` those that the file lists with their ids.
    """

    name: str
    source: str
    names: Mapping[str, str]
    ids: Mapping[str, int]

    @property
    def writes_date(self) -> bool:
        """Whether the template asks for today's date."""
        return "strftime_now" in self.source

    def render(
        self, messages: list[Message], day: date = DEFAULT_DAY, tools: list[dict] | None = None
    ) -> tuple[list[Part], list[str]]:
        """Returns the parts of the text that a model reads, and what there is to say of how they were told apart.

        `day` is what the template takes for today, `tools` the definitions of tools that it is given. Templates differ
        in how they take calls: the first form is taken that leaves out nothing. Raises BadChat in words where the
        template fails, takes too long or too much, or refuses the messages.
        """
        others = self.source + json.dumps(tools, ensure_ascii=False)
        spots = [Spots(messages, others, form) for form in _forms(messages)]
        ids = call_ids(messages)
        asked = [
            {
                "names": [
                    {"messages": as_transformers_has(said, spot.form, ids), "add_generation_prompt": begins_turn}
                    for said, begins_turn in ((messages, True), (spot.messages, True), (messages, False))
                ],
                "marks": "".join(mark for mark in spot.said if mark not in spot.names),
            }
            for spot in spots
        ]
        (plain, marked, before), i = self._run(asked, day, tools)
        begun = len(before) if plain.startswith(before) else len(plain)
        parts, notes = spots[i].told_apart(plain, marked, begun)
        form = spots[i].form
        said = {APART: form.is_apart, AS_TEXT: form.is_text, NO_TOOLS: tools and "tools" not in self.source}
        return parts, [*notes, *(tr(words) for words, is_so in said.items() if is_so)]

    def _run(self, forms: list[dict], day: date, tools: list[dict] | None) -> tuple[list[str], int]:
        given = {"tools": tools or None, "documents": None} | self.names
        question = json.dumps({"source": self.source, "given": given, "forms": forms, "day": day.isoformat()})
        arguments, memory = ["-I", str(PROGRAM)], workers.SHARES.template
        try:
            with _at_a_time, workers.start(arguments, memory, 0, SECONDS, stderr=subprocess.DEVNULL) as process:
                try:
                    output, _ = process.communicate(question.encode(), PATIENCE)
                finally:
                    process.kill()
        except subprocess.TimeoutExpired:
            raise BadChat(tr(TOO_SLOW, seconds=PATIENCE)) from None
        if process.returncode == -getattr(signal, "SIGXCPU", 0) < 0:
            raise BadChat(tr(TOO_SLOW, seconds=SECONDS))
        try:
            answer = json.loads(output)
        except ValueError:  # it ended without an answer
            answer = {"wrong": "memory"}
        if "wrong" in answer:
            words = {"words": well_formed(answer.get("words", ""))[0], "line": answer.get("line", 0)}
            why = WRONG[answer["wrong"]]
            more = [tr(WANTS_TOOLS)] if answer["wrong"] == "failed" and not tools and "tools" in self.source else []
            raise BadChat(" ".join([tr("The template cannot be used."), tr(why, **words), *more]))
        return [well_formed(text)[0] for text in answer["found"]], answer["form"]


def read_config(data: bytes) -> dict[str, JinjaTemplate]:
    """Returns the chat templates in a tokenizer_config.json by their names, "default" where there is but one.

    Raises BadTemplate. A file of Jinja alone (chat_template.jinja) is read, too.

    >>> found = read_config(b'{"chat_template": "{{ bos_token }}", "bos_token": {"content": "<s>"}}')
    >>> found["default"].source, found["default"].names
    ('{{ bos_token }}', {'bos_token': '<s>'})
    """
    if len(data) > MOST_BYTES:
        raise BadTemplate(tr("This file has {n:,} bytes; the limit is {most:,}.", n=len(data), most=MOST_BYTES))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadTemplate(tr("This file is not UTF-8. Choose a tokenizer_config.json or a file of Jinja.")) from None
    config = value(text)
    if not isinstance(config, dict):
        if "{{" not in text and "{%" not in text:
            raise BadTemplate(tr("This is neither JSON nor Jinja. Choose a tokenizer_config.json or a file of Jinja."))
        config = {"chat_template": text}
    names, ids = _special_names(config), _special_ids(config)
    return {name: JinjaTemplate(name, source, names, ids) for name, source in _sources(config).items()}


def _sources(config: dict) -> dict[str, str]:
    found = config.get("chat_template")
    if isinstance(found, list):
        pairs = [(one.get("name"), one.get("template")) for one in found if isinstance(one, dict)]
        found = {name: source for name, source in pairs if isinstance(name, str) and isinstance(source, str)}
    if isinstance(found, str):
        found = {"default": found}
    if not isinstance(found, dict) or not found or not all(isinstance(one, str) for one in found.values()):
        raise BadTemplate(
            tr(
                "This file holds no chat template: it should be the text or the list named chat_template. Some"
                " models have it in a file of its own, chat_template.jinja."
            )
        )
    if (size := sum(map(len, found.values()))) > MOST_SOURCE:
        raise BadTemplate(
            tr("Its template has {size:,} characters; the limit is {most:,}.", size=size, most=MOST_SOURCE)
        )
    return {name[:80]: source for name, source in found.items()}


def _special_names(config: dict) -> dict[str, str]:
    found = {name: _content(one) for name, one in config.items() if isinstance(name, str) and name.endswith("_token")}
    return {name: content for name, content in found.items() if content}


def _special_ids(config: dict) -> dict[str, int]:
    listed, found = config.get("added_tokens_decoder"), {}
    for id, one in listed.items() if isinstance(listed, dict) else ():
        is_special = isinstance(one, dict) and one.get("special") is True
        if is_special and _content(one) and id.isascii() and id.isdecimal() and len(id) < 8:
            found[_content(one)] = int(id)
    return found


def _content(one: object) -> str:
    found = one.get("content") if isinstance(one, dict) else one
    return found if isinstance(found, str) and len(found) <= 200 and found == well_formed(found)[0] else ""


def _forms(messages: list[Message]) -> list[Form]:
    """The forms in which a template may want these messages, the usual one first."""
    calls = [i for i, one in enumerate(messages) if one.role == "call"]
    in_a_row = any(not begins_calls(messages, i) for i in calls)
    forms = product((False, True), (False, True)[: 1 + in_a_row], ("", None))
    return [Form(*one) for one in forms] if calls else [USUAL]


def as_transformers_has(messages: list[Message], form: Form, ids: list[str]) -> list[dict]:
    """Returns messages as Hugging Face's templates know them: calls in a row are those of one message.

    >>> as_transformers_has([Message("call", '{"a": 1}', "f")], USUAL, ["call00001"])[0]["tool_calls"][0]["function"]
    {'name': 'f', 'arguments': {'a': 1}}
    """
    found = []
    for i, message in enumerate(messages):
        if message.role == "call":
            given = None if form.is_text else value(message.text)
            function = {"name": message.tool, "arguments": message.text if given is None else given}
            call = {"id": ids[i], "type": "function", "function": function}
            if form.is_apart or begins_calls(messages, i):
                found.append({"role": "assistant", "content": form.content, "tool_calls": []})
            found[-1]["tool_calls"].append(call)
        elif message.role == "tool":
            found.append({"role": "tool", "content": message.text, "name": message.tool, "tool_call_id": ids[i]})
        else:
            found.append({"role": message.role, "content": message.text})
    return found


class Spots:
    """What messages say, marked where it stands: between two private-use characters that nothing else has.

    The white space around it stays outside of the marks, so that a template that strips it still does. In JSON the
    strings are marked, one by one. `names` are the first marks of the names of tools that results come with, which most
    templates do not write.
    """

    def __init__(self, messages: list[Message], source: str, form: Form = USUAL):
        self.form = form
        taken = {character for text in (source, *(f"{one.text}{one.tool}" for one in messages)) for character in text}
        free = (chr(point) for point in range(PLACES, 0x10FFFE) if chr(point) not in taken)
        self._free, self.owners, self.said, self.blank, self.names = free, {}, {}, [], set()
        self.messages = [self._marked(i, message) for i, message in enumerate(messages)]

    def _marked(self, i: int, message: Message) -> Message:
        found = value(message.text) if message.role == "call" and not self.form.is_text else None
        text = self._mark(i, message.text) if found is None else json.dumps(self._in_json(i, found))
        name = self._mark(i, message.tool)
        if message.role == "tool" and name.strip():
            self.names.add(name.strip()[0])
        return Message(message.role, text, name)

    def _in_json(self, i: int, found: object) -> object:
        if isinstance(found, dict):
            return {name: self._in_json(i, one) for name, one in found.items()}
        if isinstance(found, list):
            return [self._in_json(i, one) for one in found]
        return self._mark(i, found) if isinstance(found, str) else found

    def _mark(self, i: int, text: str) -> str:
        text = well_formed(text)[0]
        core = text.strip()
        if not core:
            self.blank += [i] if text else []
            return text
        first, last = next(self._free), next(self._free)
        self.owners[first], self.owners[last], self.said[first] = i, i, core
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        return f"{before}{first}{core}{last}{after}"

    def told_apart(self, plain: str, marked: str, begun: int) -> tuple[list[Part], list[str]]:
        """Returns the parts of the plain rendering, as the marks in the other tell, and what there is to say of it.

        From the character `begun` on it is what an assistant's turn begins with. What stands between the texts of two
        messages counts to the later one.
        """
        pieces = regex.split(f"([{''.join(self.owners)}])", marked) if self.owners else [marked]
        if "".join(pieces[::2]) != plain:
            return [Part(plain, True)], [tr(UNTOLD)]
        *before, after = pieces[::2]
        marks = pieces[1::2]
        stretches = zip(marks, before, strict=True)  # a text ends with the second of its marks
        found = [Part(piece, mark in self.said, self.owners[mark]) for mark, piece in stretches]
        end = max(0, len(after) - (len(plain) - begun))
        found += [Part(after[:end], True, self.owners[marks[-1]] if marks else None), Part(after[end:], True)]
        return [part for part in found if part.text], self._notes(dict(zip(marks, pieces[2::2], strict=True)))

    def _notes(self, texts: dict[str, str]) -> list[str]:
        changed = {self.owners[mark] for mark, text in self.said.items() if texts.get(mark, text) != text}
        lost = {self.owners[mark] for mark in self.said if mark not in texts and mark not in self.names}
        return [
            *(tr("The template changes what message {n} says.", n=i + 1) for i in sorted(changed)),
            *(tr("The template leaves out what message {n} says.", n=i + 1) for i in sorted(lost)),
            *(tr("Message {n} is white space alone, which counts as wrapping.", n=i + 1) for i in self.blank),
        ]
