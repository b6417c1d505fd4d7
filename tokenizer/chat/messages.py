"""What is said in a chat, and the parts of the text that a template makes of it."""

import json
from datetime import date
from typing import NamedTuple

from tokenizer.errors import TokenizerError, enumerated
from tokenizer.i18n import mark, tr

ROLES = ("system", "developer", "user", "assistant", "call", "tool")
DEFAULT_DAY = date(2024, 7, 26)  # what Llama 3.1's own template takes for today where none is given
IN_WORDS = {  # as sentences have them
    "system": mark("system"),
    "developer": mark("developer"),
    "user": mark("user"),
    "assistant": mark("assistant"),
    "call": mark("tool call"),
    "tool": mark("tool result"),
}


class BadChat(TokenizerError):
    """This template cannot render these messages."""


class Message(NamedTuple):
    """One message of a chat.

    `role` is one of ROLES. A "call" is an assistant's call of the tool named `tool`, its text the arguments, which
    should be JSON; a message of role "tool" is the result of one. `tool` is empty in all others.
    """

    role: str
    text: str
    tool: str = ""


class Part(NamedTuple):
    """A stretch of the text that a model reads: wrapping that a template adds, or text of a message.

    `message` is the index of the message that it belongs to; None where the wrapping belongs to no message.
    """

    text: str
    is_wrapping: bool
    message: int | None = None


def joined(parts: list[Part]) -> str:
    """Returns the text of all parts.

    >>> joined([Part("<b>", True, 0), Part("hi", False, 0)])
    '<b>hi'
    """
    return "".join(part.text for part in parts)


def arguments(text: str) -> str:
    """Returns the arguments of a call as JSON is usually written; as they are where they are not JSON.

    >>> arguments('{"city":"เชียงใหม่"}'), arguments("{city")
    ('{"city": "เชียงใหม่"}', '{city')
    """
    found = value(text)
    return text if found is None else json.dumps(found, ensure_ascii=False)


def value(text: str) -> object:
    """Returns what a JSON text stands for; None where it is not JSON, or is null.

    >>> value('{"a": [1]}'), value("a")
    ({'a': [1]}, None)
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def as_json(text: str) -> str:
    """Returns a text as JSON is usually written where it is JSON, else as a JSON string.

    >>> as_json('{"city":"เชียงใหม่"}'), as_json("31 °C")
    ('{"city": "เชียงใหม่"}', '"31 °C"')
    """
    found = value(text)
    return json.dumps(text if found is None else found, ensure_ascii=False)


def begins_calls(messages: list[Message], i: int) -> bool:
    """Whether message `i` is the first of calls in a row, which an assistant makes in one turn."""
    return i == 0 or messages[i - 1].role != "call"


def ends_calls(messages: list[Message], i: int) -> bool:
    """Whether message `i` is the last of calls in a row."""
    return i + 1 == len(messages) or messages[i + 1].role != "call"


def call_ids(messages: list[Message]) -> list[str]:
    """Returns of each message the id of the call that it is, or has the result of: nine characters, as Mistral's have.

    Of several calls in a row a result belongs to the first of its tool without one, else to the first without one.

    >>> calls = [Message("call", "{}", "a"), Message("call", "{}", "b")]
    >>> call_ids([*calls, Message("tool", "1", "b"), Message("tool", "2", "a")])
    ['call00001', 'call00002', 'call00002', 'call00001']
    """
    found, number, waiting = [], 0, []
    for i, message in enumerate(messages):
        id = f"call{number:05d}"
        if message.role == "call":
            number += 1
            id = f"call{number:05d}"
            waiting = [*([] if begins_calls(messages, i) else waiting), (id, message.tool)]
        elif message.role == "tool" and waiting:
            of_tool = [one for one in waiting if one[1] == message.tool]
            answered = (of_tool or waiting)[0]
            id = answered[0]
            waiting.remove(answered)
        found.append(id)
    return found


def role_in_words(role: str) -> str:
    """Returns what a role is called in a sentence.

    >>> role_in_words("call"), role_in_words("user")
    ('tool call', 'user')
    """
    return tr(IN_WORDS.get(role, role))


def check_roles(messages: list[Message], known: tuple[str, ...], who: str, first: int = 0) -> None:
    """Raises BadChat where a message has a role that the template of `who` does not know; the `first` is not asked."""
    for i, message in enumerate(messages[first:], first):
        if message.role not in known:
            roles = enumerated([role_in_words(role) for role in known])
            raise BadChat(
                tr(
                    "Message {n} has the role “{role}”, which {who} has no place for. It knows {roles}: choose another"
                    " role, or another template.",
                    n=i + 1,
                    role=role_in_words(message.role),
                    who=who,
                    roles=roles,
                )
            )


def check_turns(messages: list[Message], who: str) -> None:
    """Raises BadChat where user and assistant do not take turns; system, calls and results do not count."""
    turn = "user"
    if any(one.role == "system" for one in messages) and all(one.role != "user" for one in messages):
        says = mark("In {who} what the system says stands in a user’s turn, and there is none. Add a user message.")
        raise BadChat(tr(says, who=who))
    for i, message in enumerate(messages):
        if message.role in ("user", "assistant"):
            if message.role != turn:
                raise BadChat(
                    tr(
                        "Message {n} is the {role}’s, but it is the {turn}’s turn: in {who} they alternate, and the"
                        " user begins. Move or remove a message.",
                        n=i + 1,
                        role=role_in_words(message.role),
                        turn=role_in_words(turn),
                        who=who,
                    )
                )
            turn = "assistant" if turn == "user" else "user"
