"""What the README says is so: its code runs, it names every page and every word of the Makefile."""

import re

import pytest
from paths import ROOT

from tokenizer.measure.metrics import METRICS

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.S))
def test_its_code_runs(code):
    exec(code, {})


def test_it_names_every_page():
    titles = re.findall(r'st.Page\([^)]*title="([^"]+)"', (ROOT / "pages" / "frame.py").read_text(encoding="utf-8"))
    assert titles
    assert [title for title in titles if f"**{title}**" not in README] == []


def test_it_names_every_habit():
    words = re.findall(r"^(\w+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert [
        word for word in words if word != "help" and f"`make {word}`" not in README and f"\nmake {word}\n" not in README
    ] == []


def test_every_file_it_names_exists():
    named = re.findall(r"`((?:\w+/)+[\w.]+|\.\w+/[\w.]+)`", README)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_its_picture_is_there():
    assert all((ROOT / picture).exists() for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README))


def test_it_defines_every_metric_as_the_page_does():
    for metric in METRICS.values():
        assert f"| {metric.label} | {metric.definition} | {metric.source} |" in README
