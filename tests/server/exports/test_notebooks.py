"""Runs exported notebooks: their output equals what the pages show, and texts stay string literals."""

import ast
import io
import json
from contextlib import chdir, redirect_stdout

import nbformat
import pytest
from amounts import examples
from hypothesis import example, given
from oracles import oracle
from paths import ROOT
from texts import TEXTS

from server.encodings import encoding_store
from server.exports import notebooks
from server.training.jobs import Job
from tokenizer import get_encoding, parallel_corpus
from tokenizer.display.notebook import literal
from tokenizer.kinds.extending import packed_start
from tokenizer.measure.comparison import compare
from tokenizer.measure.metrics import METRICS
from tokenizer.text.well_formed import well_formed
from tokenizer.training.worker import Order

HOSTILE = ['"""\nraise SystemExit', "'; import os; os.abort() #", "\\", "\\N{DIGIT ONE}", "{0} {text} %s"]
HOSTILE += ["\u2028\u202e\0\r\n", "\ud800"]
CORPUS = "the cat sat on the mat; the hat.\nน้ำท่วมที่นี่ 'cat' \"hat\" \\ \n" * 6


pytestmark = pytest.mark.usefixtures("inline_trainings")


def run(source):
    """Runs a notebook's code in the repository's root; returns the printed lines and the namespace.

    There the core has its own name; `tests/tokenizer/command/test_installed.py` runs notebooks as they are.
    """
    found = json.loads(source)
    nbformat.validate(found)
    names, printed = {}, io.StringIO()
    with chdir(ROOT), redirect_stdout(printed):
        for cell in found["cells"]:
            if cell["cell_type"] == "code":
                code = "".join(cell["source"]).replace("from tokenloupe", "from tokenizer")
                exec(compile(code, "cell", "exec"), names)
    return printed.getvalue().splitlines(), names


def trained(texts=(CORPUS,), specials=("<|end|>",), name="my 'tok'", **changes):
    order = Order(**{"vocab_size": 290, **changes})
    job = Job(f"{name}{order}{texts}", order, tuple(texts))
    job.run()
    assert not job.problem, job.problem
    return encoding_store.add_trained(job, order.pattern, specials, name)


@examples(100)
@given(text=TEXTS)
@example(text=" ".join(HOSTILE))
@example(text="")
@example(text="long " * 100)
def test_literal_evaluates_to_the_text_and_is_one_constant(text):
    written = literal(text)
    assert ast.literal_eval(written) == well_formed(text)[0]
    assert isinstance(ast.parse(written, mode="eval").body, ast.Constant)


@pytest.mark.parametrize("text", ["", " ".join(["ที่ costs more", *HOSTILE])])
@pytest.mark.parametrize("special", ["text", "special"])
def test_text_notebook_prints_counts_and_ids(text, special):
    text = f"{text}<|endoftext|>"
    printed, _ = run(notebooks.of_text(text, encoding_store.find("o200k_base"), special))
    allowed = "all" if special == "special" else set()
    own = well_formed(text)[0]
    ids = oracle("o200k_base").encode(own, allowed_special=allowed, disallowed_special=())
    assert printed[0] == f"{len(ids)} tokens" and printed[-1] == str(ids)
    assert printed[1] == f"{len(own)} code points" and printed[4] == f"{len(own.encode())} bytes"


def test_comparison_notebook_prints_every_metric():
    text, keys = "ที่ costs more, a lot", ["gpt2", "o200k_base"]
    printed, names = run(notebooks.of_comparison(text, [encoding_store.find(key) for key in keys]))
    wanted = compare(text, {key: get_encoding(key) for key in keys})
    assert printed[0].split("\t") == ["", *keys]
    assert len(printed) == 1 + len(METRICS)
    for line, (name, metric) in zip(printed[1:], METRICS.items(), strict=True):
        assert line.split("\t") == [metric.label, *(str(values[name]) for values in wanted.values)]
    ids = [oracle(key).encode_ordinary(text) for key in keys]
    assert [values["tokens"] for values in names["found"].values] == list(map(len, ids))


def test_comparison_notebook_keeps_encodings_that_have_one_name_apart():
    entries = [trained(name="same", vocab_size=size) for size in (258, 290)]
    printed, names = run(notebooks.of_comparison(CORPUS, entries))
    assert printed[0].split("\t") == ["", "same (1)", "same (2)"]
    wanted = [len(entry.encoding.encode(CORPUS)) for entry in entries]
    assert [values["tokens"] for values in names["found"].values] == wanted and len(set(wanted)) == 2


