"""A component on a blank page, with routes that answer as the server does."""

import gzip
from collections.abc import Callable
from urllib.parse import parse_qsl, unquote, urlsplit

from paths import ROOT, WEB
from playwright.sync_api import Page
from waiting import awaited

from server import component_i18n
from server.encodings import encoding_store, rank_tables
from tokenizer import TokenizerError
from tokenizer.display import palette

THEME = f"""
  :host {{ color-scheme: inherit;
    --st-text-color: light-dark({palette.LIGHT_INK}, {palette.DARK_INK});
    --st-background-color: light-dark({palette.LIGHT_PAPER}, {palette.DARK_PAPER}); --st-font: sans-serif;
    --st-secondary-background-color: light-dark(#f4f2ec, #1d1f25); --st-border-color: light-dark(#d9d5ca, #3a3d45);
    --st-primary-color: light-dark(#2f5d8c, #8ab4e0); --st-code-font: monospace; --st-red-color: red; }}
"""

MOUNT = """async ([module, html, css, data]) => {
  const [Component] = Object.values(await import(module));
  const { updateTab } = await import('/web/js/editor/tab-state.js');
  const { outbox } = await import('/web/js/net/outbox.js');
  const host = document.createElement('div');
  document.body.replaceChildren(host);
  const shadow = host.attachShadow({ mode: 'open' });
  shadow.append(document.createElement('div'));
  shadow.firstChild.innerHTML = `<style>${css}</style>${html}`;
  window.sent = [];
  window.part?.destroy();
  sessionStorage.clear();
  updateTab({ text: null, push: null, name: null });
  outbox().discard('text'); // of the test before
  outbox().receive('page', { acknowledged: {}, visitor: Math.random() }, (changes) => sent.push(['changes', changes]));
  window.part = new Component(shadow.firstChild);
  window.give = (data) => part.update({ data, setTriggerValue: (name, value) => sent.push([name, value]) });
  give(data);
}"""


class Stage:
    """One component from FOLDER/NAME.html, NAME.css and js/NAME.js; `part` on the page."""

    folder: str
    sheets: tuple[str, ...] = ()  # of web/, before the component's own
    answer: Callable[[str, dict[str, str], bytes], bytes]  # the server's answer, as a method

    def __init__(self, page: Page):
        self.page = page
        page.route("http://modules.test/api/**", self._respond)

    def _respond(self, route) -> None:
        url, headers = urlsplit(route.request.url), {"x-tokenloupe": "1"}
        path, _, name = unquote(url.path).rpartition("/")
        if path.endswith("/ranks"):
            return route.fulfill(body=rank_tables.packed(encoding_store.find(name).encoding), headers=headers)
        query = dict(parse_qsl(url.query))
        if name == "categories":
            return route.fulfill(body=gzip.decompress(rank_tables.categories(query["v"])), headers=headers)
        try:
            body = self.answer(name, query, route.request.post_data_buffer)
        except TokenizerError as error:
            return route.fulfill(status=400, body=str(error), headers=headers)
        return route.fulfill(body=body, headers=headers)

    def show(self, data: dict) -> None:
        """Puts the component on the page."""
        folder, name = ROOT / self.folder, self.folder.rpartition("/")[2]
        paths = [*(WEB / sheet for sheet in self.sheets), folder / f"{name}.css"]
        css = palette.component_css(THEME, *(path.read_text("utf-8") for path in paths))
        html = component_i18n.html((folder / f"{name}.html").read_text("utf-8"))
        given = [f"/{self.folder}/js/{name}.js", html, css, data]
        awaited(self.page, MOUNT, given, what=f"the component {name}")

    def close(self) -> None:
        """Restores the page."""
        self.page.evaluate("() => { part.destroy(); delete window.part; document.body.replaceChildren(); }")
        self.page.unroute("http://modules.test/api/**")
        self.page.set_viewport_size({"width": 1280, "height": 800})
        self.page.emulate_media(color_scheme="light")
