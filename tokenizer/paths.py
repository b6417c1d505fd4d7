"""The folders of the app and its assets: in a clone next to the core; when installed in the package `tokenloupe`."""

import tomllib
from pathlib import Path
from typing import Any

_AROUND = Path(__file__).parents[1]
_INSTALLED = _AROUND / "tokenloupe"
APP = _INSTALLED if (_INSTALLED / "app.py").exists() else _AROUND  # the folder of app.py
ASSETS = APP / "assets"


def read_toml(name: str) -> dict[str, Any]:
    """Returns the content of a TOML file in the assets."""
    return tomllib.loads((ASSETS / name).read_text(encoding="utf-8"))
