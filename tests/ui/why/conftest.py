"""Fixtures for the Why page without a browser."""

import pytest

from ui.why import ladder


@pytest.fixture
def drawn(monkeypatch):
    """The data that the page last passed to the ladder."""
    found, ladder_data = {}, ladder.ladder_data

    def record(*given):
        found.clear()
        found.update(ladder_data(*given))
        return found

    monkeypatch.setattr(ladder, "ladder_data", record)
    return found
