"""The files of docs/hosting.md: the front matter of a Space, the unit of systemd, the codespace, the balancer."""

import json
import re
import shlex
import shutil
import socket
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import yaml
from apps import until
from paths import ROOT

from server.limits.host_guard import is_allowed
from server.limits.proxy_headers import networks
from ui.launcher import from_environment

DOCS = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
UNIT = ROOT / "docs" / "hosting" / "tokenloupe.service"
CODESPACE = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))


def test_front_matter_of_a_space_names_the_port_of_the_container():
    matter = (ROOT / "docs" / "hosting" / "space.md").read_text(encoding="utf-8").split("---\n")[1]
    found = yaml.safe_load(matter)
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert found["sdk"] == "docker" and f"EXPOSE {found['app_port']}\n" in dockerfile
    variables = dict(re.findall(r"^(TOKENLOUPE_\w+)=(\S+)$", DOCS, re.M))
    assert is_allowed("owner-name.hf.space", [variables["TOKENLOUPE_HOSTS"]]) and networks(
        variables["TOKENLOUPE_PROXIES"]
    )


def test_codespace_starts_the_app_under_the_names_of_its_proxy():
    options, [port] = from_environment(CODESPACE["containerEnv"]), CODESPACE["forwardPorts"]
    assert f"http://localhost:{port}" in options["server.corsAllowedOrigins"]
    assert is_allowed(f"name-{port}.app.github.dev", [CODESPACE["containerEnv"]["TOKENLOUPE_HOSTS"]])
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert CODESPACE["postAttachCommand"] == "make run" and "\nrun:" in makefile
    assert f"PORT ?= {port}\n" in makefile
    assert CODESPACE["portsAttributes"][str(port)]["onAutoForward"] == "openBrowser"  # a preview is a frame


def test_unit_of_systemd_is_valid_and_starts_the_launcher(tmp_path):
    unit = UNIT.read_text(encoding="utf-8")
    folder = re.search(r"^WorkingDirectory=(.*)$", unit, re.M)[1]
    assert f"git clone REPOSITORY {folder} " in DOCS
    program, *words = shlex.split(re.search(r"^ExecStart=(.*)$", unit, re.M)[1])
    assert program == f"{folder}/.venv/bin/python" and words == ["-m", "ui.launcher", "--server.port", "8501"]
    if not shutil.which("systemd-analyze"):
        pytest.skip("needs systemd-analyze")
    here = tmp_path / UNIT.name
    here.write_text(unit.replace(program, shutil.which("sh")))
    done = subprocess.run(["systemd-analyze", "verify", here], capture_output=True, text=True, timeout=60)
    assert UNIT.name not in done.stderr, done.stderr


@pytest.fixture
def servers():
    """The ports of two servers, each of which answers with its own."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(str(self.server.server_port).encode())

        def log_message(self, *_):
            """Logs nothing."""

    found = [ThreadingHTTPServer(("127.0.0.1", 0), Answers) for _ in range(2)]
    for server in found:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield [server.server_port for server in found]
    for server in found:
        server.shutdown()
        server.server_close()


def answer(port: int, address: str) -> str:
    with socket.create_connection(("127.0.0.1", port), source_address=(address, 0), timeout=10) as connection:
        connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
        return connection.makefile().read().rpartition("\n")[2]


@pytest.mark.slow
def test_balancer_keeps_an_address_at_one_server(servers, tmp_path):
    if not shutil.which("nginx"):
        pytest.skip("needs nginx")
    upstream = re.search(r"upstream tokenloupe \{.*?\n\}", DOCS, re.S)[0]
    for address, port in zip(("10.0.0.2:8501", "10.0.0.3:8501"), servers, strict=True):
        upstream = upstream.replace(address, f"127.0.0.1:{port}")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        own = probe.getsockname()[1]
    site = f"server {{ listen 127.0.0.1:{own}; location / {{ proxy_pass http://tokenloupe; }} }}"
    head = f"daemon off; pid {tmp_path}/pid; error_log stderr; events {{}}\n"
    temporary = "".join(f"{kind}_temp_path {tmp_path}/{kind}; " for kind in ("proxy", "client_body"))
    (tmp_path / "nginx.conf").write_text(f"{head}http {{ access_log off; {temporary}{upstream} {site} }}")
    process = subprocess.Popen(["nginx", "-p", tmp_path, "-c", tmp_path / "nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        until(lambda: socket.socket().connect_ex(("127.0.0.1", own)) == 0, seconds=30)
        addresses = [f"127.0.1.{number}" for number in range(1, 31)]
        first = [answer(own, address) for address in addresses]
        assert {*first} == {*map(str, servers)}
        assert [answer(own, address) for address in addresses] == first
    finally:
        process.terminate()
        process.wait(timeout=10)
