"""`/v1` on the app's server: commands of docs/http.md, fifty clients, stalled senders, the docs page."""

import http.client
import itertools
import json
import re
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx2 as httpx
import pytest
from oracles import oracle
from paths import ROOT
from playwright.sync_api import expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from e2e.axe import AXE, violations
from server.problems import PROBLEM_KINDS

DOCS = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"```sh\n(.*?)```(?:\s+```json\n(.*?)```)?", DOCS, re.S)
NAMES = ["gpt-2", "gpt-4", "gpt-4o"]


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
@pytest.mark.parametrize(("command", "answer"), COMMANDS, ids=range(len(COMMANDS)))
def test_commands_of_the_docs_give_their_answers(server, command, answer):
    if "jq" in command and not shutil.which("jq"):
        pytest.skip("needs jq")
    for line in command.splitlines():
        line = line.replace("http://localhost:8501", server.url)
        found = subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=60)
        got = json.loads(found.stdout)
        assert not answer or got == json.loads(answer)
        assert answer or "type" not in got, got
    if "README.md" in command:
        assert got == {"tokens": len(oracle("o200k_base").encode((ROOT / "README.md").read_text(encoding="utf-8")))}


CLIENTS = {"py": (sys.executable, "-"), "js": ("node", "--input-type=module")}


@pytest.mark.parametrize("language", CLIENTS)
def test_client_of_three_lines_runs(server, language):
    [code] = re.findall(rf"```{language}\n(.*?)```", DOCS, re.S)
    assert len(re.findall("^(?!import ).+", code, re.M)) == 3
    if not shutil.which(CLIENTS[language][0]):
        pytest.skip("needs node")
    source = code.replace("http://localhost:8501", server.url)
    done = subprocess.run(CLIENTS[language], input=source, capture_output=True, text=True, timeout=60)
    assert json.loads(done.stdout) == [2, 1], done.stderr


def one_client(given):
    """Returns the answers that one client gets, and its questions."""
    url, k = given
    questions = [(NAMES[(k + i) % 3], f"client {k} asks ที่ {i} " * (1 + 400 * (i == 2))) for i in range(4)]
    with httpx.Client(base_url=url, timeout=60, verify=False) as client:  # reading certificates takes a second
        got = [client.post("/v1/count", json={"encoding": name, "text": text}) for name, text in questions]
    return [(one.status_code, one.json()) for one in got], questions


def test_fifty_concurrent_clients_get_their_own_counts(server):
    encoders = {"gpt-2": oracle("gpt2"), "gpt-4": oracle("cl100k_base"), "gpt-4o": oracle("o200k_base")}
    with ThreadPoolExecutor(50) as pool:
        for got, questions in pool.map(one_client, [(server.url, k) for k in range(50)]):
            assert got == [(200, {"tokens": len(encoders[name].encode(text))}) for name, text in questions]


@pytest.fixture(scope="module")
def client(server):
    with httpx.Client(base_url=server.url, timeout=20, verify=False) as one:
        yield one


def test_other_origins_may_not_frame_the_app(client):
    for path in ("/", "/compare", "/none", "/class", "/class/ABCDE", "/v1/docs", "/_stcore/health"):
        reply = client.get(path)
        policy = reply.headers["content-security-policy"]
        assert "frame-ancestors 'self'" in policy or "frame-ancestors 'none'" in policy, path
        assert reply.headers["x-content-type-options"] == "nosniff", path


def test_pages_of_another_origin_cannot_open_sockets(server):
    own = f"http://localhost:{server.port}"
    for path in ("/_stcore/stream", "/api/live"):
        address = f"ws://localhost:{server.port}{path}"
        for origin in (None, own):
            with connect(address, origin=origin, proxy=None):
                pass
        for origin in ("http://localhost:3000", f"http://127.0.0.1:{server.port}", "http://localhost", "null"):
            with pytest.raises(InvalidStatus) as refused, connect(address, origin=origin, proxy=None):
                pass
            assert refused.value.response.status_code == 403, (path, origin)


def test_app_answers_only_to_its_own_hosts(client, server):
    own = ("/", "/compare", "/_stcore/health", "/_stcore/host-config", "/_stcore/upload_file/a/b", "/media/a")
    for path in ("/v1/docs", "/v1/encodings", "/class", "/api/tokens", *own):
        assert client.get(path, headers={"host": "evil.org"}).status_code == 403, path
        assert client.get(path, headers={"host": f"127.0.0.1:{server.port}"}).status_code != 403, path


def test_streamlit_metrics_are_closed(client):
    assert client.get("/_stcore/metrics").status_code == 404


