"""`pip install .`, then the command from an unrelated folder."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from urllib.request import urlopen

import pytest
from e2e.server import Server
from paths import ROOT

pytestmark = pytest.mark.slow
PARTS = ["app.py", "assets", "pages", "tokenizer", "server", "ui", ".streamlit", "pyproject.toml", "README.md"]
PARTS += ["requirements.txt", "requirements-models.txt"]


@pytest.fixture(scope="module")
def env(tmp_path_factory):
    """The programs of an environment with Tokenloupe and the packages that are installed here."""
    source, place = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    for part in PARTS:  # the build leaves files behind
        there = ROOT / part
        if there.is_dir():
            shutil.copytree(there, source / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(there, source)
    venv.create(place)
    folder = place / ("Scripts" if os.name == "nt" else "bin")
    packages = sysconfig.get_path("purelib", "venv", {"base": str(place), "platbase": str(place)})
    with open(os.path.join(packages, "others.pth"), "w") as file:
        file.write(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})")
    words = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--no-compile", str(source)]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(folder / "python"), *words], check=True, timeout=60)
    left = {name for name in os.listdir(packages) if not re.search(r"dist-info|\.pth$|^pip", name)}
    assert left == {"tokenizer", "tokenloupe"}
    return folder


def run(env, *words, cwd, **given):
    return subprocess.run([env / words[0], *words[1:]], cwd=cwd, capture_output=True, text=True, timeout=60, **given)


def test_installed_core_and_command_run(env, tmp_path):
    code = "import tokenizer; print(tokenizer.__file__, len(tokenizer.parallel_corpus()))"
    file, languages = run(env, "python", "-c", code, cwd=tmp_path).stdout.split()
    assert str(env.parent) in file and int(languages) > 40
    assert run(env, "tokenloupe", "count", "-e", "cl100k_base", cwd=tmp_path, input="hello world").stdout == "2\n"
    assert run(env, "python", "-m", "tokenizer", "count", "-t", "hello", cwd=tmp_path).stdout == "1\n"
    assert "Options:" in run(env, "tokenloupe", "--help", cwd=tmp_path).stdout


def test_installed_serve_answers_from_another_folder_without_complaints(env, tmp_path):
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text("[server]\nmaxUploadSize = 7\n")  # of another app
    command = (str(env / "tokenloupe"), "serve", "--port")
    with Server(tmp_path / "log.txt", command, tmp_path, HOME=str(tmp_path)) as server:
        assert urlopen(f"{server.url}/_stcore/health", timeout=20).status == 200
        assert b"Tokenloupe" in urlopen(f"{server.url}/class", timeout=20).read()
        assert server.log_problems() == []
