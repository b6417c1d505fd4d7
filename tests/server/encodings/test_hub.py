"""Tokenizers by model name, from a stand-in for the Hub, and the errors where the Hub gives none."""

import threading
import time
import urllib.request
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
from apps import until

from server.encodings import hub, uploads
from server.encodings.hub import HubFailed, fetch, model_name
from server.training import downloads
from tokenizer import encoding_files, encoding_from_merges

JSON = encoding_files(encoding_from_merges([(b"a", b"b")], name="toy"), "huggingface")["toy.json"]
FILES = {
    "/me/toy/resolve/main/tokenizer.json": JSON,
    "/me/toy/resolve/main/tokenizer_config.json": b"{}",
    "/me/toy/resolve/main/chat_template.jinja": b"x",
    "/me/toy/resolve/main/tokenizer.model": b"not requested",
    "/me/sp/resolve/main/tokenizer.model": b"pieces",
    "/gpt2/resolve/main/vocab.json": b"{}",
    "/gpt2/resolve/main/merges.txt": b"",
    "/half/resolve/main/vocab.json": b"{}",
    "/bert/resolve/main/vocab.txt": b"[UNK]\n",
    "/me/huge/resolve/main/tokenizer.json": b"x" * 5_000,
}
CODES = {"/me/gated/": (401, "GatedRepo"), "/me/none/": (404, "RepoNotFound"), "/me/private/": (401, "")}
CODES |= {"/me/busy/": (429, ""), "/me/broken/": (500, "")}


class StandIn(BaseHTTPRequestHandler):
    """Answers as the Hub does."""

    def do_GET(self):
        self.server.requests.append((self.path, dict(self.headers)))
        status, code = next((answer for start, answer in CODES.items() if self.path.startswith(start)), (200, ""))
        if self.path.startswith("/me/slow/"):
            self.send_response(200)
            self.end_headers()
            with suppress(ConnectionError):  # the client has disconnected
                for _ in range(40):
                    self.wfile.write(b"x")
                    self.wfile.flush()
                    time.sleep(0.1)
            return
        if self.path.startswith("/me/plain/"):
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.end_headers()
            return
        if status == 200 and self.path not in FILES:
            status, code = 404, "EntryNotFound"
        data = FILES.get(self.path, b"no")
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", str(len(data) + 9 * self.path.startswith("/me/cut")))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def requests(monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    server.daemon_threads, server.requests = True, []
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    monkeypatch.setattr(hub, "HUB", f"http://127.0.0.1:{server.server_port}")
    yield server.requests
    server.shutdown()
    server.server_close()


def test_fetched_files_are_loadable(requests):
    files = fetch("me/toy")
    assert files == {"tokenizer.json": JSON, "tokenizer_config.json": b"{}", "chat_template.jinja": b"x"}
    assert uploads.load({"tokenizer.json": files["tokenizer.json"]}).encode("ab") == [256]
    assert [path for path, _ in requests] == [f"/me/toy/resolve/main/{name}" for name in files]
    assert not any({"Authorization", "Cookie"} & headers.keys() for _, headers in requests)


@pytest.mark.parametrize(
    ("name", "files"), [("me/sp", ["tokenizer.model"]), ("gpt2", ["vocab.json", "merges.txt"]), ("bert", ["vocab.txt"])]
)
def test_other_formats_are_fetched_where_there_is_no_json(requests, name, files):
    assert list(fetch(name)) == files


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("me/gated", "sign in and to agree to terms.*open that file here"),
        ("me/none", "no public model of this name. "),
        ("me/private", "no public model of this name, or its owner lets only some people download it"),
        ("me/busy", "too many requests.*in a few minutes"),
        ("me/broken", "error code 500"),
        ("half", "no tokenizer in a format that can be downloaded here"),
        ("me/plain", "does not begin with https://"),
    ],
)
def test_hub_errors_are_explained(requests, name, pattern):
    with pytest.raises(HubFailed, match=pattern):
        fetch(name)