FOLDERS = ("/", "/media/", "/static/", "/component/", "/_stcore/bidi-components/", "/app/static/", "/class/", "/v1/")
FILES = {  # files of project and system, with a part of their content
    "app.py": b"import streamlit",
    "requirements-core.txt": b"tiktoken>=",
    ".streamlit/config.toml": b"[server]",
    ".git/HEAD": b"ref: refs",
    "etc/passwd": b"root:x:0:0",
}
UP = ("", "../", "../" * 9, "/", "%2e%2e/", "..%2f" * 9, "%2e%2e%2f" * 9, "..%252f" * 9, "..%5c" * 9, "....//", "%00/")


@pytest.mark.parametrize("folder", FOLDERS)
def test_paths_cannot_reach_files(server, folder):
    connection = http.client.HTTPConnection("localhost", server.port)
    for up, (file, holds) in itertools.product(UP, FILES.items()):
        connection.request("GET", f"{folder}{up}{file}")  # unnormalized, unlike in a browser
        assert holds not in connection.getresponse().read(), (folder, up, file)
    connection.close()


def test_stalled_senders_do_not_block_others(client, server):
    head = b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += b"Content-Length: 9000000\r\n\r\n"
    stopped = [socket.create_connection(("localhost", server.port)) for _ in range(40)]
    for one in stopped:
        one.sendall(head + b'{"encoding": "gpt2", "text": "half a secret')
    reply = client.post("/v1/count", json={"encoding": "gpt2", "text": "a b"})
    assert reply.json() == {"tokens": 2}
    for one in stopped:
        one.close()
    reply = client.post("/v1/encode", json={"encoding": "gpt2", "text": "half a secret " * 9_000})
    assert reply.json() == {"ids": oracle("gpt2").encode("half a secret " * 9_000)}
    assert "secret" not in server.log()


REFUSED = {  # request that no client library sends, or that only a real server parses, to problem type
    "GET /v1/../app.py": "no-such-path",
    "GET /v1/%2e%2e/app.py": "no-such-path",
    "GET /v1/%00": "no-such-path",
    "GET /v1/%ff%zz": "no-such-path",
    "GET /v1/" + "a" * 50_000: "no-such-path",
    "CONNECT /v1/count": "wrong-method",
    "POST /v1/count, Content-Type: application/json, Content-Length: 20000000": "too-large",
    "POST /v1/count, Origin: http://evil.org": "other-site",
    "GET /v1/count, Connection: Upgrade, Upgrade: h2c": "wrong-method",
    "GET /v1/count, Connection: Upgrade, Upgrade: websocket, Sec-WebSocket-Version: 13, "
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==": "no-such-path",
    "GET /v1/docs, Host: evil.org": "wrong-host",
    "GET /v1/count, Host: evil.org, Connection: Upgrade, Upgrade: websocket, Sec-WebSocket-Version: 13, "
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==": "wrong-host",
}


@pytest.mark.parametrize("request_", REFUSED, ids=lambda request: request[:60])
def test_refusals_are_problem_documents(server, request_):
    line, *headers = request_.split(", ")
    headers = headers if any(one.startswith("Host:") for one in headers) else ["Host: localhost", *headers]
    with socket.create_connection(("localhost", server.port), 20) as connection:
        connection.sendall("\r\n".join([f"{line} HTTP/1.1", *headers, "", ""]).encode())
        reply = http.client.HTTPResponse(connection)
        reply.begin()
        got = json.loads(reply.read())
    status, _ = PROBLEM_KINDS[REFUSED[request_]]
    assert (reply.status, got["status"], got["type"]) == (status, status, f"/v1/docs#{REFUSED[request_]}")
    assert reply.headers["content-type"] == "application/problem+json" and got["detail"]


def test_docs_page_sends_examples_and_loads_nothing_from_elsewhere(tab, server):
    page, urls = tab(alone=True), []
    page.on("request", lambda request: urls.append(request.url))
    page.goto(f"{server.url}/v1/docs")
    for name in ("count", "encode", "decode", "compare"):
        section = page.locator(f"#{name}")
        section.get_by_role("button", name="Send").click()
        expect(section.locator("output")).to_contain_text("200")
    body = page.get_by_label("Body").first
    body.fill('{"encoding": "gpt4", "text": "<b>"}')
    page.get_by_role("button", name="Send").first.click()
    expect(page.locator("#count output")).to_contain_text("Did you mean 'gpt-4'?")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert all(url.startswith(f"{server.url}/v1/") for url in urls) and len(urls) >= 7
