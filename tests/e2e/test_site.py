"""The static page, served below a path by a plain web server: ids, languages, links, Compare, and without a network."""

import re
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

import pytest
from apps import until
from oracles import oracle
from playwright.sync_api import expect

from e2e.axe import AXE, violations
from e2e.offline_pages import record_trouble
from server.exports import site
from tokenizer.text.samples import samples

PATH = "/some/repository/"
MODELS = {"GPT-2": "gpt2", "GPT-4": "cl100k_base", "GPT-5": "o200k_base"}
FIRST_TEXT = samples()[0].text
TYPED = "Tokens ที่ 👍🏽 don't 12345"

KEPT_TABLES = """async () => {
  const caught = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
  return caught.flat().filter(({ url }) => url.includes('/ranks/')).length;
}"""


# The texts of numbers that are wider than their place, and of rows that are higher.
CUT_OFF = """() => {
  const { shadowRoot } = document.querySelector('.place > div'), all = (selector) =>
    Array.from(shadowRoot.querySelectorAll(selector));
  const wide = all('.staged .number').filter((one) => one.scrollWidth > one.clientWidth + 1);
  const high = all('.staged .column').filter((one) => one.firstChild.offsetHeight > one.clientHeight + 1);
  return shadowRoot.querySelector('.staged') ? [...wide, ...high].map((one) => one.innerText) : null;
}"""


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder as static hosts do, and keeps the lines of requests."""

    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".webmanifest": "application/manifest+json"}

    def log_message(self, *_):
        self.server.requested.append(self.requestline)


@contextmanager
def served(folder):
    """Serves a folder; yields the server with its address and what was requested."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
    server.daemon_threads, server.requested = True, []
    server.address = f"http://127.0.0.1:{server.server_port}{PATH}"
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web")
    site.build(folder / PATH.strip("/"))
    with served(folder) as server:
        yield server


class Opened:
    """The page in a tab of its own; requests of other origins, errors and warnings are its trouble."""

    def __init__(self, context, host, address=""):
        self.page = context.new_page()
        own = (urlsplit(host.address).netloc, "")
        self.trouble = record_trouble(self.page, lambda url: urlsplit(url).netloc in own)
        self.page.goto(host.address + address)
        self.view, self.area = self.page.locator(".place .tokens"), self.page.locator(".place textarea")
        self.offline = self.page.locator(".offline")

    def choose(self, model):
        self.page.locator(".models label", has_text=model).click()

    def expect_ids(self, text, name):
        ids = " ".join(map(str, oracle(name).encode_ordinary(text)))
        expect(self.page.locator(".ids")).to_have_text(re.compile(rf"^\s*{ids}\s*$"))
        expect(self.page.locator(".counts [data-count=tokens]")).to_have_text(f"{len(ids.split()):,}")


@pytest.fixture
def opened(browser, host):
    """Returns a function that opens the page in a context of its own; trouble fails the test."""
    contexts, pages = [], []

    def give(address="", **options):
        contexts.append(
            browser.new_context(**{"locale": "en-US", "viewport": {"width": 1280, "height": 800}} | options)
        )
        pages.append(Opened(contexts[-1], host, address))
        return pages[-1]

    yield give
    for context in contexts:
        context.close()
    assert [page.trouble for page in pages if page.trouble] == []


def test_first_screen_loads_less_than_three_million_bytes(opened, host):
    host.requested.clear()
    page = opened()
    page.expect_ids(FIRST_TEXT, "o200k_base")
    loaded = page.page.evaluate("""() => performance.getEntries().reduce((n, one) => n + (one.transferSize ?? 0), 0)""")
    assert 1_000_000 < loaded < 3_000_000
    assert [line for line in host.requested if "ranks/" in line and "o200k_base" not in line] == []


def test_tokens_follow_the_chosen_model_and_the_loupe_shows_merges(opened):
    page = opened()
    page.area.fill(TYPED)
    for model in ("GPT-2", "GPT-5", "GPT-4"):
        page.choose(model)
        page.expect_ids(TYPED, MODELS[model])
    page.page.locator(".pane .tokens .t").first.click()
    expect(page.page.locator(".loupe .which")).to_contain_text("token 1 of")
    expect(page.page.locator(".loupe .sentence")).to_contain_text("rank")
    expect(page.page.get_by_role("button", name="Why this split")).to_have_count(0)


