"""Plain sentences for the error messages of Python and the library `regex`, from assets/messages.toml."""

from tokenizer.i18n import tr
from tokenizer.paths import read_toml

_TABLES = read_toml("messages.toml")


def translated(message: str) -> str:
    r"""Returns a plain sentence for a message in the current language, or the message if it is not known here.

    >>> translated("bad escape \\k"), translated("Unterminated string starting at"), translated("anything else")
    ('the escape \\k has no meaning', 'a string has no closing double quote', 'anything else')
    """
    if message in _TABLES["messages"]:
        return tr(_TABLES["messages"][message])
    text, _, escape = message.partition(" \\")
    escapes = _TABLES["escapes"]
    return tr(escapes[text], escape=f"\\{escape}") if text in escapes else message
