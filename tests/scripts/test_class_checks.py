"""What `make class` says before a class, on machines that lack something; and where it sends the phones."""

import socket
import sys

import pytest
from paths import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import class_checks
import lan
import serve_class
from lan import Address


@pytest.fixture
def says(monkeypatch):
    """Makes programs of this machine say something: by their names, the others are not there."""

    def give(**answers: str) -> None:
        names = {name.replace("_", "-"): answer for name, answer in answers.items()}
        monkeypatch.setattr(class_checks, "_run", lambda command, *_: names.get(command.rsplit("/", 1)[-1], ""))
        monkeypatch.setattr(class_checks.shutil, "which", lambda command: command if command in names else None)

    return give


# ---- addresses ----


@pytest.mark.parametrize(
    ("found", "routed", "order"),
    [
        ([("lo", "127.0.0.1"), ("wlan0", "192.168.1.5")], "192.168.1.5", ["192.168.1.5"]),
        ([("lo", "127.0.0.1"), ("wlan0", "10.42.0.1")], None, ["10.42.0.1"]),  # a hotspot, and no Internet
        ([("eth0", "10.0.0.7"), ("wlan0", "192.168.1.5")], "192.168.1.5", ["192.168.1.5", "10.0.0.7"]),
        ([("docker0", "172.17.0.1"), ("en0", "192.168.1.5")], None, ["192.168.1.5", "172.17.0.1"]),
        ([("utun3", "10.8.0.2"), ("en0", "192.168.1.5")], "10.8.0.2", ["192.168.1.5", "10.8.0.2"]),
        ([("eth0", "169.254.3.4"), ("wlan0", "192.168.137.1")], None, ["192.168.137.1", "169.254.3.4"]),
        ([("lo", "127.0.0.1")], None, []),
    ],
)
def test_the_likeliest_address_is_first(found, routed, order):
    assert [one.ip for one in lan.in_order([Address(ip, name) for name, ip in found], routed)] == order


def test_without_a_route_the_interfaces_tell_and_without_them_the_name(monkeypatch):
    monkeypatch.setattr(lan, "of_route", lambda: None)
    monkeypatch.setattr(lan, "of_interfaces", lambda: [Address("10.42.0.1", "wlan0")])
    assert lan.addresses() == [Address("10.42.0.1", "wlan0")]
    monkeypatch.setattr(lan, "of_interfaces", list)
    monkeypatch.setattr(lan, "of_name", lambda: [Address("192.168.137.1"), Address("127.0.0.1")])
    assert lan.addresses() == [Address("192.168.137.1")]


def test_to_ask_for_the_address_sends_nothing(monkeypatch):
    def sends(*_) -> None:
        raise AssertionError("something was sent")

    class Silent(socket.socket):
        send = sendto = sendall = sendmsg = sends

    monkeypatch.setattr(lan.socket, "socket", Silent)
    monkeypatch.setattr(lan.socket, "getaddrinfo", sends)  # it may ask a name server
    if sys.platform in lan.GET_ADDRESS:
        lan.addresses()
        assert "127.0.0.1" in {one.ip for one in lan.of_interfaces()}


def test_no_network_is_said_with_what_to_do(monkeypatch, capsys):
    monkeypatch.setattr(lan, "addresses", list)
    monkeypatch.setattr(class_checks, "all_checks", lambda port: [])
    assert serve_class.main(["--port", "8501"]) == 1
    said = capsys.readouterr().out
    assert "on no network" in said and "open a hotspot" in said


def test_other_addresses_are_named(capsys):
    said = serve_class.welcome([Address("192.168.1.5", "wlan0"), Address("10.0.0.7", "eth0")], 8600)
    assert said.index("http://192.168.1.5:8600/class") < said.index("http://10.0.0.7:8600/class  (eth0)")
    assert "http://localhost:8600/learn" in said
    assert "other addresses" not in serve_class.welcome([Address("192.168.1.5")], 8600)


