"""Every regular expression of ours that can meet a visitor's text takes time that grows with its length, not faster."""

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
WAYS = {"match", "fullmatch", "search", "sub", "split", "findall", "finditer"}
LONGEST = {"wording": 5_000, "validation": 121}  # characters: more are cut off, or refused, before they come there
LONG = 20_000


def expressions():
    """Each pattern with its module and the ways in which it is used; those made of a visitor's own have none here."""
    found, used = [], defaultdict(set)
    for path in [path for folder in ("tokenizer", "server", "ui") for path in (ROOT / folder).rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for child in ast.iter_child_nodes(node):
                child.above = node
            if isinstance(node, ast.Attribute) and node.attr in WAYS:
                used[ast.unparse(node.value).rpartition(".")[2]].add(node.attr)
            if isinstance(node, ast.Call) and regex.fullmatch(r"(re|regex)\.\w+", ast.unparse(node.func)) and node.args:
                found.append((path, node))
    for path, node in found:
        module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
        how, above = node.func.attr, node.above
        if how == "compile":
            ways = {above.attr} if isinstance(above, ast.Attribute) else None
            ways = ways or (used[above.targets[0].id] if isinstance(above, ast.Assign) else set()) or {"search"}
        elif how in WAYS:
            ways = {how}
        else:
            continue
        try:
            pattern = eval(ast.unparse(node.args[0]), vars(module))
            flags = [eval(ast.unparse(flag), vars(module)) for flag in node.args[1:] if how == "compile"]
        except NameError:  # a local name: what a visitor wrote, or one of a table, which is no danger
            continue
        if isinstance(pattern, str):
            once = ways <= {"match", "fullmatch"}
            yield pytest.param(
                regex.compile(pattern, *map(int, flags)), once, path.stem, id=f"{path.stem}-{node.lineno}"
            )


@pytest.mark.slow
@pytest.mark.parametrize("pattern, once, stem", list(expressions()))
def test_time_does_not_grow_faster_than_a_text(pattern, once, stem):
    size = LONGEST.get(stem, LONG)
    for begin, piece, end in [*product([""], PIECES, "!"), *product(BEGINNINGS, PIECES[:6], "!")]:
        text = begin + piece * (size // len(piece)) + end
        try:  # hundreds of times what it takes, and a fraction of what its square would
            if once:
                pattern.match(text, timeout=1)
                pattern.fullmatch(text, timeout=1)
            else:
                list(pattern.finditer(text, timeout=1))
        except TimeoutError:
            pytest.fail(f"{pattern.pattern!r} on {begin!r}, {piece!r} × {size // len(piece):,}, {end!r}")
