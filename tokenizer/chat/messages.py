"""What is said in a chat, and the parts of the text that a template makes of it."""

import json
from typing import NamedTuple

from tokenizer.errors import TokenizerError, enumerated
from tokenizer.words import mark, tr

ROLES = ("system", "developer", "user", "assistant", "call", "tool")
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


def arguments(message: Message) -> str:
    """Returns the arguments of a call as JSON is usually written; as they are where they are not JSON.

    >>> arguments(Message("call", '{"city":"เชียงใหม่"}', "weather")), arguments(Message("call", "{city", "weather"))
    ('{"city": "เชียงใหม่"}', '{city')
    """
    found = value(message.text)
    return message.text if found is None else json.dumps(found, ensure_ascii=False)


def value(text: str) -> object:
    """Returns what a JSON text stands for; None where it is not JSON, or is null.

    >>> value('{"a": [1]}'), value("a")
    ({'a': [1]}, None)
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def role_in_words(role: str) -> str:
    """Returns what a role is called in a sentence.

    >>> role_in_words("call"), role_in_words("user")
    ('tool call', 'user')
    """
    return tr(IN_WORDS.get(role, role))


def check_roles(messages: list[Message], known: tuple[str, ...], who: str) -> None:
    """Raises BadChat where a message has a role that the template of `who` does not know."""
    for i, message in enumerate(messages):
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
