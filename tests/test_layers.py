"""Who may import whom, and that nothing reaches for the network."""

import ast
import re
import sys

import pytest
from paths import ROOT

LAYERS = ("app", "pages", "ui", "tokenizer")
SOURCES = [ROOT / "app.py", *(path for layer in LAYERS[1:] for path in sorted((ROOT / layer).rglob("*.py")))]
ALL_PYTHON = [
    path for folder in (*LAYERS[1:], "tests", "scripts", "benchmarks") for path in (ROOT / folder).rglob("*.py")
]
FOR_BROWSERS = [
    path
    for folder in ("pages", "ui", "assets")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".html", ".css", ".js", ".mjs", ".svg", ".json", ".toml")
]

MAY_IMPORT = {
    "tokenizer": {"tokenizer"},
    "ui": {"ui", "tokenizer"},
    "pages": {"ui", "tokenizer"},
    "app": {"ui", "tokenizer"},
}
NETWORK = {
    "requests",
    "urllib.request",
    "urllib3",
    "socket",
    "http.client",
    "httpx",
    "httpx2",
    "aiohttp",
    "ftplib",
    "smtplib",
}


def relative(path):
    return path.relative_to(ROOT).as_posix()


every_source = pytest.mark.parametrize("path", SOURCES, ids=relative)


def imports(path):
    """The dotted names that a file imports, those within functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{relative(path)} imports by dots; name the package"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name, modules):
    return any(f"{name}.".startswith(f"{module}.") for module in modules)


def layer(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@every_source
def test_layers_import_downwards_only(path):
    ours = {name.partition(".")[0] for name in imports(path)} & set(LAYERS)
    assert ours <= MAY_IMPORT[layer(path)]


@every_source
def test_only_the_interface_knows_streamlit(path):
    if layer(path) == "tokenizer":
        assert not [name for name in imports(path) if within(name, {"streamlit", "starlette", "pandas", "altair"})]


@every_source
def test_tiktoken_has_two_doors(path):
    if relative(path) not in ("tokenizer/encoding/byte_bpe.py", "tokenizer/encoding/registry.py"):
        assert not [name for name in imports(path) if within(name, {"tiktoken", "tiktoken_ext"})]


@every_source
def test_nothing_imports_a_network(path):
    allowed = {
        "ui/kit/quirks.py": {"socket"},  # it sets an option of the server's own sockets
        "ui/server/downloads.py": {"urllib.request"},  # it fetches a public corpus when somebody presses the button
    }
    assert not [name for name in imports(path) if within(name, NETWORK - allowed.get(relative(path), set()))]


@every_source
def test_no_text_of_users_can_be_html_in_markdown(path):
    words = {
        node.arg for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.keyword)
    }
    assert not words & {"unsafe_allow_html", "unsafe_allow_javascript"}


@pytest.mark.parametrize("path", ALL_PYTHON, ids=relative)
def test_no_module_hides_a_library(path):
    libraries = {name.partition(".")[0] for source in SOURCES for name in imports(source)} - set(LAYERS)
    assert path.stem in ("__init__", "__main__") or path.stem not in libraries | sys.stdlib_module_names


@pytest.mark.parametrize("path", FOR_BROWSERS, ids=relative)
def test_nothing_is_fetched_from_elsewhere(path):
    source = path.read_text(encoding="utf-8")
    source = re.sub(r"http://www\.w3\.org/\d{4}/\w+", "", source)  # a name of a namespace, which nobody fetches
    assert not re.search(r"\b(?:https?|wss?):|@import|(?:url\(|src=|href=|from |import |fetch\()\s*['\"`]?//", source)


@pytest.mark.parametrize("path", FOR_BROWSERS, ids=relative)
def test_no_script_makes_html_out_of_text(path):
    if path.suffix == ".js":
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", source)
