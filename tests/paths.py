"""The project's folders."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
UI = ROOT / "ui"
WEB = ROOT / "web"
SERVER = ROOT / "server"
PAGES = ROOT / "pages"
FRAME = PAGES / "frame.py"
