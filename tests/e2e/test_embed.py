"""The page for frames of other sites, in pages of such sites: tokens, loupe, keyboard, small frames, and who may."""

import re
import threading
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from apps import until
from oracles import oracle
from playwright.sync_api import expect
from waiting import next_frames, read_clipboard, write_clipboard

from e2e.axe import AXE, violations
from e2e.server import LAUNCHER, Server
from server.embed import EMBED, SITES
from server.exports.take_home import MAX_FRAMED_CHARACTERS

TEXTS = {
    "english": "The unbelievably lazy dog, isn't it?",
    "thai": "ที่นี่มีแมวนอนบนเสื่อ น้ำท่วม",
    "arabic": "مرحبا بالعالم، كيف حالك؟ hello 123",
    "markup": "</script><script>alert(1)</script><!-- <b>&amp;</b> <img src=x onerror=alert(1)>",
}


class Blog(BaseHTTPRequestHandler):
    """Answers with a page that has the server's HTML in its body."""

    def do_GET(self):
        body = f"<!doctype html><meta charset=utf-8><title>Blog</title><h1>Blog</h1>{self.server.html}".encode()
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def blog():
    """A web server; its names are blog.example.test and other.example.test."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Blog) as found:
        found.html = ""
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield found
        found.shutdown()


def address_of(blog, name="blog"):
    return f"http://{name}.example.test:{blog.server_port}"


@pytest.fixture(scope="module")
def app(blog, tmp_path_factory):
    """The app, which lets the blog show the page in frames."""
    log = tmp_path_factory.mktemp("app") / "log.txt"
    with Server(log, LAUNCHER, **{SITES: address_of(blog)}) as running:
        yield running
        assert running.log_problems() == []


@pytest.fixture
def page(browser):
    """A page of a visitor; dialogs and errors of scripts fail the test."""
    context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 800})
    page, trouble = context.new_page(), []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("dialog", lambda dialog: trouble.append(dialog.message))
    yield page
    context.close()
    assert trouble == []


def source(app, text, encoding="o200k_base", **more):
    return f"{app.url}{EMBED}?{urlencode({'encoding': encoding, 'text': text, **more})}"


def framed(page, blog, src, name="blog", width="100%", height=320):
    """Opens a page of a site with a frame; returns the frame."""
    src = src.replace("&", "&amp;")
    blog.html = f'<iframe src="{src}" title="Tokens" width="{width}" height="{height}" style="border: 0"></iframe>'
    page.goto(address_of(blog, name))
    return page.frame_locator("iframe")


def view(frame):
    return frame.locator(".strip .tokens")


def ids_by_keyboard(page, frame):
    """Opens each token under the loupe by keyboard; returns the ids that it shows."""
    which, found = frame.locator(".loupe .which"), []
    view(frame).focus()
    page.keyboard.press("Enter")
    for number in range(1, int(view(frame).get_attribute("data-tokens")) + 1):
        expect(which).to_contain_text(re.compile(rf"^token {number} of \d+, id \d+"))
        found.append(int(re.search(r"id (\d+)", which.inner_text())[1]))
        page.keyboard.press("ArrowRight")
    return found


@pytest.mark.parametrize("text", ["thai", "markup"])
def test_page_of_a_listed_site_shows_the_tokens_with_the_loupe(page, blog, app, text):
    frame = framed(page, blog, source(app, TEXTS[text]))
    ids = oracle("o200k_base").encode_ordinary(TEXTS[text])
    expect(view(frame)).to_have_attribute("data-tokens", str(len(ids)))
    assert view(frame).evaluate("(view) => view.textContent") == TEXTS[text]
    assert ids_by_keyboard(page, frame) == ids
    expect(frame.locator(".loupe .walls")).to_contain_text("Pre-token")
    page.keyboard.press("Escape")
    expect(frame.locator(".loupe")).to_be_hidden()


def test_opened_loupe_covers_no_part_of_the_chip(page, blog, app):
    frame = framed(page, blog, source(app, "hello world"))
    token, chip = view(frame).locator(".t").first, frame.locator(".hover-chip")
    token.hover()
    expect(chip).to_be_visible()
    token.click()
    expect(frame.locator(".loupe")).to_be_visible()
    expect(chip).to_be_hidden()


def test_page_has_no_access_to_the_app(page, blog, app):
    """Its origin is no other page's, so a script in it could not read what the app stores."""
    frame = framed(page, blog, source(app, "a"))
    assert view(frame).evaluate("() => origin") == "null"
    page.goto(source(app, "a"))
    assert page.evaluate("origin") == "null"


def test_other_sites_and_other_pages_show_no_frame(page, blog, app):
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    for src, name in ((source(app, "a"), "other"), (f"{app.url}/", "blog"), (f"{app.url}/class", "blog")):
        complaints.clear()
        framed(page, blog, src, name)
        until(lambda: any("frame-ancestors" in one for one in complaints), 20)
        [_, inner] = page.frames
        assert inner.url.startswith("chrome-error:"), (src, inner.url)


