"""The configurations of docs/hosting.md serve the app: pages, requests and sockets, by the client's own address."""

import asyncio
import re
import shutil
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from types import SimpleNamespace
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest
from apps import until
from paths import ROOT
from playwright.sync_api import expect
from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from e2e.conftest import SEEN
from e2e.desk import Desk
from e2e.server import LAUNCHER, Server

NAME = "tokens.example.org"
DOCS = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
CONFIGURATIONS = dict(re.findall(r"```(nginx|caddy)\n(.*?)```", DOCS, re.S))
[(VARIABLE, VALUE)] = re.findall(r"^(TOKENLOUPE_\w+)=(\S+) python -m ui\.launcher --server\.port 8501$", DOCS, re.M)
NGINX = """daemon off; pid {folder}/pid; error_log stderr; events {{ worker_connections 2048; }}
http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; {servers} }}"""
STREAM, LIVE = "/_stcore/stream", "/api/live"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def nginx(folder, port: int, app_port: int, certificate=None) -> list[str]:
    """Returns the command that starts nginx, with TLS where there is a certificate."""
    servers = CONFIGURATIONS["nginx"].replace("127.0.0.1:8501", f"127.0.0.1:{app_port}")
    if certificate:
        servers = servers.replace("/etc/ssl/tokens", str(certificate)).replace("443 ssl", f"127.0.0.1:{port} ssl")
    else:
        servers = re.sub(r" *ssl_\w+ .*\n", "", servers).replace("443 ssl", f"127.0.0.1:{port}")
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, servers=servers))
    return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def caddy(folder, port: int, app_port: int, certificate=None) -> list[str]:
    """Returns the command that starts Caddy, with TLS where there is a certificate."""
    tls = f"{{\n    tls {certificate}.pem {certificate}.key" if certificate else "{"
    site = f"https://*.example.test:{port}" if certificate else f"http://{NAME}:{port}"
    sites = CONFIGURATIONS["caddy"].replace(f"{NAME} {{", f"{site} {tls}").replace("8501", str(app_port))
    (folder / "Caddyfile").write_text(f"{{\n    admin off\n    auto_https off\n}}\n{sites}")
    return ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


PROXIES = pytest.mark.parametrize("proxy", [nginx, caddy], ids=["nginx", "caddy"])


def must_have(*programs) -> None:
    """Skips the test where a program is missing."""
    if missing := [name for name in programs if not shutil.which(name)]:
        pytest.skip(f"needs {' and '.join(missing)}")


@contextmanager
def running(command: list[str], port: int, log):
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        until(lambda: answers(port) or process.poll() is not None, seconds=30)
        assert process.poll() is None, log.read_text()
        yield
    finally:
        process.terminate()
        process.wait(timeout=10)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def opened(port: int, path: str, address: str = "127.0.0.1", **options):
    """Returns a socket of a page through the proxy, from an address of this machine."""
    plain = socket.create_connection(("127.0.0.1", port), source_address=(address, 0))
    return connect(f"ws://{NAME}:{port}{path}", sock=plain, **options)


def opens(port: int, path: str, origin: str) -> bool:
    """Returns whether a page of an origin can open a socket through the proxy."""
    with suppress(InvalidStatus), opened(port, path, origin=origin):
        return True
    return False


@pytest.fixture(scope="module")
def documented_app(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("app") / "log.txt", LAUNCHER, **{VARIABLE: VALUE}) as app:
        yield app
        assert app.log_problems() == []


@PROXIES
def test_documented_proxy_serves_pages_requests_and_sockets(documented_app, proxy, tmp_path):
    must_have(proxy.__name__)
    port = free_port()
    with (
        running(proxy(tmp_path, port, documented_app.port), port, tmp_path / "proxy.txt"),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", headers={"host": f"{NAME}:{port}"}) as client,
    ):
        assert "<title>" in client.get("/").text
        assert client.post("/v1/count", json={"encoding": "gpt-4o", "text": "hello world"}).json() == {"tokens": 2}
        for path in (STREAM, LIVE):
            assert opens(port, path, f"http://{NAME}:{port}")
            assert not opens(port, path, "http://example.com")
        assert "<title>" not in client.get("/", headers={"host": "example.com"}).text


def refused(port: int, pages: list[tuple[str, dict]], is_one_enough: bool = False) -> int:
    """Opens pages at once, each from an address of this machine and with its own headers; returns how many fail."""
    with ThreadPoolExecutor(1) as thread:  # the browser of other tests has an event loop in this one
        found = thread.submit(asyncio.run, _opened(port, pages, is_one_enough)).result(80)
    failed = [one for one in found if one is not None and not isinstance(one, asyncio.CancelledError)]
    assert [one for one in failed if not isinstance(one, InvalidStatus)] == []
    return len(failed)


async def _opened(port: int, pages: list[tuple[str, dict]], is_one_enough: bool) -> list[BaseException | None]:
    async with AsyncExitStack() as stack:

        async def open_page(address: str, options: dict) -> None:
            plain = socket.create_connection(("127.0.0.1", port), source_address=(address, 0))
            options = {"open_timeout": 60, "close_timeout": 0.1, **options}
            await stack.enter_async_context(connect_async(f"ws://{NAME}:{port}{STREAM}", sock=plain, **options))

        opening = [asyncio.create_task(open_page(*page)) for page in pages]
        await asyncio.wait(opening, return_when="FIRST_EXCEPTION" if is_one_enough else "ALL_COMPLETED")
        for one in opening:
            one.cancel()
        return await asyncio.gather(*opening, return_exceptions=True)


