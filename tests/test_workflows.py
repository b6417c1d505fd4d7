"""The workflows: their make targets and files exist, and they test every promised Python version."""

import re

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


@pytest.mark.parametrize("name", JOBS)
def test_targets_and_files_of_jobs_exist(name):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for word in re.findall(r"\bmake (\w+)", commands(JOBS[name])):
        assert re.search(rf"^{word}:", makefile, re.M)
    for path in re.findall(r"[\w./-]+\.(?:py|txt)\b", commands(JOBS[name])):
        assert (ROOT / path).exists()
    assert JOBS[name]["timeout-minutes"] <= 60


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
    assert any("lowest-direct" in one["options"] for one in packages["strategy"]["matrix"]["include"])
    assert "${{ matrix.options }} -r requirements-dev.txt" in commands(packages)