def test_reason_of_a_refusal_is_readable_in_the_frame(page, blog, app):
    frame = framed(page, blog, source(app, "a", "gpt4"))
    expect(frame.locator("body")).to_contain_text("Unknown encoding 'gpt4'. Did you mean 'gpt-4'?")


@pytest.mark.parametrize(("scheme", "width", "height"), [("dark", 320, 240), ("light", 900, 320)])
def test_page_is_accessible_and_fits_a_frame(page, app, scheme, width, height):
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for text in ("thai", "arabic"):
        page.goto(source(app, f"{TEXTS[text]} " * 12, lang="th" if text == "thai" else "en"))
        expect(page.locator(".strip .tokens")).to_have_attribute("data-tokens", re.compile(r"\d"))
        assert page.evaluate("getComputedStyle(document.body).colorScheme") == "light dark"
        page.evaluate(AXE.read_text(encoding="utf-8"))
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.locator('.strip .t[data-k="3"]').first.click()
        loupe = page.locator(".loupe")
        expect(loupe.locator(".walls")).to_be_visible()
        next_frames(page)
        assert page.evaluate("document.getAnimations({ subtree: true }).length") == 0
        assert violations(page) == []
        box = loupe.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] + box["height"] <= height
        token = page.locator('.strip .t[data-k="3"]').first.bounding_box()
        assert token["y"] + token["height"] <= box["y"] + 1 or token["y"] >= box["y"] + box["height"] - 1


def test_arabic_starts_at_the_right(page, app):
    page.goto(source(app, TEXTS["arabic"]))
    box, first = page.locator(".strip .tokens").bounding_box(), page.locator('.t[data-k="0"]').first.bounding_box()
    assert box["x"] + box["width"] - first["x"] - first["width"] < 40


def test_tokens_are_shown_without_scripts(browser, app):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(source(app, TEXTS["thai"]))
    expect(page.locator("noscript .tokens")).to_have_text(TEXTS["thai"])
    assert page.locator("noscript .tokens .t").count() > 3
    context.close()


def test_page_loads_nothing_else(page, app):
    urls = []
    page.on("request", lambda request: urls.append(request.url))
    page.goto(source(app, TEXTS["english"]))
    page.locator('.strip .t[data-k="0"]').first.click()
    expect(page.locator(".loupe .walls")).to_be_visible()
    assert [urlsplit(url).path for url in urls] == [EMBED]


def test_longest_address_is_answered(page, app):
    text = "👍" * MAX_FRAMED_CHARACTERS
    page.goto(source(app, text))
    expect(page.locator(".strip .tokens")).to_have_attribute("data-tokens", re.compile(r"\d"))
    assert page.locator(".strip .tokens").evaluate("(view) => view.textContent") == text


def test_share_copies_html_that_shows_the_playground_in_a_listed_site(make_desk, app, blog, page):
    desk, text = make_desk(on=app, alone=True).open(encoding="gpt2"), 'ที่ "costs" <more> & 👍🏽'
    desk.write(text)
    desk.expect_exact(text, "gpt2")
    desk.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    desk.wait_for_bar()
    write_clipboard(desk.page, "")
    desk.share("Copy HTML for another site")
    expect(desk.page.get_by_text(f"Pages of these sites can show it: {address_of(blog)}")).to_be_visible()
    html = read_clipboard(desk.page)
    assert html.startswith("<iframe ") and html.endswith("</iframe>")
    query = parse_qs(urlsplit(unescape(re.search('src="([^"]*)"', html)[1])).query)
    assert query == {"lang": ["en"], "encoding": ["gpt2"], "text": [text]}
    blog.html = html
    page.goto(address_of(blog))
    frame = page.frame_locator("iframe")
    expect(view(frame)).to_have_text(text)
    assert ids_by_keyboard(page, frame) == oracle("gpt2").encode_ordinary(text)


def test_share_gives_the_reason_where_there_is_no_page_to_show_and_offers_none_elsewhere(make_desk, app):
    desk = make_desk(on=app, alone=True).open()
    desk.write("a " * 1_001)
    desk.wait_until_drawn()
    desk.wait_for_bar()
    desk.share("Copy HTML for another site")
    expect(desk.page.get_by_text("at most 2,000. Use a shorter part of the text.")).to_be_visible()
    assert all("status of 400" in one for one in desk.trouble)
    desk.trouble.clear()
    desk.turn_to("Compare")
    desk.idle()
    desk.button("Share").click()
    expect(desk.button("Copy link")).to_be_visible()
    expect(desk.button("Copy HTML for another site")).to_be_hidden()