RECIPES = {
    "plain": {},
    "own pattern": {"pattern": r"\w+|\s+|'"},
    "own pattern, the rest left out": {"pattern": r"\p{L}+", "drop_unmatched": True},
    "no pattern, other ties": {"pattern": None, "ties": "largest-bytes", "min_count": 2},
    "characters": {"alphabet": "characters", "vocab_size": 60},
    "parity": {"texts": (CORPUS, "ที่นี่มีน้ำ " * 9), "parity": True},
    "lifted": {"lift_after": 12},
    "fork": {"start": ((b"a", b"t"), (b"at", b" "))},
    "held out": {"texts": (CORPUS, "another one here " * 5), "held_out": 1},
    "counted": {"texts": ("low 5\nlower 2\nnewest 6\nwidest 3\n",), "counted": True, "vocab_size": 262},
    "words": {"kind": "words", "alphabet": "characters", "pattern": None, "vocab_size": 60, "specials": ("<|x|>",)},
    "ids of special tokens": {"specials": ("<|a|>=1105", "<|b|>")},
    "ids of special tokens of words": {
        "kind": "words",
        "alphabet": "characters",
        "pattern": None,
        "vocab_size": 60,
        "specials": ("<|a|>=1105", "<|b|>"),
    },
    "from GPT-2": {"begin": "gpt2", "pattern": "gpt2", "vocab_size": 50_262, "specials": ()},
    "fork of one from GPT-2": {
        "begin": "gpt2",
        "pattern": "gpt2",
        "vocab_size": 50_262,
        "start": ((b" mat", b";"),),
        "specials": ("<|end|>",),
    },
    "counted, from GPT-2": {
        "texts": ("low 5\nlower 2\nnewest 6\nwidest 3\n",),
        "counted": True,
        "begin": "gpt2",
        "pattern": "gpt2",
        "vocab_size": 50_259,
        "specials": (),
    },
    "all characters": {"kind": "characters", "alphabet": "characters", "pattern": None},
}


@pytest.mark.parametrize("recipe", RECIPES)
def test_training_notebook_learns_the_same_encoding(recipe):
    entry = trained(**RECIPES[recipe])
    printed, names = run(notebooks.of_training(entry))
    assert [(one.left, one.right, one.count) for one in names["merges"]] == [
        (one.left, one.right, one.count) for one in entry.history.merges
    ]
    assert names["encoding"].fingerprint == entry.encoding.fingerprint
    assert names["encoding"].special_tokens == entry.encoding.special_tokens
    first = entry.history.merges[:10]
    assert printed[: len(first)] == [f"{one.left} + {one.right} seen {one.count} times" for one in first]
    line = entry.sample[0].splitlines()[0][:200]
    assert printed[len(first)] == f"{len(entry.encoding.encode(line))} tokens"


@pytest.mark.slow
def test_languages_notebook_prints_premiums():
    entries = [encoding_store.find("gpt2"), encoding_store.find("o200k_base")]
    printed, _ = run(notebooks.of_languages(entries, "en", ()))
    corpus = parallel_corpus()
    assert len(printed) == len(entries) * len(corpus)
    rows = {tuple(line.split("\t")[:2]): float(line.split("\t")[2]) for line in printed}
    for name in ("gpt2", "o200k_base"):
        counts = {tag: [len(ids) for ids in oracle(name).encode_ordinary_batch(corpus[tag])] for tag in ("en", "th")}
        assert rows[name, "th"] == pytest.approx(sum(counts["th"]) / sum(counts["en"]))
        assert rows[name, "en"] == 1


@pytest.mark.parametrize("name", ["gpt2", "gpt2+1"])  # the second is what the pages call it
def test_notebook_rebuilds_added_special_tokens(name):
    made = get_encoding("gpt2").with_special_tokens({"<|a'b|>": 50_257})
    made.name = name
    more = encoding_store.add(made, encoding_store.EXTENDED)
    printed, _ = run(notebooks.of_text("x<|a'b|>", more, "special"))
    assert printed[-1] == str([87, 50_257])


def test_unrepeatable_notebooks_are_refused_with_a_reason(monkeypatch):
    loaded = encoding_store.add(get_encoding("gpt2"), encoding_store.LOADED)
    with pytest.raises(notebooks.CannotRepeat, match="for gpt2: this tokenizer was opened from a file or downloaded"):
        notebooks.of_comparison("a", [encoding_store.find("gpt2"), loaded])
    own = packed_start(trained().encoding)
    for entry in (
        encoding_store.add(get_encoding("gpt2"), encoding_store.MERGES),
        trained(begin=own, pattern="cl100k_base", vocab_size=300, specials=()),
    ):
        with pytest.raises(notebooks.CannotRepeat, match="code in a notebook cannot make this tokenizer again"):
            notebooks.of_comparison("a", [entry])
    monkeypatch.setattr(notebooks, "MAX_TRAINING_CHARACTERS", len(CORPUS) - 1)
    with pytest.raises(notebooks.CannotRepeat, match=f"has {len(CORPUS)} characters"):
        notebooks.of_training(trained())


def test_first_cell_names_the_install_command_and_no_address():
    [about, *_] = json.loads(notebooks.of_text("a", encoding_store.find("gpt2")))["cells"]
    text = "".join(about["source"])
    assert about["cell_type"] == "markdown" and "`pip install .`" in text and "http" not in text
    assert (ROOT / "pyproject.toml").exists()
