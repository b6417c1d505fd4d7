"""Bytes as GPT-2's files spell them: each byte is one printable character."""

# The printable bytes stand for themselves; the others take the code points from 256 on, in order: a space is Ġ.
PRINTABLE = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
UNPRINTABLE = [byte for byte in range(256) if byte not in PRINTABLE]

CHARACTERS = {byte: chr(byte) for byte in PRINTABLE} | {byte: chr(256 + i) for i, byte in enumerate(UNPRINTABLE)}
BYTES = {character: byte for byte, character in CHARACTERS.items()}


def spell(token: bytes) -> str:
    """Returns the bytes in GPT-2's spelling.

    >>> spell(" é".encode())
    'ĠÃ©'
    """
    return "".join([CHARACTERS[byte] for byte in token])


def unspell(spelling: str) -> bytes:
    """Returns the bytes that a spelling stands for; a character that spells no byte is a KeyError.

    >>> unspell("ĠÃ©").decode()
    ' é'
    """
    return bytes([BYTES[character] for character in spelling])
