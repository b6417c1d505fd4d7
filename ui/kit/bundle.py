"""Joins a component's JavaScript modules into the one module that Streamlit takes."""

import os
import re
from pathlib import Path

IMPORT = re.compile(r"^import \{[^}]*\} from '(\.\.?/[\w./-]+\.js)';\n", re.M)


def bundle(entry: Path) -> str:
    """Returns `entry` with the modules that it imports put before it, each once, dependencies first.

    Modules share one scope afterwards, so their top-level names must differ; raises ValueError where two are the same.
    """
    order: list[Path] = []
    _collect(_plain(entry), order)
    sources = {path: path.read_text(encoding="utf-8") for path in order}
    _refuse_twins(sources)
    parts = [IMPORT.sub("", source) for source in sources.values()]
    return "\n".join(re.sub(r"^export (?!default)", "", part, flags=re.M) for part in parts)


def _plain(path: Path) -> Path:
    """The path without `..`: a module that two folders import is one module."""
    return Path(os.path.normpath(path))


def _collect(path: Path, order: list[Path]) -> None:
    if path in order:
        return
    for name in IMPORT.findall(path.read_text(encoding="utf-8")):
        _collect(_plain(path.parent / name), order)
    if path not in order:
        order.append(path)


def _refuse_twins(sources: dict[Path, str]) -> None:
    seen: dict[str, Path] = {}
    for path, source in sources.items():
        for name in re.findall(r"^(?:export )?(?:async )?(?:const|let|class|function\*?) (\w+)", source, re.M):
            if name in seen:
                raise ValueError(f"{name} is defined in {seen[name].name} and in {path.name}; the bundle has one scope")
            seen[name] = path
