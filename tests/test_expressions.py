"""Every regular expression that may run on a visitor's text takes linear time."""

import ast
from collections import defaultdict
from functools import cache
from importlib import import_module
from itertools import product

import pytest
import regex
from paths import ROOT

PIECES = [" ", "a", "0", "# \n", "\\", "[", "1,", "{", "{ ", "(", "[:a", "(?#", "\\p{", "-", '"a" ', "('a", "\r"]
PIECES += ["\n\n", "\u0301", "x\u0301", "\u200d", "\ufeff", "ก็", "🇹🇭", "👩\u200d", "\t \u00a0"]
BEGINNINGS = ["{", "{1", "(", "(?#", "[", '"a', "\\p{"]
MATCHING_METHODS = {"match", "fullmatch", "search", "sub", "split", "findall", "finditer"}
MAX_CHARACTERS = {"wording": 5_000, "validation": 121}  # the limit of their input
LONG_TEXT_CHARACTERS = 20_000


SOURCES = {
    path: path.read_text("utf-8")
    for folder in ("tokenizer", "server", "ui")
    for path in sorted((ROOT / folder).rglob("*.py"))
}
WITH_EXPRESSIONS = [path for path, source in SOURCES.items() if regex.search(r"\b(re|regex)\.\w+\(", source)]


@cache
def calls_and_uses():
    """The calls of `re` and `regex` in each file, and the methods that are used of each name in any file."""
    calls, used = defaultdict(list), defaultdict(set)
    for path, source in SOURCES.items():
        for node in ast.walk(ast.parse(source)):
            for child in ast.iter_child_nodes(node):
                child.above = node
            if isinstance(node, ast.Attribute) and node.attr in MATCHING_METHODS:
                used[ast.unparse(node.value).rpartition(".")[2]].add(node.attr)
            if isinstance(node, ast.Call) and regex.fullmatch(r"(re|regex)\.\w+", ast.unparse(node.func)) and node.args:
                calls[path].append(node)
    return calls, used


def expressions(path):
    """Yields each constant pattern of a file and whether it is only matched at one place."""
    calls, used = calls_and_uses()
    module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    for node in calls[path]:
        how, above = node.func.attr, node.above
        if how == "compile":
            ways = {above.attr} if isinstance(above, ast.Attribute) else None
            ways = ways or (used[above.targets[0].id] if isinstance(above, ast.Assign) else set()) or {"search"}
        elif how in MATCHING_METHODS:
            ways = {how}
        else:
            continue
        try:
            pattern = eval(ast.unparse(node.args[0]), vars(module))
            flags = [eval(ast.unparse(flag), vars(module)) for flag in node.args[1:] if how == "compile"]
        except NameError:  # not a constant of the module
            continue
        if isinstance(pattern, str):
            yield regex.compile(pattern, *map(int, flags)), ways <= {"match", "fullmatch"}


@pytest.mark.slow
@pytest.mark.parametrize("path", WITH_EXPRESSIONS, ids=lambda path: path.stem)
def test_expressions_take_linear_time(path):
    size = MAX_CHARACTERS.get(path.stem, LONG_TEXT_CHARACTERS)
    for pattern, once in expressions(path):
        for begin, piece, end in [*product([""], PIECES, "!"), *product(BEGINNINGS, PIECES[:6], "!")]:
            text = begin + piece * (size // len(piece)) + end
            try:  # far above linear time and far below quadratic time
                if once:
                    pattern.match(text, timeout=1)
                    pattern.fullmatch(text, timeout=1)
                else:
                    list(pattern.finditer(text, timeout=1))
            except TimeoutError:
                pytest.fail(f"{pattern.pattern!r} on {begin!r}, {piece!r} × {size // len(piece):,}, {end!r}")
