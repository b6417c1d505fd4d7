"""Notebooks (nbformat 4.5) that compute the numbers of a page with this package."""

import json
from collections.abc import Iterable

from tokenizer.i18n import mark, tr
from tokenizer.text.well_formed import well_formed

MAX_LINE_CHARACTERS = 100  # of a text in a line of code
INTRO = mark(
    "This notebook computes the same numbers as the page, with the same code. Tokenloupe must be installed where the"
    " notebook runs: `pip install .` in a copy of the Tokenloupe repository."
)


def notebook(title: str, codes: Iterable[str]) -> str:
    """Returns a notebook of code cells, after one with instructions.

    `title` must not contain user text, since it is Markdown; user text belongs into code, by `literal`.

    >>> found = json.loads(notebook("Two", ["print(1 + 1)"]))
    >>> found["nbformat"], [cell["cell_type"] for cell in found["cells"]]
    (4, ['markdown', 'code'])
    """
    cells = [{"cell_type": "markdown", "id": "about", "metadata": {}, "source": _lines(f"# {title}\n\n{tr(INTRO)}")}]
    for i, code in enumerate(codes, 1):
        about = {"cell_type": "code", "id": f"code-{i}", "metadata": {}}
        cells.append(about | {"execution_count": None, "outputs": [], "source": _lines(code)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _lines(source: str) -> list[str]:
    return source.splitlines(keepends=True)


def literal(text: str) -> str:
    r"""Returns a text as a safe Python expression, on several lines if it is long.

    >>> print(literal("a 'quote'\n"))
    "a 'quote'\n"
    >>> eval(literal("long " * 50)) == "long " * 50
    True
    """
    parts = _chunks(well_formed(text)[0])
    return repr(parts[0]) if len(parts) == 1 else "(\n" + "".join(f"    {part!r}\n" for part in parts) + ")"


def _chunks(text: str) -> list[str]:
    """Returns the lines of a text, long lines in several parts; at least one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return [
        line[at : at + MAX_LINE_CHARACTERS] for line in lines for at in range(0, len(line), MAX_LINE_CHARACTERS)
    ] or [""]
