"""Runs each JavaScript test of tests/js on a blank page."""

import json
import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from paths import ROOT
from waiting import awaited

from e2e import answers_for_js
from server.bundle import bundle

JS = ROOT / "tests" / "js"
EXPORTED = re.compile(r"^export (?:async )?function (\w+)", re.M)
CASES = [
    (path.name, name)
    for path in sorted(JS.glob("*.js"))
    if path.name != "check.js"
    for name in EXPORTED.findall(path.read_text(encoding="utf-8"))
]


@pytest.fixture(scope="module")
def page(blank):
    """The blank page, with routes to the API and to Python functions."""

    def serve(route) -> None:
        url, body = urlsplit(route.request.url), route.request.post_data_buffer or b""
        _, kind, name = url.path.split("/")
        try:
            if kind == "api":
                query = dict(parse_qsl(url.query))
                route.fulfill(body=answers_for_js.answer(name, query["encoding"], query["special"], body))
            else:
                route.fulfill(body=json.dumps(getattr(answers_for_js, name)(*json.loads(body))))
        except Exception as error:
            route.fulfill(status=500, body=f"{name}: {error!r}")

    blank.route(re.compile("http://modules.test/(api|python)/"), serve)
    return blank


@pytest.mark.parametrize(("file", "name"), CASES, ids=[f"{file}-{name}" for file, name in CASES])
def test_javascript(page, file, name):
    script = """async ([file, name]) => {
      try { await (await import(`/tests/js/${file}`))[name](); } catch (error) { return error.stack; }
    }"""
    failure = awaited(page, script, [file, name], what=f"{name} of {file}", seconds=60)
    assert failure is None, failure


def test_missing_import_fails_in_the_bundle(page, tmp_path):
    entry = tmp_path / "main.js"
    (tmp_path / "other.js").write_text("export const known = 1;\nconst own = 2;\nexport const get = () => own;\n")
    run = """(source) => import(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })))
      .then((all) => all.default()).catch((error) => error.message)"""
    for names, words in (("get, known", [2, 1]), ("get", "known is not defined")):
        entry.write_text(f"import {{ {names} }} from './other.js';\nexport default () => [get(), known];\n")
        assert awaited(page, run, bundle(entry), what="the bundle") == words
