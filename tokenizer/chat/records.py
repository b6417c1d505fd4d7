"""Chats in data sets: OpenAI's `role` and `content`, or ShareGPT's `from` and `value`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tokenizer.chat.messages import ROLES, BadChat, Message, json_value
from tokenizer.errors import enumerated, shown
from tokenizer.i18n import mark, tr
from tokenizer.i18n.third_party_messages import translated
from tokenizer.text.rows import SYSTEM
from tokenizer.text.well_formed import well_formed

# ShareGPT's names as LLaMA-Factory documents them (data/README.md), "function" is OpenAI's role until 2023
ROLE_ALIASES = {
    "human": "user",
    "gpt": "assistant",
    "function_call": "call",
    "observation": "tool",
    "function": "tool",
}
# where a message has its text; OpenAI's answers have a refusal in place of the content
CONTENT_KEYS = ("content", "value", "refusal")
# where servers of open models put the reasoning before an answer: vLLM and DeepSeek, newer ones, Ollama
REASONING_KEYS = ("reasoning_content", "reasoning", "thinking")
MEDIA_KEYS = ("images", "audio")  # of a message of Ollama, and of an answer of OpenAI
TOOLS, REASONING, NAMES = "tools", "reasoning", "names"
EXAMPLE = '[{"role": "user", "content": "Hello"}]'
CALL_EXAMPLE = '{"name": "get_weather", "arguments": {"city": "Paris"}}'


def chat_in(source: str) -> list[Message]:
    """Returns the messages of a chat in JSON: a list of them, or an object with the list; raises BadChat.

    A text under the key `system` of the object becomes the first message.

    >>> chat_in('{"model": "gpt-5", "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]}')
    [Message(role='user', text='Hi', tool='')]
    """
    found, system = _parsed(source), None
    if isinstance(found, dict):
        system = found.get(SYSTEM)
        found = _messages_in(found)
    is_list = isinstance(found, list) and found and all(isinstance(one, dict) for one in found)
    if not is_list or found[0].keys().isdisjoint(("role", "from", "content", "value")):  # such as an export of chats
        raise BadChat(tr(NO_CHAT, example=EXAMPLE))
    return chat_of(found, system)


def left_out(source: str) -> list[str]:
    """Returns which kinds of text `chat_in` left out of a chat in JSON that it has read: TOOLS, REASONING, NAMES.

    >>> left_out('{"messages": [{"role": "assistant", "content": "Hi", "reasoning_content": "Hm"}], "tools": [{}]}')
    ['tools', 'reasoning']
    >>> left_out('[{"role": "tool", "name": "f", "content": "1"}, {"from": "observation", "name": "f", "value": "1"}]')
    []
    """
    found, kinds = _parsed(source), []
    if isinstance(found, dict):
        tools = found.get("tools") or found.get("functions")
        kinds += [TOOLS] if tools and isinstance(tools, list | str) else []  # LLaMA-Factory has them as a text
        found = _messages_in(found)
    kinds += [REASONING] if any(one.get(key) for one in found for key in REASONING_KEYS) else []
    # results of tools keep theirs
    return kinds + ([NAMES] if any(one.get("name") and _role(one) != "tool" for one in found) else [])


def _role(message: Mapping[str, Any]) -> object:
    """Returns the role of a message, in our word for it if it has one."""
    role = message.get("role", message.get("from"))
    return ROLE_ALIASES.get(role, role) if isinstance(role, str) else role


def _messages_in(found: dict) -> object:
    return next((found[key] for key in ("messages", "conversations") if key in found), None)


def _parsed(source: str) -> object:
    """Returns the value of a JSON text; raises BadChat."""
    try:
        return json.loads(source.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        facts = {"reason": translated(error.msg), "line": error.lineno, "column": error.colno, "example": EXAMPLE}
        problem = mark(
            "This text is not valid JSON: {reason} (line {line:,}, column {column:,}). A chat looks like {example}."
        )
        raise BadChat(tr(problem, **facts)) from None
    except (ValueError, RecursionError):
        raise BadChat(tr(NO_CHAT, example=EXAMPLE)) from None


NO_CHAT = mark(
    "This text is neither a list of messages nor a request with messages. Paste one of them, such as {example}."
)


def chat_of(chat: Sequence[Mapping[str, Any]], system: object) -> list[Message]:
    """Returns the messages of a chat, the first from a system text beside the others if there is one; raises BadChat.

    Anthropic's API and data sets have it there, and LLaMA-Factory for ShareGPT.

    >>> chat_of([{"role": "user", "content": "Hi"}], "Be short.")
    [Message(role='system', text='Be short.', tool=''), Message(role='user', text='Hi', tool='')]
    """
    first = []
    if system and isinstance(system, str | list):
        try:
            first = messages_of([{"role": "system", "content": system}])
        except BadChat:
            problem = mark(
                "The field {key} beside the messages contains something other than text. Only text can be counted:"
                " remove everything else from the field."
            )
            raise BadChat(tr(problem, key=SYSTEM)) from None
    messages = messages_of(chat)
    return messages if messages[:1] == first else [*first, *messages]  # some data sets have the text in both places


def messages_of(chat: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Returns the messages of a chat; raises BadChat if one has an unknown form.

    The tool calls of an assistant's message become messages of their own after it.

    >>> messages_of([{"role": "user", "content": "Hi"}, {"from": "gpt", "value": "Hello"}])
    [Message(role='user', text='Hi', tool=''), Message(role='assistant', text='Hello', tool='')]
    """
    found: list[Message] = []
    tools: dict[str, str] = {}  # names of tools by the id of the call
    for n, one in enumerate(chat, 1):
        role = _role(one)
        if role is None:
            problem = mark("Message {n} has no role. Add one of these roles: {roles}.")
            raise BadChat(tr(problem, n=n, roles=enumerated(ROLES, "or")))
        if role not in ROLES:
            raise BadChat(
                tr(
                    "Message {n} has an unknown role: {role}. Change the role to {roles}.",
                    n=n,
                    role=shown(str(role)),
                    roles=enumerated(ROLES, "or"),
                )
            )
        calls = one.get("tool_calls") or one.get("function_call") or []  # OpenAI's API wrote `function_call` until 2023
        if not calls and one.keys().isdisjoint(CONTENT_KEYS):
            raise BadChat(tr("Message {n} has no content. Add its text under the key {key}.", n=n, key="content"))
        if any(one.get(key) for key in MEDIA_KEYS):
            raise _not_text(n)
        text = _text(next((one[key] for key in CONTENT_KEYS if one.get(key) is not None), None), n)
        if role == "call":
            listed = json_value(text)  # LLaMA-Factory writes parallel calls as a list
            found += [_call(call, n) for call in (listed if isinstance(listed, list) and listed else [listed])]
        elif text or not calls:
            name = one.get("name") or tools.get(str(one.get("tool_call_id")), "") if role == "tool" else ""
            found.append(Message(role, text, well_formed(str(name))[0]))
        for call in calls if isinstance(calls, list) else [calls]:
            found.append(_call(call.get("function", call) if isinstance(call, Mapping) else call, n))
            tools[str(call.get("id"))] = found[-1].tool
    return found


