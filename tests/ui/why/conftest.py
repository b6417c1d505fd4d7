"""Fixtures for the Why page without a browser."""

import pytest


@pytest.fixture
def drawn(monkeypatch):
    """The data that the page last passed to the ladder."""
    found = {}
    draw = lambda key, data, on_choose_change: (found.clear(), found.update(data))  # noqa: E731
    monkeypatch.setattr("ui.why.ladder._component", draw)
    return found
