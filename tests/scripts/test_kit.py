"""The page of the interface's parts: a picture of each, small enough, and no others."""

import re
import sys

import pytest
from paths import ROOT

PAGE = (ROOT / "docs" / "kit.md").read_text(encoding="utf-8")
MAX_PICTURE_BYTES = 40_000


@pytest.fixture
def parts(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
    from kit import PARTS

    return PARTS


def test_page_has_a_picture_of_each_part(parts):
    named = re.findall(r"^\| (\w+) \| !\[.+?\]\(kit/(\w+)\.webp\) \|", PAGE, re.M)
    assert named == [(name, name) for name in parts]
    pictures = {path.stem: path.stat().st_size for path in (ROOT / "docs" / "kit").iterdir()}
    assert pictures.keys() == parts.keys() and max(pictures.values()) < MAX_PICTURE_BYTES
