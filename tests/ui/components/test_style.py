"""Rules for the style sheets."""

import re

from paths import PAGES, ROOT

SHEETS = sorted(path for top in ("assets", "server", "ui", "web") for path in (ROOT / top).rglob("*.css"))
STAGED = re.compile(r'st\.container\([^\n]*key="(stage\w*)"')
CHARTS = re.compile(r'dots\.show\(\s*.*, "(\w+)"')


def test_selectors_do_not_match_parts_of_classes():
    """Such a rule makes the browser restyle all tokens whenever a class changes, as on each key press."""
    rules = {sheet: re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.S) for sheet in SHEETS}
    assert [sheet for sheet, text in rules.items() if re.search(r"\[class[*^$~|]?=", text)] == []


def test_stage_rule_lists_every_container_with_a_stage_key():
    sources = [path.read_text() for folder in (PAGES, ROOT / "ui") for path in folder.rglob("*.py")]
    keys = {key for text in sources for key in STAGED.findall(text)}
    keys |= {f"stage_{key}" for text in sources for key in CHARTS.findall(text)}
    assert len(keys) > 10
    keys.add("years")  # the slider's own container is shown, too
    has, within = re.search(
        r":not\(\s*\.st-key-years,\s*:has\(([^)]*)\),\s*:is\(([^)]*)\) \*\s*\)", (ROOT / "assets/style.css").read_text()
    ).groups()
    listed = {f".st-key-{key}" for key in keys}
    assert set(re.split(r",\s*", within)) == set(re.split(r",\s*", has)) == listed
