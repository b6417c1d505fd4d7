"""The catalogs: the same sentences as the code, all translated, with the same facts in each language."""

import ast
import re
import string
import sys
from functools import cache, partial
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from paths import ROOT

from tokenizer import TokenizerError, i18n
from tokenizer.formats.reading import read_json
from tokenizer.lessons.lesson import words
from tokenizer.split.patterns import compile_untrusted
from tokenizer.text.files import decoded

sys.path.insert(0, str(ROOT / "scripts"))
from words import template

OTHERS = sorted(path for path in i18n.FOLDER.glob("*.po"))


@cache
def sentences_of_the_code():
    return {message.id for message in template() if message.id}


def fields(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def forms(given: str | tuple) -> tuple:
    return (given,) if isinstance(given, str) else given


@pytest.fixture(params=OTHERS, ids=lambda path: path.stem)
def catalog(request):
    with request.param.open("rb") as file:
        return {message.id: message for message in read_po(file, locale=request.param.stem) if message.id}


def test_no_sentence_has_a_word_joiner():
    """Copied, each would cost a token; `web/js/dom/whole-words.js` keeps words whole."""
    lessons = (ROOT / "assets" / "lessons").rglob("*.toml")
    assert [path for path in (*OTHERS, *lessons) if "\u2060" in path.read_text(encoding="utf-8")] == []
    with i18n.using_language("th"):
        assert i18n.tr("Tokens") == "โทเคน"
    assert "โทเคน" in words("class", "th").text("title", "game")


def test_catalog_has_exactly_the_sentences_of_the_code(catalog):
    """`make words` updates the catalogs."""
    assert catalog.keys() == sentences_of_the_code()


def test_every_sentence_is_translated(catalog):
    assert [id for id, message in catalog.items() if not all(forms(message.string)) or message.fuzzy] == []


def test_translations_have_the_fields_of_their_sentence(catalog):
    """Each plural form has every field."""
    for id, message in catalog.items():
        if "{" in "".join(forms(id)):
            wanted = set().union(*map(fields, forms(id)))
            assert [form for form in forms(message.string) if fields(form) != wanted] == [], id


def test_translations_have_the_numbers_of_their_sentence(catalog):
    digits = re.compile(r"\d[\d,.]*(?<![,.])")
    for id, message in catalog.items():
        wanted = sorted(digits.findall(forms(id)[-1]))
        assert [form for form in forms(message.string) if sorted(digits.findall(form)) != wanted] == [], id


GLOSSARY = dict(
    re.findall(r"^\| ([a-z][^|]*?) \| ([^|]+?) \|", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.M)
)
NOT_HELD = {
    "character",  # Thai often says only ตัว; see the test below
    "exact",  # also an adjective of other things
    "split",  # also said of texts and files
}
EXCEPTIONS = {
    "the alphabet must be 'bytes', 'characters' or a collection of single characters",  # values of an argument
    "byte-pair encoding",
    # a name in a standard
    "What a reader sees as one character: extended grapheme clusters (UAX #29), found by the Unicode library ICU",
    "TokEval (cimeister/tokenizer-analysis-suite), vocabulary utilization",  # a source
    "The pair whose tokens have the smaller ids is merged first, as in Hugging Face’s tokenizers.",  # a library
    "<b>{times} times</b> the tokens in {model}",  # the sentence around it says token
}


@cache
def prose(sentence: str) -> str:
    """Returns a sentence without its fields, code, files and packages."""
    return re.sub(r"\{[^}]*\}|`[^`]*`|\S*[._/]\w\S*", " ", sentence)


def uses(term: str, sentence: str) -> bool:
    """Returns whether the prose of a sentence has a term."""
    return re.search(rf"(?<![-\w]){term.removesuffix('s')}s?(?![-\w])", prose(sentence), re.I) is not None


@pytest.fixture
def thai():
    with (i18n.FOLDER / "th.po").open("rb") as file:
        return {forms(one.id)[-1]: forms(one.string)[-1] for one in read_po(file, locale="th") if one.id}


def test_thai_uses_the_terms_of_the_glossary(thai):
    held = {term: translation.removeprefix("การ") for term, translation in GLOSSARY.items() if term not in NOT_HELD}
    assert len(held) > 25
    assert [
        (term, english)
        for english, translation in thai.items()
        for term, wanted in held.items()
        if uses(term, english) and wanted not in translation and not english.startswith(tuple(EXCEPTIONS))
    ] == []


def test_thai_calls_only_letters_letters(thai):
    """A Thai vowel or tone mark is a character, อักขระ, but no letter, ตัวอักษร."""
    assert [
        english
        for english, translation in thai.items()
        if uses("character", english) and "ตัวอักษร" in translation and "letter" not in english.lower()
    ] == []


def test_unknown_language_falls_back_to_english():
    with i18n.using_language("tlh"):
        assert i18n.language() == "en" and i18n.tr("Theme") == "Theme"


def test_numbers_are_formatted_for_the_language(monkeypatch):
    monkeypatch.setattr(i18n, "tags", lambda: ["en", "de"])
    monkeypatch.setattr(i18n, "catalog", lambda tag: None)
    with i18n.using_language("de"):
        assert i18n.tr("{n:,} and {x:.2f}", n=1234567, x=0.5) == "1.234.567 and 0,50"


CALLS = {"tr": 1, "trn": 2, "mark": 1}


def in_code() -> dict[str, str]:
    """Returns every sentence passed to one of CALLS, with its place, read by Python's parser."""
    found = {}
    folders = [ROOT / name for name in ("tokenizer", "web", "server", "ui", "pages")]
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                given = [one.value for one in node.args[: CALLS.get(name, 0)] if isinstance(one, ast.Constant)]
                if given and all(isinstance(one, str) and one for one in given):
                    found[tuple(given) if name == "trn" else given[0]] = f"{path.relative_to(ROOT)}:{node.lineno}"
    return found


def test_every_sentence_of_the_code_is_extracted():
    """Sentences inside f-strings are not extracted, so they are not allowed there."""
    known = {one for id in sentences_of_the_code() for one in ([id, *id] if isinstance(id, tuple) else [id])}
    assert {sentence: place for sentence, place in in_code().items() if sentence not in known} == {}


def test_style_sheets_contain_no_sentences():
    """Style sheets cannot be translated."""
    sheets = [path for folder in ("web", "server", "ui", "assets") for path in (ROOT / folder).rglob("*.css")]
    sentence = re.compile(r"""content:\s*["'][^"']*[^\W\d_]{2}""")
    assert sheets and [path for path in sheets if sentence.search(path.read_text(encoding="utf-8"))] == []


def reason(exception: type, read, given) -> str:
    with pytest.raises(exception) as caught:
        read(given)
    return str(caught.value)


PATTERNS = (
    r"( ) [ [a a{2,1} *a a** (?P<>a) (?P<1a>b) (?<n \p{Foo} \p{Script=Foo} \N{foo} \x1 \u12 \k<a> \1 (?Z) a{e<=}"
    r" (?P=foo) ab\ [z-a] \L<a> (*FOO) (?- (?i-i:a) a{99999999999} \o \U0011FFFF \x{110000} \q (?V0)(?V1)a"
)
JSON = rb'{x {"a" {"a":1 [1,2 "a "\q" "\u12" {}x {"a":1,} [1,] nul ' + b"1" * 5_000
REJECTED = {
    compile_untrusted: PATTERNS.split(),
    partial(read_json, Path("a.json")): JSON.split(),
    partial(decoded, codec="utf-8"): [b"\xff", b"\xc3", b"\xc3("],
    partial(decoded, codec="utf-16-le"): [b"a", b"\0\xd8", b"\0\xd8a\0"],
}


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
@pytest.mark.parametrize(("read", "given"), [(read, given) for read, all_bad in REJECTED.items() for given in all_bad])
def test_messages_of_libraries_are_translated(path, read, given):
    with i18n.using_language(path.stem):
        message = reason(TokenizerError, read, given)
    english = reason(TokenizerError, read, given)
    ours = re.compile(r"\b[a-z]{4,}\b")
    assert set(ours.findall(message)) & set(ours.findall(english)) <= {"json"}
