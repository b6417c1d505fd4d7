"""Serves the app by uvicorn with limits for connections: `python -m ui.launcher [--server.port 8600] [OPTION]...`.

Options are Streamlit's, as for `streamlit run`: `--section.name VALUE`. `streamlit run` serves the same app without the
limits for connections and unfinished messages.
"""

import errno
import faulthandler
import inspect
import json
import logging
import os
import re
import signal
import socket
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, chdir, suppress
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from server import limits
from server.limits import connections, proxy_headers
from tokenizer.paths import APP

Options = dict[str, Any]

NOT_STARTED, WRONG_USE = 1, 2  # exit codes
ANY_ADDRESS, DEFAULT_PORT, MAX_PORTS_TRIED = "0.0.0.0", 8501, 100
PING_INTERVAL_SECONDS = 30  # seconds between two pings to an open page, as in `streamlit run`
SECTIONS = ("browser", "client", "global", "logger", "runner", "server", "theme")
IMPORTABLE = re.compile(r"[\w.]+:\w+")
LISTS = ("client.allowedOrigins", "server.allowedHosts", "server.corsAllowedOrigins", "server.folderWatchBlacklist")
UPPER_CASE = re.compile("(Cors|Gc|Ttl)$")  # words at the end of a name that Streamlit writes in upper case
SECRET = "server.cookieSecret"  # read from the environment by Streamlit itself, and never written to a file

log = logging.getLogger(__name__)


class Unusable(Exception):
    """The app cannot be served; the message is for the user, `code` is the exit code."""

    def __init__(self, message: str, code: int = NOT_STARTED):
        super().__init__(message)
        self.code = code


def main(arguments: Sequence[str]) -> int:
    """Serves the app, or the one of a first argument "module:name", until Ctrl-C; returns the exit code."""
    app, *words = arguments if arguments and IMPORTABLE.fullmatch(arguments[0]) else ["app:app", *arguments]
    try:
        serve(parse(words), app)
    except Unusable as error:
        print(error, file=sys.stderr)
        return error.code
    except KeyboardInterrupt:  # uvicorn has shut down, and raises the signal again
        pass
    return 0


def serve(arguments: Options, app: str) -> None:
    """Serves an app with options of Streamlit until it is interrupted; raises Unusable."""
    options = gather(arguments)
    try:
        proxy_headers.configured()
    except proxy_headers.UnreadableProxies as error:
        raise Unusable(str(error), WRONG_USE) from None
    sockets = listen(options.get("server.address") or ANY_ADDRESS, options.get("server.port"))
    with ExitStack() as opened:
        for one in sockets:
            opened.enter_context(one)
        options["server.port"] = sockets[0].getsockname()[1]
        os.chdir(APP)  # relative paths of pages start here
        sys.path.insert(0, str(APP))
        load_streamlit(options, arguments)
        server = Server(configure(app, sockets, options))
        server.handle_hangup()
        faulthandler.enable()  # a crash in a library is logged with a traceback
        if not options.get("logger.hideWelcomeMessage"):
            print(f"\n  Tokenloupe: {url(options)}\n\n  Ctrl-C ends it.\n", flush=True)
        server.run(sockets=sockets)
        if not server.started:
            raise Unusable("The app did not start; the reason stands above.")


