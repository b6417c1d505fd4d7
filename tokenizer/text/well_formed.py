"""Well-formed Unicode text, measured in UTF-8 bytes."""

import numpy as np

from tokenizer.i18n import tr

SLICE_CHARACTERS = 65_536  # encoded in one call, which holds the GIL


def well_formed(text: str) -> tuple[str, int]:
    r"""Returns the text without lone surrogates, and how many of them became U+FFFD.

    >>> well_formed("a\ud83d\udc4db"), well_formed("a\ud83db")
    (('a👍b', 0), ('a�b', 1))
    """
    if not isinstance(text, str):
        raise TypeError(tr("The text must be a str, not {kind}.", kind=type(text).__name__))
    try:
        for at in range(0, len(text), SLICE_CHARACTERS):
            text[at : at + SLICE_CHARACTERS].encode()
        return text, 0
    except UnicodeEncodeError:
        # UTF-16 joins a surrogate pair into its character, as tiktoken does.
        repaired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return repaired, repaired.count("\ufffd") - text.count("\ufffd")


def as_text(data: bytes) -> str | None:
    r"""Returns the text that bytes are; None where they are not UTF-8.

    >>> as_text(b"a"), as_text(b"\xe0\xb8")
    ('a', None)
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def code_points(text: str) -> np.ndarray:
    """Returns the code points of a well-formed text.

    >>> code_points("aé").tolist()
    [97, 233]
    """
    return np.frombuffer(text.encode("utf-32-le"), dtype="<u4")


def utf8_lengths(code_points: np.ndarray) -> np.ndarray:
    """Returns how many UTF-8 bytes each code point takes.

    >>> utf8_lengths(np.array([ord(c) for c in "aéก👍"])).tolist()
    [1, 2, 3, 4]
    """
    return 1 + (code_points > 0x7F).astype(np.int64) + (code_points > 0x7FF) + (code_points > 0xFFFF)
