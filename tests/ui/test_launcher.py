"""The launcher's options, addresses and ports."""

import logging
import socket
from contextlib import ExitStack

import pytest
from paths import ROOT

from ui import launcher

without_ipv6 = not socket.has_ipv6


def ports(sockets):
    with ExitStack() as opened:
        return [(opened.enter_context(one).family, one.getsockname()[1]) for one in sockets]


def test_taken_port_is_reported_with_another_and_exit_code_1(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert launcher.main(["--server.port", str(port)]) == 1
    error = capsys.readouterr().err
    assert error == f"Port {port} is taken, perhaps by this app already. Take another: --server.port {port + 1}\n"


def test_default_port_falls_back_to_the_next_free_one(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(launcher, "DEFAULT_PORT", taken.getsockname()[1])
        [(_, port)] = ports(launcher.listen("127.0.0.1", None))
        assert launcher.DEFAULT_PORT < port < launcher.DEFAULT_PORT + launcher.MAX_PORTS_TRIED


@pytest.mark.skipif(without_ipv6, reason="this machine has no IPv6")
def test_localhost_is_served_on_ipv4_and_ipv6_at_one_port(monkeypatch):
    both = [(socket.AF_INET, ("127.0.0.1", 0)), (socket.AF_INET6, ("::1", 0, 0, 0))]
    found = [(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", place) for family, place in both]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **named: found)
    (first, port), (second, other) = ports(launcher.listen("localhost", 0))
    assert (first, second) == (socket.AF_INET, socket.AF_INET6) and port == other


@pytest.mark.skipif(without_ipv6, reason="this machine has no IPv6")
@pytest.mark.parametrize(("address", "is_dual"), [("::", True), ("::1", False)])
def test_only_the_ipv6_wildcard_address_accepts_ipv4(address, is_dual):
    [listening] = launcher.listen(address, 0)
    with listening:
        assert bool(listening.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)) is not is_dual


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["serve"], "Unknown argument: serve."),
        (["--port", "8600"], "Unknown argument: --port."),
        (["--server.port"], "--server.port needs a value"),
        (["--server.port", "http"], "The port must be a number from 1 to 65535, not http."),
        (["--server.port", "65536"], "The port must be a number from 1 to 65535, not 65536."),
    ],
)
def test_invalid_arguments_are_reported_with_exit_code_2(words, message, capsys):
    assert launcher.main(words) == 2
    assert message in capsys.readouterr().err


def test_unavailable_address_is_reported(capsys):
    assert launcher.main(["--server.address", "192.0.2.1", "--server.port", "18999"]) == 1
    assert "Cannot listen at 192.0.2.1, port 18999: " in capsys.readouterr().err


def test_command_line_overrides_environment_which_overrides_files(monkeypatch, tmp_path):
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text("[server]\nmaxUploadSize = 7\nrunOnSave = true\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("STREAMLIT_SERVER_MAX_MESSAGE_SIZE", "70")
    monkeypatch.setenv("STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL", "5")
    options = launcher.gather({"server.disconnectedSessionTTL": 6})
    assert options["server.maxUploadSize"] == 40  # the app's file overrides the user's
    assert options["server.runOnSave"] is True
    assert options["server.maxMessageSize"] == 70
    assert options["server.disconnectedSessionTTL"] == 6


def test_invalid_config_toml_is_reported(monkeypatch, tmp_path, capsys):
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text("[server\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert launcher.main([]) == 1
    assert f"{tmp_path / '.streamlit' / 'config.toml'} cannot be read: " in capsys.readouterr().err


def reader_of(options):
    """Returns a `get_option` that raises for unknown options, as Streamlit's does."""

    def get_option(name):
        if name not in options:
            raise RuntimeError
        return options[name]

    return get_option


def test_unknown_options_are_refused_if_given_and_ignored_otherwise():
    launcher.check_options(reader_of({}), {"server.gone": 1}, arguments={})
    with pytest.raises(launcher.Unusable, match="Streamlit has no option --server.gone") as raised:
        launcher.check_options(reader_of({}), {"server.gone": 1}, arguments={"server.gone": 1})
    assert raised.value.code == 2


def test_launch_is_refused_where_streamlit_ignores_the_allowed_hosts(caplog):
    with caplog.at_level(logging.WARNING):
        launcher.check_options(reader_of({"server.maxUploadSize": 200}), {"server.maxUploadSize": 40}, arguments={})
    assert [one.getMessage() for one in caplog.records] == [
        "Streamlit does not use the option server.maxUploadSize = 40."
    ]
    with pytest.raises(launcher.Unusable, match="other sites could read this one"):
        launcher.check_options(
            reader_of({"server.allowedHosts": []}), {"server.allowedHosts": ["localhost"]}, arguments={}
        )


def test_certificate_without_a_key_is_refused(monkeypatch):
    options = launcher.from_file(ROOT) | {"server.sslCertFile": "cert.pem"}
    with pytest.raises(launcher.Unusable, match="need each other"):
        launcher.configure("app:app", [], options)


def test_proxies_that_are_no_addresses_are_reported_with_exit_code_2(monkeypatch, capsys):
    monkeypatch.setenv("TOKENLOUPE_PROXIES", "proxy.local")
    assert launcher.main([]) == 2
    assert "TOKENLOUPE_PROXIES must list addresses and networks" in capsys.readouterr().err
