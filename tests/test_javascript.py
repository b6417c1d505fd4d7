"""The format of scripts and style sheets, for which there is no linter."""

from paths import ROOT

MAX_COLUMNS = 120
FOLDERS = [ROOT / top for top in ("assets", "server", "ui", "web", "tests/js")]
FILES = [path for folder in FOLDERS for end in ("css", "js") for path in folder.rglob(f"*.{end}")]


def test_lines_have_at_most_120_columns():
    lines = {path: path.read_text(encoding="utf-8").splitlines() for path in FILES}
    assert [path for path, found in lines.items() if max(map(len, found), default=0) > MAX_COLUMNS] == []
