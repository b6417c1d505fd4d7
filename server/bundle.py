"""Joins a component's JavaScript modules into one, since Streamlit accepts a single module."""

import re
from pathlib import Path

IMPORT = re.compile(r"^import \{([^}]*)\} from '(\.\.?/[\w./-]+\.js)';\n", re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function\*?) (\w+))", re.M)
DEFAULT = re.compile(r"^export default ", re.M)
UNSUPPORTED = re.compile(r"^(?:import\b|export\b(?! default)).*", re.M)


def bundle(entry: Path) -> str:
    """Returns `entry` after the modules that it imports, each once, as functions that return their exports.

    So each module has its own scope, and a missing import fails as it does in a browser. Raises ValueError for circular
    imports, for an import of a name that is not exported, and for other forms of import and export.
    """
    parts: dict[Path, str] = {}
    _add(entry.resolve(), parts, {}, ())
    return "\n".join(parts.values())


def as_value(entry: Path) -> str:
    """Returns a bundle as an expression with the default export of `entry`, for a page without modules."""
    return f"(() => {{\n{DEFAULT.sub('return ', bundle(entry))}}})()"


def _add(path: Path, parts: dict[Path, str], exports: dict[Path, set[str]], above: tuple[Path, ...]) -> None:
    if path in above:
        raise ValueError(f"modules import each other in a circle: {' > '.join(one.name for one in (*above, path))}")
    if path in parts:
        return
    source = path.read_text(encoding="utf-8")
    for names, where in IMPORT.findall(source):
        other = (path.parent / where).resolve()
        _add(other, parts, exports, (*above, path))
        if missing := {name.strip() for name in names.split(",")} - exports[other] - {""}:
            raise ValueError(f"{path.name} imports {', '.join(sorted(missing))}, which {other.name} does not export")
    places = {one: f"${number}" for number, one in enumerate(parts)}
    body = IMPORT.sub(lambda found: f"const {{{found[1]}}} = {places[(path.parent / found[2]).resolve()]};\n", source)
    exports[path], body = set(EXPORT.findall(body)), EXPORT.sub("", body)
    if unsupported := UNSUPPORTED.search(body):
        raise ValueError(f"{path.name} has a line that cannot be bundled: {unsupported[0]}")
    own = f"const ${len(parts)} = (() => {{\n{body}return {{ {', '.join(sorted(exports[path]))} }};\n}})();\n"
    parts[path] = own if above else body
