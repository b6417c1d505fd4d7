"""The cluster command: its output, files and exit codes."""

import builtins
import json

import pytest

from tokenizer import count_pre_tokens, get_encoding
from tokenizer.cluster.__main__ import main
from tokenizer.cluster.running import count_corpus
from tokenizer.training.counts import Counts


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "a.txt").write_text("to be or not to be")
    (tmp_path / "b.txt").write_bytes(b"\xff")
    return tmp_path


def test_count_reports_what_it_wrote_and_left_out(corpus, capsys):
    file = corpus.parent / "own.counts"
    assert main(["count", str(corpus), "--workers", "0", "--floor", "2", "-o", str(file)]) == 0
    assert Counts.from_bytes(file.read_bytes()) == Counts({" be": 2}, "cl100k_base", 2, 4, 4)
    out, err = capsys.readouterr()
    assert "1 texts, 18 bytes" in out and "1 distinct pre-tokens, 2 in all" in out and "Left out: 4" in out
    assert "merges may differ" in out and "b.txt" in err and "byte 1 is 0xFF" in err


def test_join_equals_counting_all_files_in_order(tmp_path, capsys):
    texts, files = ["to be or not", " to be that is the", " question or not"], []
    for i, text in enumerate(texts):
        (tmp_path / f"{i}.txt").write_text(text)
        files.append(str(tmp_path / f"{i}.counts"))
        assert main(["count", str(tmp_path / f"{i}.txt"), "--workers", "0", "-o", files[i]]) == 0
    assert main(["join", *files, "-o", str(tmp_path / "all.counts")]) == 0
    found = Counts.from_bytes((tmp_path / "all.counts").read_bytes())
    assert list(found.counts.items()) == list(count_pre_tokens(texts).items())
    assert main(["join", *files, "--floor", "2", "-o", files[0]]) == 0
    counted = count_corpus(sorted(tmp_path.glob("*.txt")), floor=2).counts
    assert Counts.from_bytes((tmp_path / "0.counts").read_bytes()) == counted
    assert main(["join", *files]) == 1 and "a floor has left" in capsys.readouterr().err
    (tmp_path / "0.counts").write_bytes(Counts({"to": 1}, "gpt2").to_bytes())
    assert main(["join", *files]) == 1 and "different split patterns" in capsys.readouterr().err


def test_measure_prints_text_or_json(corpus, capsys):
    assert main(["measure", str(corpus / "a.txt"), "--workers", "0", "--encoding", "gpt2", "--json"]) == 0
    tokens = len(get_encoding("gpt2").encode("to be or not to be"))
    row = {"tokens": tokens, "bytes_per_token": 18 / tokens}
    found = json.loads(capsys.readouterr().out)
    assert found == {"texts": 1, "bytes": 18, "characters": 18, "encodings": {"gpt2": row}}
    assert main(["measure", str(corpus / "a.txt"), "--workers", "0"]) == 0
    assert "o200k_base: 6 tokens, 3.000 bytes per token" in capsys.readouterr().out


def test_failed_commands_print_the_cause_and_exit_with_1(corpus, capsys):
    assert main(["count", str(corpus / "nowhere"), "--workers", "0"]) == 1
    assert main(["count", str(corpus / "b.txt"), "--workers", "0"]) == 1
    assert main(["measure", str(corpus), "--workers", "0", "--encoding", "gpt22"]) == 1
    assert main(["count", str(corpus), "--workers", "0", "-o", str(corpus / "gone" / "a.counts")]) == 1
    err = capsys.readouterr().err
    assert "no folder" in err and "nowhere" in err and "0xFF" in err and "gpt22" in err and "Traceback" not in err


def test_count_without_dask_prints_how_to_install_it(corpus, capsys, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.partition(".")[0] in ("dask", "distributed"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["count", str(corpus)]) == 1
    assert 'pip install "dask[distributed]"' in capsys.readouterr().err