def test_the_code_in_the_terminal_is_that_of_the_address():
    import segno

    address = "http://192.168.1.5:8501/class"
    lines = serve_class.qr_code(address).splitlines()
    halves = [[(" ▄▀█".index(one) >> 1, " ▄▀█".index(one) & 1) for one in line] for line in lines]
    rows = [[one[i] for one in line] for line in halves for i in (0, 1)]
    wanted = [list(map(bool, row)) for row in segno.make(address, error="m", micro=False).matrix_iter(border=4)]
    assert [[not one for one in row] for row in rows[: len(wanted)]] == wanted


# ---- what is missing ----


def test_a_port_that_is_taken_has_its_holder_and_another(says):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        says(lsof=f"p4711\ncstreamlit\nf3\nn*:{port}\n")
        found = class_checks.free(port)
        assert not found.is_well and found.stops
        assert "streamlit (process 4711)" in found.words and f"make class PORT={port + 1}" in found.words
        says(ss='LISTEN 0 128 *:8501 *:* users:(("python3",pid=12,fd=6))')
        assert "python3 (process 12)" in class_checks.free(port).words
        says()
        assert "another program" in class_checks.free(port).words
    assert class_checks.free(port).is_well


@pytest.mark.parametrize("port", [0, 80, 65536])
def test_a_port_that_cannot_be_used_is_said(port):
    assert class_checks.free(port).stops


def test_a_firewall_that_is_on_is_said_with_the_way_through(says, monkeypatch, tmp_path):
    monkeypatch.setattr(class_checks, "UFW", tmp_path / "ufw.conf")
    says()
    assert class_checks.firewall(8501, "linux").is_well
    says(systemctl="active\n")
    assert "sudo firewall-cmd --add-port=8501/tcp" in class_checks.firewall(8501, "linux").words
    class_checks.UFW.write_text("# a comment\nENABLED=yes\n")
    assert "sudo ufw allow 8501/tcp" in class_checks.firewall(8501, "linux").words
    class_checks.UFW.write_text("ENABLED=no\n")
    says(systemctl="inactive\n", socketfilterfw="Firewall is enabled. (State = 1)")
    assert class_checks.firewall(8501, "linux").is_well
    assert not class_checks.firewall(8501, "darwin").is_well
    says(socketfilterfw="Firewall is disabled. (State = 0)")
    assert class_checks.firewall(8501, "darwin").is_well
    assert "allow it" in class_checks.firewall(8501, "win32").words


def test_fonts_that_are_missing_are_named(says, monkeypatch):
    says()
    assert "not known" in class_checks.fonts("linux").words
    says(fc_list="Noto Sans")
    assert class_checks.fonts("linux").is_well
    has = {"fc-list": lambda asked: "" if asked in (":charset=e17", ":charset=1f600") else "Noto Sans"}
    monkeypatch.setattr(class_checks, "_run", lambda command, asked, *_: has[command](asked))
    found = class_checks.fonts("linux")
    assert not found.is_well and "No font here for Thai and emoji." in found.words and not found.stops
    assert class_checks.fonts("darwin").is_well
    assert "Phones use fonts of their own" in found.words


def test_windows_inside_linux_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(class_checks, "VERSION", tmp_path / "version")
    assert class_checks.subsystem() == []
    class_checks.VERSION.write_text("Linux version 5.15-microsoft-standard-WSL2")
    assert "Start the class from Windows itself" in class_checks.subsystem()[0].words


def test_the_server_answers_to_its_addresses_and_to_no_other_name():
    flags = serve_class.flags([Address("192.168.1.5"), Address("10.0.0.7")], 8600)
    hosts = {flags[i + 1] for i, word in enumerate(flags) if word == "--server.allowedHosts"}
    assert {"localhost", "127.0.0.1", "::1", "192.168.1.5", "10.0.0.7"} <= hosts
    assert hosts - {"localhost", "127.0.0.1", "::1", "192.168.1.5", "10.0.0.7"} == set(lan.names())
    assert "*" not in hosts
