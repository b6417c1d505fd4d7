"""The addresses of components' JavaScript."""

import re

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from server import modules

SOURCE = "export default 'ที่';"


@pytest.fixture
def client():
    return TestClient(Starlette(routes=modules.routes))


def address(source):
    """The address in the short module."""
    return re.search(r'"\.(.+?)"', modules.add("tested", source))[1]


def test_module_is_kept_for_ever_at_its_address(client):
    for encoding in ("gzip", "identity"):
        reply = client.get(address(SOURCE), headers={"accept-encoding": encoding})
        assert (reply.text, reply.headers.get("content-encoding", "identity")) == (SOURCE, encoding)
        assert (
            reply.headers["content-type"].startswith("text/javascript")
            and "immutable" in reply.headers["cache-control"]
        )


def test_address_changes_with_the_source_and_an_old_one_is_not_kept(client):
    before, now = address(SOURCE), address(f"{SOURCE}//")
    assert before != now
    reply = client.get(before)
    assert reply.text == f"{SOURCE}//" and reply.headers["cache-control"] == "no-store"


def test_unknown_module_is_refused(client):
    assert client.get("/modules/unknown.js").status_code == 404
