"""Chat templates of tokenizer_config.json files, rendered in a subprocess with bounded CPU time, memory and output."""

import json
import re
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
from tokenizer.chat.messages import (
    DEFAULT_DAY,
    BadChat,
    Message,
    Part,
    begins_calls,
    call_ids,
    json_value,
    precedes_calls,
)
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.text.well_formed import well_formed

WORKER = Path(__file__).with_name("rendering.py")
MAX_CPU_SECONDS = 3
MAX_WALL_SECONDS = 20  # longer than the CPU time: the machine may be busy
MAX_FILE_BYTES = 5_000_000
MAX_SOURCE_CHARACTERS = 200_000  # of all templates of a file
FIRST_MARKER = 0xF0000  # private-use characters mark the text of messages: two around each part
TYPE_OF_PART = re.compile(r"""\[["']type["']\]|\.type\b|["']type["'], *["']equalto["']""")  # of a list of parts
_processes = threading.Semaphore(2)  # as many as `workers.Shares` has memory for

PROBLEMS = {
    "long": mark(
        "The template turns these messages into more than 1 MB of text, the limit. Use shorter messages, or"
        " another template."
    ),
    "memory": mark(
        "The template needs more memory, or nests its values more deeply, than is allowed. Use shorter messages,"
        " or another template."
    ),
    "refused": mark("The template does not accept these messages. It gives this reason: {words}"),
    "syntax": mark(
        "Line {line} of the template is not valid Jinja; correct the line. The Jinja library reports: {words}"
    ),
    "unsafe": mark(
        "The template uses something that templates may not access. Use another template. The Jinja library"
        " reports: {words}"
    ),
    "failed": mark(
        "The template stops with an error on these messages. Change the messages, or use another template. The"
        " error: {words}"
    ),
}
TOO_SLOW = mark(
    "The template was stopped because it took more than {seconds} seconds. Use shorter messages, or another template."
)

ONE_CALL_PER_MESSAGE = mark(
    "The template takes one tool call per message, so each tool call is passed to the template as a message of its own."
)
ARGUMENTS_AS_TEXT = mark(
    "The arguments of tool calls are passed to the template as text, because the template does not take JSON objects."
)
TOOLS_UNUSED = mark("The template takes no tool definitions.")
NO_NAMES = mark(
    "The template uses special tokens that its file does not name, such as bos_token, so they are left out. Drop the"
    " file together with the model’s tokenizer_config.json."
)
TOKEN_VARIABLE = regex.compile(r"\b(?:bos|eos|unk|sep|pad|cls|mask)_token\b")
MAY_NEED_TOOLS = mark("The template may need tool definitions: add at least one.")
NOT_SEPARABLE = mark(
    "The template changes or inspects the messages, so the text that the template adds cannot be separated"
    " from the text of the messages: all tokens are shown as template tokens."
)


class BadTemplate(TokenizerError):
    """A file without a usable chat template."""


class Form(NamedTuple):
    """The form in which a template gets messages.

    Of calls: arguments as text, one call per message, the content next to them. Of texts and results: a list with a
    part of text, which templates of models with images need.
    """

    arguments_as_text: bool = False
    one_call_per_message: bool = False
    content: str | None = ""
    content_as_parts: bool = False


DEFAULT_FORM = Form()


