"""Finds internal names of Streamlit; if a later release renames one, the app runs without the feature that needs it."""

import logging
import os
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

import streamlit

PATCHES_VARIABLE = "TOKENLOUPE_PATCHES"  # an environment variable; "off" disables the patches
log = logging.getLogger("tokenloupe.streamlit_patches")
reported: set[str] = set()  # features that are off on this Streamlit


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


def report(feature: str, reason: str) -> None:
    """Logs once that a feature is off on this Streamlit, with the reason."""
    if feature not in reported:
        reported.add(feature)
        log.warning("%s is off on Streamlit %s: %s", feature, streamlit.__version__, reason)


def guarded(feature: str, otherwise: Callable, is_patch: bool = False) -> Callable[[Callable], Callable]:
    """Returns a decorator for a function that uses internal names: where it raises, `otherwise` is called instead.

    A patch that raised once is off from then on; a lookup is tried again.

    >>> guarded("Halving", lambda number: None)(lambda number: number / 2)(6)
    3.0
    """

    def decorate(function: Callable) -> Callable:
        @wraps(function)
        def call(*given: Any) -> Any:
            if is_patch and (are_off() or feature in reported):
                return otherwise(*given)
            try:
                return function(*given)
            except Exception as error:  # a later release may raise anything
                report(feature, repr(error))
                return otherwise(*given)

        return call

    return decorate
