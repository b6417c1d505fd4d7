"""The folders of the app and its assets: in a clone next to the core; when installed in the package `tokenloupe`."""

from pathlib import Path

_AROUND = Path(__file__).parents[1]
_INSTALLED = _AROUND / "tokenloupe"
APP = _INSTALLED if (_INSTALLED / "app.py").exists() else _AROUND  # the folder of app.py
ASSETS = APP / "assets"