class Server(uvicorn.Server):
    """Logs the signal that ends it; uvicorn logs it at a hidden level."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        with suppress(OSError):  # the terminal may be closed
            print(f"Tokenloupe: ended by {signal.Signals(sig).name}.", file=sys.stderr, flush=True)
        super().handle_exit(sig, frame)

    def handle_hangup(self) -> None:
        """Handles SIGHUP, which a closed terminal sends, like SIGTERM; under nohup it stays ignored."""
        if os.name != "nt" and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
            signal.signal(signal.SIGHUP, self._hang_up)

    def _hang_up(self, sig: int, frame: FrameType | None) -> None:
        signal.signal(sig, signal.SIG_DFL)  # uvicorn raises the signal again after its shutdown
        self.handle_exit(sig, frame)


# ---- options ----


def parse(words: Sequence[str]) -> Options:
    """Returns the options of a command line; raises Unusable.

    >>> parse(["--server.port", "8600", "--server.baseUrlPath=tokens"])
    {'server.port': 8600, 'server.baseUrlPath': 'tokens'}
    >>> parse(["--server.allowedHosts", "a.org", "--server.allowedHosts", "b.org"])
    {'server.allowedHosts': ['a.org', 'b.org']}
    """
    found: dict[str, list] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or name.partition(".")[0] not in SECTIONS or "." not in name:
            raise Unusable(f"Unknown argument: {word}. Options are Streamlit's: --server.port 8600", WRONG_USE)
        if not equals and (value := next(rest, None)) is None:
            raise Unusable(f"The option --{name} needs a value.", WRONG_USE)
        found.setdefault(name, []).append(read_value(value))
    return {name: as_list(values) if name in LISTS else values[-1] for name, values in found.items()}


def gather(arguments: Options) -> Options:
    """Returns all options, each from its first source: command line, environment, the app's file, the user's file."""
    return {**from_file(Path(os.path.expanduser("~"))), **from_file(APP), **from_environment(os.environ), **arguments}


def as_list(values: list) -> list:
    """Returns the items of a list that was given item by item, or as a whole."""
    return [item for value in values for item in (value if isinstance(value, list) else [str(value)])]


def read_value(text: str) -> Any:
    """Returns a value parsed as in config.toml, or else the text itself.

    >>> [read_value(text) for text in ("true", "8600", "10.0.0.1", '["a", "b"]')]
    [True, 8600, '10.0.0.1', ['a', 'b']]
    """
    with suppress(tomllib.TOMLDecodeError):
        value = tomllib.loads(f"value = {text}")["value"]
        if isinstance(value, bool | int | float | str | list):
            return value
    return text


def from_file(folder: Path) -> Options:
    """Returns the options in a folder's `.streamlit/config.toml`, by their full names."""
    try:
        found = tomllib.loads((folder / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    except OSError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Unusable(f"{folder / '.streamlit' / 'config.toml'} cannot be read: {error}") from error
    return flatten(found)


def flatten(tables: Mapping[str, Any], prefix: str = "") -> Options:
    """Returns nested tables as one.

    >>> flatten({"server": {"port": 1}, "theme": {"light": {"font": "x"}}})
    {'server.port': 1, 'theme.light.font': 'x'}
    """
    found = {}
    for name, value in tables.items():
        found |= flatten(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {prefix + name: value}
    return found


def from_environment(environment: Mapping[str, str]) -> Options:
    """Returns the options in variables such as STREAMLIT_SERVER_PORT, which Streamlit reads only in its own command.

    A list is separated by spaces.

    >>> from_environment({"STREAMLIT_SERVER_ALLOWED_HOSTS": "a.org b.org", "STREAMLIT_SERVER_ENABLE_CORS": "false"})
    {'server.allowedHosts': ['a.org', 'b.org'], 'server.enableCORS': False}
    """
    found = {}
    for variable, text in environment.items():
        match variable.lower().split("_"):
            case ["streamlit", section, first, *more] if section in SECTIONS:
                last = UPPER_CASE.sub(lambda word: word[0].upper(), "".join(map(str.capitalize, more)))
                name = f"{section}.{first}{last}"
                if name != SECRET:
                    found[name] = as_list([*map(read_value, text.split())]) if name in LISTS else read_value(text)
    return found


def load_streamlit(options: Options, arguments: Options) -> None:
    """Imports Streamlit with these options; raises Unusable.

    Under an ASGI server, Streamlit reads its options only from files. So they are written to `.streamlit/config.toml`
    in a temporary working directory, which is deleted after Streamlit has read them.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, ".streamlit", "config.toml")
        file.parent.mkdir()
        lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in options.items()]
        file.write_text("\n".join(lines), encoding="utf-8")
        with chdir(folder):
            import streamlit as st

            check_options(st.get_option, options, arguments)


def check_options(get_option: Callable[[str], Any], options: Options, arguments: Options) -> None:
    """Raises Unusable for an unknown option, and if the app would answer to any host name."""
    for name, value in options.items():
        try:
            is_taken = get_option(name) == value
        except RuntimeError:  # unknown
            if name in arguments:
                raise Unusable(f"Streamlit has no option --{name}.", WRONG_USE) from None
            continue
        if not is_taken and name == "server.allowedHosts":
            raise Unusable(f"Streamlit does not use {name} = {value}: other sites could read this one.")
        if not is_taken:
            log.warning("Streamlit does not use the option %s = %s.", name, value)


# ---- the server ----


def listen(address: str, port: Any) -> list[socket.socket]:
    """Returns listening sockets at an address and a port, by default the first free one from 8501; raises Unusable."""
    if not isinstance(port, int | None) or port and not 0 < port < 65_536:
        raise Unusable(f"The port must be a number from 1 to 65535, not {port}.", WRONG_USE)
    ports = range(DEFAULT_PORT, DEFAULT_PORT + MAX_PORTS_TRIED) if port is None else [port]
    for one in ports:
        try:
            return bind(address, one)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise Unusable(f"Cannot listen at {address}, port {one}: {error.strerror}.") from error
            reason = "taken, perhaps by this app already" if error.errno == errno.EADDRINUSE else "not permitted"
    raise Unusable(f"Port {one} is {reason}. Take another: --server.port {one + 1 if one > 1_023 else DEFAULT_PORT}")


def bind(address: str, port: int) -> list[socket.socket]:
    """Returns a listening socket for each IP address of a name, for localhost those of IPv4 and IPv6.

    Their protocol is explicitly TCP, so that asyncio sets TCP_NODELAY, also on Windows.
    """
    found: list[socket.socket] = []
    failed: OSError | None = None
    flags = {"type": socket.SOCK_STREAM, "proto": socket.IPPROTO_TCP, "flags": socket.AI_PASSIVE}
    for family, kind, protocol, _, place in socket.getaddrinfo(address, port, **flags):
        if found and not port:  # the system chose the port; the other addresses use the same one
            place = (place[0], found[0].getsockname()[1], *place[2:])
        try:
            one = socket.socket(family, kind, protocol)
        except OSError as error:  # a system without IPv6
            failed = error
            continue
        try:
            if os.name != "nt":  # on Windows this would share a port that is taken
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, False)  # "::" includes IPv4
            one.bind(place)
            one.listen(connections.LISTEN_BACKLOG)
            found.append(one)
        except OSError as error:
            one.close()
            if error.errno != errno.EADDRNOTAVAIL:
                for other in found:
                    other.close()
                raise
            failed = error
    if not found:
        raise failed or OSError(errno.EADDRNOTAVAIL, "no such address")
    return found


def configure(app: str, sockets: Sequence[socket.socket], options: Options) -> uvicorn.Config:
    """Returns uvicorn's configuration from the options of Streamlit's own server; raises Unusable."""
    certificate, key = options.get("server.sslCertFile"), options.get("server.sslKeyFile")
    if bool(certificate) != bool(key):
        raise Unusable("The options server.sslCertFile and server.sslKeyFile need each other.", WRONG_USE)
    register = connections.Connections(connections.raise_open_files() - limits.RESERVED_OPEN_FILES)
    interval = options.get("server.websocketPingInterval") or PING_INTERVAL_SECONDS
    settings = {
        **connections.protocols(register),
        "ws_max_size": int(options["server.maxWidgetStateSize"] * limits.MB),
        "ws_ping_interval": interval,
        "ws_ping_timeout": interval,
        "ws_per_message_deflate": options.get("server.enableWebsocketCompression", False),
        "backlog": limits.ACCEPT_BATCH,  # asyncio accepts as many connections before it runs anything else
        "callback_notify": register.watch(sockets),
        "timeout_notify": 0,  # uvicorn then calls once a second
        "ssl_certfile": certificate,
        "ssl_keyfile": key,
        "proxy_headers": False,  # server/limits/proxy_headers.py reads them
        "access_log": False,
        "log_level": "warning",
        "use_colors": False,
    }
    known = inspect.signature(uvicorn.Config).parameters
    for name in settings.keys() - known.keys():
        log.warning("uvicorn %s has no setting %s; the app is served without it.", version("uvicorn"), name)
    return uvicorn.Config(app, **{name: value for name, value in settings.items() if name in known})


def url(options: Options) -> str:
    """Returns the address of the app on this machine.

    >>> url({"server.port": 8600, "server.address": "::1", "server.baseUrlPath": "/tokens/"})
    'http://[::1]:8600/tokens'
    """
    host = options.get("browser.serverAddress") or options.get("server.address") or "localhost"
    host = "localhost" if host in (ANY_ADDRESS, "::") else f"[{host}]" if ":" in host else host
    path = str(options.get("server.baseUrlPath") or "").strip("/")
    scheme = "https" if options.get("server.sslCertFile") else "http"
    return f"{scheme}://{host}:{options['server.port']}/{path}".rstrip("/")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
