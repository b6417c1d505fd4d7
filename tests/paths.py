"""The project's folders."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
UI = ROOT / "ui"
SERVER = ROOT / "server"
PAGES = ROOT / "pages"
FRAME = PAGES / "frame.py"
