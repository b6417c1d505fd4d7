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
