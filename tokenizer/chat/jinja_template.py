"""The chat template that a tokenizer_config.json holds, rendered in a process of its own: within 3 seconds of a
processor, bounded in memory and in length, whoever wrote it."""

import json
import signal
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import regex

from tokenizer import workers
from tokenizer.chat.messages import BadChat, Message, Part, value
from tokenizer.errors import TokenizerError
from tokenizer.text.well_formed import well_formed
from tokenizer.words import mark, tr

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

UNTOLD = mark(
    "The template looks into what the messages say, so which of its text is theirs cannot be told: all of it is shown"
    " as wrapping."
)


class BadTemplate(TokenizerError):
    """A file that holds no chat template that can be used."""


@dataclass(frozen=True)
class JinjaTemplate:
    """A chat template: its name where a file has several, its source, and the special tokens that the file names.

    `names` are those by what templates call them, such as bos_token; `ids` those that the file lists with their ids.
    """

    name: str
    source: str
    names: Mapping[str, str]
    ids: Mapping[str, int]

    def render(self, messages: list[Message]) -> tuple[list[Part], list[str]]:
        """Returns the parts of the text that a model reads, and what there is to say of how they were told apart.

        Raises BadChat in words where the template fails, takes too long or too much, or refuses the messages.
        """
        spots = Spots(messages, self.source)
        plain, marked, before = self._run(
            [self._given(messages, True), self._given(spots.messages, True), self._given(messages, False)]
        )
        return spots.told_apart(plain, marked, len(before) if plain.startswith(before) else len(plain))

    def _given(self, messages: list[Message], begins_turn: bool) -> dict:
        given = {"messages": as_transformers_has(messages), "add_generation_prompt": begins_turn}
        return {"tools": None, "documents": None} | self.names | given

    def _run(self, names: list[dict]) -> list[str]:
        question = json.dumps({"source": self.source, "names": names})
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
            raise BadChat(tr("The template cannot be used.") + " " + tr(why, **words))
        return [well_formed(text)[0] for text in answer["found"]]


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


def as_transformers_has(messages: list[Message]) -> list[dict]:
    """Returns messages as Hugging Face's templates know them.

    >>> as_transformers_has([Message("call", '{"a": 1}', "f")])[0]["tool_calls"][0]["function"]
    {'name': 'f', 'arguments': {'a': 1}}
    """
    found, calls = [], 0
    for message in messages:
        calls += message.role == "call"
        id = f"call{calls:05d}"
        if message.role == "call":
            given = value(message.text)
            function = {"name": message.tool, "arguments": message.text if given is None else given}
            call = {"id": id, "type": "function", "function": function}
            found.append({"role": "assistant", "content": "", "tool_calls": [call]})
        elif message.role == "tool":
            found.append({"role": "tool", "content": message.text, "name": message.tool, "tool_call_id": id})
        else:
            found.append({"role": message.role, "content": message.text})
    return found


class Spots:
    """What messages say, marked where it stands: between two private-use characters that nothing else has.

    The white space around it stays outside of the marks, so that a template that strips it still does. In JSON the
    strings are marked, one by one.
    """

    def __init__(self, messages: list[Message], source: str):
        taken = {character for text in (source, *(f"{one.text}{one.tool}" for one in messages)) for character in text}
        free = (chr(point) for point in range(PLACES, 0x10FFFE) if chr(point) not in taken)
        self._free, self.owners, self.said, self.blank = free, {}, {}, []
        self.messages = [self._marked(i, message) for i, message in enumerate(messages)]

    def _marked(self, i: int, message: Message) -> Message:
        found = value(message.text) if message.role == "call" else None
        text = self._mark(i, message.text) if found is None else json.dumps(self._in_json(i, found))
        return Message(message.role, text, self._mark(i, message.tool))

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
        lost = {self.owners[mark] for mark in self.said if mark not in texts}
        return [
            *(tr("The template changes what message {n} says.", n=i + 1) for i in sorted(changed)),
            *(tr("The template leaves out what message {n} says.", n=i + 1) for i in sorted(lost)),
            *(tr("Message {n} is white space alone, which counts as wrapping.", n=i + 1) for i in self.blank),
        ]
