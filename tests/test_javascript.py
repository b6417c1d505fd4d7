"""The format of scripts and style sheets, for which there is no linter."""

import pytest
from paths import ROOT

MAX_COLUMNS = 120
FOLDERS = [ROOT / top for top in ("assets", "server", "ui", "web", "tests/js")]
FILES = sorted(path for folder in FOLDERS for end in ("css", "js") for path in folder.rglob(f"*.{end}"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parents[1].name}-{path.name}")
def test_lines_have_at_most_120_columns(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [i for i, line in enumerate(lines, 1) if len(line) > MAX_COLUMNS] == []
