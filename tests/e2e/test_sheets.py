"""Printed lessons in a browser: black on white, within the paper's width, and accessible."""

import pytest

from e2e.axe import AXE, violations
from tokenizer.lessons.lesson import LANGUAGES, lesson_names
from tokenizer.lessons.sheet import sheet

SIZES = {"A4": 794, "Letter": 816}  # width in CSS pixels
MARGINS_PX = 2 * 60


@pytest.fixture(scope="module")
def paper(browser):
    context = browser.new_context(offline=True, color_scheme="dark", reduced_motion="reduce")
    page, urls = context.new_page(), []
    page.on("request", lambda request: request.url.startswith("file:") or urls.append(request.url))
    yield page
    context.close()
    assert urls == []


# without pictures, which have their own colors
COLORS = """() => [...new Set([...document.querySelectorAll('body, body *')].flatMap((one) => {
  if (one.closest('.learn-patches')) return [];
  const { color, backgroundColor, backgroundImage } = getComputedStyle(one);
  return [`ink ${color}`, `paper ${backgroundColor}`, `image ${backgroundImage}`];
}))].sort()"""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", lesson_names())
def test_sheet_is_black_on_white_and_fits_the_paper(paper, tmp_path, name, language):
    path = tmp_path / "sheet.html"
    path.write_text(sheet(name, language, answers=True), encoding="utf-8")  # has all of the sheet without answers
    paper.emulate_media(media="print")
    paper.goto(path.as_uri())
    for size, width in SIZES.items():
        paper.set_viewport_size({"width": width - MARGINS_PX, "height": 1000})
        assert paper.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, size
        if name == "token":  # slow
            assert len(paper.pdf(format=size)) > 5_000
    found = set(paper.evaluate(COLORS))
    assert found == {"ink rgb(0, 0, 0)", "paper rgb(255, 255, 255)", "paper rgba(0, 0, 0, 0)", "image none"}
    small = "[...document.querySelectorAll('body *')].map((one) => parseFloat(getComputedStyle(one).fontSize))"
    assert min(paper.evaluate(small)) >= 12  # 9 points on paper


@pytest.mark.parametrize("language", LANGUAGES)
def test_sheet_is_accessible(paper, tmp_path, language):
    path = tmp_path / "sheet.html"
    path.write_text(sheet("bytes", language, answers=True), encoding="utf-8")
    paper.emulate_media(media="screen")
    paper.set_viewport_size({"width": 390, "height": 800})
    paper.goto(path.as_uri())
    paper.evaluate(AXE.read_text(encoding="utf-8"))
    assert violations(paper) == []
    assert paper.evaluate("document.documentElement.scrollWidth <= innerWidth")
