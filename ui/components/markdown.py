"""Text as Markdown, which Streamlit reads in captions and in the labels of its elements."""

import re


def in_markdown(text: str) -> str:
    r"""Returns a text as Markdown that shows it as it is; otherwise it could be a link, a picture or a formula.

    >>> in_markdown("a*b* :red[c]")
    'a\\*b\\* \\:red\\[c\\]'
    """
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)
