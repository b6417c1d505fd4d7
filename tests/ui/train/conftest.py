"""Fixtures for the Train page without a browser."""

import pytest

from ui.train import charts


@pytest.fixture
def with_charts():
    """A test asks for it to draw the charts of its trainings, which takes most of the time of a run."""


@pytest.fixture
def no_charts(request, monkeypatch):
    """Draws no charts of trainings, except in tests with `with_charts`."""
    if "with_charts" not in request.fixturenames:
        monkeypatch.setattr(charts, "draw", lambda *_: None)
