"""Example chats of our own, and context windows as their makers published them: assets/chats.toml and windows.toml."""

import tomllib
from functools import cache
from typing import NamedTuple

from tokenizer.chat.messages import Message
from tokenizer.paths import ASSETS


class Chat(NamedTuple):
    """A chat to try; `label` is what its button says, `template` the family that it is about, if any."""

    name: str
    label: str
    messages: tuple[Message, ...]
    template: str = ""


class Window(NamedTuple):
    """The context window of a model in tokens, where its maker says so, and when: a month.

    `id` is the model's key in `list_models()`, empty where it is not among these.
    """

    model: str
    tokens: int
    source: str
    date: str
    id: str = ""


@cache
def chats() -> list[Chat]:
    """Returns all examples, in the order in which they are offered.

    >>> chats()[0].messages[1]
    Message(role='user', text='Where do I eat khao soi?', tool='')
    """
    with (ASSETS / "chats.toml").open("rb") as file:
        found = tomllib.load(file)["chat"]
    return [Chat(**one | {"messages": tuple(Message(**each) for each in one["messages"])}) for one in found]


@cache
def windows() -> list[Window]:
    """Returns the context windows that can be picked, the newest first.

    >>> windows()[-1].model, windows()[-1].tokens
    ('GPT-2', 1024)
    """
    with (ASSETS / "windows.toml").open("rb") as file:
        found = [Window(**one) for one in tomllib.load(file)["window"]]
    return sorted(found, key=lambda one: one.date, reverse=True)


def window_by_model(model: str) -> Window | None:
    """Returns the context window of a model by its name in windows.toml; None where it is not there.

    >>> window_by_model("Llama 3.1").tokens, window_by_model("Llama 9")
    (131072, None)
    """
    return next((one for one in windows() if one.model == model), None)


def window_by_id(id: str) -> Window | None:
    """Returns the context window of a model by its key in `list_models()`; None where none is known.

    >>> window_by_id("gpt-4o").tokens, window_by_id("qwen3")
    (128000, None)
    """
    return next((one for one in windows() if one.id == id), None)
