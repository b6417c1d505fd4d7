"""The parallel corpus: aligned, in its own script, without duplicates, with the same figures, in NFC."""

import re
import unicodedata
from itertools import combinations

import regex

from tokenizer import parallel_corpus
from tokenizer.languages.parallel import BASE, FOLDER, kinds, language, languages

ODD_CATEGORIES = ("Cc", "Cn", "Co", "Cs")
REQUIRED = """
    th en lo km my vi id zh-Hans zh-Hant ja ko hi bn ta te ml si ne ur ar fa he tr ru uk el ka hy am sw yo
    de fr es pt it nl pl ro cs sv hu fi
"""

SCRIPTS = {  # where the letters' scripts differ from the name of the script
    "Han, simplified": ("Han",),
    "Han, traditional": ("Han",),
    "Han and kana": ("Han", "Hiragana", "Katakana"),
}


def letters_of(tag: str) -> regex.Pattern:
    script = languages()[tag].script
    names = SCRIPTS.get(script, (script,))
    return regex.compile(
        "|".join(rf"\p{{Script={name}}}" for name in names) + r"|\p{Script=Common}|\p{Script=Inherited}"
    )


def figures(line: str) -> list[int]:
    """The sorted digits of a line in any script: separators and the order of numbers differ.

    Chinese, Japanese and Korean month names contain a number, which does not count.
    """
    line = re.sub("3(?=月|월)", "", line)
    return sorted(unicodedata.digit(character) for character in line if unicodedata.category(character) == "Nd")


def test_corpus_has_all_required_languages():
    assert set(REQUIRED.split()) <= set(parallel_corpus())
    assert len(parallel_corpus()) >= 42


def test_corpus_files_match_the_languages():
    files = {path.stem for path in FOLDER.glob("*.txt")} - {"kinds"}
    assert files == set(parallel_corpus()) == set(languages())


def test_lines_are_aligned_clean_and_in_the_languages_script_with_the_same_figures():
    for tag, lines in parallel_corpus().items():
        raw, own = (FOLDER / f"{tag}.txt").read_bytes().decode("utf-8"), letters_of(tag)
        assert raw == "\n".join(lines) + "\n" and "\r" not in raw, tag
        assert len(lines) == len(parallel_corpus()[BASE]) == len(kinds()) >= 40, tag
        assert raw == unicodedata.normalize("NFC", raw), tag
        assert len(set(lines)) == len(lines), f"{tag}: a sentence is repeated"
        for line, base in zip(lines, parallel_corpus()[BASE], strict=True):
            assert line and line == line.strip() and "  " not in line, line
            odd = [c for c in line if unicodedata.category(c) in ODD_CATEGORIES or c in "\ufeff\u00ad\u200b"]
            alien = [c for c in line if c.isalpha() and not own.match(c)]
            assert odd + alien == [], (tag, line)
            assert figures(line) == figures(base), (tag, line)


def test_no_line_is_shared_with_another_language():
    for (tag, lines), (other, others) in combinations(parallel_corpus().items(), 2):
        shared = set(lines) & set(others)
        # the two Chinese scripts share many characters, and a short line may be the same in both
        assert not shared or {other, tag} == {"zh-Hans", "zh-Hant"} and len(shared) <= 2, (tag, other, shared)


def test_language_names_come_from_cldr():
    known = languages()
    assert {one.direction for tag, one in known.items() if tag in ("ar", "fa", "he", "ur")} == {"rtl"}
    assert {tag for tag, one in known.items() if one.direction == "rtl"} == {"ar", "fa", "he", "ur"}
    assert known["th"].autonym == "ไทย" and known["zh-Hant"].script == "Han, traditional"
    assert all(one.name and one.autonym and one.script and one.family for one in known.values())
    assert language("zh-Hans").name == "Chinese (Simplified)"
    assert (known["pt"].name, known["es"].autonym) == ("Portuguese (Brazil)", "español (España)")
