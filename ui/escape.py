"""User text on its way into Streamlit's Markdown."""

import re


def markdown(text: str) -> str:
    r"""Returns `text` as Markdown that shows it as it is: no links, images, HTML, colours, icons or formulas.

    >>> markdown("![x](http://a) $y$ :red[z]")
    '\\!\\[x\\]\\(http\\:\\/\\/a\\) \\$y\\$ \\:red\\[z\\]'
    """
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)
