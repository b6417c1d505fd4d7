"""The format of the JavaScript, for which there is no linter."""

import pytest
from paths import ROOT

MAX_COLUMNS = 120
SCRIPTS = sorted(path for top in ("server", "ui", "tests/js") for path in (ROOT / top).rglob("*.js"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parents[1].name}-{path.name}")
def test_lines_have_at_most_120_columns(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [i for i, line in enumerate(lines, 1) if len(line) > MAX_COLUMNS] == []
