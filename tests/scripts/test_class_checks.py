"""The checks and addresses of `make class`."""

import re
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
def fake_programs(monkeypatch):
    """Sets the output of programs by name; all other programs are missing."""

    def give(**answers: str) -> None:
        names = {name.replace("_", "-"): answer for name, answer in answers.items()}
        monkeypatch.setattr(class_checks, "run", lambda command, *_: names.get(command.rsplit("/", 1)[-1], ""))
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
def test_likeliest_address_is_first(found, routed, order):
    assert [one.ip for one in lan.in_order([Address(ip, name) for name, ip in found], routed)] == order


def test_addresses_fall_back_to_interfaces_then_to_the_host_name(monkeypatch):
    monkeypatch.setattr(lan, "of_route", lambda: None)
    monkeypatch.setattr(lan, "of_interfaces", lambda: [Address("10.42.0.1", "wlan0")])
    assert lan.addresses() == [Address("10.42.0.1", "wlan0")]
    monkeypatch.setattr(lan, "of_interfaces", list)
    monkeypatch.setattr(lan, "of_name", lambda: [Address("192.168.137.1"), Address("127.0.0.1")])
    assert lan.addresses() == [Address("192.168.137.1")]


def test_looking_up_the_address_sends_nothing(monkeypatch):
    def sends(*_) -> None:
        raise AssertionError("something was sent")

    class Silent(socket.socket):
        send = sendto = sendall = sendmsg = sends

    monkeypatch.setattr(lan.socket, "socket", Silent)
    monkeypatch.setattr(lan.socket, "getaddrinfo", sends)  # it may ask a name server
    if sys.platform in lan.GET_ADDRESS:
        lan.addresses()
        assert "127.0.0.1" in {one.ip for one in lan.of_interfaces()}


def test_missing_network_is_reported_with_a_remedy(monkeypatch, capsys):
    monkeypatch.setattr(lan, "addresses", list)
    monkeypatch.setattr(class_checks, "all_checks", lambda port: [])
    assert serve_class.main(["--port", "8501"]) == 1
    output = capsys.readouterr().out
    assert "on no network" in output and "open a hotspot" in output


def test_command_of_the_readme_takes_its_port():
    (options,) = re.findall(r"`python scripts/serve_class.py([^`]*)`", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert serve_class.parsed(options.split()).port == 8600


def test_welcome_lists_the_other_addresses():
    output = serve_class.welcome([Address("192.168.1.5", "wlan0"), Address("10.0.0.7", "eth0")], 8600)
    assert output.index("http://192.168.1.5:8600/class") < output.index("http://10.0.0.7:8600/class  (eth0)")
    assert "http://localhost:8600/learn" in output
    assert "other addresses" not in serve_class.welcome([Address("192.168.1.5")], 8600)


def test_qr_code_in_the_terminal_equals_segnos():
    import segno

    address = "http://192.168.1.5:8501/class"
    lines = serve_class.qr_code(address).splitlines()
    halves = [[(" ▄▀█".index(one) >> 1, " ▄▀█".index(one) & 1) for one in line] for line in lines]
    rows = [[one[i] for one in line] for line in halves for i in (0, 1)]
    wanted = [list(map(bool, row)) for row in segno.make(address, error="m", micro=False).matrix_iter(border=4)]
    assert [[not one for one in row] for row in rows[: len(wanted)]] == wanted


# ---- checks ----


def test_taken_port_is_reported_with_its_program_and_a_free_port(fake_programs):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        fake_programs(lsof=f"p4711\ncstreamlit\nf3\nn*:{port}\n")
        found = class_checks.free(port)
        assert not found.is_well and found.stops
        assert "streamlit (process 4711)" in found.words and f"make class PORT={port + 1}" in found.words
        fake_programs(ss='LISTEN 0 128 *:8501 *:* users:(("python3",pid=12,fd=6))')
        assert "python3 (process 12)" in class_checks.free(port).words
        fake_programs()
        assert "another program" in class_checks.free(port).words
    assert class_checks.free(port).is_well


@pytest.mark.parametrize("port", [0, 80, 65536])
def test_unusable_port_stops_the_start(port):
    assert class_checks.free(port).stops


def test_active_firewall_is_reported_with_the_command_that_opens_it(fake_programs, monkeypatch, tmp_path):
    monkeypatch.setattr(class_checks, "UFW", tmp_path / "ufw.conf")
    fake_programs()
    assert class_checks.firewall(8501, "linux").is_well
    fake_programs(systemctl="active\n")
    assert "sudo firewall-cmd --add-port=8501/tcp" in class_checks.firewall(8501, "linux").words
    class_checks.UFW.write_text("# a comment\nENABLED=yes\n")
    assert "sudo ufw allow 8501/tcp" in class_checks.firewall(8501, "linux").words
    class_checks.UFW.write_text("ENABLED=no\n")
    fake_programs(systemctl="inactive\n", socketfilterfw="Firewall is enabled. (State = 1)")
    assert class_checks.firewall(8501, "linux").is_well
    assert not class_checks.firewall(8501, "darwin").is_well
    fake_programs(socketfilterfw="Firewall is disabled. (State = 0)")
    assert class_checks.firewall(8501, "darwin").is_well
    assert "allow it" in class_checks.firewall(8501, "win32").words


def test_missing_fonts_are_reported(fake_programs, monkeypatch):
    fake_programs()
    assert "not known" in class_checks.fonts("linux").words
    fake_programs(fc_list="Noto Sans")
    assert class_checks.fonts("linux").is_well
    has = {"fc-list": lambda argument: "" if argument in (":charset=e17", ":charset=1f600") else "Noto Sans"}
    monkeypatch.setattr(class_checks, "run", lambda command, argument, *_: has[command](argument))
    found = class_checks.fonts("linux")
    assert not found.is_well and "No font here for Thai and emoji." in found.words and not found.stops
    assert class_checks.fonts("darwin").is_well
    assert "Phones use fonts of their own" in found.words


def test_wsl_is_reported_with_a_remedy(monkeypatch, tmp_path):
    monkeypatch.setattr(class_checks, "VERSION", tmp_path / "version")
    assert class_checks.subsystem() == []
    class_checks.VERSION.write_text("Linux version 5.15-microsoft-standard-WSL2")
    assert "Start the class from Windows itself" in class_checks.subsystem()[0].words


def test_allowed_hosts_are_only_the_machines_own_addresses_and_names():
    flags = serve_class.flags([Address("192.168.1.5"), Address("10.0.0.7")], 8600)
    hosts = {flags[i + 1] for i, word in enumerate(flags) if word == "--server.allowedHosts"}
    assert {"localhost", "127.0.0.1", "::1", "192.168.1.5", "10.0.0.7"} <= hosts
    assert hosts - {"localhost", "127.0.0.1", "::1", "192.168.1.5", "10.0.0.7"} == set(lan.names())
    assert "*" not in hosts
