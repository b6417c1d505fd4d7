"""Fixtures for runtimes of Streamlit."""

import pytest


@pytest.fixture(autouse=True)
def no_component_packages(monkeypatch):
    """A runtime would parse the metadata of all installed packages: none has a component of the app."""
    monkeypatch.setattr("streamlit.components.v2.manifest_scanner.scan_component_manifests", list, raising=False)
