"""The version, which pyproject.toml reads; CHANGELOG.md and CITATION.cff have the same."""

__version__ = "1.0.1"
