"""A class is served to the local network; without one the app answers only this machine."""

import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from paths import ROOT
from playwright.sync_api import expect

from e2e.server import START_TIMEOUT_SECONDS

sys.path.insert(0, str(ROOT / "scripts"))
import lan

LAN_IPS = [one.ip for one in lan.addresses()]
on_a_network = pytest.mark.skipif(not LAN_IPS, reason="this machine is on no network")
SHAKE = "GET /_stcore/stream HTTP/1.1\r\nHost: {}:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
SHAKE += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"


def answers(host: str, port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{host}:{port}/_stcore/health", timeout=2):
            return True
    except OSError:
        return False


def socket_status(port: int, host: str) -> int:
    """Returns the status of a socket handshake with this Host header."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(SHAKE.format(host, port).encode())
        return int(re.match(rb"HTTP/1.1 (\d+)", connection.recv(100))[1])


@pytest.fixture(scope="module")
def class_port(tmp_path_factory):
    """The port of a served class; stops it with SIGINT and checks its output."""
    with socket.create_server(("", 0)) as free:
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("class") / "log.txt"
    with log.open("wb") as out:
        command = [sys.executable, "scripts/serve_class.py", "--port", str(port)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while not answers("127.0.0.1", port):
        assert process.poll() is None and time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
    yield port
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0
    output = log.read_text()
    assert "Traceback" not in output and "Aborted" not in output
    assert f"http://{LAN_IPS[0]}:{port}/class" in output and output.rstrip().endswith("The class is over.")


@on_a_network
def test_class_is_reachable_by_its_network_address(class_port, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"http://{LAN_IPS[0]}:{class_port}/learn?lesson=bpe")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator(".learn-question")).to_be_visible()
    context.close()
    assert [socket_status(class_port, host) for host in (LAN_IPS[0], "localhost", "127.0.0.1", "[::1]")] == [101] * 4
    assert socket_status(class_port, "evil.example") == 403


@on_a_network
def test_app_without_a_class_is_not_reachable_from_the_network(server):
    assert answers("127.0.0.1", server.port) and answers("localhost", server.port)
    assert not any(answers(ip, server.port) for ip in LAN_IPS)
    assert socket_status(server.port, "127.0.0.1") == socket_status(server.port, "localhost") == 101
    assert [socket_status(server.port, host) for host in ("evil.example", LAN_IPS[0])] == [403, 403]


def test_deep_link_opens_by_localhost_and_by_127_0_0_1(server, browser):
    context = browser.new_context()
    page = context.new_page()
    for host in ("localhost", "127.0.0.1"):
        page.goto(f"http://{host}:{server.port}/hood?view=scripts")
        expect(page.get_by_role("region", name="Paragraphs")).to_be_visible()
    context.close()


@on_a_network
def test_qr_code_has_the_network_address_also_on_localhost(class_port, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"http://localhost:{class_port}/learn?lesson=bpe")
    expect(page.locator(".learn-question")).to_be_visible()
    page.locator(".stage-hint").wait_for(state="attached")
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="QR code").click()
    address = page.locator(".link-panel .address")
    expect(address).to_have_text(f"http://{LAN_IPS[0]}:{class_port}/learn?lesson=bpe")
    expect(page.locator(".link-panel img")).to_be_visible()
    assert "Other devices cannot" not in page.locator(".link-panel").inner_text()
    context.close()
