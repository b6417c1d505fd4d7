"""Example chats (assets/chats.toml) and published context windows of models (assets/windows.toml)."""

from functools import cache
from typing import NamedTuple

from tokenizer.chat.messages import Message
from tokenizer.paths import read_toml


class Chat(NamedTuple):
    """An example chat; `label` is the text of its button, `template` the family it demonstrates, if any."""

    name: str
    label: str
    messages: tuple[Message, ...]
    template: str = ""


class Window(NamedTuple):
    """The context window of a model in tokens, with the publisher and the month of publication.

    `id` is the model's key in `list_models()`, empty if it is not there.
    """

    model: str
    tokens: int
    source: str
    date: str
    id: str = ""


@cache
def chats() -> list[Chat]:
    """Returns all examples in display order.

    >>> chats()[0].messages[1]
    Message(role='user', text='Where do I eat khao soi?', tool='')
    """
    found = read_toml("chats.toml")["chat"]
    return [Chat(**one | {"messages": tuple(Message(**each) for each in one["messages"])}) for one in found]


@cache
def windows() -> list[Window]:
    """Returns all context windows, the newest first.

    >>> windows()[-1].model, windows()[-1].tokens
    ('GPT-2', 1024)
    """
    found = [Window(**one) for one in read_toml("windows.toml")["window"]]
    return sorted(found, key=lambda one: one.date, reverse=True)


def window_by_model(model: str) -> Window | None:
    """Returns the context window of a model by its name in windows.toml; None if it is not there.

    >>> window_by_model("Llama 3.1").tokens, window_by_model("Llama 9")
    (131072, None)
    """
    return next((one for one in windows() if one.model == model), None)


def window_by_id(id: str) -> Window | None:
    """Returns the context window of a model by its key in `list_models()`; None if unknown.

    >>> window_by_id("gpt-4o").tokens, window_by_id("qwen3")
    (128000, None)
    """
    return next((one for one in windows() if one.id == id), None)
