"""The commands in docs/terminal.md print what the page shows, and those in the README run."""

import re

import pytest
from paths import ROOT
from shell import shell

from tokenizer.command import serving

README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = (ROOT / "docs" / "terminal.md").read_text(encoding="utf-8")
LINES = re.findall(r"^\$ (.*)\n((?:(?!\$ |```).*\n)*)", "".join(re.findall(r"```console\n(.*?)```", DOCS, re.S)), re.M)


@pytest.mark.slow
def test_commands_of_the_docs_print_what_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = {line: shell(line) for line, _ in LINES}
    assert len(found) > 15
    assert {line: answer.rstrip("\n") for line, answer in found.items()} == {
        line: answer.rstrip("\n") for line, answer in LINES
    }


def test_commands_of_the_readme_run(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(serving.os, "execv", lambda program, words: None)
    found = {line: shell(line) for line in re.findall("^tokenloupe .*", README, re.M)}
    assert set(map(str.isdigit, map(str.strip, found.values()))) == {True, False} and len(found) == 2
