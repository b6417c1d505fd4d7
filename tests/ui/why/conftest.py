"""The Why page without a browser: what its component is given."""

import pytest


@pytest.fixture
def drawn(monkeypatch):
    """What the page last gave the ladder to draw."""
    found = {}
    draw = lambda key, data, on_choose_change: (found.clear(), found.update(data))  # noqa: E731
    monkeypatch.setattr("ui.why.ladder._component", draw)
    return found
