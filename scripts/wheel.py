"""Builds the wheel: the folder `tokenizer` becomes the package `tokenloupe`, also in what imports it.

Another package on PyPI is imported as `tokenizer`. pyproject.toml names this command of setuptools.
"""

import re
from collections.abc import Collection
from pathlib import Path

from setuptools.command.build_py import build_py

OLD, NEW = "tokenizer", "tokenloupe"
IMPORT = re.compile(rf"(\bfrom|\bimport|-m) {OLD}(?=[.\s`\"']|$)")  # in a statement, an example, a command line
QUOTED = re.compile(rf"(?<=[\"']){OLD}(?=\.(\w+)[\w.]*[\"'])")  # the name of a module or of a file
REWRITTEN = (".py", ".po")  # catalogues have sentences of the source as keys


class BuildPackages(build_py):
    """Copies the packages, and renames the core in the copies."""

    def run(self) -> None:
        super().run()
        modules = {path.stem for path in Path(OLD).iterdir()}
        for file in map(Path, self.get_outputs(include_bytecode=False)):
            if file.suffix in REWRITTEN:
                file.write_bytes(renamed(file.read_bytes().decode(), modules).encode())


def renamed(text: str, modules: Collection[str]) -> str:
    """Returns a source with the core under its new name; `modules` are the names in the core's folder.

    >>> renamed('from tokenizer.text import a; MODULE, FILE = "tokenizer.text.b", "tokenizer.json"', ["text"])
    'from tokenloupe.text import a; MODULE, FILE = "tokenloupe.text.b", "tokenizer.json"'
    """
    text = IMPORT.sub(rf"\1 {NEW}", text)
    return QUOTED.sub(lambda found: NEW if found[1] in modules else OLD, text)
