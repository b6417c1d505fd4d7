"""What the README and docs/ say is so: their code runs, they name every page, habit and metric."""

import re

import pytest
from paths import ROOT

from tokenizer.measure.metrics import METRICS

README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
CODE = [
    pytest.param(code, id=f"{name}-{i}")
    for name, words in {"README.md": README, **DOCS}.items()
    for i, code in enumerate(re.findall(r"```python\n(.*?)```", words, re.S))
]


@pytest.mark.parametrize("code", CODE)
def test_the_code_runs(code):
    exec(code, {})


def test_it_is_two_screens():
    assert len(README.splitlines()) <= 110


def test_it_names_every_page():
    titles = re.findall(r'st.Page\([^)]*title="([^"]+)"', (ROOT / "pages" / "frame.py").read_text(encoding="utf-8"))
    assert titles
    assert [title for title in titles if f"**{title}**" not in README] == []


def test_its_map_names_every_folder():
    map_of_folders = README.partition("## Where everything lives")[2]
    folders = {path.parent.name for parent in ("ui", "tokenizer") for path in (ROOT / parent).glob("*/__init__.py")}
    assert [folder for folder in sorted(folders) if not re.search(rf"\b{folder}\b", map_of_folders)] == []


def test_it_names_every_habit():
    words = re.findall(r"^(\w+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert [
        word for word in words if word != "help" and f"`make {word}`" not in README and f"\nmake {word}\n" not in README
    ] == []


def test_every_file_that_is_named_exists():
    text = "\n".join([README, *DOCS.values()])
    named = re.findall(r"`((?:\w+/)+[\w.]*|\.\w+/[\w.]+)`|\]\(([\w/.]+)\)", text)
    assert named
    assert [path for pair in named for path in pair if path and not (ROOT / path).exists()] == []


def test_docs_define_every_metric_as_the_page_does():
    for metric in METRICS.values():
        assert f"| {metric.label} | {metric.definition} | {metric.source} |" in DOCS["numbers.md"]
