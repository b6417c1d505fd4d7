"""A text and its tokens in a notebook, to type in: the browser encodes what is typed, without the kernel."""

import os
import subprocess
import sys
from dataclasses import dataclass
from html import escape

from tokenizer.display.cells import framed
from tokenizer.errors import TokenizerError
from tokenizer.i18n import language, mark, tr
from tokenizer.kinds.registry import encoding_name
from tokenizer.paths import APP
from tokenizer.text.well_formed import well_formed

MODULE = "server.exports.take_home"  # the program that writes the page
TIMEOUT_SECONDS = 120  # to start it, read the encoding and write the page takes about two
HEIGHT = "560px"
NOT_SHOWN = mark(
    "The text and its tokens are not shown here. In Jupyter, run the cell, or trust the notebook with the command "
    "Trust Notebook."
)


class NoPage(TokenizerError):
    """The page of a text could not be written."""


@dataclass(frozen=True)
class LiveBox:
    """A page with a text and its tokens, which a notebook shows in a frame."""

    page: str

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.page):,} characters of HTML>"

    def _repr_html_(self) -> str:
        # A frame's scripts run in every notebook; without an origin of its own they reach nothing of the notebook's.
        style = f"display: block; width: 100%; height: {HEIGHT}; border: 0; resize: vertical; overflow: auto"
        facts = f'sandbox="allow-scripts" title="{escape(tr("Tokens"))}" style="{style}"'
        frame = f'<iframe {facts} srcdoc="{escape(self.page)}"></iframe>'
        # JupyterLab shows no frames of notebooks that are not trusted, and other viewers none at all.
        return framed(frame, f"<p>{escape(tr(NOT_SHOWN))}</p>")


def loupe(text: str, encoding: str) -> LiveBox:
    """Returns a live box of a text and its tokens in an encoding or a model by name, with the loupe, for a notebook.

    The box contains the encoder: it works in a saved notebook without kernel and network. Raises UnknownEncoding, and
    NoPage for a text that is too long, or if the page is not written in TIMEOUT_SECONDS.

    >>> loupe("hello world", "gpt2")._repr_html_().count("<iframe")
    1
    """
    name = encoding_name(encoding)
    command = [sys.executable, "-X", "utf8", "-m", MODULE, name]
    environment = os.environ | {"TOKENLOUPE_LANGUAGE": language()}
    # The core must not import the app, so the app runs as a program, in its folder.
    try:
        done = subprocess.run(
            command,
            input=well_formed(text)[0].encode(),
            cwd=APP,
            env=environment,
            capture_output=True,
            check=False,
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        reason = tr(
            "The program {program}, which writes the text and its tokens in {encoding}, was stopped after {seconds:g}"
            " seconds, the limit. Try again when the machine is less busy.",
            program=f"python -m {MODULE}",
            encoding=name,
            seconds=error.timeout,
        )
        raise NoPage(reason) from None
    if done.returncode:
        raise NoPage(done.stderr.decode(errors="replace").strip())
    return LiveBox(done.stdout.decode())
