"""The commands of a terminal: `tokenloupe` once it is installed, `python -m tokenizer` in a clone."""

from tokenizer.command.all import main as main
