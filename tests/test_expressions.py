"""Every regular expression that may run on a visitor's text takes linear time."""

import ast
from collections import defaultdict
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


def expressions():
    """Yields each constant pattern with its module and whether it is only matched at one place."""
    found, used = [], defaultdict(set)
    for path in [path for folder in ("tokenizer", "server", "ui") for path in (ROOT / folder).rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for child in ast.iter_child_nodes(node):
                child.above = node
            if isinstance(node, ast.Attribute) and node.attr in MATCHING_METHODS:
                used[ast.unparse(node.value).rpartition(".")[2]].add(node.attr)
            if isinstance(node, ast.Call) and regex.fullmatch(r"(re|regex)\.\w+", ast.unparse(node.func)) and node.args:
                found.append((path, node))
    for path, node in found:
        module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
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
            once = ways <= {"match", "fullmatch"}
            yield pytest.param(
                regex.compile(pattern, *map(int, flags)), once, path.stem, id=f"{path.stem}-{node.lineno}"
            )


@pytest.mark.slow
@pytest.mark.parametrize("pattern, once, stem", list(expressions()))
def test_expressions_take_linear_time(pattern, once, stem):
    size = MAX_CHARACTERS.get(stem, LONG_TEXT_CHARACTERS)
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
