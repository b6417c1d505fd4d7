"""Text as Markdown, which Streamlit reads in captions and in the labels of its elements."""

import re

# Streamlit makes links of addresses, pictures of names between colons, and arrows, dashes and other symbols of lone
# signs, also where these are escaped. A sign that is not seen keeps them apart.
REPLACED = re.compile(
    r"https?:(?=//)|www(?=\.)|@(?=[-\w])"
    r"|:(?=(?:\+1|[-\w]+):)"
    r"|(?<![^\s\ufeff])[<>~-](?=(?:->|[->=])(?:[\s\ufeff]|$))",
    re.IGNORECASE,
)
WORD_JOINER = "\u2060"


def in_markdown(text: str) -> str:
    r"""Returns a text as Markdown that shows it as it is; otherwise it could be a link, a picture or a formula.

    >>> in_markdown("a*b* :red[c]")
    'a\\*b\\* \\:red\\[c\\]'
    >>> in_markdown("www.example.org")
    'www\u2060\\.example\\.org'
    >>> in_markdown("a -> b")
    'a \\-\u2060\\> b'
    """
    apart = REPLACED.sub(rf"\g<0>{WORD_JOINER}", text)
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", apart)