def _call(function: object, n: int) -> Message:
    """Returns a call of a tool as a message; raises BadChat if it is no object, or has no name."""
    if not isinstance(function, Mapping):
        problem = mark("The tool call of message {n} is not a JSON object with a name. Write it as {example}.")
        raise BadChat(tr(problem, n=n, example=CALL_EXAMPLE))
    if not isinstance(function.get("name"), str):
        raise BadChat(tr("Message {n} has a tool call without a name. Add the name of the tool.", n=n))
    arguments = function.get("arguments")
    arguments = {} if arguments is None else arguments  # a tool may take none
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return Message("call", well_formed(text)[0], well_formed(function["name"])[0])


def _text(content: object, n: int) -> str:
    """Returns the text of a message; raises BadChat if it holds anything else."""
    if isinstance(content, str | None):
        return well_formed(content or "")[0]
    parts = content if isinstance(content, list) else [content]
    texts = [_text_of(part) if isinstance(part, Mapping) else None for part in parts]
    if not all(isinstance(text, str) for text in texts):
        raise _not_text(n)
    return well_formed("".join(texts))[0]


def _not_text(n: int) -> BadChat:
    return BadChat(
        tr(
            "Message {n} contains something other than text, such as an image. Only text can be counted:"
            " remove everything else from the message.",
            n=n,
        )
    )


def _text_of(part: Mapping[str, Any]) -> object:
    return part.get("refusal" if part.get("type") == "refusal" else "text")
