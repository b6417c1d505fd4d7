"""Serves a class, `make class` or `python scripts/serve_class.py`: says what is missing, prints address and QR code.

Fifty phones at a time: each holds some connections open, and its place while it sleeps.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress
from pathlib import Path

import class_checks
import lan

ROOT = Path(__file__).parents[1]
ADDRESS = "TOKENLOUPE_ADDRESS"  # where phones find this machine, for the QR codes that the app draws
ALWAYS = ("localhost", "127.0.0.1", "::1")
LIMITS = {
    "server.disconnectedSessionTTL": 900,  # seconds that a sleeping phone finds its desk as it was
}
NO_NETWORK = """\
This machine is on no network, so no phone can reach it.

Join the Wi-Fi of the room, or open a hotspot on this machine, or on a phone, and join it; it needs no Internet.
Then type make class again. To use Tokenloupe on this machine alone: make run
"""
IF_NOT = """\
If phones cannot open that address: they must be on the same network as this machine, and not on mobile data. Networks
for guests often keep devices apart; a hotspot of your own does not. A firewall must let port {port} through.
"""


def main(arguments: list[str] | None = None) -> int:
    """Says what there is to say, and serves until Ctrl-C; returns what the shell is to hear."""
    options = parsed(arguments)
    with suppress(AttributeError):  # where what is said goes into something else than a stream of text
        sys.stdout.reconfigure(errors="replace")
    found = class_checks.all_checks(options.port)
    for one in found:
        print(f"  {'✓' if one.is_well else '!'} {one.words}")
    print()
    if any(one.stops for one in found):
        print("Mend what is marked with ! first, then type make class again.")
        return 1
    here = [lan.Address(options.address)] if options.address else lan.addresses()
    if not here:
        print(NO_NETWORK, end="")
        return 1
    print(welcome(here, options.port), flush=True)
    return 0 if options.check else serve(here, options.port)


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    """Returns what was asked for on the command line."""
    parser = argparse.ArgumentParser(description="Serves Tokenloupe to a class on this network.")
    parser.add_argument("--port", type=int, default=8501, help="where to listen; 8501 if not given")
    parser.add_argument("--address", help="where phones find this machine, if it cannot know: in a container")
    parser.add_argument("--check", action="store_true", help="only say what is missing and where phones would go")
    return parser.parse_args(arguments)


def welcome(here: list[lan.Address], port: int) -> str:
    """Returns where the teacher and the phones go, with a QR code for them, and what to do if they cannot."""
    address = f"{url(here[0].ip, port)}/class"
    lines = [
        f"The teacher, on this machine:  {url('localhost', port)}/learn",
        f"Phones:                        {address}",
        f"This code, for the projector:  {url('localhost', port)}/class",
        "",
        qr_code(address),
    ]
    if len(here) > 1:
        lines.append("This machine has other addresses. If phones are on another network than the one above:")
        lines += [f"  {url(one.ip, port)}/class" + f"  ({one.interface})" * bool(one.interface) for one in here[1:]]
        lines.append("")
    lines += [IF_NOT.format(port=port), "Ctrl-C ends the class."]
    return "\n".join(lines)


def url(host: str, port: int) -> str:
    """Returns the address of the app.

    >>> url("192.168.1.5", 8501)
    'http://192.168.1.5:8501'
    """
    return f"http://{host}:{port}"


def qr_code(text: str) -> str:
    """Returns a QR code in half blocks: dark on light, whatever the colors of the terminal are, if it has any."""
    import segno  # when it is known to be here

    code = [list(row) for row in segno.make(text, error="m", micro=False).matrix_iter(border=4)]
    code += [[0] * len(code[0])] * (len(code) % 2)
    rows = zip(code[::2], code[1::2], strict=True)
    drawn = ["".join(" ▄▀█"[2 * (not top) + (not low)] for top, low in zip(*both, strict=True)) for both in rows]
    begin, end = ("\x1b[97;40m", "\x1b[0m") if sys.stdout.isatty() else ("", "")
    return "".join(f"{begin}{line}{end}\n" for line in drawn)


def serve(here: list[lan.Address], port: int) -> int:
    """Serves in this process until it is interrupted."""
    sys.path.insert(0, str(ROOT))
    from ui import launcher  # when what it needs is known to be here

    os.environ[ADDRESS] = url(here[0].ip, port)
    code = launcher.main(flags(here, port))
    if code == 0:
        print("The class is over.")
    return code


def flags(here: list[lan.Address], port: int) -> list[str]:
    """Returns the options of the server: all interfaces, names that it answers to, limits for fifty."""
    hosts = [*ALWAYS, *lan.names(), *(one.ip for one in here)]
    found = ["--server.address", "0.0.0.0", "--server.port", str(port)]
    found += [word for host in hosts for word in ("--server.allowedHosts", host)]
    found += [word for name, most in LIMITS.items() for word in (f"--{name}", str(most))]
    return [*found, "--logger.hideWelcomeMessage", "true"]


if __name__ == "__main__":
    sys.exit(main())
