"""The core in the terminal: `python -m tokenizer`."""

from tokenizer.command import main

main()
