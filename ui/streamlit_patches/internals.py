"""Finds internal names of Streamlit; if a later release renames one, the app runs without the feature that needs it."""

import logging
import os
from functools import cache
from importlib import import_module
from typing import Any

import streamlit

PATCHES_VARIABLE = "TOKENLOUPE_PATCHES"  # an environment variable; "off" disables the patches
log = logging.getLogger("tokenloupe.streamlit_patches")


class Missing(Exception):
    """The installed Streamlit lacks an internal name, or has it in another form."""


def find(path: str) -> Any:
    """Returns the object at "module:name.name"; raises Missing if this Streamlit lacks it.

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
    return os.environ.get(PATCHES_VARIABLE, "").lower() == "off"


@cache  # once for each reason
def report(feature: str, reason: str) -> None:
    """Logs one line on a feature that is off on this Streamlit, with the reason."""
    log.warning("%s is off on Streamlit %s: %s", feature, streamlit.__version__, reason)
