"""The folders of the app and its assets: in a clone around the core; when installed in its folder `app`."""

import tomllib
from pathlib import Path
from typing import Any

_CORE = Path(__file__).parent
APP = _CORE / "app" if (_CORE / "app" / "app.py").exists() else _CORE.parent  # the folder of app.py
ASSETS = APP / "assets"


def read_toml(name: str) -> dict[str, Any]:
    """Returns the content of a TOML file in the assets."""
    return tomllib.loads((ASSETS / name).read_text(encoding="utf-8"))
