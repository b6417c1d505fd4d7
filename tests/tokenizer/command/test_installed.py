"""The wheel, then the command from an unrelated folder: the core alone, with the app, and by uv and pipx."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from contextlib import redirect_stdout
from functools import cache
from importlib import metadata
from pathlib import Path
from urllib.request import urlopen

import pytest
from e2e.server import Server
from packaging.requirements import Requirement
from paths import ROOT

import tokenizer
from server.encodings import encoding_store
from server.exports import notebooks

pytestmark = pytest.mark.slow
PARTS = ["app.py", "assets", "pages", "tokenizer", "server", "ui", "web", ".streamlit", "pyproject.toml", "README.md"]
PARTS += ["scripts", *(path.name for path in ROOT.glob("requirements*.txt"))]
PACKAGE = "tokenloupe"
APP_PACKAGES = {"streamlit", "pandas", "altair"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built without a network."""
    source, place = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for part in PARTS:  # the build leaves files behind
        there = ROOT / part
        if there.is_dir():
            shutil.copytree(there, source / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(there, source)
    words = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", place, source]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True, timeout=80)
    [found] = place.iterdir()
    return found


def installed(wheel, place, link) -> Path:
    """Installs the wheel and that of another project into a new environment; returns its folder of programs.

    `link` sets up the other packages. The other project has the name of our folder.
    """
    venv.create(place)
    folder = place / ("Scripts" if os.name == "nt" else "bin")
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(place), "platbase": str(place)}))
    link(packages)
    words = ["install", "--quiet", "--no-deps", "--no-index", "--no-compile", other_wheel(place), wheel]
    subprocess.run([sys.executable, "-m", "pip", "--python", folder / "python", *words], check=True, timeout=60)
    return folder


def other_wheel(folder) -> Path:
    """A wheel of a project named `tokenizer`, as there is one on PyPI."""
    file, about = folder / "tokenizer-9.9-py3-none-any.whl", "tokenizer-9.9.dist-info"
    files = {
        "tokenizer/__init__.py": "NAME = 'of somebody else'\n",
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: tokenizer\nVersion: 9.9\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(file, "w") as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return file


@pytest.fixture(scope="module")
def env(wheel, tmp_path_factory):
    """The programs of an environment with Tokenloupe and the packages that are installed here."""

    def link(packages):
        here = sysconfig.get_path("purelib")
        (packages / "others.pth").write_text(f"import site; site.addsitedir({here!r})")

    return installed(wheel, tmp_path_factory.mktemp("installed"), link)


@pytest.fixture(scope="module")
def core(wheel, tmp_path_factory):
    """The programs of an environment with what the wheel requires without extras, and nothing else."""

    def link(packages):
        required = [one for one in wheel_requirements(wheel) if "extra" not in str(one.marker)]
        for one in map(metadata.distribution, closure(required)):
            for name in {file.parts[0] for file in one.files or []} - {"..", "__pycache__"}:
                if not (packages / name).exists():
                    (packages / name).symlink_to(one.locate_file(name))

    return installed(wheel, tmp_path_factory.mktemp("core"), link)


@cache
def wheel_requirements(wheel) -> list[Requirement]:
    """What the metadata of a wheel require, with extras."""
    words = ["install", "--dry-run", "--quiet", "--no-deps", "--no-index", "--ignore-installed", "--report", "-", wheel]
    report = subprocess.run([sys.executable, "-m", "pip", *words], capture_output=True, text=True, check=True).stdout
    return [Requirement(one) for one in json.loads(report)["install"][0]["metadata"]["requires_dist"]]


def closure(requirements) -> set[str]:
    """The names of installed packages that requirements need, by the metadata of each."""
    found, rest = set(), list(requirements)
    while rest:
        one = rest.pop()
        if one.name.lower() in found or one.marker and not one.marker.evaluate({"extra": ""}):
            continue
        found.add(one.name.lower())
        rest += map(Requirement, metadata.requires(one.name) or [])
    return found


def run(env, *words, cwd, **given):
    return subprocess.run([env / words[0], *words[1:]], cwd=cwd, capture_output=True, text=True, timeout=60, **given)


README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"```python\n(from tokenizer.*?)```", README, re.S)[1]
INSTALLED_EXAMPLE = re.sub(r"^from tokenizer .*; installed: (.*)", r"\1", EXAMPLE)
DOCS = (ROOT / "docs" / "terminal.md").read_text(encoding="utf-8")
RUN_ONCE = re.findall(r"^(?:uvx|pipx) .*", re.search(r"```sh\n(pip wheel .*?)```", DOCS, re.S)[1], re.M)


