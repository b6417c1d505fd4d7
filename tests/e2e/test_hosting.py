"""The configurations of docs/hosting.md serve the app: pages, requests and sockets, by the client's own address."""

import re
import shutil
import socket
import subprocess
from contextlib import contextmanager, suppress

import httpx2 as httpx
import pytest
from apps import until
from paths import ROOT
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from e2e.server import LAUNCHER, Server

NAME = "tokens.example.org"
DOCS = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
CONFIGURATIONS = dict(re.findall(r"```(nginx|caddy)\n(.*?)```", DOCS, re.S))
OPTIONS = re.search(r"python -m ui\.launcher --server\.port 8501 (.*)", DOCS)[1].split()
NGINX = """daemon off; pid {folder}/pid; error_log stderr; events {{}}
http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; {servers} }}"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def nginx(folder, port: int, app_port: int) -> list[str]:
    """Returns the command that starts nginx without TLS."""
    servers = re.sub(r" *ssl_\w+ .*\n", "", CONFIGURATIONS["nginx"])
    servers = servers.replace("443 ssl", f"127.0.0.1:{port}").replace("127.0.0.1:8501", f"127.0.0.1:{app_port}")
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, servers=servers))
    return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def caddy(folder, port: int, app_port: int) -> list[str]:
    """Returns the command that starts Caddy without TLS."""
    sites = CONFIGURATIONS["caddy"].replace(NAME, f"http://{NAME}:{port}").replace("8501", str(app_port))
    (folder / "Caddyfile").write_text(f"{{\n    admin off\n    auto_https off\n}}\n{sites}")
    return ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


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


def opens(port: int, path: str, origin: str) -> bool:
    """Returns whether a page of an origin can open a socket through the proxy."""
    with (
        suppress(InvalidStatus),
        socket.create_connection(("127.0.0.1", port)) as plain,
        connect(f"ws://{NAME}:{port}{path}", sock=plain, origin=origin),
    ):
        return True
    return False


@pytest.mark.parametrize("proxy", [nginx, caddy], ids=["nginx", "caddy"])
def test_documented_proxy_serves_pages_requests_and_sockets(proxy, tmp_path):
    if not shutil.which(proxy.__name__):
        pytest.skip(f"needs {proxy.__name__}")
    port, command = free_port(), (*LAUNCHER[:-1], *OPTIONS, LAUNCHER[-1])
    with (
        Server(tmp_path / "app.txt", command) as app,
        running(proxy(tmp_path, port, app.port), port, tmp_path / "proxy.txt"),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", headers={"host": f"{NAME}:{port}"}) as client,
    ):
        assert "<title>" in client.get("/").text
        assert client.post("/v1/count", json={"encoding": "gpt-4o", "text": "hello world"}).json() == {"tokens": 2}
        for path in ("/_stcore/stream", "/api/live"):
            assert opens(port, path, f"http://{NAME}:{port}")
            assert not opens(port, path, "http://example.com")
        assert "<title>" not in client.get("/", headers={"host": "example.com"}).text
        assert app.log_problems() == []
