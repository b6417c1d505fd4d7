"""On Dask's worker processes: the same counts and merges as on one machine, also after a worker is killed."""

import copyreg
import os
import signal
import sys
from importlib.util import find_spec
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tokenizer import TIE_RULES, TokenizerError, count_pre_tokens, train
from tokenizer.cluster import __main__ as terminal
from tokenizer.cluster.running import count_corpus, measure_corpus, workers
from tokenizer.training.corpora import own_corpora
from tokenizer.training.counts import Counts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not find_spec("distributed"), reason="Dask is in requirements-cluster.txt"),
]

TEXTS = [own_corpora()["english"] * 3, own_corpora()["thai"], *(f"text {i} ends.\n" for i in range(20))]
ROWS = ["a row of Parquet", "", "ที่นี่มีที่ดี", "another row"]


@pytest.fixture(scope="module")
def client():
    reducers = dict(copyreg.dispatch_table)  # Dask changes how this process pickles errors
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))  # each worker runs it, and it may be a page
        with workers(2) as client:
            yield client
    copyreg.dispatch_table.clear()
    copyreg.dispatch_table.update(reducers)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    for i, text in enumerate(TEXTS):
        (folder / f"{i:02}.txt").write_bytes(text.encode())
    pq.write_table(pa.table({"text": ROWS}), folder / "99.parquet", row_group_size=1)
    return folder


def equals_one_machine(found):
    whole = count_pre_tokens([*TEXTS, *ROWS])
    return list(found.counts.counts.items()) == list(whole.items())


def test_merges_on_workers_equal_one_machines_for_every_tie_rule(client, corpus):
    found = count_corpus([corpus], client=client, block_bytes=5_000)
    assert equals_one_machine(found)
    for ties in TIE_RULES:
        merges = list(train([*TEXTS, *ROWS], 600, ties=ties))
        assert list(train((), 600, ties=ties, counts=found.counts.counts)) == merges, ties


def test_floor_and_token_counts_on_workers_equal_one_machines(client, corpus):
    assert count_corpus([corpus], client=client, floor=3) == count_corpus([corpus], floor=3, block_bytes=7_000)
    assert measure_corpus([corpus], ["gpt2"], client, block_bytes=5_000) == measure_corpus([corpus], ["gpt2"])


def test_counts_are_complete_after_a_worker_is_killed(client, corpus):
    killed = []

    def kill_one(doing, done, size):
        if doing == "counting" and done < size and not killed:
            address, pid = next(iter(client.run(os.getpid).items()))
            os.kill(pid, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
            killed.append(address)

    found = count_corpus([corpus], client=client, block_bytes=2_000, on_progress=kill_one)
    assert killed and equals_one_machine(found) and not found.problems
    client.wait_for_workers(2, timeout=60)
    assert killed[0] not in client.nthreads()  # it ended, and another one replaced it


def test_error_in_a_worker_is_raised_in_the_client(client, corpus):
    with pytest.raises(TokenizerError, match="None of these files.*no field 'words'"):
        count_corpus([corpus / "99.parquet"], client=client, field="words")


def test_count_command_uses_a_running_cluster(client, corpus, tmp_path, capsys):
    file, address = tmp_path / "own.counts", client.scheduler.address
    assert terminal.main(["count", str(corpus), "--pattern", "gpt2", "-o", str(file), "--address", address]) == 0
    counts = Counts.from_bytes(file.read_bytes())
    assert list(counts.counts.items()) == list(count_pre_tokens([*TEXTS, *ROWS], "gpt2").items())
    assert f"{counts.total:,} in all" in capsys.readouterr().out
