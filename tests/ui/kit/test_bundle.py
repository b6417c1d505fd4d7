"""The bundles of the components: each one module without imports, made of modules that do not clash."""

import re

import pytest
from paths import UI

from ui.kit.bundle import IMPORT, bundle

ENTRIES = sorted(UI.rglob("js/main.js"))
MODULES = sorted(UI.rglob("js/*.js"))
NAMES = re.compile(r"^import \{([^}]*)\} from '([^']*)';", re.M)


def name(path):
    return f"{path.parts[-3]}/{path.name}"


every_bundle = pytest.mark.parametrize("entry", ENTRIES, ids=name)


@pytest.fixture
def modules(tmp_path):
    """Writes modules by name; returns the path of the first."""

    def write(**sources):
        for name, source in sources.items():
            (tmp_path / f"{name}.js").write_text(source, encoding="utf-8")
        return tmp_path / f"{next(iter(sources))}.js"

    return write


@every_bundle
def test_one_default_export_and_no_other(entry):
    assert re.findall(r"^export\b.*", bundle(entry), re.M) == ["export default function (component) {"]


@every_bundle
def test_no_import_is_left(entry):
    assert not re.search(r"^\s*import\b|\bimport\(|^export\b.*\bfrom\b", bundle(entry), re.M)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_every_module_is_in_some_bundle_and_in_none_twice(path):
    body = re.sub(r"^export (?!default)", "", IMPORT.sub("", path.read_text(encoding="utf-8")), flags=re.M)
    assert {bundle(entry).count(body) for entry in ENTRIES} | {0} == {0, 1}


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_every_imported_name_is_exported_where_it_comes_from(path):
    # A name that is changed on import (`as`) would be unknown in the bundle, so it may not be.
    for names, source in NAMES.findall(path.read_text(encoding="utf-8")):
        exported = re.findall(
            r"^export (?:async )?(?:const|let|class|function\*?) (\w+)",
            (path.parent / source).read_text(encoding="utf-8"),
            re.M,
        )
        assert {name.strip() for name in names.split(",") if name.strip()} <= set(exported)


@every_bundle
def test_top_level_names_are_declared_one_by_one(entry):
    # What the check for twins reads; `const { a, b } =` or `let a, b` would pass it unread.
    assert not re.search(r"^(?:export )?(?:var |(?:const|let) (?:[\[{]|\w+\s*,))", bundle(entry), re.M)


def test_a_module_that_two_folders_import_is_there_once(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "one" / "shared.js").write_text("export const shared = 1;\n", encoding="utf-8")
    (tmp_path / "one" / "user.js").write_text(
        "import { shared } from './shared.js';\nexport const user = shared;\n", encoding="utf-8"
    )
    entry = tmp_path / "two" / "main.js"
    entry.write_text(
        "import { user } from '../one/user.js';\nimport { shared } from '../one/shared.js';\nexport default shared;\n",
        encoding="utf-8",
    )
    lines = [line for line in bundle(entry).splitlines() if line]
    assert lines == ["const shared = 1;", "const user = shared;", "export default shared;"]


def test_dependencies_come_first_and_once(modules):
    entry = modules(
        main="import { a } from './left.js';\nimport {\n  b,\n} from './right.js';\nexport default a + b;\n",
        left="import { base } from './base.js';\nexport const a = base;\n",
        right="import { base } from './base.js';\nexport const b = base;\n",
        base="export const base = 1;\n",
    )
    lines = [line for line in bundle(entry).splitlines() if line]
    assert lines == ["const base = 1;", "const a = base;", "const b = base;", "export default a + b;"]


@pytest.mark.parametrize(
    "twin",
    ["const same = 1;", "let same = 1;", "class same {}", "function same() {}", "async function same() {}"]
    + ["function* same() {}", "export const same = 1;", "export async function same() {}"],
)
def test_twins_are_refused_by_name_and_place(modules, twin):
    entry = modules(
        main=f"import {{ other }} from './other.js';\n{twin}\n",
        other="export const other = 1, x = 2;\nconst same = 3;\n",
    )
    with pytest.raises(ValueError, match=r"same is defined in other\.js and in main\.js"):
        bundle(entry)


def test_names_within_functions_may_be_the_same(modules):
    entry = modules(
        main="import { f } from './f.js';\nexport default function () {\n  const x = 1;\n}\n",
        f="export function f() {\n  const x = 2;\n}\n",
    )
    assert bundle(entry).count("const x") == 2
