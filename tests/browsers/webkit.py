"""WebKit: the MiniBrowser of WebKitGTK with Debian's WebDriver, on a virtual screen."""

import base64
import os
import shutil
import subprocess
from pathlib import Path

from apps import until
from browser import mini_browser_path
from selenium.webdriver import WebKitGTK, WebKitGTKOptions
from selenium.webdriver.webkitgtk.service import Service

from browsers.engine import Engine

SCREEN = "2000x1300x24"
TIMEOUT_SECONDS = 60

# The driver does not report errors, so the page records its own as soon as scripts can run.
LISTEN = """
  if (!window.faults) {
    window.faults = [];
    addEventListener('error', ({ message }) => faults.push(message));
    addEventListener('unhandledrejection', ({ reason }) => faults.push(String(reason)));
  }
"""


class WebKit(Engine):
    line_ending = "\n"

    def __init__(self, home: Path):
        super().__init__(home)
        screen = ["Xvfb", "-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp"]
        self._screen = subprocess.Popen(screen, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        display = f":{self._screen.stdout.readline().strip()}"
        options = WebKitGTKOptions()
        options.binary_location = mini_browser_path()
        options.add_argument("--automation")
        self._driver = WebKitGTK(
            options, Service(shutil.which("WebKitWebDriver"), env=os.environ | self._settings() | {"DISPLAY": display})
        )
        self._driver.set_script_timeout(TIMEOUT_SECONDS)
        self._driver.set_page_load_timeout(TIMEOUT_SECONDS)

    def _settings(self) -> dict[str, str]:
        """Returns the environment: download folder, style, and GTK's own input method."""
        (self.home / "user-dirs.dirs").write_text(f'XDG_DOWNLOAD_DIR="{self.saved}"\n')
        (self.home / "gtk-3.0").mkdir()
        (self.home / "gtk-3.0" / "gtk.css").write_text(
            "* { min-width: 0; padding: 0; margin: 0; }\n"
        )  # allows windows as narrow as a phone
        language = f"{self.locale.replace('-', '_')}.UTF-8"
        return {"XDG_CONFIG_HOME": str(self.home), "GTK_IM_MODULE": "gtk-im-context-simple", "LANGUAGE": language}

    def go(self, url: str) -> None:
        self._driver.get(url)
        self._driver.execute_script(LISTEN)

    def evaluate(self, source: str) -> str:
        script = f"const say = arguments[0]; ({source}).then((said) => say([said]), (error) => say(String(error)));"
        result = self._driver.execute_async_script(script)
        if isinstance(result, str):
            raise RuntimeError(result)
        return result[0]

    def perform(self, kind: str, actions: list[dict]) -> None:
        source = {"type": kind, "id": kind, "actions": actions}
        self._driver.execute("actions", {"actions": [source]})

    def compose(self, character: str) -> None:
        self.press("Control+Shift+u")  # GTK's input method takes a hexadecimal code point
        self.type(f"{ord(character):x} ")

    def resize(self, width: int, height: int) -> None:
        outer, inner = self._driver.get_window_rect(), "() => [innerWidth, innerHeight]"
        beside = [outer[side] - own for side, own in zip(("width", "height"), self.run(inner), strict=True)]
        self._driver.set_window_rect(0, 0, width + beside[0], height + beside[1])
        until(lambda: self.run(inner) == [width, height])

    def picture(self) -> bytes:
        return base64.b64decode(self._driver.get_screenshot_as_base64())

    def close(self) -> None:
        self._driver.quit()
        self._screen.terminate()
        self._screen.wait(30)
