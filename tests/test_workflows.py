"""The workflows: their make targets and files exist, and they test every promised Python version."""

import re
import subprocess
import sys

import pytest
import yaml
from paths import ROOT

JOBS = {
    f"{path.stem} {name}": job
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    for name, job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].items()
}


def commands(job):
    return "\n".join(step.get("run", "") for step in job["steps"])


CALLED = {
    script: re.findall(r"(?<= )--[\w-]+", words)
    for job in JOBS.values()
    for script, words in re.findall(r"(?:^|/)python (\S+\.py)(.* --.*)", commands(job), re.M)
}


@pytest.mark.parametrize("name", JOBS)
def test_targets_and_files_of_jobs_exist(name):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("$(VENV)", ".venv")
    for target in re.findall(r"\bmake ([\w./]+)", commands(JOBS[name])):
        assert re.search(rf"^{re.escape(target)}:", makefile, re.M), target
    for path in re.findall(r"(?<!\S)(?:\w[\w./-]*\.(?:py|txt)|tests/[\w./]+)(?!\S)", commands(JOBS[name])):
        assert (ROOT / path).exists(), path
    assert JOBS[name]["timeout-minutes"] <= 60


@pytest.mark.slow
@pytest.mark.parametrize("script", CALLED)
def test_programs_know_the_options_that_jobs_give_them(script):
    done = subprocess.run([sys.executable, ROOT / script, "--help"], capture_output=True, text=True, timeout=60)
    assert [option for option in CALLED[script] if f"{option} " not in done.stdout] == [], done.stderr


def test_every_python_version_from_the_required_one_is_tested():
    least = re.search(r'requires-python = ">=3\.(\d+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))[1]
    tried = [int(version.partition(".")[2]) for version in JOBS["versions python"]["strategy"]["matrix"]["python"]]
    assert tried == [*range(int(least), max(tried) + 1)] and len(tried) > 3


def test_every_package_has_a_lower_bound_and_a_reason_and_is_tested_at_it():
    lists = re.findall(r"^-r (\S+)", (ROOT / "requirements-dev.txt").read_text(encoding="utf-8"), re.M)
    groups = {"requirements.txt", "requirements-dev.txt"}
    assert {path.name for path in ROOT.glob("requirements*.txt")} == {*lists, *groups}
    of_app = re.findall(r"^-r (\S+)", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.M)
    assert of_app == lists[:2]
    for path in ROOT.glob("requirements*.txt"):
        requirements = [line for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] not in "#-"]
        form = r"""[\w.\[\]-]+>=[\d.]+(,<[\d.]+)?(; (sys_platform != "win32"|python_version >= "3.12"))?\s+# \S"""
        assert [line for line in requirements if not re.match(form, line)] == []
    packages = JOBS["versions packages"]
    tried = " ".join(one["options"] for one in packages["strategy"]["matrix"]["include"])
    assert "lowest-direct" in tried and "--prerelease allow" in tried
    assert "${{ matrix.options }} -r requirements-dev.txt" in commands(packages)
