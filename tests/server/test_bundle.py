"""Bundles of components: one module without imports, in which each source module has its own scope."""

import re

import pytest
from paths import SERVER, UI, WEB

from server.bundle import bundle

MODULES = sorted([*SERVER.rglob("js/**/*.js"), *UI.rglob("js/**/*.js"), *WEB.rglob("js/**/*.js")])
SCRIPTS = {SERVER / "exports/site/js" / name for name in ("start.js", "service-worker.js")}  # the static page's files
ENTRIES = [path for path in MODULES if "\nexport default" in path.read_text(encoding="utf-8")]


@pytest.fixture
def modules(tmp_path):
    """Writes modules by name; returns the path of the first."""

    def write(**sources):
        for name, source in sources.items():
            (tmp_path / f"{name}.js").write_text(source, encoding="utf-8")
        return tmp_path / f"{next(iter(sources))}.js"

    return write


@pytest.mark.slow
def test_bundles_have_one_default_export_no_imports_and_together_every_module():
    bundles = {entry: bundle(entry) for entry in ENTRIES}
    for entry, bundled in bundles.items():
        assert re.findall(r"^export default", bundled, re.M) == ["export default"], entry
        assert not re.search(r"^\s*import\b|\bimport\(|^export\b(?! default)", bundled, re.M), entry
    together = "".join(bundles.values())
    last = {
        path: path.read_text(encoding="utf-8").splitlines()[-1].removeprefix("export ") for path in {*MODULES} - SCRIPTS
    }
    assert [path for path, line in last.items() if line not in together] == []


def test_dependencies_are_bundled_first_and_once(modules, tmp_path):
    (tmp_path / "sub").mkdir()
    entry = modules(
        main="import { a } from './left.js';\nimport {\n  b,\n  c,\n} from './sub/right.js';\nexport default a + b;\n",
        left="import { base } from './base.js';\nexport const a = base;\n",
        base="let count = 1;\nexport const base = count++;\n",
    )
    (tmp_path / "sub" / "right.js").write_text(
        "import { base } from '../base.js';\nexport const b = base;\nexport async function c() {}\n", encoding="utf-8"
    )
    assert [line for line in bundle(entry).splitlines() if line] == [
        *["const $0 = (() => {", "let count = 1;", "const base = count++;", "return { base };", "})();"],
        *["const $1 = (() => {", "const { base } = $0;", "const a = base;", "return { a };", "})();"],
        *["const $2 = (() => {", "const { base } = $0;", "const b = base;", "async function c() {}"],
        *["return { b, c };", "})();", "const { a } = $1;", "const {", "  b,", "  c,", "} = $2;"],
        "export default a + b;",
    ]


@pytest.mark.parametrize(
    ("main", "other", "words"),
    [
        ("import { a } from './other.js';", "import { b } from './main.js';", "circle: main.js > other.js > main.js"),
        ("import { a } from './main.js';", "", "circle: main.js > main.js"),
        (
            "import { a, b } from './other.js';",
            "export const a = 1, b = 2;",
            "main.js imports b, which other.js does not",
        ),
        ("import { a as b } from './other.js';", "export const a = 1;", "main.js imports a as b, which"),
        ("import * as all from './other.js';", "", "cannot be bundled: import * as all"),
        (
            "import { a } from './other.js';",
            "export let a = 1;",
            "other.js has a line that cannot be bundled: export let",
        ),
        ("export { a };", "", "cannot be bundled: export { a }"),
    ],
)
def test_unsupported_imports_and_exports_are_refused(modules, main, other, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        bundle(modules(main=f"{main}\n", other=f"{other}\n"))
