"""Updates the catalogues of assets/locale from the sentences in the code (`make words`).

It adds new sentences untranslated, removes obsolete ones and keeps translations. `make words LANGUAGE=ko` starts
another language.
"""

import ast
import csv
import sys
from collections.abc import Iterator
from io import BytesIO
from operator import itemgetter
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from server.component_i18n import IN_HTML, in_js  # noqa: E402
from tokenizer.i18n import FOLDER, SOURCE_LANGUAGE  # noqa: E402
from tokenizer.paths import ASSETS, read_toml  # noqa: E402

TRANSLATION_FUNCTIONS = {"tr": 1, "mark": 1, "trn": 2}  # translating functions with their numbers of sentences
# files of assets with sentences, and the keys of these; all strings of a file without keys are sentences
TABLES = {
    "samples.toml": ("label",),
    "chats.toml": ("label",),
    "metrics.toml": ("label", "unit", "definition", "source", "caveat"),
    "models.toml": ("in_words",),
    "unicode.toml": ("normal_forms", "categories", "bidi_classes", "compatibility_tags"),
    "hygiene.toml": (),
    "messages.toml": (),
    "steps.toml": (),
    "patterns.toml": (),
    "trainings.toml": (),
    "corpora/public.toml": ("label", "licence"),
}
HEADER = """{comment}msgid ""
msgstr ""
"Language: {tag}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: {plurals}\\n"

"""

FoundSentence = tuple[str | tuple[str, str], str, int]  # a sentence or two plural forms, its file, its line


def sentences() -> Iterator[FoundSentence]:
    """Yields every sentence of the code."""
    for folder in ("tokenizer", "web", "server", "ui", "pages"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in READERS:
                for line, found in READERS[path.suffix](path.read_bytes()):
                    yield found, path.relative_to(ROOT).as_posix(), line
    for name, keys in TABLES.items():
        for found in _in_table(read_toml(name), keys, is_below=not keys):
            yield found, f"assets/{name}", 1
    with (ASSETS / "parallel" / "languages.csv").open(encoding="utf-8", newline="") as file:
        yield from ((row["family"], "assets/parallel/languages.csv", 1) for row in csv.DictReader(file))


def _in_python(source: bytes):
    # Babel's own extractor ignores f-strings
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    for call in sorted(calls, key=lambda node: node.lineno):
        num_messages = TRANSLATION_FUNCTIONS.get(getattr(call.func, "id", getattr(call.func, "attr", "")), 0)
        messages = [one.value for one in call.args[:num_messages] if isinstance(one, ast.Constant)]
        if messages and len(messages) == num_messages:
            yield call.lineno, messages[0] if num_messages == 1 else tuple(messages)


def _in_table(value: object, keys: tuple[str, ...], is_below: bool = False) -> Iterator[str]:
    """Yields the strings below these keys."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _in_table(one, keys, is_below or key in keys)
    elif isinstance(value, list):
        for one in value:
            yield from _in_table(one, keys, is_below)
    elif is_below:
        yield value


def _in_js(source: bytes):
    for line, found in in_js(source.decode()):
        yield line, found[0] if len(found) == 1 else found


def _in_html(source: bytes):
    for found in IN_HTML.finditer(text := source.decode()):
        yield text.count("\n", 0, found.start()) + 1, found[1]


def _in_jinja(source: bytes):
    reader = Environment(extensions=["jinja2.ext.i18n"])
    for line, function, found in reader.extract_translations(source.decode(), gettext_functions=("tr", "trn")):
        messages = found[: TRANSLATION_FUNCTIONS[function]] if isinstance(found, tuple) else (found,)
        if all(messages):
            yield line, messages[0] if TRANSLATION_FUNCTIONS[function] == 1 else messages


READERS = {".py": _in_python, ".js": _in_js, ".html": _in_html, ".jinja": _in_jinja}


def template() -> Catalog:
    """Returns a catalogue of all sentences, untranslated."""
    catalog = Catalog(fuzzy=False)
    for sentence, path, _ in sentences():
        catalog.add(sentence, locations=[(path, None)])
    return catalog


def update(path: Path, fresh: Catalog) -> int:
    """Updates one file, and returns the number of untranslated sentences."""
    tag = path.stem.replace("-", "_")
    before = path.read_text(encoding="utf-8")
    old, new = read_po(BytesIO(before.encode()), locale=tag), Catalog(locale=tag, fuzzy=False)
    comment = "".join(line for line in before.partition("msgid")[0].splitlines(keepends=True) if line.startswith("#"))
    for message in fresh:
        if message.id:
            known = old.get(message.id)
            translation = (known.string or "") if known and known.pluralizable == message.pluralizable else ""
            new.add(message.id, translation, locations=sorted(message.locations, key=itemgetter(0)))
    with path.open("wb") as file:
        file.write(HEADER.format(tag=path.stem, plurals=new.plural_forms, comment=comment).encode())
        write_po(file, new, width=0, sort_by_file=True, omit_header=True)
    return sum(not (all(one.string) if one.pluralizable else one.string) for one in new if one.id)


if __name__ == "__main__":
    begun = [FOLDER / f"{tag}.po" for tag in sys.argv[1:] if tag and tag != SOURCE_LANGUAGE]
    for path in begun:
        path.touch()
    fresh = template()
    for path in sorted(FOLDER.glob("*.po")):
        print(f"{path.name}: {len(fresh):,} sentences, {update(path, fresh):,} of them not translated yet")
