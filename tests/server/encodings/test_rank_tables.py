"""Rank tables for pages: their content, their headers, and encodings without one."""

from itertools import accumulate

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from server.editor_api.routes import routes
from server.encodings import encoding_store, rank_tables
from tokenizer import get_encoding, train_words
from tokenizer.errors import TokenizerError
from tokenizer.kinds.byte_bpe import byte_bpe, category_ranges
from tokenizer.split.dialects import CATEGORIES

CLIENT = TestClient(Starlette(routes=routes), base_url="http://testserver")


@pytest.fixture(autouse=True)
def no_own_encodings():
    yield
    encoding_store.reset()


def unpacked(table: bytes) -> dict[bytes, int]:
    """Reads a packed table as its format says."""
    size, tokens = int.from_bytes(table[:4], "little"), []
    rows = [table[4 + row * size : 4 + (row + 1) * size] for row in range(6)]
    at = 4 + 6 * size
    for id in range(size):
        first, second = (int.from_bytes([rows[k + i][id] for i in range(3)], "little") for k in (0, 3))
        if second == 0xFFFFFF:
            tokens.append(table[at : at + first])
            at += first
        else:
            tokens.append(tokens[first] + tokens[second])
    assert at == len(table)
    return {token: id for id, token in enumerate(tokens) if token}


@pytest.mark.parametrize("name", ["gpt2", "p50k_base"])
def test_table_at_its_address_has_all_ranks_and_may_be_cached_for_ever(name):
    encoding = get_encoding(name)
    reply = CLIENT.get(rank_tables.page_encoder(name, encoding, "/api")["ranks"])
    assert reply.status_code == 200 and reply.headers["content-encoding"] == "gzip"
    assert "immutable" in reply.headers["cache-control"]
    assert unpacked(reply.content) == encoding.model.ranks


def test_categories_are_those_of_tiktoken_and_may_be_cached_for_ever():
    reply = CLIENT.get(rank_tables.page_encoder("gpt2", get_encoding("gpt2"), "/api")["categories"])
    assert reply.headers["content-encoding"] == "gzip" and "immutable" in reply.headers["cache-control"]
    found = {name: [*accumulate(steps)] for name, steps in reply.json().items()}
    assert found == {name: category_ranges(name) for name in CATEGORIES}
    assert int(reply.headers["content-length"]) < 5_000


@pytest.mark.parametrize("version", ["", "3-0.1"])
def test_categories_of_another_version_are_refused(version):
    reply = CLIENT.get(f"/api/categories?v={version}")
    assert reply.status_code == 404 and "out of date" in reply.text and reply.headers["cache-control"] == "no-store"


@pytest.mark.slow
def test_table_of_the_largest_encoding_is_small_on_the_wire():
    reply = CLIENT.get(rank_tables.page_encoder("o200k_base", get_encoding("o200k_base"), "/api")["ranks"])
    assert int(reply.headers["content-length"]) < 750_000


def test_table_keeps_gaps_between_ids():
    ranks = {bytes([i]): i for i in range(256)} | {b"ab": 300}
    assert unpacked(rank_tables.packed(byte_bpe("gaps", "gpt2", ranks))) == ranks


@pytest.mark.parametrize(
    "encoding",
    [
        byte_bpe("own pattern", r"\w+", {bytes([i]): i for i in range(256)}),
        byte_bpe("no pattern", None, {bytes([i]): i for i in range(256)}),
        train_words("low lower lowest", 40),
    ],
    ids=lambda encoding: encoding.name,
)
def test_encoding_that_only_the_server_can_read_has_no_table(encoding):
    assert rank_tables.page_encoder("key", encoding, "/api") is None
    key = encoding_store.add(encoding, encoding_store.LOADED).key
    version = f"{rank_tables.FORMAT}-{encoding.fingerprint[:16]}"
    reply = CLIENT.get(f"/api/ranks/{key}?v={version}")
    assert reply.status_code == 404 and reply.text == "Only the server can encode with this encoding."


def test_unknown_encoding_has_no_table():
    assert CLIENT.get("/api/ranks/nonesuch").status_code == 404


@pytest.mark.parametrize("version", ["", "2-306cd27f03c1a714", "3-0000000000000000"])
def test_table_of_another_version_is_refused(version):
    reply = CLIENT.get(f"/api/ranks/gpt2?v={version}")
    assert reply.status_code == 404 and "out of date" in reply.text and reply.headers["cache-control"] == "no-store"


def test_token_that_does_not_fit_into_the_table_is_refused():
    ranks = {bytes([i]): i for i in range(256)} | {b"x" * 300: 256}
    assert unpacked(rank_tables.packed(byte_bpe("long", "gpt2", ranks))) == ranks
    with pytest.raises(TokenizerError, match="65,535"):
        rank_tables.packed(byte_bpe("longer", "gpt2", ranks | {b"x" * 65_536: 257}))
