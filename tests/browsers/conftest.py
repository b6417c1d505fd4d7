"""Fixtures: each chosen engine with one tab for all journeys, and one server."""

import os
from collections.abc import Iterator

import pytest
from e2e.server import Server

from browsers.chromium import Chromium
from browsers.firefox import Firefox
from browsers.reader import Reader
from browsers.webkit import WebKit

ENGINES = {"chromium": Chromium, "firefox": Firefox, "webkit": WebKit}
ASKED = os.environ.get("BROWSERS", "chromium").split()
WIDE, PHONE = (1280, 800), (390, 844)


@pytest.fixture(scope="package")
def server(tmp_path_factory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("server") / "log.txt") as running:
        yield running
    assert not running.log_problems(), running.log()


@pytest.fixture(scope="package", params=ASKED)
def engine(request, tmp_path_factory):
    engine = ENGINES[request.param](tmp_path_factory.mktemp(request.param))
    yield engine
    engine.close()


@pytest.fixture
def reader(engine, server) -> Iterator[Reader]:
    """A new visitor on the first page."""
    engine.resize(*WIDE)
    reader = Reader(engine, server.url)
    reader.clear_storage()
    reader.open()
    reader.wait("find('.ids span')")
    yield reader
    assert engine.faults == []
    assert reader.foreign_requests() == []
