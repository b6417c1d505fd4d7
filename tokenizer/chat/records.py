"""Chats in data sets and requests: OpenAI's `role` and `content`, ShareGPT's `from` and `value`, Gemini's `parts`."""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import chain
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
    "model": "assistant",  # Gemini's name
    "function_call": "call",
    "observation": "tool",
    "function": "tool",
}
# where a message has its text; OpenAI's answers have a refusal in place of the content
CONTENT_KEYS = ("content", "value", "refusal")
# where servers of open models put the reasoning before an answer: vLLM and DeepSeek, newer ones, Ollama
REASONING_KEYS = ("reasoning_content", "reasoning", "thinking")
# where a request has its system text: OpenAI's Responses API, and Gemini's
SYSTEM_KEYS = (SYSTEM, "instructions", "systemInstruction", "system_instruction")
REASONING_TYPES = ("thinking", "redacted_thinking", "reasoning")  # of parts: Anthropic's, and that of Vercel's AI SDK
# items of the Responses API without text: calls of built-in tools and their outputs, and what OpenAI has stored
TEXTLESS_TYPE = re.compile(r".*_(call|output|reference)|mcp_.*|compaction.*")
MEDIA_KEYS = ("images", "audio")  # of a message of Ollama, and of an answer of OpenAI
TOOLS, REASONING, NAMES = "tools", "reasoning", "names"
EXAMPLE = '[{"role": "user", "content": "Hello"}]'
CALL_EXAMPLE = '{"name": "get_weather", "arguments": {"city": "Paris"}}'


def chat_in(source: str) -> list[Message]:
    """Returns the messages of a chat in JSON: a list of them, or a request with the list; raises BadChat.

    The system text beside the list becomes the first message.

    >>> chat_in('{"model": "gpt-5", "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]}')
    [Message(role='user', text='Hi', tool='')]
    >>> chat_in('{"contents": [{"parts": [{"text": "Hi"}]}]}') == chat_in('{"model": "gpt-5", "input": "Hi"}')
    True
    """
    found, key, system = _parsed(source), SYSTEM, None
    if isinstance(found, dict):
        key = next((one for one in SYSTEM_KEYS if found.get(one)), SYSTEM)
        system = found.get(key)
        if isinstance(system, dict) and key != SYSTEM:  # there, some data sets have facts about a machine
            system = _parts(system)
        found = _messages_in(found)
    is_list = isinstance(found, list) and all(isinstance(one, dict) for one in found)
    items = found if is_list else []
    first = next((one for one in chain.from_iterable(map(_spelled, items)) if not _is_reasoning(one)), {})
    if first.keys().isdisjoint(("role", "from", "content", "value")):  # such as an export of chats
        raise BadChat(tr(NO_CHAT, example=EXAMPLE))
    return chat_of(items, system, key)


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
    found = [*chain(*map(_spelled, found))]
    is_reasoning = (_is_reasoning(one) or any(one.get(key) for key in REASONING_KEYS) for one in found)
    kinds += [REASONING] if any(is_reasoning) else []
    # results of tools keep theirs
    return kinds + ([NAMES] if any(one.get("name") and _role(one) != "tool" for one in found) else [])


def _role(message: Mapping[str, Any]) -> object:
    """Returns the role of a message, in our word for it if it has one."""
    role = message.get("role", message.get("from"))
    return ROLE_ALIASES.get(role, role) if isinstance(role, str) else role


def _is_reasoning(item: Mapping[str, Any]) -> bool:
    """Whether an item of a request is reasoning alone; a message may have the type, too."""
    return item.get("type") == "reasoning" and _role(item) is None


def _messages_in(request: dict) -> object:
    """Returns the messages of a request; `input` only beside a model, since rows of data sets have one, too.

    Rows with a model also have an instruction, to which the input belongs.
    """
    has_input = "model" in request and "instruction" not in request
    keys = ("messages", "conversations", "contents", *(["input"] if has_input else []))
    key = next((key for key in keys if key in request), None)
    found = request.get(key)
    if key == "input" and isinstance(found, str):
        return [{"role": "user", "content": found}]
    return [found] if key == "contents" and isinstance(found, dict) else found


