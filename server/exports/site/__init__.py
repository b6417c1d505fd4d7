"""A static page for any web space: Playground and Compare in the visitor's browser, without a server.

`build` writes a folder of files with relative addresses. The first screen needs one rank table; the tables of other
encodings are loaded when they are chosen. A service worker keeps what was loaded, so that the page opens offline.
"""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from server import component_i18n
from server.bundle import as_value
from server.encodings import encoding_store, rank_tables
from server.encodings.encoding_store import StoredEncoding
from server.exports import take_home
from server.exports.take_home import PagePart, as_json, encoder_facts, read, theme
from server.web_files import FOLDER, LOUPE, TOKENS
from tokenizer import known_as
from tokenizer.errors import TokenizerError
from tokenizer.i18n import languages, tr, using_language
from tokenizer.paths import ASSETS
from tokenizer.text.samples import samples

SOURCES = Path(__file__).parent
# by OpenAI; their rank tables are in assets. The first is chosen at first.
ENCODINGS = ("o200k_base", "cl100k_base", "gpt2")
COMPARED = ("gpt2", "o200k_base")
PARTS = {"playground": take_home.PARTS["editor"], "compare": PagePart(FOLDER / "compare", (TOKENS, LOUPE))}
ENTRIES = {"playground": SOURCES / "js" / "playground.js", "compare": FOLDER / "compare" / "js" / "compare.js"}
ICON_SIZES = (192, 512)
DESCRIPTION = "The exact tokens that GPT-2, GPT-4 and GPT-5 read, while you type."  # for search engines and systems
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"
)
FIELD = re.compile(r"\{(\w+)\}")
HEX_DIGITS = 12  # of a hash in an address


def build(folder: Path, also: Sequence[str] = ()) -> dict[str, int]:
    """Writes the page into a folder; returns the bytes of each file by its address.

    `also` are the keys of further encodings. An older page is overwritten, and other files beside it stay. Raises
    ValueError for a folder that has files but no page of ours, and TokenizerError for an unknown encoding, and for one
    that a page cannot encode.
    """
    if folder.exists() and any(folder.iterdir()) and not _has_page(folder / "service-worker.js"):
        raise ValueError(f"{folder} has other files; name an empty folder")
    files = site(also)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return {name: len(content) for name, content in files.items()}


def _has_page(worker: Path) -> bool:
    return worker.is_file() and worker.read_bytes().startswith(read(SOURCES / "js" / "service-worker.js")[:80].encode())


def site(also: Sequence[str] = ()) -> dict[str, bytes]:
    """Returns the files of the page by their addresses; raises TokenizerError as `build` does.

    >>> sorted(site())[:4]
    ['compare.css', 'icon-192.png', 'icon-512.png', 'icon.svg']
    """
    entries = [_entry(key) for key in dict.fromkeys([*ENCODINGS, *also])]
    tables = {_table_address(entry): rank_tables.compressed_table(entry.encoding) for entry in entries}
    files = {"site.css": f"{theme()}\n{read(SOURCES / 'site.css')}", "start.js": read(SOURCES / "js" / "start.js")}
    files |= {f"{name}.css": part.style() for name, part in PARTS.items()}
    files["playground.css"] += read(SOURCES / "playground.css")
    files |= {f"site.{tag}.js": _in_language(tag, lambda tag: _script(entries, tag)) for tag in languages()}
    files |= {"manifest.webmanifest": json.dumps(_manifest(), ensure_ascii=False, indent=1)}
    binary = {name: content.encode() for name, content in files.items()}
    binary |= {name: (ASSETS / name).read_bytes() for name in _icons()}
    binary["index.html"] = _index({name: f"{name}?v={_hash(content)}" for name, content in binary.items()}).encode()
    return {**binary, "service-worker.js": service_worker(binary, list(tables)).encode(), **tables}


def first_screen(sizes: dict[str, int]) -> int:
    """Returns how many bytes the first screen loads of files with these sizes, uncompressed, in any language at most.

    >>> first_screen({"site.en.js": 2, "site.th.js": 3, "index.html": 1, "ranks/gpt2-3-306cd27f03c1.bin": 9})
    4
    """
    scripts = {name for name in sizes if re.fullmatch(r"site\.[\w-]+\.js", name)}
    tables = {name for name in sizes if name.startswith("ranks/")} - {_table_address(encoding_store.find(ENCODINGS[0]))}
    others = sizes.keys() - scripts - tables
    return sum(sizes[name] for name in others) + max(sizes[name] for name in scripts)