def test_compare_shows_the_same_text_in_each_chosen_model(opened):
    page = opened()
    page.area.fill(TYPED)
    page.page.get_by_role("button", name="Compare").click()
    expect(page.area).to_have_value(TYPED)
    page.choose("GPT-4")
    for name in MODELS.values():
        count = len(oracle(name).encode_ordinary(TYPED))
        expect(page.page.locator(f'.column[data-key="{name}"] .count')).to_have_text(str(count))
    page.area.press_sequentially(" และ more")
    for name in MODELS.values():
        count = len(oracle(name).encode_ordinary(f"{TYPED} และ more"))
        expect(page.page.locator(f'.column[data-key="{name}"] .count')).to_have_text(str(count))
    page.page.locator(".column .t").first.click()
    expect(page.page.locator(".loupe")).to_be_visible()
    expect(page.page.locator(".stretch tbody tr")).to_have_count(3)
    expect(page.page.get_by_role("button", name="Why")).to_have_count(0)
    page.choose("GPT-4")
    page.choose("GPT-2")
    expect(page.page.get_by_text("Choose at least two models to compare.")).to_be_visible()
    page.page.get_by_role("button", name="Playground").click()
    expect(page.area).to_have_value(f"{TYPED} และ more")


def test_text_survives_a_reload_and_travels_in_the_fragment_of_a_link(opened, host):
    page = opened()
    page.choose("GPT-2")
    page.area.fill(TYPED)
    page.expect_ids(TYPED, "gpt2")
    until(lambda: page.page.evaluate("sessionStorage['tokenloupe.desk']?.includes('12345')"))
    page.page.reload()
    page.expect_ids(TYPED, "gpt2")
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    height = page.page.get_by_role("banner").evaluate("(one) => one.offsetHeight")
    page.page.get_by_role("button", name="Copy link").click()
    expect(page.page.get_by_role("banner").get_by_role("status")).to_contain_text("Link copied.")
    assert page.page.get_by_role("banner").evaluate("(one) => one.offsetHeight") == height
    link = page.page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{host.address}?") and "#v=1&t=" in link
    host.requested.clear()
    opened(link.removeprefix(host.address)).expect_ids(TYPED, "gpt2")
    text = link.partition("#v=1&")[2]
    assert text and host.requested and not [line for line in host.requested if text in line or "12345" in line]


def test_page_can_be_installed_and_opens_without_a_network_with_the_models_chosen_before(opened):
    page = opened()
    page.area.fill(TYPED)
    page.expect_ids(TYPED, "o200k_base")
    page.choose("GPT-2")
    page.expect_ids(TYPED, "gpt2")
    expect(page.offline).to_contain_text("open it without a network")
    session = page.page.context.new_cdp_session(page.page)
    found = [one["errorId"] for one in session.send("Page.getInstallabilityErrors")["installabilityErrors"]]
    assert {*found} <= {"in-incognito"}  # as contexts of tests are
    assert session.send("Page.getAppManifest")["errors"] == []
    until(lambda: page.page.evaluate(KEPT_TABLES) == 2)
    page.page.context.set_offline(True)
    page.page.reload()
    page.expect_ids(TYPED, "gpt2")
    page.choose("GPT-5")
    page.expect_ids(TYPED, "o200k_base")
    page.choose("GPT-4")
    notice = page.page.locator(".notice")
    expect(notice).to_have_text(re.compile("^The vocabulary of GPT-4 could not be loaded. [^(]*$"))
    expect(page.offline).to_be_empty()  # GPT-4 is not stored
    expect(page.page.locator(".pane .tokens")).to_be_hidden()
    page.choose("GPT-2")
    page.expect_ids(TYPED, "gpt2")
    expect(notice).to_be_hidden()
    page.choose("GPT-4")
    expect(notice).to_be_visible()
    page.page.context.set_offline(False)
    page.expect_ids(TYPED, "cl100k_base")
    expect(notice).to_be_hidden()
    expect(page.offline).to_contain_text("open it without a network")
    page.trouble[:] = [one for one in page.trouble if "Failed to load resource" not in one]