@dataclass(frozen=True)
class JinjaTemplate:
    """A chat template: its name in the file, its source, and the special tokens of the file.

    `names` maps variables of templates such as bos_token to special tokens; `ids` maps special tokens to their ids.
    """

    name: str
    source: str
    names: Mapping[str, str]
    ids: Mapping[str, int]

    @property
    def writes_date(self) -> bool:
        """Whether the template writes today's date."""
        return "strftime_now" in self.source

    def render(
        self, messages: list[Message], day: date = DEFAULT_DAY, tools: list[dict] | None = None
    ) -> tuple[list[Part], list[str]]:
        """Returns the parts of the prompt, and remarks on how they were separated.

        `day` is today for the template, `tools` are its tool definitions. Templates expect calls in different forms:
        the first form is used whose rendering lacks none of the messages' text. Raises BadChat if the template fails,
        exceeds a limit or rejects the messages.
        """
        others = self.source + json.dumps(tools, ensure_ascii=False)
        try:
            marked_forms = [MarkedMessages(messages, others, form) for form in self._possible_forms(messages)]
        except RecursionError:  # the arguments of a call are nested too deeply
            raise BadChat(_problem("memory")) from None
        ids = call_ids(messages)
        forms = [
            {
                "names": [
                    {"messages": for_transformers(conversation, one.form, ids), "add_generation_prompt": begins_turn}
                    for conversation, begins_turn in ((messages, True), (one.messages, True), (messages, False))
                ],
                "marks": "".join(mark for mark in one.spellings if mark not in one.names),
            }
            for one in marked_forms
        ]
        (plain, marked, before), i = self._run(forms, day, tools)
        begun = len(before) if plain.startswith(before) else len(plain)
        parts, notes = marked_forms[i].separated(plain, marked, begun)
        form = marked_forms[i].form
        remarks = {
            ONE_CALL_PER_MESSAGE: form.one_call_per_message,
            ARGUMENTS_AS_TEXT: form.arguments_as_text,
            TOOLS_UNUSED: tools and "tools" not in self.source,
            NO_NAMES: not self.names and TOKEN_VARIABLE.search(self.source),
        }
        return parts, [*notes, *(tr(words) for words, is_so in remarks.items() if is_so)]

    def _possible_forms(self, messages: list[Message]) -> list[Form]:
        """The forms in which the template may expect these messages, the most common first."""
        calls = [i for i, one in enumerate(messages) if one.role == "call"]
        has_consecutive = any(not begins_calls(messages, i) for i in calls)
        choices = product((False, True), (False, True)[: 1 + has_consecutive], ("", None))
        forms = [Form(*one) for one in choices] if calls else [DEFAULT_FORM]
        return [*forms, DEFAULT_FORM._replace(content_as_parts=True)] if TYPE_OF_PART.search(self.source) else forms

    def _run(self, forms: list[dict], day: date, tools: list[dict] | None) -> tuple[list[str], int]:
        context = {"tools": tools or None, "documents": None} | self.names
        request = json.dumps({"source": self.source, "context": context, "forms": forms, "day": day.isoformat()})
        arguments, memory = ["-I", str(WORKER)], workers.SHARES.template
        try:
            with _processes, workers.start(arguments, memory, 0, MAX_CPU_SECONDS, stderr=subprocess.DEVNULL) as process:
                try:
                    output, _ = process.communicate(request.encode(), MAX_WALL_SECONDS)
                finally:
                    process.kill()
        except subprocess.TimeoutExpired:
            raise BadChat(tr(TOO_SLOW, seconds=MAX_WALL_SECONDS)) from None
        if process.returncode == -getattr(signal, "SIGXCPU", 0) < 0:
            raise BadChat(tr(TOO_SLOW, seconds=MAX_CPU_SECONDS))
        try:
            answer = json.loads(output)
        except ValueError:  # the process was killed
            answer = {"wrong": "memory"}
        if "wrong" in answer:
            words = {"words": well_formed(answer.get("words", ""))[0], "line": answer.get("line", 0)}
            more = [tr(MAY_NEED_TOOLS)] if answer["wrong"] == "failed" and not tools and "tools" in self.source else []
            raise BadChat(" ".join([_problem(answer["wrong"], **words), *more]))
        return [well_formed(text)[0] for text in answer["found"]], answer["form"]


def _problem(kind: str, **words: str | int) -> str:
    return " ".join([tr("The template cannot be used."), tr(PROBLEMS[kind], **words)])


