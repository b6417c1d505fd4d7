"""README and docs/ are true: their code runs, and they name every page, make target and metric."""

import math
import re

import numpy as np
import pytest
from paths import ROOT
from PIL import Image

from tokenizer import get_encoding, parallel_corpus
from tokenizer.languages.parallel import declaration, kinds
from tokenizer.languages.premium import count_tokens, interval, spread
from tokenizer.measure.metrics import METRICS

README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
DOCS = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
CODE = [
    pytest.param(code, id=f"{name}-{i}")
    for name, words in {"README.md": README, **DOCS}.items()
    for i, code in enumerate(re.findall(r"```python\n(.*?)```", words, re.S))
]


@pytest.mark.parametrize("code", CODE)
def test_code_examples_run(code):
    exec(code, {})


def test_readme_fits_two_screens_of_100_columns():
    assert sum(max(1, math.ceil(len(line) / 100)) for line in README.splitlines()) <= 110


def test_readme_begins_with_a_sentence_a_moving_picture_and_two_commands():
    sentence, pictures, commands, *_ = README.partition("\n\n")[2].split("\n\n")
    assert sentence.count(".") == 1 and sentence.endswith(".")
    assert len(re.fullmatch(r"```sh\n(.*)\n```", commands, re.S)[1].splitlines()) == 2
    still, moving = (ROOT / path for path in re.findall(r'src(?:set)?="([^"]+)"', pictures))
    assert 'media="(prefers-reduced-motion: reduce)"' in pictures and still.exists()
    assert moving.stat().st_size < 1_000_000
    with Image.open(moving) as picture:
        times = []
        for i in range(picture.n_frames):
            picture.seek(i)
            picture.load()
            times.append(picture.info["duration"])
    assert len(times) > 30 and 6_000 <= sum(times) <= 12_000


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", *(f"docs/{name}" for name in DOCS)])
def test_prose_has_no_line_above_160_characters(name):
    """Tables, links and code may have longer lines."""
    prose = re.sub(r"```.*?```", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.S)
    lines = [line for line in prose.splitlines() if not line.startswith("|") and "](" not in line]
    assert [line for line in lines if len(line) > 160] == []


def test_glossary_is_sorted():
    terms = re.findall(r"^\| ([^|]+) \|", CONTRIBUTING.partition("## Terms")[2], re.M)[1:]
    assert len(terms) >= 60 and terms == sorted(terms, key=str.lower)


def test_readme_names_every_page():
    titles = re.findall(r'"\w+": \(tr\("([^"]+)"\), tr', (ROOT / "pages" / "frame.py").read_text(encoding="utf-8"))
    assert len(titles) == len(list((ROOT / "pages").glob("*.py"))) - 1
    assert [title for title in titles if f"**{title}**" not in README] == []


def test_map_of_folders_names_every_folder():
    map_of_folders = CONTRIBUTING.partition("## Where everything lives")[2].partition("```\n\n")[0]
    folders = {
        path.parent.name for parent in ("ui", "server", "tokenizer") for path in (ROOT / parent).glob("*/__init__.py")
    }
    assert [folder for folder in sorted(folders) if not re.search(rf"\b{folder}\b", map_of_folders)] == []


def test_readme_names_every_make_target():
    words = re.findall(r"^(\w+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert [
        word for word in words if word != "help" and f"`make {word}`" not in README and f"\nmake {word}\n" not in README
    ] == []


def test_named_files_exist():
    texts = {
        "README.md": README,
        "CONTRIBUTING.md": CONTRIBUTING,
        **{f"docs/{name}": one for name, one in DOCS.items()},
    }
    paths = re.findall(r"`((?:\w+/)+[\w.]*|\.\w+/[\w.]+)`", "\n".join(texts.values()))
    links = [(ROOT / name).parent / path for name, one in texts.items() for path in re.findall(r"\]\(([\w/.]+)\)", one)]
    assert paths and links
    assert [path for path in [*(ROOT / path for path in paths), *links] if not path.exists()] == []


def test_docs_define_every_metric_as_the_page_does():
    for metric in METRICS.values():
        assert f"| {metric.label} | {metric.definition} | {metric.source} |" in DOCS["numbers.md"]


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_docs_have_the_computed_figures_of_the_declaration(name):
    tokens = {tag: count_tokens(lines, get_encoding(name)) for tag, lines in parallel_corpus().items()}
    other = {tag: counts[name] / declaration()["en"][name] for tag, counts in declaration().items() if tag != "en"}
    ours = {tag: tokens[tag].sum() / tokens["en"].sum() for tag in other}
    ranks = [np.argsort(np.argsort(list(premiums.values()))) for premiums in (ours, other)]
    median = np.median([abs(ours[tag] / other[tag] - 1) for tag in other])
    ends = [(interval(tokens[tag], tokens["en"]), spread(tokens[tag], tokens["en"], kinds())) for tag in other]
    inside = [
        sum(found.low <= there <= found.high for found, there in zip(side, other.values(), strict=True))
        for side in zip(*ends, strict=True)
    ]
    facts = [f"{np.corrcoef(ranks)[0, 1]:.2f}", f"{100 * median:.0f} %", *inside, f"{ours['th']:.2f}"]
    assert f"| {name} | {' | '.join(map(str, facts))} | {other['th']:.2f} |" in DOCS["languages.md"]
    assert f"On {len(other)} of the languages" in DOCS["languages.md"]
