"""Messages of a chat, and the parts of the prompt that a template makes of them."""

import json
from datetime import date
from typing import NamedTuple

from tokenizer.errors import TokenizerError, enumerated
from tokenizer.i18n import mark, tr

ROLES = ("system", "developer", "user", "assistant", "call", "tool")
DEFAULT_DAY = date(2024, 7, 26)  # the default of Llama 3.1's own template
ROLE_LABELS = {
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

    `role` is one of ROLES. A "call" is an assistant's call of the tool named `tool`; its text is the arguments, usually
    JSON. A message of role "tool" is the result of a call. In all other messages `tool` is empty.
    """

    role: str
    text: str
    tool: str = ""


class Part(NamedTuple):
    """A part of the prompt: wrapping that the template adds, or text of a message.

    `message` is the index of its message; None if the wrapping belongs to no message.
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
    """Returns the arguments of a call with the default separators of JSON; unchanged if they are not JSON.

    >>> arguments('{"city":"เชียงใหม่"}'), arguments("{city")
    ('{"city": "เชียงใหม่"}', '{city')
    """
    found = json_value(text)
    return text if found is None else json.dumps(found, ensure_ascii=False)


def json_value(text: str) -> object:
    """Returns the value of a JSON text; None if it is not JSON, or is null.

    >>> json_value('{"a": [1]}'), json_value("a")
    ({'a': [1]}, None)
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def as_json(text: str) -> str:
    """Returns a JSON text with the default separators, any other text as a JSON string.

    >>> as_json('{"city":"เชียงใหม่"}'), as_json("31 °C")
    ('{"city": "เชียงใหม่"}', '"31 °C"')
    """
    found = json_value(text)
    return json.dumps(text if found is None else found, ensure_ascii=False)


def begins_calls(messages: list[Message], i: int) -> bool:
    """Whether message `i` is the first of consecutive calls, which are one assistant turn."""
    return i == 0 or messages[i - 1].role != "call"


def ends_calls(messages: list[Message], i: int) -> bool:
    """Whether message `i` is the last of consecutive calls."""
    return i + 1 == len(messages) or messages[i + 1].role != "call"


def precedes_calls(messages: list[Message], i: int) -> bool:
    """Whether message `i` is the assistant's text before calls, which is in one message with them."""
    return messages[i].role == "assistant" and i + 1 < len(messages) and messages[i + 1].role == "call"


def call_ids(messages: list[Message]) -> list[str]:
    """Returns for each message the id of its call: nine characters, as Mistral requires.

    A result belongs to the first call of its tool that has no result yet, else to the first call without a result.

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


def role_label(role: str) -> str:
    """Returns the name of a role for use in a sentence.

    >>> role_label("call"), role_label("user")
    ('tool call', 'user')
    """
    return tr(ROLE_LABELS.get(role, role))


def check_roles(messages: list[Message], known: tuple[str, ...], who: str, first: int = 0) -> None:
    """Raises BadChat if a message from index `first` on has a role that the template of `who` does not support."""
    for i, message in enumerate(messages[first:], first):
        if message.role not in known:
            roles = enumerated([role_label(role) for role in known])
            raise BadChat(
                tr(
                    "Message {n} has the role “{role}”, which {who} does not support. Choose another role"
                    " ({roles}), or another template.",
                    n=i + 1,
                    role=role_label(message.role),
                    who=who,
                    roles=roles,
                )
            )


def check_turns(messages: list[Message], who: str) -> None:
    """Raises BadChat unless user and assistant alternate, the user first.

    System messages, calls with the text before them, and results are ignored.
    """
    turn = "user"
    if any(one.role == "system" for one in messages) and all(one.role != "user" for one in messages):
        problem = mark(
            "In {who} the system message is written into a user message, but this chat has no user message."
            " Add a user message."
        )
        raise BadChat(tr(problem, who=who))
    for i, message in enumerate(messages):
        if message.role in ("user", "assistant") and not precedes_calls(messages, i):
            if message.role != turn:
                raise BadChat(
                    tr(
                        "Message {n} has the role “{role}”, but the role “{turn}” must come here: in {who}"
                        " the user begins, and user and assistant alternate. Move or remove a message.",
                        n=i + 1,
                        role=role_label(message.role),
                        turn=role_label(turn),
                        who=who,
                    )
                )
            turn = "assistant" if turn == "user" else "user"