def test_none_of_many_visitors_behind_one_proxy_is_refused(documented_app, tmp_path):
    """Each of 150 visitors opens two pages; of 400 pages of one address some are refused."""
    must_have("nginx")
    port = free_port()
    visitors = [f"127.0.1.{number}" for number in range(1, 151)]
    with running(nginx(tmp_path, port, documented_app.port), port, tmp_path / "proxy.txt"):
        origin = {"origin": f"http://{NAME}:{port}"}
        assert refused(port, [(visitor, origin) for visitor in 2 * visitors]) == 0
        assert refused(port, 400 * [("127.0.2.1", origin)], is_one_enough=True)


def test_forged_headers_of_a_visitor_change_nothing(tmp_path):
    """A visitor who is not the proxy invents an address for each page that it opens, and a name for the server."""
    options = {"TOKENLOUPE_HOSTS": f"{NAME}, *.example.test", "TOKENLOUPE_PROXIES": "127.0.0.2"}
    with Server(tmp_path / "app.txt", LAUNCHER, **options) as app:
        invented = f"x.example.test:{app.port}"

        def pages(peer: str, origin: str) -> list[tuple[str, dict]]:
            addresses = [f"198.18.{number // 200}.{number % 200}" for number in range(400)]
            sent = [{"x-forwarded-for": address, "x-forwarded-host": invented} for address in addresses]
            return [(peer, {"origin": f"http://{origin}", "additional_headers": headers}) for headers in sent]

        assert refused(app.port, pages("127.0.0.2", invented)) == 0
        assert refused(app.port, pages("127.0.0.3", invented)[:5]) == 5
        assert refused(app.port, pages("127.0.0.3", f"{NAME}:{app.port}"), is_one_enough=True)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """The path of a certificate for names below example.test, without its ending."""
    must_have("openssl")
    found = tmp_path_factory.mktemp("certificate") / "own"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=x.example.test"]
    words += ["-addext", "subjectAltName=DNS:*.example.test", "-keyout", f"{found}.key", "-out", f"{found}.pem"]
    subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=60)
    return found


@pytest.mark.parametrize(("proxy", "base"), [(nginx, ""), (caddy, "/tokens")], ids=["nginx", "caddy-base-path"])
def test_visitors_of_a_proxy_type_upload_share_and_meet_in_a_class(proxy, base, certificate, browser, tmp_path):
    """Over HTTPS as x.example.test; with Caddy below a base path."""
    must_have(proxy.__name__)
    port, options = free_port(), ["--server.baseUrlPath", base.strip("/")] if base else []
    app = Server(tmp_path / "app.txt", (*LAUNCHER[:-1], *options, LAUNCHER[-1]), TOKENLOUPE_HOSTS="*.example.test")
    app.url += base
    with app, running(proxy(tmp_path, port, app.port, certificate), port, tmp_path / "proxy.txt"), ExitStack() as stack:
        site = SimpleNamespace(url=f"https://x.example.test:{port}{base}")
        teacher, phone = (browser.new_context(ignore_https_errors=True, locale="en-US") for _ in range(2))
        stack.callback(phone.close)
        stack.callback(teacher.close)
        teacher.add_init_script(SEEN)
        desk = Desk(teacher.new_page(), site)
        failed = []
        for context in (teacher, phone):
            context.on("response", lambda reply: reply.status >= 400 and failed.append((reply.status, reply.url)))
        sockets = []
        desk.page.on("websocket", lambda socket: sockets.append(socket.url))
        desk.open()
        desk.write("ที่ costs more")
        desk.expect_exact("ที่ costs more")
        desk.idle()  # the server has just started, its first run may still draw
        desk.open_upload_popover()
        expect(desk.page.get_by_test_id("stPopoverBody")).to_be_visible()
        file = {"name": "own.txt", "mimeType": "text/plain", "buffer": b"text of a file"}
        desk.page.locator("[class*=st-key-opened_files] input[type=file]").set_input_files(file)
        desk.expect_counts("text of a file")
        desk.page.keyboard.press("Escape")
        link = desk.copied_link()
        assert link.startswith((f"{site.url}/#", f"{site.url}/?"))
        desk.turn_to("Lessons")
        desk.button("Open a class").click()
        code = desk.page.locator(".code")
        expect(code).to_have_text(re.compile("^[A-Z0-9]{5}$"))
        address = f"{site.url}/class/{code.inner_text()}"
        expect(desk.page.locator(".address")).to_have_text(f"x.example.test:{port}{base}/class")
        expect(desk.page.locator(".qr")).to_have_attribute("alt", re.compile(re.escape(address)))
        learner = phone.new_page()
        learner.goto(address)
        expect(desk.page.locator(".here")).to_contain_text("1 ")
        expect(learner.get_by_role("textbox").first).to_be_visible()
        assert {urlsplit(one).path for one in sockets} == {f"{base}{STREAM}", f"{base}{LIVE}"}
        assert all(one.startswith(site.url.replace("https", "wss")) for one in sockets)
        assert failed == [] and app.log_problems() == []
