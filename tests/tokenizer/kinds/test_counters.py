"""Models whose tokens can only be counted: counts equal ctok's without its frame."""

import json
import sys
from importlib.metadata import metadata

import pytest
from shell import invoke

from tokenizer import get_encoding, parallel_corpus
from tokenizer.command.options import CountedName
from tokenizer.errors import NeedsPackage, OnlyCounted
from tokenizer.kinds import counters, open_models, registry
from tokenizer.kinds.counters import COUNTERS, MEASURED_VERSION, count, count_each
from tokenizer.text.well_formed import well_formed

needs_ctok = pytest.mark.skipif(not counters.is_installed(), reason="ctok is not installed")


@needs_ctok
@pytest.mark.parametrize("counter", COUNTERS, ids=lambda one: one.key)
def test_count_equals_ctoks_without_the_frame(counter):
    from ctok import token_count, tokenize

    texts = [*sum(parallel_corpus().values(), [])[::40], " a", "\n\n", "a\ud800", "<|im_start|>", "👩‍👩‍👧" * 30]
    texts = [well_formed(text)[0] for text in texts]
    assert count_each(counter.key, texts) == [token_count(text, counter.version) - counter.frame for text in texts]
    assert tokenize("hello", counter.version)[: counter.frame + 1].count("⟨pad⟩") == counter.frame
    assert count(counter.key, "") == 0


@needs_ctok
def test_accuracy_equals_the_packages_own_statement():
    about = metadata("ctok")
    if f"ctok {about['Version']}" != MEASURED_VERSION:
        pytest.skip("another version states other numbers")
    rows = {
        line.split("|")[1].strip(): line.split("|")[3:5] for line in about.get_payload().splitlines() if "|" in line
    }
    stated = {name: [cell.strip() for cell in cells] for name, cells in rows.items() if len(cells) == 2}
    old, new = counters.BY_KEY["claude-3"], counters.BY_KEY["claude-4.7"]
    assert stated["Goldfish, 350 languages and 962,054 rows"] == [f"{one.exact:,}" for one in (old, new)]
    assert stated["MultiPL-E, 22 programming languages"] == ["22", "22"]
    assert stated["Rosetta Code, separate 250 documents"] == ["250", "250"]


def test_names_of_counters_are_unique():
    names = [name for one in COUNTERS for name in (one.key, *one.aliases)]
    assert len(names) == len({*names}) and not {*names} & {*registry.MODEL_TO_ENCODING}
    assert not any(map(open_models.key_of, names))


def test_get_encoding_of_a_counter_raises():
    with pytest.raises(OnlyCounted, match="With Claude 4.8 to 5, tokens can only be counted"):
        get_encoding("claude")


@pytest.mark.parametrize(
    ("version", "message"), [((3, 11, 7), "needs Python 3.12"), ((3, 13, 0), "pip install ctok, then")]
)
def test_count_without_the_package_names_what_it_needs(monkeypatch, version, message):
    monkeypatch.setattr(counters, "is_installed", lambda: False)
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(NeedsPackage, match=message):
        count("claude-3", "a")


def test_count_command_counts_rows_and_refuses_chats(fake_ctok, tmp_path):
    table = tmp_path / "a.csv"
    table.write_text("text\none two\nthree\n")
    done = invoke("count", "--rows", "-e", "gpt2", "-e", "claude-3", str(table))
    assert "claude-3 (reconstruction)" in done.stdout and "22 of 22" in done.stderr
    facts = json.loads(invoke("count", "--rows", "-e", "claude-3", "--json", str(table)).stdout)
    assert facts["encodings"]["claude-3 (reconstruction)"]["total"] == 3
    chats = tmp_path / "a.jsonl"
    chats.write_text('{"messages": [{"role": "user", "content": "Hi"}]}\n')
    done = invoke("count", "--rows", "-e", "claude-3", str(chats))
    assert done.exit_code and "only texts can be counted" in done.stderr


def test_count_command_labels_the_number_as_a_reconstruction(fake_ctok):
    done = invoke("count", "-e", "claude", "-t", "one two")
    assert done.stdout == "2\n" and "reconstruction" in done.stderr and "a message, 6 tokens," in done.stderr
    found = json.loads(invoke("count", "-e", "claude-3", "--json", text=b"one").stdout)
    assert found["tokens"] == 1 and found["reconstruction"]["frame"] == 7
    assert [one.value for one in CountedName().shell_complete(None, None, "claude-o")][:1] == ["claude-opus-4-8"]
    for refused in (
        ("encode", "-e", "claude", "-t", "a"),
        ("count", "-e", "claude", "--special", "special", "-t", "a"),
    ):
        assert invoke(*refused).exit_code == 2
