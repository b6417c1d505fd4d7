"""What strangers read first: version, changelog, citation, security and the forms for issues."""

import re
import tomllib

import pytest
import yaml
from paths import ROOT

import tokenizer

VERSION = tokenizer.__version__
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r"^## (\S+) .*\n((?:(?!## ).*\n?)*)", CHANGELOG, re.M))
GITHUB = ROOT / ".github"
FORMS = sorted((GITHUB / "ISSUE_TEMPLATE").glob("wrong-*.yml"))


def read_yaml(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_version_changelog_and_citation_agree():
    citation = read_yaml(ROOT / "CITATION.cff")
    assert citation["version"] == VERSION == next(iter(ENTRIES))
    assert f"## {VERSION} ({citation['date-released']})" in CHANGELOG
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"] and "version" not in project["project"]
    assert project["tool"]["setuptools"]["dynamic"]["version"]["attr"] == "tokenloupe.version.__version__"


def test_each_entry_of_the_changelog_has_the_numbers_that_changed():
    for version, entry in ENTRIES.items():
        found = re.search(r"^### Numbers that changed\n\n\S", entry, re.M)
        assert found, version


def test_citation_has_what_its_format_requires():
    citation = read_yaml(ROOT / "CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= citation.keys() and citation["authors"]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_form_has_labelled_fields_with_ids_of_their_own(path):
    form = read_yaml(path)
    assert form["name"] and form["description"]
    ids = [field["id"] for field in form["body"]]
    assert len({*ids}) == len(ids) >= 4
    assert all(field["type"] in ("input", "textarea") and field["attributes"]["label"] for field in form["body"])


def test_there_are_forms_for_ids_and_translations():
    assert [path.stem for path in FORMS] == ["wrong-id", "wrong-translation"]


def test_dependabot_watches_packages_workflows_and_container():
    found = read_yaml(GITHUB / "dependabot.yml")
    assert {one["package-ecosystem"] for one in found["updates"]} == {"pip", "github-actions", "docker"}
    assert all(one["directory"] == "/" and one["schedule"]["interval"] == "weekly" for one in found["updates"])


def test_files_that_security_names_exist():
    words = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = {*re.findall(r"`([\w/]+\.py)`", words), *re.findall(r"\]\(([\w/]+\.md)", words)}
    assert len(named) > 8 and [name for name in named if not (ROOT / name).exists()] == []


def test_readme_links_them_and_has_a_line_for_the_licence():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in ("CHANGELOG.md", "SECURITY.md", "CITATION.cff"):
        assert f"]({name})" in readme
    assert len(re.findall(r"^Licence of Tokenloupe: ", readme, re.M)) == 1
