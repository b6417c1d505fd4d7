"""Finds internal names of Streamlit, which a later release may rename: the app then runs without what needs them."""

import logging
import os
from functools import cache
from importlib import import_module
from typing import Any

import streamlit

SWITCH = "TOKENLOUPE_PATCHES"  # an environment variable; "off" leaves Streamlit as it is
log = logging.getLogger("tokenloupe.streamlit_patches")


class Missing(Exception):
    """The installed Streamlit lacks an internal name, or has it in another form."""


def find(path: str) -> Any:
    """Returns the object at "module:name.name"; raises Missing where this Streamlit has none.

    >>> find("streamlit.config:get_option").__name__
    'get_option'
    >>> find("streamlit.config:get_opinion")
    Traceback (most recent call last):
    ui.streamlit_patches.internals.Missing: streamlit.config:get_opinion
    """
    module, _, names = path.partition(":")
    try:
        found = import_module(module)
        for name in filter(None, names.split(".")):
            found = getattr(found, name)
    except (ImportError, AttributeError):
        raise Missing(path) from None
    return found


def are_off() -> bool:
    """Whether the owner of the server wants Streamlit as it is."""
    return os.environ.get(SWITCH, "").lower() == "off"


@cache  # once is enough: the reason stays the same as long as the server runs
def report(feature: str, reason: str) -> None:
    """Logs one line that says what the app does without on this Streamlit, and why."""
    log.warning("%s is off on Streamlit %s: %s", feature, streamlit.__version__, reason)