def _entry(key: str) -> StoredEncoding:
    entry = encoding_store.find(key)
    if rank_tables.page_encoder(key, entry.encoding, "") is None:
        raise TokenizerError(tr("Only the server can encode with this encoding."))
    return entry


def _icons() -> list[str]:
    return ["icon.svg", *(f"icon-{size}.png" for size in ICON_SIZES)]


def _in_language(tag: str, make: Callable[[str], str]) -> str:
    with using_language(tag):
        return make(tag)


def _table_address(entry: StoredEncoding) -> str:
    return f"ranks/{entry.key}-{rank_tables.FORMAT}-{entry.encoding.fingerprint[:HEX_DIGITS]}.bin"


def _facts(entry: StoredEncoding) -> dict:
    """The facts about an encoding for components, and what the page needs to encode."""
    return {
        "key": entry.key,
        "name": entry.name,
        "model": known_as(entry.key),
        "hash": entry.encoding.fingerprint,
        "special": "text",
        "specials": {},
        "cuts": entry.encoding.safe_cuts,
        "front": entry.encoding.model.treats_start_specially,
        "pageEncoder": None,  # the page's client answers instead
        "ranks": _table_address(entry),
        **encoder_facts(entry),
    }


def _script(entries: list[StoredEncoding], tag: str) -> str:
    parts = ",\n".join(f"{name}: {as_value(entry)}" for name, entry in ENTRIES.items())
    facts = {"encodings": [_facts(entry) for entry in entries], "compared": COMPARED, "text": samples()[0].text}
    source = f"({as_value(SOURCES / 'js' / 'site.js')})({{\n{parts}\n}}, {as_json(facts)});\n"
    return component_i18n.js(source, tag)


def _index(stamped: dict[str, str]) -> str:
    colors = take_home.background_colors()
    filled = {
        "policy": escape(POLICY, quote=False),
        "description": escape(DESCRIPTION),
        "light": colors[0],
        "dark": colors[1],
        "style": stamped["site.css"],
        "start": stamped["start.js"],
        "without_scripts": "".join(f'<p lang="{tag}">{_in_language(tag, _without_scripts)}</p>' for tag in languages()),
        "languages": "\n".join(_in_language(tag, lambda tag: _template(tag, stamped)) for tag in languages()),
    }
    return _fill(read(SOURCES / "index.html"), filled)


def _template(tag: str, stamped: dict[str, str]) -> str:
    """The page in a language, which a script puts into the document."""
    others = (f'<a lang="{one}" href="?lang={one}">{escape(name)}</a>' for one, name in languages().items())
    filled = {
        "languages": " ".join(other for one, other in zip(languages(), others, strict=True) if one != tag),
        "counts": "".join(
            f'<div><dd data-count="{name}">–</dd><dt>{escape(unit)}</dt></div>'
            for name, _, unit in take_home.counts("a b", 2)
        ),
        "templates": "\n".join(
            f'<template data-part="{name}"><link rel="stylesheet" href="{stamped[f"{name}.css"]}">'
            f"{component_i18n.html(read(part.folder / f'{part.folder.name}.html'))}</template>"
            for name, part in PARTS.items()
        ),
    }
    inside = _fill(component_i18n.html(read(SOURCES / "site.html")), filled)
    return f'<template data-language="{tag}" data-script="{stamped[f"site.{tag}.js"]}">\n{inside}</template>'


def _without_scripts(tag: str) -> str:
    return escape(tr("This page needs JavaScript, because it encodes your text in the browser."))


def _manifest() -> dict:
    light, _ = take_home.background_colors()
    return {
        "name": "Tokenloupe",
        "short_name": "Tokenloupe",
        "description": DESCRIPTION,
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": light,
        "theme_color": light,
        "icons": [
            {"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"},
            *(
                {"src": f"icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": "any maskable"}
                for size in ICON_SIZES
            ),
        ],
    }


def service_worker(files: dict[str, bytes], tables: list[str]) -> str:
    """Returns the script that stores these files, and the rank tables at these addresses once a page requests them."""
    version = _hash(b"".join(f"{name} {len(content)} ".encode() + content for name, content in files.items()))
    unstamped = {"index.html", "manifest.webmanifest", *_icons()}
    addresses = ["./", *(name if name in unstamped else f"{name}?v={_hash(files[name])}" for name in files)]
    addresses.remove("index.html")  # the same as "./", and some servers redirect it there
    filled = {"version": version, "files": json.dumps(addresses), "tables": json.dumps(tables)}
    return _fill(read(SOURCES / "js" / "service-worker.js"), filled)


def _fill(source: str, filled: dict[str, str]) -> str:
    return FIELD.sub(lambda found: filled.get(found[1], found[0]), source)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:HEX_DIGITS]
