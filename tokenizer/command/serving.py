"""`serve`: starts the app, from any folder."""

import os
import subprocess
import sys
from importlib.util import find_spec

import click

from tokenizer.command import options
from tokenizer.command.group import Failed
from tokenizer.paths import APP


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--port", type=options.WholeNumber(1, 65_535), help="Where to listen; else 8501 or the next free one.")
@click.argument("more", nargs=-1, type=click.UNPROCESSED, metavar="[STREAMLIT OPTION]...")
def serve(port, more):
    """Start the app and print its address; Ctrl-C ends it.

    It answers this machine alone. Further options go to Streamlit. Behind a proxy, TOKENLOUPE_HOSTS lists its names.
    """
    if find_spec("streamlit") is None:
        raise Failed("The app needs Streamlit. Install Tokenloupe with the app: pip install '.[app]'")
    words = [sys.executable, "-m", "ui.launcher"]
    words += ["--server.port", str(port)] * bool(port)
    run([*words, *more])


def run(words: list[str]) -> None:
    """Replaces this process by another program; on Windows, runs it and waits."""
    os.chdir(APP)  # so that Python finds the modules of the app
    if os.name == "nt":
        sys.exit(subprocess.call(words))
    os.execv(words[0], words)
