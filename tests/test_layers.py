"""The layers of imports, network access and HTML. Each test lists every file that breaks its rule."""

import ast
import re
import subprocess
import sys
from functools import cache

import pytest
from paths import ROOT

SOURCES = [
    ROOT / "app.py",
    *(path for top in ("pages", "ui", "server", "tokenizer") for path in sorted((ROOT / top).rglob("*.py"))),
]
OTHERS = [path for folder in ("tests", "scripts", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
TESTS = [path for ending in ("py", "js") for path in sorted((ROOT / "tests").rglob(f"*.{ending}"))]
FOR_BROWSERS = {
    path: path.read_text(encoding="utf-8")
    for folder in ("pages", "web", "server", "ui", "assets")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".html", ".jinja", ".css", ".js", ".mjs", ".svg", ".json", ".toml")
}


def layers(top, names):
    return [f"{top}/{name}" for name in names.split()]


# The core's folders are in order, and the server's: each may import those before it.
CORE = layers(
    "tokenizer",
    "version paths parent_watchdog workers i18n errors notebook_repr text split encoding kinds formats chat training"
    " cluster measure display languages vocabulary lessons",
)
SERVER = layers(
    "server",
    "wire_format address malloc base_path bundle component_i18n web_files first_paint problems limits modules workers"
    " training encodings vocabulary exports editor_api embed api_v1 classroom routes",
)
PAGES = layers("ui", "playground compare why languages train unicode decode chat tokenizers learn vocabulary")
BELOW_UI = ["tokenizer", *CORE, *SERVER]
SHARED = [*BELOW_UI, "ui/components", "ui/streamlit_patches", "ui/session", "ui/widgets"]
MAY_IMPORT = (
    {layer: CORE[:i] for i, layer in enumerate(CORE)}
    | {"tokenizer": CORE, "tokenizer/command": CORE, "tokenizer/__main__": ["tokenizer/command"], "ui": []}
    | {layer: ["tokenizer", *CORE, *SERVER[:i]] for i, layer in enumerate(SERVER)}
    | {"server": [], "ui/streamlit_patches": [*SERVER, "ui/components"], "ui/components": BELOW_UI}
    | {"ui/session": SHARED[:-2], "ui/widgets": SHARED[:-1]}
    | dict.fromkeys(PAGES, SHARED)
    | {"ui/run_lock": SERVER, "ui/garbage": [], "ui/warmup": ["tokenizer/i18n", "ui/garbage"]}
    | {above: [*SHARED, *PAGES, "ui/garbage", "ui/run_lock", "ui/warmup"] for above in ("pages", "app")}
    | {"ui/launcher": ["tokenizer/paths", *SERVER]}
)
COMMAND_LINE = ["tokenizer/command", "tokenizer/__main__"]
BARRED = {layer: ["streamlit", "starlette", "pandas", "altair"] for layer in [*BELOW_UI, *COMMAND_LINE]}
BARRED |= {layer: ["streamlit", "pandas", "altair"] for layer in ["server", *SERVER]}
LAZY_IMPORTS = {"tokenizer/notebook_repr.py": ["altair"], "tokenizer/display/charts.py": ["altair"]}  # inside functions
NETWORK = ["requests", "urllib.request", "urllib3", "socket", "http.client", "httpx", "httpx2", "aiohttp"]
NETWORK += ["ftplib", "smtplib"]
MAY_USE_NETWORK = {
    "ui/launcher.py": ["socket"],  # creates the listening sockets
    "server/limits/connections.py": ["socket"],  # sets their options
    "server/training/downloads.py": ["urllib.request"],  # downloads a public corpus or a tokenizer on request
}
# Only these files may import the library.
ONLY_IN = dict.fromkeys(("tiktoken", "tiktoken_ext"), ("tokenizer/kinds/byte_bpe.py", "tokenizer/kinds/registry.py"))
ONLY_IN |= dict.fromkeys(("dask", "distributed"), ("tokenizer/cluster/running.py",))  # connects to a given address


def relative(path):
    return path.relative_to(ROOT).as_posix()


def imports(nodes):
    """Yields the dotted names that a file imports, also inside functions."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"from {'.' * node.level} imports by dots; name the package"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def syntax_nodes(path):
    """Returns a list, as tests walk it several times."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def nodes_of_files():
    return {relative(path): syntax_nodes(path) for path in SOURCES}


def teardown_module():
    """Frees some million objects, which each later garbage collection would visit."""
    nodes_of_files.cache_clear()


@cache
def imports_of_files():
    return {path: list(imports(nodes)) for path, nodes in nodes_of_files().items()}


LAYERED = ("tokenizer", "server", "ui")  # folders whose folders and modules are layers of their own


def within(name, modules):
    return any(f"{name}.".startswith(f"{module}.") for module in modules)


def layer(path):
    """Returns the layer of a file: its top folder, with the next folder or module in the folders of LAYERED."""
    first, *rest = path.removesuffix(".py").split("/")
    return f"{first}/{rest[0]}" if first in LAYERED and rest != ["__init__"] else first


def file_of(name):
    """Returns our file that a dotted name refers to, or None."""
    while name:
        for path in (f"{name.replace('.', '/')}.py", f"{name.replace('.', '/')}/__init__.py"):
            if path in nodes_of_files():
                return path
        name = name.rpartition(".")[0]
    return None


def test_layers_import_only_from_layers_below():
    arrows = {
        path: {layer(found) for name in names if (found := file_of(name))} for path, names in imports_of_files().items()
    }
    wrong = {path: taken - {layer(path), *MAY_IMPORT.get(layer(path), [])} for path, taken in arrows.items()}
    assert {path: layers for path, layers in wrong.items() if layers} == {}
    assert {layer(path) for path in imports_of_files()} == MAY_IMPORT.keys()


def test_imports_have_no_cycles():
    arrows = {path: {file_of(name) for name in names} - {path} for path, names in imports_of_files().items()}
    while free := {path for path, taken in arrows.items() if not taken & arrows.keys()}:
        arrows = {path: taken for path, taken in arrows.items() if path not in free}
    assert not arrows, f"cycles among {sorted(arrows)}"


def test_scripts_import_only_from_their_folder_and_the_shared_one():
    for path, source in FOR_BROWSERS.items():
        taken = re.findall(r"""^(?:import|export)\b[^;]*? from ['"](.+)['"]""", source, re.MULTILINE)
        layers = {layer(relative((path.parent / name).resolve())) for name in taken if path.suffix == ".js"}
        assert layers <= {layer(relative(path)), "web"}, relative(path)


def test_scripts_of_tests_and_benchmarks_import_files_that_exist():
    for folder in ("tests", "benchmarks"):
        for path in (ROOT / folder).rglob("*.[jp][sy]"):
            taken = re.findall(r"""(?:from|import\()\s*'/([^']+\.js)'""", path.read_text(encoding="utf-8"))
            assert [name for name in taken if not (ROOT / name).is_file()] == [], relative(path)


def test_shared_files_include_only_shared_files():
    for path, source in FOR_BROWSERS.items():
        included = {name.split("/")[0] for name in re.findall(r"\{\{> (\S+)\}\}", source)}
        assert included <= {"web"}, relative(path)


def test_layers_below_the_interface_name_none_of_its_files():
    """Such a path is an arrow that no import shows."""
    for path, nodes in nodes_of_files().items():
        strings = {node.value for node in nodes if isinstance(node, ast.Constant) and type(node.value) is str}
        found = {one for one in strings if re.fullmatch(r"(?:ui|pages)(?:/\S*)?", one)}
        assert layer(path).split("/")[0] not in ("tokenizer", "server") or not found, (path, found)


def test_libraries_are_imported_only_where_allowed():
    for path, names in imports_of_files().items():
        barred = {*BARRED.get(layer(path), []), *NETWORK} - {
            *LAZY_IMPORTS.get(path, []),
            *MAY_USE_NETWORK.get(path, []),
        }
        barred |= {library for library, files in ONLY_IN.items() if path not in files}
        assert not [name for name in names if within(name, barred)], path


def test_streamlit_internals_are_imported_only_by_the_patches():
    for path, names in imports_of_files().items():
        inside = [name for name in names if within(name, ["streamlit"]) and name != "streamlit"]
        assert layer(path) == "ui/streamlit_patches" or not inside, path


PUBLIC_PARTS = {"session_state", "column_config", "context", "query_params", "components", "runtime"}  # of `st`
ATTRIBUTE_FUNCTIONS = ("getattr", "setattr", "hasattr")


def chain(node):
    """Returns the dotted name of an attribute of a module or an object that has a name, else an empty string."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""


def test_streamlit_internals_are_reached_by_no_attribute_or_string_elsewhere():
    for path, nodes in nodes_of_files().items():
        if layer(path) == "ui/streamlit_patches":
            continue
        taken = {chain(node) for node in nodes if isinstance(node, ast.Attribute)}
        found = {one for one in taken if re.match(r"st\.\w+\.", one) and one.split(".")[1] not in PUBLIC_PARTS}
        found |= {one for one in taken if one.startswith("st.runtime.") and one != "st.runtime.exists"}
        for node in nodes:
            if isinstance(node, ast.Constant) and type(node.value) is str and node.value.startswith("streamlit."):
                found.add(node.value)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ATTRIBUTE_FUNCTIONS:
                call = ast.unparse(node)
                found |= {call} if re.search(", '_[^_]", call) else set()
        assert not found, (path, found)


def test_private_names_of_packages_are_used_only_by_the_patches():
    """Elsewhere a name with a leading underscore is read from `self`, `cls` or a class of the same file."""
    documented = {"os._exit"} | {f"_{name}" for name in ("replace", "asdict", "fields", "make")}  # of named tuples
    for path, nodes in nodes_of_files().items():
        own = {"self", "cls"} | {one.name for one in nodes if isinstance(one, ast.ClassDef)}
        used = {one for one in nodes if isinstance(one, ast.Attribute) and re.match("_[^_]", one.attr)}
        foreign = {
            ast.unparse(one) for one in used if one.attr not in documented and ast.unparse(one.value) not in own
        } - documented
        foreign |= {name for name in imports_of_files()[path] if re.search(r"\._[^_.]\w*$", name) and not file_of(name)}
        assert layer(path) == "ui/streamlit_patches" or not foreign, path


SHARED_NAMES = {
    "_run",  # of Streamlit's AppTest: it alone takes the widget states of a browser
    "_repr_html_",  # IPython calls it
    "_execing",  # of Streamlit's script runner; a patch sets it
}


def private_names(nodes):
    """Returns the names with one leading underscore that a file defines: functions, classes, variables, attributes."""
    defined = set()
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            defined.add(node.id if isinstance(node, ast.Name) else node.attr)
    return {name for name in defined if re.match("_[^_]", name)}


def names_used(nodes):
    """Yields the attributes, imported names and strings of a file; monkeypatch.setattr takes names as strings."""
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom) and file_of(node.module):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value.rpartition(".")[2]


@pytest.mark.slow
def test_tests_use_no_private_names_of_our_modules():
    scripts = [path for path in OTHERS if not relative(path).startswith("tests/")]
    files = [*nodes_of_files().values(), *map(syntax_nodes, scripts)]
    private = set().union(*map(private_names, files)) - SHARED_NAMES
    used = {}
    for path in {*OTHERS} - {*scripts}:
        source = path.read_text(encoding="utf-8")
        if not private.isdisjoint(re.findall(r"\b_\w+", source)):  # parsing all would take long
            nodes = syntax_nodes(path)
            used[relative(path)] = private.intersection(names_used(nodes)) - private_names(nodes)
    assert {path: names for path, names in used.items() if names} == {}


def test_tests_do_not_read_the_state_of_the_document():
    names = "|".join(re.findall(r"(?:inDocument|isFirst)\('(\w+)'", "".join(FOR_BROWSERS.values())))
    state = re.compile(rf"window\??\.tokenloupe|\btokenloupe\??\.(?:{names})\b(?!['\"`])|document-state")
    for path in TESTS:
        assert path.name == "test_layers.py" or not state.search(path.read_text(encoding="utf-8")), relative(path)


def test_core_imports_no_charts_no_tables_and_no_packages_of_models():
    packages = {"altair", "pandas", "streamlit", "IPython", "sentencepiece", "splintr"}
    script = f"import sys, tokenizer; tokenizer.list_models(); print({packages} & {{*sys.modules}})"
    assert subprocess.check_output([sys.executable, "-c", script], cwd=ROOT, text=True, timeout=60) == "set()\n"


def test_server_imports_streamlit_neither_directly_nor_indirectly():
    for path in imports_of_files():
        seen, left = set(), [path] if layer(path) in ["server", *SERVER] else []
        while left:
            seen.add(one := left.pop())
            left += {found for name in imports_of_files()[one] if (found := file_of(name))} - seen
        assert not [one for one in seen if any(within(name, ["streamlit"]) for name in imports_of_files()[one])], path


def test_core_finds_assets_in_one_place():
    """An installed package has its assets elsewhere."""
    counting = re.compile(r"parents\[\d\] / \"assets\"")
    sources = [path for path in SOURCES if layer(relative(path)).startswith("tokenizer")]
    assert [relative(path) for path in sources if counting.search(path.read_text(encoding="utf-8"))] == []


def test_markdown_never_allows_html():
    for path, nodes in nodes_of_files().items():
        words = {node.arg for node in nodes if isinstance(node, ast.keyword)}
        assert not words & {"unsafe_allow_html", "unsafe_allow_javascript"}, path


def test_module_names_do_not_shadow_libraries():
    tops = {name.partition(".")[0] for names in imports_of_files().values() for name in names}
    libraries = tops - {"app", "pages", "server", "ui", "tokenizer"}
    stems = {path.stem for path in [*SOURCES, *OTHERS]} - {"__init__", "__main__"}
    assert not stems & (libraries | sys.stdlib_module_names)


def test_browser_files_load_nothing_from_other_hosts():
    for path, source in FOR_BROWSERS.items():
        if path.name in ("models.toml", "public.toml"):  # lists of sources, which visitors may open
            continue
        source = re.sub(r"http://www\.w3\.org/\d{4}/\w+", "", source)  # XML namespaces are not loaded
        found = re.search(r"\b(?:https?|wss?):|@import|(?:url\(|src=|href=|from |import |fetch\()\s*['\"`]?//", source)
        assert not found, (relative(path), found)


def test_scripts_do_not_build_html_from_text():
    for path, source in FOR_BROWSERS.items():
        if path.suffix == ".js":
            found = re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", source)
            assert not found, (relative(path), found)


STREAMLIT_DOM = (
    r"data-testid|data-test-|data-baseweb|dataset\.test|['\"` .:(]\.?st[A-Z]\w|st-emotion|getElementById\(['\"]root"
    r"|st-key-[\w-]+ [^'\"`]*\["
)


def test_streamlit_selectors_are_in_one_script():
    for path, source in FOR_BROWSERS.items():
        found = path.suffix == ".js" and re.search(STREAMLIT_DOM, source)
        assert not found or path.name == "streamlit-dom.js", (relative(path), found)


def test_buttons_in_conditions_are_pending_actions():
    tests = {
        path: [ast.unparse(one.test) for one in nodes if isinstance(one, ast.If)]
        for path, nodes in nodes_of_files().items()
    }
    assert [
        path for path, conditions in tests.items() if any("st.button(" in one for one in conditions)
    ] == []  # ui/session/pending_action.py
