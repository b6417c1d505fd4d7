"""Fixtures for pages without a browser."""

import gc

import pytest


@pytest.fixture
def small_heap():
    """Leaves what other tests keep out of the test's garbage collections; at the end of a whole run each takes 1 s."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def inline_files(monkeypatch):
    """Reads the files of tokenizers in this process; tests/tokenizer/formats reads them in processes of their own."""
    from server.encodings import uploads
    from tokenizer.formats.sandboxed_model import OPENING

    def load(files, main, pattern=None, seconds=None):
        return OPENING["open"](list(files.items()), main, pattern)

    monkeypatch.setattr(uploads, "load_sandboxed", load)


@pytest.fixture
def without_splintr(monkeypatch):
    """A server on which the package of the open models is not installed."""
    from tokenizer.encoding.lru_cache import LruCache
    from tokenizer.kinds import open_models

    monkeypatch.setattr(open_models, "loaded", LruCache(open_models.build, 1))
    monkeypatch.setattr(open_models, "is_installed", lambda: False)


@pytest.fixture
def with_charts():
    """A test of the Train page asks for it to draw the charts of its trainings, most of the time of a run."""


@pytest.fixture
def no_charts(request, monkeypatch):
    """Draws no charts of trainings, except in tests with `with_charts`."""
    from ui.train import charts

    if "with_charts" not in request.fixturenames:
        monkeypatch.setattr(charts, "draw", lambda *_: None)


@pytest.fixture
def no_component_packages(monkeypatch):
    """A runtime of Streamlit would parse the metadata of all installed packages: none has a component of the app."""
    monkeypatch.setattr("streamlit.components.v2.manifest_scanner.scan_component_manifests", list, raising=False)


@pytest.fixture
def drawn(monkeypatch):
    """The data that the Why page last passed to the ladder."""
    from ui.why import ladder

    found, ladder_data = {}, ladder.ladder_data

    def record(*given):
        found.clear()
        found.update(ladder_data(*given))
        return found

    monkeypatch.setattr(ladder, "ladder_data", record)
    return found
