"""The notebook of docs/: executed, exported as HTML in both themes, and opened offline."""

import re

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbconvert.preprocessors import ExecutePreprocessor
from oracles import contrast, oracle
from paths import ROOT
from playwright.sync_api import expect

from tokenizer import loupe

NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
TEXT = "ที่ costs <b>more</b>"
CELLS = "[...document.querySelectorAll('.tokenloupe')]"
# for each element with text: its colour, its background and its font size
SEEN = f"""() => {CELLS}.flatMap((cell) => [...cell.querySelectorAll('p, b, bdi, span.t, th, td, summary, small')]
  .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .map((one) => {{
    let paper = one;
    while (getComputedStyle(paper).backgroundColor === 'rgba(0, 0, 0, 0)') paper = paper.parentElement;
    const own = getComputedStyle(one);
    return [own.color, getComputedStyle(paper).backgroundColor, parseFloat(own.fontSize), one.outerHTML.slice(0, 200)];
  }}))"""


@pytest.fixture(scope="module")
def executed_notebook():
    notebook = nbformat.read(NOTEBOOK, 4)
    nbformat.validate(notebook)
    for cell in notebook.cells:  # the core is not installed here; tests/tokenizer/command/test_installed.py has it so
        cell.source = cell.source.replace("from tokenloupe", "from tokenizer")
    notebook.cells.append(nbformat.v4.new_code_cell("get_encoding('gpt-4o').tokenize('مرحبا بالعالم hello')"))
    ExecutePreprocessor(timeout=120, kernel_name="python3").preprocess(notebook, {"metadata": {"path": str(ROOT)}})
    return notebook


@pytest.mark.parametrize(("theme", "browser_prefers"), [("light", "dark"), ("dark", "light")])
def test_exported_notebook_is_readable_and_complete(browser, executed_notebook, tmp_path, theme, browser_prefers):
    path = tmp_path / "notebook.html"
    path.write_text(HTMLExporter(theme=theme).from_notebook_node(executed_notebook)[0], encoding="utf-8")
    context = browser.new_context(color_scheme=browser_prefers, viewport={"width": 1280, "height": 800})
    context.set_offline(True)
    page, urls = context.new_page(), []
    page.on("request", lambda request: urls.append(request.url))
    page.goto(path.as_uri(), wait_until="domcontentloaded")
    text = executed_notebook.cells[1].source.partition('"')[2].partition('"\n')[0]
    ids = oracle("o200k_base").encode(text)
    assert page.evaluate(f"{CELLS}[0].querySelector('.tokens').textContent") == text
    assert page.evaluate(f"{CELLS}[0].querySelector('.ids').textContent") == ", ".join(map(str, ids))
    assert page.evaluate(f"{CELLS}.length") == 5
    charts = [cell for cell in executed_notebook.cells if cell.source.endswith((".chart()", "width=500)"))]
    assert ["image/svg+xml" in cell.outputs[0].data for cell in charts] == [True, True]
    assert not [url for url in urls if "vega" in url], "a chart loads scripts from the network"
    seen = page.evaluate(SEEN)
    assert len(seen) > 200
    pale = [one for one in seen if contrast(*one[:2]) < 4.5]
    assert pale == []
    assert [one for one in seen if one[2] < 14] == []
    paper = {"light": "rgb(251, 250, 247)", "dark": "rgb(21, 22, 26)"}[theme]
    assert page.evaluate(f"{CELLS}.map((one) => getComputedStyle(one).backgroundColor)") == [paper] * 5
    assert page.evaluate(f"getComputedStyle({CELLS}[4].querySelector('.tokens')).direction") == "rtl"
    assert page.evaluate(f"getComputedStyle({CELLS}[0].querySelector('.tokens')).direction") == "ltr"
    context.close()


def test_live_box_works_in_a_saved_notebook_without_kernel_and_network(browser, tmp_path):
    cell = nbformat.v4.new_code_cell(f"from tokenizer import loupe\nloupe({TEXT!r}, 'gpt-5')")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    ExecutePreprocessor(timeout=120, kernel_name="python3").preprocess(notebook, {"metadata": {"path": str(ROOT)}})
    path = tmp_path / "notebook.html"
    path.write_text(HTMLExporter().from_notebook_node(notebook)[0], encoding="utf-8")
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_offline(True)
    page, trouble = context.new_page(), []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto(path.as_uri(), wait_until="domcontentloaded")
    box = page.frame_locator(".tokenloupe iframe")
    area, view, ids = box.locator("textarea"), box.locator(".editor .pane .tokens"), box.locator(".ids span")
    expect(view).to_have_text(TEXT)
    expect(page.locator(".tokenloupe > p")).to_be_hidden()
    expect(box.locator("h1")).to_have_text(f"{len(oracle('o200k_base').encode(TEXT))} tokens in o200k_base")
    for text in ("unbelievably lazy", "ที่นี่ </script> 👍🏽"):
        area.fill(text)
        expect(ids).to_have_text([str(id) for id in oracle("o200k_base").encode(text)])
    view.locator(".t").first.click()
    expect(box.locator(".loupe .walls")).to_be_visible()
    context.close()
    assert trouble == []


def test_box_says_why_it_is_empty_in_a_notebook_that_is_not_trusted(browser):
    """JupyterLab then removes the page in the frame, or the frame."""
    page, box = browser.new_page(), loupe(TEXT, "gpt-2")._repr_html_()
    page.set_content(re.sub(' srcdoc="[^"]*"', "", box))
    expect(page.locator(".tokenloupe > p")).to_contain_text("trust the notebook")
    page.set_content(box)
    expect(page.locator(".tokenloupe > p")).to_be_hidden()
    page.close()