@pytest.mark.slow
def test_too_large_and_too_slow_downloads_are_stopped(requests, monkeypatch):
    monkeypatch.setattr(hub, "MAX_FILE_BYTES", 1_000)
    with pytest.raises(
        HubFailed,
        match="with the file tokenizer.json, the download is larger than the limit of 1,000 bytes. Choose another",
    ):
        fetch("me/huge")
    monkeypatch.setattr(hub, "MAX_FILE_BYTES", len(JSON) + 1)  # for all files of a model together
    with pytest.raises(HubFailed, match="with the file tokenizer_config.json, the download is larger than"):
        fetch("me/toy")
    began = time.monotonic()
    with pytest.raises(HubFailed, match="the download did not finish in time"):
        fetch("me/slow", seconds=0.5)
    assert time.monotonic() - began < 3


def test_missing_network_is_explained(monkeypatch):
    monkeypatch.setattr(hub, "HUB", "http://127.0.0.1:1")
    with pytest.raises(
        HubFailed, match="the connection to 127.0.0.1 failed .*Check the name of the model and the connection"
    ):
        fetch("me/toy")
    monkeypatch.setattr(hub, "HUB", "http://example.invalid")
    with pytest.raises(HubFailed, match="does not begin with https://"):
        fetch("me/toy")


@pytest.mark.parametrize(
    "written",
    ["", "..", "a/../b", "a/b/c", "a b", "a\nb", "-a", "a--b", "a.", "<b>", "ก", "a/b?x=1", "a#b", "http://x/y"]
    + ["x" * 99],
)
def test_invalid_model_names_send_no_request(requests, written):
    with pytest.raises(HubFailed, match="not the name of a model"):
        fetch(written)
    assert requests == []


def test_model_name_is_read_from_an_address():
    for written in (
        "gpt2",
        "https://huggingface.co/gpt2",
        " gpt2/ ",
        "https://huggingface.co/gpt2/blob/main/vocab.json",
        "https://huggingface.co/gpt2?library=transformers",
        "https://huggingface.co/gpt2#model-description",
        "huggingface.co/gpt2",
        "https://hf.co/gpt2",
        "https://huggingface.co/gpt2/discussions/3",
    ):
        assert model_name(written) == "gpt2"
    assert model_name("Qwen/Qwen3-0.6B") == "Qwen/Qwen3-0.6B"


class Openers:
    """In place of `build_opener`: each download waits for `ended`, then takes too long; records the allowed times."""

    def __init__(self):
        self.running, self.most, self.timeouts, self.ended = [], [], [], threading.Event()

    def __call__(self, *handlers):
        return self

    def open(self, request, timeout):
        self.running.append(request)
        self.most.append(len(self.running))
        self.timeouts.append(timeout)
        self.ended.wait(10)
        self.running.pop()
        raise TimeoutError


@pytest.fixture
def openers(monkeypatch):
    found = Openers()
    monkeypatch.setattr(urllib.request, "build_opener", found)
    return found


def started_downloads(num):
    """Threads that download."""

    def download():
        with suppress(HubFailed):
            fetch("me/toy", seconds=30)

    threads = [threading.Thread(target=download) for _ in range(num)]
    for thread in threads:
        thread.start()
    return threads


def test_few_downloads_run_at_a_time_and_others_wait_until_their_time_is_over(openers):
    threads = started_downloads(hub.MAX_DOWNLOADS + 2)
    until(lambda: len(openers.running) >= hub.MAX_DOWNLOADS, seconds=9)
    with pytest.raises(HubFailed, match="did not finish in time"):
        fetch("me/late", seconds=0.05)
    openers.ended.set()
    for thread in threads:
        thread.join()
    assert max(openers.most) == hub.MAX_DOWNLOADS and len(openers.most) == len(threads)


def test_download_that_waited_has_its_whole_time(openers, monkeypatch):
    clock = [0.0]
    for module in (hub, downloads):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    threads = started_downloads(hub.MAX_DOWNLOADS)
    until(lambda: len(openers.running) == hub.MAX_DOWNLOADS, seconds=9)
    threads += started_downloads(1)
    time.sleep(0.1)  # the last one waits
    clock[0] = 29
    openers.ended.set()
    for thread in threads:
        thread.join()
    assert openers.timeouts == [30] * (hub.MAX_DOWNLOADS + 1)
