"""The files of the static page: their addresses, policy and sizes. tests/e2e/test_site.py opens it."""

import gzip
import hashlib
import json
import re

import pytest
from html_tree import parse_html
from paths import ROOT
from PIL import Image

from server.encodings import encoding_store, rank_tables
from server.exports import site
from tokenizer import train_words
from tokenizer.errors import TokenizerError
from tokenizer.i18n import languages

pytestmark = pytest.mark.slow  # the page takes seconds to build
STAMPED = re.compile(r"([\w./-]+)\?v=([0-9a-f]+)")


@pytest.fixture(scope="module")
def files():
    return site.site()


@pytest.fixture
def index(files):
    return files["index.html"].decode()


@pytest.fixture
def worker(files):
    return files["service-worker.js"].decode()


def test_first_screen_has_less_than_three_million_bytes(files):
    sizes = {name: len(content) for name, content in files.items()}
    tables = [name for name in files if name.startswith("ranks/")]
    assert 1_000_000 < site.first_screen(sizes) < 3_000_000
    left_out = sum(sizes.values()) - site.first_screen(sizes)
    assert left_out == len(files["site.en.js"]) + sum(sizes[one] for one in tables if "o200k_base" not in one)


def test_page_has_a_table_for_each_encoding(files):
    for key in ("gpt2", "cl100k_base", "o200k_base"):
        [name] = [one for one in files if one.startswith(f"ranks/{key}-")]
        encoding, table = encoding_store.find(key).encoding, gzip.decompress(files[name])
        assert int.from_bytes(table[:4], "little") == len(encoding.model.tokens)
        assert key != "gpt2" or table == rank_tables.packed(encoding)
        for tag in languages():
            assert f'"{name}"' in files[f"site.{tag}.js"].decode()


def test_every_address_is_relative_and_exists(files, index, worker):
    page = parse_html(index)
    found = [node.attributes[name] for node in page.all() for name in ("src", "href") if name in node.attributes]
    found += [node.attributes["data-script"] for node in page.all("template") if "data-script" in node.attributes]
    rows = re.findall(r"(?:FILES|TABLES) = (\[.*\]);", worker)
    found += [address for row in rows for address in json.loads(row)]
    manifest = json.loads(files["manifest.webmanifest"])
    found += [icon["src"] for icon in manifest["icons"]]
    named = {one.partition("?v=")[0] for one in found if not one.startswith("?lang=") and one != "./"}
    assert named == files.keys() - {"index.html", "service-worker.js"}
    assert manifest["start_url"] == manifest["scope"] == "./"


def test_a_new_version_of_a_file_has_a_new_address(files, index, worker):
    for source in (index, worker):
        for name, stamp in STAMPED.findall(source):
            assert hashlib.sha256(files[name]).hexdigest().startswith(stamp), name


def test_policy_allows_only_files_of_the_page(index):
    [policy] = [one.attributes["content"] for one in parse_html(index).all("meta") if "http-equiv" in one.attributes]
    rules = dict(rule.split(maxsplit=1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'" and rules["connect-src"] == rules["script-src"] == "'self'"
    assert not re.search(r"unsafe|https?:|\*", policy)
    assert not re.search(r"\bstyle=|\bon\w+=|<style|<script>", index)


def test_texts_of_the_page_are_in_each_language(index):
    for tag in languages():
        [inside] = re.findall(rf'<template data-language="{tag}".*?(?=<template data-language|</body>)', index, re.S)
        assert ("Copy link" in inside) == (tag == "en")
        assert "{" not in inside


def test_icons_have_the_sizes_that_the_manifest_names(files):
    for icon in json.loads(files["manifest.webmanifest"])["icons"]:
        if icon["type"] == "image/png":
            with Image.open(ROOT / "assets" / icon["src"]) as image:
                assert "x".join(map(str, image.size)) == icon["sizes"]


def test_build_replaces_an_older_page_and_deletes_no_file_of_others(tmp_path):
    folder = tmp_path / "site"
    sizes = site.build(folder)
    (folder / "site.css").write_text("old")
    (folder / "CNAME").write_text("mine")
    site.build(folder)
    written = {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    assert written == sizes | {"CNAME": 4}
    other = tmp_path / "other"
    other.mkdir()
    for name in ("notes.txt", "service-worker.js"):
        (other / name).write_text("mine")
        with pytest.raises(ValueError, match="other files"):
            site.build(other)
    assert sorted(path.read_text() for path in other.iterdir()) == ["mine", "mine"]


def test_further_encodings_are_added_if_a_page_can_encode_them():
    files = site.site(["p50k_base", "gpt2"])
    assert sum(name.startswith("ranks/") for name in files) == 4
    assert '"key":"p50k_base"' in files["site.en.js"].decode()
    with pytest.raises(TokenizerError, match="nowhere"):
        site.site(["nowhere"])
    with pytest.raises(TokenizerError, match="Only the server"):
        site.site([encoding_store.add(train_words("low lower", 40), encoding_store.LOADED).key])
