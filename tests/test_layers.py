"""Who may import whom, and that nothing reaches for the network. Each test lists every file that breaks its rule."""

import ast
import re
import subprocess
import sys

from paths import ROOT

SOURCES = [
    ROOT / "app.py",
    *(path for top in ("pages", "ui", "server", "tokenizer") for path in sorted((ROOT / top).rglob("*.py"))),
]
OTHERS = [path for folder in ("tests", "scripts", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
FOR_BROWSERS = {
    path: path.read_text(encoding="utf-8")
    for folder in ("pages", "server", "ui", "assets")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".html", ".jinja", ".css", ".js", ".mjs", ".svg", ".json", ".toml")
}

# The core reads as one line: each room knows those before it.
CORE = [
    f"tokenizer/{room}"
    for room in (
        "paths",
        "parent_watchdog",
        "workers",
        "i18n",
        "errors",
        "notebook_repr",
        "text",
        "split",
        "encoding",
        "kinds",
        "formats",
        "chat",
        "training",
        "cluster",
        "measure",
        "display",
        "languages",
        "vocabulary",
        "lessons",
    )
]
PAGES = [
    f"ui/{page}"
    for page in (
        "playground",
        "compare",
        "why",
        "languages",
        "train",
        "unicode",
        "decode",
        "chat",
        "tokenizers",
        "learn",
        "vocabulary",
    )
]
BELOW_UI = ["tokenizer", *CORE, "server"]
SHARED = [*BELOW_UI, "ui/components", "ui/streamlit_patches", "ui/session", "ui/widgets"]
MAY_ENTER = (
    {room: CORE[:i] for i, room in enumerate(CORE)}
    | {"tokenizer": CORE, "tokenizer/command": CORE, "tokenizer/__main__": ["tokenizer/command"], "ui": []}
    | {"server": ["tokenizer", *CORE], "ui/streamlit_patches": ["server", "ui/components"]}
    | {"ui/components": BELOW_UI}
    | {"ui/session": SHARED[:-2], "ui/widgets": SHARED[:-1]}
    | dict.fromkeys(PAGES, SHARED)
    | {"ui/run_lock": [], "ui/warmup": ["tokenizer/i18n"]}
    | {above: [*SHARED, *PAGES, "ui/run_lock", "ui/warmup"] for above in ("pages", "app")}
    | {"ui/launcher": ["tokenizer/paths", "server"]}
)
IN_TERMINALS = ["tokenizer/command", "tokenizer/__main__"]
BARRED = {room: ["streamlit", "starlette", "pandas", "altair"] for room in [*BELOW_UI, *IN_TERMINALS]}
BARRED |= {"server": ["streamlit", "pandas", "altair"]}
LATER = {"tokenizer/notebook_repr.py": ["altair"], "tokenizer/display/charts.py": ["altair"]}  # when one is asked for
NETWORK = ["requests", "urllib.request", "urllib3", "socket", "http.client", "httpx", "httpx2", "aiohttp"]
NETWORK += ["ftplib", "smtplib"]
NEEDS = {
    "ui/launcher.py": ["socket"],  # it makes the sockets at which the app is served
    "server/limits/connections.py": ["socket"],  # it says how many connections may wait at them
    "server/training/public_corpora.py": [
        "urllib.request"
    ],  # it fetches a public corpus when somebody presses the button
    "server/encodings/hub.py": ["urllib.request"],  # so it is with the tokenizer of a model
}
DASKS_DOOR = "tokenizer/cluster/running.py"  # it reaches for other machines where it is told their address
TIKTOKENS_DOORS = ("tokenizer/kinds/byte_bpe.py", "tokenizer/kinds/registry.py")


def relative(path):
    return path.relative_to(ROOT).as_posix()


def imports(tree):
    """The dotted names that a file imports, those within functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"from {'.' * node.level} imports by dots; name the package"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


TREES = {relative(path): ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
IMPORTS = {path: list(imports(tree)) for path, tree in TREES.items()}


def within(name, modules):
    return any(f"{name}.".startswith(f"{module}.") for module in modules)


def room(path):
    """The folder that a file belongs to: two names deep in the core and the interface, else one."""
    first, *rest = path.removesuffix(".py").split("/")
    return f"{first}/{rest[0]}" if first in ("tokenizer", "ui") and rest != ["__init__"] else first


def file_of(name):
    """The file of ours that a dotted name leads to, if any."""
    while name:
        for path in (f"{name.replace('.', '/')}.py", f"{name.replace('.', '/')}/__init__.py"):
            if path in TREES:
                return path
        name = name.rpartition(".")[0]
    return None


def test_a_room_imports_only_from_rooms_below_it():
    arrows = {path: {room(found) for name in names if (found := file_of(name))} for path, names in IMPORTS.items()}
    wrong = {path: taken - {room(path), *MAY_ENTER.get(room(path), [])} for path, taken in arrows.items()}
    assert {path: rooms for path, rooms in wrong.items() if rooms} == {}
    assert {room(path) for path in IMPORTS} == MAY_ENTER.keys()


def test_no_modules_import_each_other_in_a_circle():
    arrows = {path: {file_of(name) for name in names} - {path} for path, names in IMPORTS.items()}
    while free := {path for path, taken in arrows.items() if not taken & arrows.keys()}:
        arrows = {path: taken for path, taken in arrows.items() if path not in free}
    assert not arrows, f"circles among {sorted(arrows)}"


def test_a_script_imports_only_from_its_own_folder_and_the_components():
    for path, source in FOR_BROWSERS.items():
        taken = re.findall(r"""^(?:import|export)\b[^;]*? from ['"](.+)['"]""", source, re.MULTILINE)
        rooms = {room(relative((path.parent / name).resolve())) for name in taken if path.suffix == ".js"}
        assert rooms <= {room(relative(path)), "ui/components"}, relative(path)


def test_only_the_interface_knows_streamlit_and_only_two_files_tiktoken():
    for path, names in IMPORTS.items():
        doors = [] if path in TIKTOKENS_DOORS else ["tiktoken", "tiktoken_ext"]
        barred = {*BARRED.get(room(path), []), *doors} - {*LATER.get(path, [])}
        assert not [name for name in names if within(name, barred)], path


def test_only_one_room_knows_more_of_streamlit_than_its_public_names():
    for path, names in IMPORTS.items():
        inside = [name for name in names if within(name, ["streamlit"]) and name != "streamlit"]
        assert room(path) == "ui/streamlit_patches" or not inside, path


def test_only_one_room_uses_private_names_of_packages():
    """A name with an underscore in front is of the same class or of the same file, or is documented."""
    documented = {"os._exit"} | {f"_{name}" for name in ("replace", "asdict", "fields", "make")}  # of named tuples
    for path, tree in TREES.items():
        nodes = list(ast.walk(tree))
        own = {one.name for one in nodes if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
        own |= {one.attr for one in nodes if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)}
        own |= {one.target.id for one in nodes if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}
        used = {one for one in nodes if isinstance(one, ast.Attribute) and re.match("_[^_]", one.attr)}
        foreign = {ast.unparse(one) for one in used if one.attr not in own | documented} - documented
        foreign |= {name for name in IMPORTS[path] if re.search(r"\._[^_.]\w*$", name) and not file_of(name)}
        assert room(path) == "ui/streamlit_patches" or not foreign, path


def test_the_core_loads_neither_charts_nor_tables():
    says = "import sys, tokenizer; print({'altair', 'pandas', 'streamlit', 'IPython'} & {*sys.modules})"
    assert subprocess.check_output([sys.executable, "-c", says], cwd=ROOT, text=True, timeout=60) == "set()\n"


def test_only_one_file_knows_dask():
    for path, names in IMPORTS.items():
        assert path == DASKS_DOOR or not [name for name in names if within(name, ["dask", "distributed"])], path


def test_the_server_reaches_nothing_that_knows_streamlit():
    for path in IMPORTS:
        seen, left = set(), [path] if room(path) == "server" else []
        while left:
            seen.add(one := left.pop())
            left += {found for name in IMPORTS[one] if (found := file_of(name))} - seen
        assert not [one for one in seen if any(within(name, ["streamlit"]) for name in IMPORTS[one])], path


def test_nothing_imports_a_network():
    for path, names in IMPORTS.items():
        assert not [name for name in names if within(name, NETWORK) and name not in NEEDS.get(path, [])], path


def test_the_core_asks_in_one_place_where_assets_are():
    """Once installed, they do not stand beside it."""
    counting = re.compile(r"parents\[\d\] / \"assets\"")
    sources = [path for path in SOURCES if room(relative(path)).startswith("tokenizer")]
    assert [relative(path) for path in sources if counting.search(path.read_text(encoding="utf-8"))] == []


def test_no_text_of_users_can_be_html_in_markdown():
    for path, tree in TREES.items():
        words = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
        assert not words & {"unsafe_allow_html", "unsafe_allow_javascript"}, path


def test_no_module_hides_a_library():
    tops = {name.partition(".")[0] for names in IMPORTS.values() for name in names}
    libraries = tops - {"app", "pages", "server", "ui", "tokenizer"}
    stems = {path.stem for path in [*SOURCES, *OTHERS]} - {"__init__", "__main__"}
    assert not stems & (libraries | sys.stdlib_module_names)


def test_nothing_is_fetched_from_elsewhere():
    for path, source in FOR_BROWSERS.items():
        source = re.sub(r"http://www\.w3\.org/\d{4}/\w+", "", source)  # a name of a namespace, which nobody fetches
        found = re.search(r"\b(?:https?|wss?):|@import|(?:url\(|src=|href=|from |import |fetch\()\s*['\"`]?//", source)
        assert not found, (relative(path), found)


def test_no_script_makes_html_out_of_text():
    for path, source in FOR_BROWSERS.items():
        if path.suffix == ".js":
            found = re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", source)
            assert not found, (relative(path), found)


def test_only_one_script_names_elements_of_streamlit():
    for path, source in FOR_BROWSERS.items():
        found = path.suffix == ".js" and re.search(r"data-testid|data-test-|['\" ]\.st[A-Z]|\.stApp", source)
        assert not found or path.name == "streamlit-dom.js", (relative(path), found)


def test_a_press_that_a_page_answers_itself_is_kept():
    tests = {
        path: [ast.unparse(one.test) for one in ast.walk(tree) if isinstance(one, ast.If)]
        for path, tree in TREES.items()
    }
    assert [
        path for path, asked in tests.items() if any("st.button(" in one for one in asked)
    ] == []  # ui/session/pending_action.py