def test_wheel_has_one_package_of_the_version_and_lists_each_requirement_once(wheel):
    assert wheel.name.startswith(f"tokenloupe-{tokenizer.__version__}-py3")
    extras = {}
    for one in wheel_requirements(wheel):
        extra = re.search(r'extra == "(\w+)"', str(one.marker))
        extras.setdefault(extra[1] if extra else "", set()).add(one.name)
    assert extras.keys() == {"", "app", "models", "cluster"}
    assert extras["app"] >= APP_PACKAGES and not extras["app"] & extras[""]


def test_core_and_terminal_run_without_the_packages_of_the_app(core, tmp_path):
    code = f"""
from importlib.util import find_spec
from {PACKAGE} import compare, loupe
print(*map(find_spec, ["streamlit", "pandas", "altair"]))
print("2 tokens in o200k_base" in loupe("hello world", "gpt-5").page)
{INSTALLED_EXAMPLE}
compare("hello", ["gpt-2", "gpt-4o"]).chart()"""
    found = run(core, "python", "-c", code, cwd=tmp_path)
    assert found.stdout == "None None None\nTrue\n" + run_here(EXAMPLE), found.stderr
    assert found.stderr.endswith("ImportError: A chart needs Altair: pip install altair\n")
    assert run(core, "tokenloupe", "count", "-e", "cl100k_base", cwd=tmp_path, input="hello world").stdout == "2\n"
    assert run(core, "python", "-m", PACKAGE, "count", "-t", "hello", cwd=tmp_path).stdout == "1\n"
    (tmp_path / "text").write_text("the cat sat on the mat " * 20)
    words = ["train", "--vocab-size", "270", "--output", "cat.json", "text"]
    done = run(core, "tokenloupe", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = run(core, "tokenloupe", "serve", cwd=tmp_path)
    assert done.returncode and "pip install '.[app]'" in done.stderr, done.stderr


def run_here(code) -> str:
    with redirect_stdout(io.StringIO()) as found:
        exec(code, {})
    assert found.getvalue()
    return found.getvalue()


def test_every_module_of_the_core_is_found_under_the_new_name(core, tmp_path):
    code = f"""
import pkgutil, sys, {PACKAGE}
found = [one.name for one in pkgutil.walk_packages({PACKAGE}.__path__, "{PACKAGE}.") if "__main__" not in one.name]
found = [name for name in found if ".app" not in name]
for name in found: __import__(name)
print(len(found), [name for name in sys.modules if name.split(".")[0] == "tokenizer"])"""
    done = run(core, "python", "-c", code, cwd=tmp_path)
    number, others = done.stdout.split(maxsplit=1)
    assert int(number) > 100 and others == "[]\n", done.stderr


def codes(notebook: str) -> str:
    """The code of all cells of a notebook."""
    return "\n".join("".join(one["source"]) for one in json.loads(notebook)["cells"] if one["cell_type"] == "code")


def test_notebooks_of_the_docs_and_of_pages_run_with_the_installed_core(env, tmp_path):
    docs = codes((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))
    entries = [encoding_store.find(key) for key in ("gpt2", "o200k_base")]
    made = [notebooks.of_text("hello world", entries[0]), notebooks.of_comparison("hello", entries)]
    done = run(env, "python", "-c", "\n".join([docs, *map(codes, made)]), cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_installed_core_runs_beside_another_package_with_the_name_of_our_folder(env, tmp_path):
    code = f"""
import tokenizer, {PACKAGE} as own
print(own.__file__, len(own.parallel_corpus()), own.get_encoding("gpt2").encode("a"), tokenizer.NAME)"""
    file, languages, others = run(env, "python", "-c", code, cwd=tmp_path).stdout.split(maxsplit=2)
    assert str(env.parent) in file and int(languages) > 40 and others == "[64] of somebody else\n"
    assert "Options:" in run(env, "tokenloupe", "--help", cwd=tmp_path).stdout


def test_installed_serve_answers_from_another_folder_without_complaints(env, tmp_path):
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text("[server]\nmaxUploadSize = 7\n")  # of another app
    command = (str(env / "tokenloupe"), "serve", "--port")
    with Server(tmp_path / "log.txt", command, tmp_path, HOME=str(tmp_path)) as server:
        assert urlopen(f"{server.url}/_stcore/health", timeout=20).status == 200
        assert b"Tokenloupe" in urlopen(f"{server.url}/class", timeout=20).read()
        assert server.log_problems() == []


# ---- from the wheel by uv and pipx, which fetch the packages ----

NO_INDEX = re.compile("error sending request|new connection|name resolution|timed out", re.I)
NAMES = "python -c 'from importlib.metadata import distributions as d; print(*(one.name for one in d()))'"


@pytest.fixture
def folder(wheel, tmp_path):
    """A folder with the wheel in `dist`, and a text of 7 tokens."""
    (tmp_path / "dist").mkdir()
    shutil.copy(wheel, tmp_path / "dist")
    (tmp_path / "FILE").write_text("The cat sat on the mat.\n")
    return tmp_path


def fetch(folder, line) -> str:
    """Runs a line of the docs in a folder; skips the test where the program or a package index is missing."""
    program = line.partition(" ")[0]
    if not shutil.which(program):
        pytest.skip(f"needs {program}")
    done = subprocess.run(["sh", "-c", line], cwd=folder, env=own(folder), capture_output=True, text=True, timeout=500)
    if done.returncode and NO_INDEX.search(done.stderr):
        pytest.skip(f"{program} reaches no package index")
    assert done.returncode == 0, done.stderr
    return done.stdout


def own(folder) -> dict[str, str]:
    """The environment in which uv and pipx take this Python, and pipx keeps what it makes in a folder."""
    given = {"UV_PYTHON": sys.executable, "UV_PYTHON_DOWNLOADS": "never", "PIPX_DEFAULT_PYTHON": sys.executable}
    return os.environ | given | {"PIPX_HOME": str(folder / "pipx")}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("program", ["uvx", "pipx"])
def test_wheel_counts_a_file_without_installation_and_without_the_packages_of_the_app(folder, program):
    [line] = [line for line in RUN_ONCE if line.startswith(program) and "count FILE" in line]
    assert fetch(folder, line) == "7\n"
    if program == "uvx":
        names = {*fetch(folder, line.replace("tokenloupe count FILE", NAMES)).split()}
    else:
        names = {path.name.partition("-")[0] for path in folder.glob("pipx/**/*.dist-info")}
    assert {PACKAGE, "numpy", "tiktoken"} <= names and not names & APP_PACKAGES


@pytest.mark.timeout(600)
def test_app_from_the_same_wheel_is_healthy(folder):
    [line] = [line for line in RUN_ONCE if "tokenloupe serve" in line]
    fetch(folder, line.replace("serve", "--version"))
    command = ("sh", "-c", f'exec {line} --port "$0"')
    with Server(folder / "log.txt", command, folder, **own(folder)) as server:
        assert urlopen(f"{server.url}/_stcore/health", timeout=20).status == 200
        assert b"Tokenloupe" in urlopen(f"{server.url}/class", timeout=20).read()
        assert server.log_problems() == []