def read_config(data: bytes, settings: bytes = b"") -> dict[str, JinjaTemplate]:
    """Returns the chat templates of a tokenizer_config.json or chat_template.jinja by name; raises BadTemplate.

    The only template of a file has the name "default". `settings` is the tokenizer_config.json beside the file, which
    names the special tokens for it.

    >>> found = read_config(b'{"chat_template": "{{ bos_token }}", "bos_token": {"content": "<s>"}}')
    >>> found["default"].source, found["default"].names
    ('{{ bos_token }}', {'bos_token': '<s>'})
    """
    if (size := max(len(data), len(settings))) > MAX_FILE_BYTES:
        raise BadTemplate(
            tr(
                "This file has {n:,} bytes; the limit is {most:,} bytes. Choose a smaller file.",
                n=size,
                most=MAX_FILE_BYTES,
            )
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadTemplate(tr("This file is not UTF-8. Choose a tokenizer_config.json or a Jinja file.")) from None
    config = json_value(text)
    if not isinstance(config, dict):
        if "{{" not in text and "{%" not in text:
            raise BadTemplate(
                tr("This is neither a JSON object nor Jinja. Choose a tokenizer_config.json or a Jinja file.")
            )
        config = {"chat_template": text}
    beside = json_value(settings.decode("utf-8-sig", "replace"))
    config = beside | config if isinstance(beside, dict) else config
    names, ids = _special_names(config), _special_ids(config)
    return {name: JinjaTemplate(name, source, names, ids) for name, source in _sources(config).items()}


def _sources(config: dict) -> dict[str, str]:
    found = config.get("chat_template")
    if isinstance(found, list):
        pairs = [(one.get("name"), one.get("template")) for one in found if isinstance(one, dict)]
    else:
        pairs = list(found.items()) if isinstance(found, dict) else [("default", found)]
    found = {name: source for name, source in pairs if isinstance(name, str) and isinstance(source, str)}
    if not found:
        raise BadTemplate(
            tr(
                "This file has no chat template: its key chat_template is missing, or contains no template. Some"
                " models have the template in a separate file, chat_template.jinja: choose that file."
            )
        )
    if (size := sum(map(len, found.values()))) > MAX_SOURCE_CHARACTERS:
        raise BadTemplate(
            tr(
                "The chat templates in this file have {size:,} characters; the limit is {most:,} characters."
                " Choose another file.",
                size=size,
                most=MAX_SOURCE_CHARACTERS,
            )
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


def for_transformers(messages: list[Message], form: Form, ids: list[str]) -> list[dict]:
    """Returns messages in the form of transformers: consecutive calls, and text before them, belong to one message.

    >>> for_transformers([Message("call", '{"a": 1}', "f")], Form(), ["call00001"])[0]["tool_calls"][0]["function"]
    {'name': 'f', 'arguments': {'a': 1}}
    """
    found = []
    for i, message in enumerate(messages):
        if message.role == "call":
            arguments = None if form.arguments_as_text else json_value(message.text)
            function = {"name": message.tool, "arguments": message.text if arguments is None else arguments}
            call = {"id": ids[i], "type": "function", "function": function}
            if i and precedes_calls(messages, i - 1):
                found[-1]["tool_calls"] = []
            elif form.one_call_per_message or begins_calls(messages, i):
                found.append({"role": "assistant", "content": form.content, "tool_calls": []})
            found[-1]["tool_calls"].append(call)
        else:
            parts = [{"type": "text", "text": message.text}]
            found.append({"role": message.role, "content": parts if form.content_as_parts else message.text})
            if message.role == "tool":
                found[-1] |= {"name": message.tool, "tool_call_id": ids[i]}
    return found


class MarkedMessages:
    """Messages with markers around their text, which show where a template puts it.

    Each part of text stands between two private-use characters that occur nowhere else. Surrounding white space
    stays outside of the markers, so that templates can still strip it. In JSON each string is marked. `spellings` has
    the spellings of each part: a template may write a string of JSON with or without its escapes. `names` has the
    first markers of the tool names of results, which most templates leave out.
    """

    def __init__(self, messages: list[Message], source: str, form: Form = DEFAULT_FORM):
        self.form = form
        taken = {character for text in (source, *(f"{one.text}{one.tool}" for one in messages)) for character in text}
        free = (chr(point) for point in range(FIRST_MARKER, 0x10FFFE) if chr(point) not in taken)
        self._free, self.owners, self.spellings, self.blank, self.names = free, {}, {}, [], set()
        self.messages = [self._marked(i, message) for i, message in enumerate(messages)]

    def _marked(self, i: int, message: Message) -> Message:
        found = json_value(message.text) if message.role == "call" and not self.form.arguments_as_text else None
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
        return self._mark(i, found, True) if isinstance(found, str) else found

    def _mark(self, i: int, text: str, is_in_json: bool = False) -> str:
        text = well_formed(text)[0]
        core = text.strip()
        if not core:
            self.blank += [i] if text else []
            return text
        first, last = next(self._free), next(self._free)
        self.owners[first] = self.owners[last] = i
        self.spellings[first] = {core, json.dumps(core, ensure_ascii=False)[1:-1]} if is_in_json else {core}
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        return f"{before}{first}{core}{last}{after}"

    def separated(self, plain: str, marked: str, begun: int) -> tuple[list[Part], list[str]]:
        """Returns the parts of the plain rendering, separated by the markers in the marked one, and remarks.

        The generation prompt begins at the character `begun`. Wrapping between the texts of two messages belongs to
        the later one.
        """
        pieces = regex.split(f"([{''.join(self.owners)}])", marked) if self.owners else [marked]
        if "".join(pieces[::2]) != plain:
            return [Part(plain, True)], [tr(NOT_SEPARABLE)]
        *before, after = pieces[::2]
        marks = pieces[1::2]
        texts = zip(marks, before, strict=True)  # a text ends at its second marker
        found = [Part(piece, mark in self.spellings, self.owners[mark]) for mark, piece in texts]
        end = max(0, len(after) - (len(plain) - begun))
        found += [Part(after[:end], True, self.owners[marks[-1]] if marks else None), Part(after[end:], True)]
        return [part for part in found if part.text], self._notes(dict(zip(marks, pieces[2::2], strict=True)))

    def _notes(self, texts: dict[str, str]) -> list[str]:
        changed = {
            self.owners[mark] for mark in self.spellings if mark in texts and texts[mark] not in self.spellings[mark]
        }
        lost = {self.owners[mark] for mark in self.spellings if mark not in texts and mark not in self.names}
        return [
            *(tr("The template changes the text of message {n}.", n=i + 1) for i in sorted(changed)),
            *(tr("The template omits the text of message {n}.", n=i + 1) for i in sorted(lost)),
            *(
                tr(
                    "In message {n}, a text of only white space counts as template tokens, if the template keeps it.",
                    n=i + 1,
                )
                for i in dict.fromkeys(self.blank)
            ),
        ]