def _spelled(one: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns an item of OpenAI's Responses API, or a message of Anthropic's or Gemini's, as in Chat Completions."""
    if all(one.get(key) is None for key in CONTENT_KEYS):  # Vercel's AI SDK has `parts` beside `content`
        kind, id = str(one.get("type")), one.get("call_id")
        if kind == "function_call":
            return [{"role": "assistant", "tool_calls": [{"id": id, "function": one}]}]
        if kind == "function_call_output":
            return [{"role": "tool", "tool_call_id": id, "content": one.get("output")}]
        if TEXTLESS_TYPE.fullmatch(kind) and _role(one) is None:
            return [{"role": "assistant", "content": [one]}]
        if one.get("parts") is not None:  # in Parquet, all items have the keys of each
            one = one | {"role": one.get("role") or "user", "content": _parts(one)}
    if not isinstance(one.get("content"), list):
        return [one]
    found, rest, calls = [], [], []
    for part in one["content"]:
        of = part if isinstance(part, dict) else {}
        result = of.get("functionResponse", of.get("function_response"))
        if call := of.get("functionCall", of.get("function_call")):
            calls.append({"function": call})
        elif isinstance(result, dict) and not result.get("parts"):  # they are images and the like
            text = json.dumps(result.get("response"), ensure_ascii=False)
            found.append({"role": "tool", "name": result.get("name"), "content": text})
        elif of.get("type") == "tool_use":
            calls.append(of | {"arguments": of.get("input")})
        elif of.get("type") == "tool_result":
            found.append({"role": "tool", "tool_call_id": of.get("tool_use_id"), "content": of.get("content")})
        elif of.get("thought") or of.get("type") in REASONING_TYPES:
            found.append({"type": "reasoning"})
        else:
            rest.append(part)
    calls = calls or one.get("tool_calls")
    return [*found, one | {"content": rest, "tool_calls": calls}] if rest or calls or not found else found


def _parts(content: Mapping[str, Any]) -> list:
    """Returns the parts of Gemini's content, whose API takes one without a list, too; otherwise the content."""
    found = content.get("parts", content)
    return found if isinstance(found, list) else [found]


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


def chat_of(chat: Sequence[Mapping[str, Any]], system: object, key: str = SYSTEM) -> list[Message]:
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
            raise BadChat(tr(problem, key=key)) from None
    messages = messages_of(chat)
    return messages if messages[:1] == first else [*first, *messages]  # some data sets have the text in both places


def messages_of(chat: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Returns the messages of a chat, without reasoning; raises BadChat for none, or one of an unknown form.

    The tool calls of an assistant's message become messages of their own after it.

    >>> messages_of([{"role": "user", "content": "Hi"}, {"from": "gpt", "value": "Hello"}])
    [Message(role='user', text='Hi', tool=''), Message(role='assistant', text='Hello', tool='')]
    """
    found: list[Message] = []
    tools: dict[str, str] = {}  # names of tools by the id of the call
    for n, one in ((n, one) for n, item in enumerate(chat, 1) for one in _spelled(item)):
        if _is_reasoning(one):
            continue
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
    if not found:
        raise BadChat(tr("The chat has no message."))
    return found


def _call(function: object, n: int) -> Message:
    """Returns a call of a tool as a message; raises BadChat if it is no object, or has no name."""
    if not isinstance(function, Mapping):
        problem = mark("The tool call of message {n} is not a JSON object with a name. Write it as {example}.")
        raise BadChat(tr(problem, n=n, example=CALL_EXAMPLE))
    if not isinstance(function.get("name"), str):
        raise BadChat(
            tr(
                "Message {n} has a tool call whose name is missing or is not a string. Write the tool’s name in "
                "quotes.",
                n=n,
            )
        )
    arguments = function.get("arguments", function.get("args"))  # Gemini's name
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