def test_vocabulary_that_did_not_arrive_is_loaded_again_by_itself_and_the_focus_stays(opened):
    page, requests = opened(service_workers="block"), []
    page.expect_ids(FIRST_TEXT, "o200k_base")
    page.area.fill("")
    page.page.route("**/ranks/cl100k*", lambda route: (requests.append(route), route.abort()))
    page.choose("GPT-4")
    notice = page.page.locator(".notice")
    expect(notice).to_be_visible()
    radio = page.page.get_by_role("radio", name="GPT-4").element_handle()
    page.area.press_sequentially(TYPED)  # each key requests the vocabulary
    page.page.wait_for_timeout(500)
    before = len(requests)
    page.page.wait_for_timeout(3_000)
    assert len(requests) - before <= 2
    page.page.unroute_all()
    page.expect_ids(TYPED, "cl100k_base")
    expect(notice).to_be_hidden()
    expect(page.area).to_be_focused()
    assert radio.evaluate("(one) => one.isConnected"), "a focused radio button would have lost the focus"
    expected = ("Failed to load resource", "Service Worker registration blocked")
    page.trouble[:] = [one for one in page.trouble if not one.startswith(expected)]


def test_presenting_shows_tokens_and_models_alone(opened):
    page = opened(viewport={"width": 1280, "height": 720})
    page.expect_ids(FIRST_TEXT, "o200k_base")
    view, others = page.page.locator(".pane .tokens"), page.page.locator("nav, footer, textarea, .ids, .copy")
    view.focus()
    for key in ("p", "Escape"):
        page.page.keyboard.press("p")
        expect(view).to_be_in_viewport(ratio=1)
        assert float(view.evaluate("(view) => parseFloat(getComputedStyle(view).fontSize)")) >= 40
        expect(others.filter(visible=True)).to_have_count(0)
        page.choose("GPT-2")
        expect(page.page.locator(".counts dd").first).to_have_text(str(len(oracle("gpt2").encode_ordinary(FIRST_TEXT))))
        page.page.get_by_role("button", name="Stop presenting").focus()
        page.page.keyboard.press(key)
        expect(page.area).to_be_visible()
        expect(page.page.get_by_role("button", name="Present", exact=True)).to_be_visible()
    page.area.press("p")
    expect(page.area).to_have_value(re.compile("p"))
    expect(page.area).to_be_visible()


def test_presented_compare_cuts_off_neither_counts_nor_ratios(opened):
    page = opened("?page=compare&encodings=gpt2,cl100k_base,o200k_base", viewport={"width": 1280, "height": 720})
    page.area.fill(f"{FIRST_TEXT}\n" * 30)
    expect(page.page.locator('.column[data-key="gpt2"] .count')).to_have_text("3,000")
    page.page.locator(".column .tokens").first.focus()
    page.page.keyboard.press("p")
    expect(page.page.locator(".ratio").last).to_contain_text("× GPT-5")
    until(lambda: page.page.evaluate(CUT_OFF) == [])


def test_page_is_in_the_language_of_the_browser_and_else_in_english(opened):
    page = opened(locale="th-TH")
    expect(page.page.get_by_role("button", name="คัดลอกลิงก์")).to_be_visible()
    expect(page.page.locator("html")).to_have_attribute("lang", "th")
    page.page.get_by_role("link", name="English").click()
    expect(page.page.get_by_role("button", name="Copy link")).to_be_visible()
    expect(page.page.locator("html")).to_have_attribute("lang", "en")
    page = opened("?page=compare&encodings=gpt2,cl100k_base")
    page.choose("GPT-5")
    page.page.get_by_role("link", name="ไทย").click()
    expect(page.page.locator("html")).to_have_attribute("lang", "th")
    expect(page.page.locator(".column .count")).to_have_count(3)
    page = opened("?page=constructor&encoding=constructor", locale="de-DE")  # names of no page and no encoding
    page.expect_ids(FIRST_TEXT, "o200k_base")
    expect(page.page.get_by_role("button", name="Copy link")).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_page_is_accessible_and_fits(opened, width, scheme):
    size = {"width": width, "height": 800}
    page = opened(color_scheme=scheme, reduced_motion="reduce", viewport=size, bypass_csp=True)  # axe writes styles
    page.expect_ids(FIRST_TEXT, "o200k_base")
    page.page.evaluate(AXE.read_text(encoding="utf-8"))
    assert violations(page.page) == []
    page.page.get_by_role("button", name="Compare").click()
    expect(page.page.locator(".column .count").first).to_have_text(re.compile(r"\d"))
    assert violations(page.page) == []
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_page_shows_that_it_needs_scripts(opened):
    page = opened(java_script_enabled=False)
    sentence = page.page.locator("noscript p").first
    expect(sentence).to_contain_text("needs JavaScript")
    expect(sentence).to_be_visible()
