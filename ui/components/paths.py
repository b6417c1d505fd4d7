"""The paths of our routes as pages request them: below the base path."""

import streamlit as st

from server.base_path import clean
from server.classroom.routes import CLASS
from server.editor_api.questions import ROUTE
from server.embed import EMBED


def base_path() -> str:
    """Returns the option server.baseUrlPath with a slash before it; "" where it is not set.

    >>> base_path()
    ''
    """
    return clean(st.get_option("server.baseUrlPath") or "")


def editor_api() -> str:
    """Returns the path of the editor's questions.

    >>> editor_api()
    '/api'
    """
    return base_path() + ROUTE


def classroom() -> str:
    """Returns the path of the page for phones.

    >>> classroom()
    '/class'
    """
    return base_path() + CLASS


def embed() -> str:
    """Returns the path of the page for frames of other sites.

    >>> embed()
    '/embed'
    """
    return base_path() + EMBED
