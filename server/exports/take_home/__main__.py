"""Writes the page of a text to the standard output: `python -m server.exports.take_home ENCODING < TEXT`."""

import sys

from server.encodings import encoding_store
from server.exports.take_home import take_home
from tokenizer.errors import TokenizerError


def main() -> None:
    """Reads the text, in UTF-8; ends with the reason if there is no page."""
    try:
        page = take_home(sys.stdin.buffer.read().decode(), encoding_store.find(sys.argv[1]))
    except TokenizerError as error:
        sys.exit(str(error))
    sys.stdout.buffer.write(page.encode())


if __name__ == "__main__":
    main()
