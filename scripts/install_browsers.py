"""Installs Debian's Firefox and WebKit for `make browsers`, which need no other driver."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from browser import firefox_path, mini_browser_path
from install_chromium import apt_installs

WEBKIT = ("webkit2gtk-driver", "libwebkit2gtk-4.1-0", "xvfb")


def main() -> None:
    if not firefox_path() and not (apt_installs("firefox-esr") and firefox_path()):
        sys.exit("No Firefox to test with. Install one, or name one: make browsers TOKENLOUPE_FIREFOX=/path/to/firefox")
    if not mini_browser_path() and not (apt_installs(*WEBKIT) and mini_browser_path()):
        sys.exit(f"No WebKit to test with. On Debian or Ubuntu: sudo apt-get install {' '.join(WEBKIT)}")


if __name__ == "__main__":
    main()
