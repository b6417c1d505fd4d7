"""What the build of the wheel renames."""

import importlib.util

import pytest
from paths import ROOT

spec = importlib.util.spec_from_file_location("build_of_the_wheel", ROOT / "scripts" / "wheel.py")
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from tokenizer import train", "from tokenloupe import train"),
        ("    >>> from tokenizer.text import a", "    >>> from tokenloupe.text import a"),
        ("import tokenizer", "import tokenloupe"),
        ("`python -m tokenizer.cluster count`", "`python -m tokenloupe.cluster count`"),
        ('["-m", "tokenizer.training.worker"]', '["-m", "tokenloupe.training.worker"]'),
        ('open("tokenizer.json")', 'open("tokenizer.json")'),
        ("from tokenizers import Tokenizer", "from tokenizers import Tokenizer"),
        ("from ui.widgets import tokenizer_upload", "from ui.widgets import tokenizer_upload"),
        ("the tokenizer of a model", "the tokenizer of a model"),
    ],
)
def test_imports_and_names_of_modules_are_renamed_and_nothing_else(source, expected):
    assert build.renamed(source, ["text", "training", "cluster"]) == expected
