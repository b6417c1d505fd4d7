"""Serves a class (`make class`): prints missing requirements, the address and a QR code.

It is set up for fifty phones, which each keep some connections open, and their place while they sleep.
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
ADDRESS = "TOKENLOUPE_ADDRESS"  # the address for phones, for the QR codes in the app
ALWAYS = ("localhost", "127.0.0.1", "::1")
LIMITS = {
    "server.disconnectedSessionTTL": 900,  # seconds for which a sleeping phone keeps its session
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
    """Prints the results of the checks and the address, and serves until Ctrl-C; returns the exit code."""
    options = parsed(arguments)
    with suppress(AttributeError):  # standard output is not a text stream
        sys.stdout.reconfigure(errors="replace")
    found = class_checks.all_checks(options.port)
    for one in found:
        print(f"  {'✓' if one.is_well else '!'} {one.words}")
    print()
    if any(one.stops for one in found):
        print("Mend what is marked with ! first, then type make class again.")
        return 1
    addresses = [lan.Address(options.address)] if options.address else lan.addresses()
    if not addresses:
        print(NO_NETWORK, end="")
        return 1
    print(welcome(addresses, options.port), flush=True)
    return 0 if options.check else serve(addresses, options.port)


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    """Returns the arguments of the command line."""
    parser = argparse.ArgumentParser(description="Serves Tokenloupe to a class on this network.")
    parser.add_argument("--port", type=int, default=8501, help="where to listen; 8501 if not given")
    parser.add_argument("--address", help="where phones find this machine, if it cannot know: in a container")
    parser.add_argument("--check", action="store_true", help="only say what is missing and where phones would go")
    return parser.parse_args(arguments)


def welcome(addresses: list[lan.Address], port: int) -> str:
    """Returns the addresses for teacher and phones, with a QR code, and advice if phones cannot connect."""
    address = f"{url(addresses[0].ip, port)}/class"
    lines = [
        f"The teacher, on this machine:  {url('localhost', port)}/learn",
        f"Phones:                        {address}",
        f"This code, for the projector:  {url('localhost', port)}/class",
        "",
        qr_code(address),
    ]
    if len(addresses) > 1:
        lines.append("This machine has other addresses. If phones are on another network than the one above:")
        lines += [
            f"  {url(one.ip, port)}/class" + f"  ({one.interface})" * bool(one.interface) for one in addresses[1:]
        ]
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
    """Returns a QR code in half blocks, dark on light in any colors of the terminal."""
    import segno  # after the check of packages

    code = [list(row) for row in segno.make(text, error="m", micro=False).matrix_iter(border=4)]
    code += [[0] * len(code[0])] * (len(code) % 2)
    rows = zip(code[::2], code[1::2], strict=True)
    drawn = ["".join(" ▄▀█"[2 * (not top) + (not low)] for top, low in zip(*both, strict=True)) for both in rows]
    begin, end = ("\x1b[97;40m", "\x1b[0m") if sys.stdout.isatty() else ("", "")
    return "".join(f"{begin}{line}{end}\n" for line in drawn)


def serve(addresses: list[lan.Address], port: int) -> int:
    """Serves in this process until it is interrupted."""
    sys.path.insert(0, str(ROOT))
    from ui import launcher  # after the check of packages

    os.environ[ADDRESS] = url(addresses[0].ip, port)
    code = launcher.main(flags(addresses, port))
    if code == 0:
        print("The class is over.")
    return code


def flags(addresses: list[lan.Address], port: int) -> list[str]:
    """Returns the options of the server: all interfaces, allowed host names, limits for fifty phones."""
    hosts = [*ALWAYS, *lan.names(), *(one.ip for one in addresses)]
    found = ["--server.address", "0.0.0.0", "--server.port", str(port)]
    found += [word for host in hosts for word in ("--server.allowedHosts", host)]
    found += [word for name, most in LIMITS.items() for word in (f"--{name}", str(most))]
    return [*found, "--logger.hideWelcomeMessage", "true"]


if __name__ == "__main__":
    sys.exit(main())
