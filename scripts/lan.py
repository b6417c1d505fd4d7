"""The addresses of this machine on its networks, found without sending anything."""

from __future__ import annotations

import ipaddress
import re
import socket
import struct
import sys
from typing import NamedTuple

# virtual interfaces and tunnels, which phones in the room cannot reach
VIRTUAL = re.compile(r"(docker|br-|veth|virbr|vmnet|vboxnet|tun|tap|utun|wg|tailscale|zt|lxc|lxd|ppp|podman|cni)")
GET_ADDRESS = {"linux": 0x8915, "darwin": 0xC0206921}  # SIOCGIFADDR, whose number depends on the system
GET_FLAGS = {"linux": 0x8913, "darwin": 0xC0206911}
IS_UP = 1


class Address(NamedTuple):
    """An IPv4 address of this machine, and the name of its interface, if known."""

    ip: str
    interface: str = ""

    @property
    def is_virtual(self) -> bool:
        """Whether its interface is virtual or a tunnel, by the name."""
        return bool(VIRTUAL.match(self.interface))


def addresses() -> list[Address]:
    """Returns the IPv4 addresses by which others may reach this machine, the likeliest first; empty without network."""
    found = of_interfaces() or of_name()
    known = {one.ip for one in found}
    routed = of_route()
    return in_order([*found, *(Address(ip) for ip in [routed] if ip and ip not in known)], routed)


def in_order(found: list[Address], routed: str | None) -> list[Address]:
    """Returns the addresses that a phone may reach, the likeliest first; `routed` is that of the default route.

    >>> found = [Address("172.17.0.1", "docker0"), Address("10.8.0.2", "tun0"), Address("192.168.1.5", "wlan0")]
    >>> [one.ip for one in in_order([*found, Address("127.0.0.1", "lo")], "10.8.0.2")]
    ['192.168.1.5', '10.8.0.2', '172.17.0.1']
    """
    usable = {one for one in found if not _is_of_no_use(one.ip)}

    def rank(one: Address) -> tuple:
        ip = ipaddress.ip_address(one.ip)
        return one.is_virtual, ip.is_link_local, one.ip != routed, not ip.is_private, ip

    return sorted(usable, key=rank)


def _is_of_no_use(ip: str) -> bool:
    found = ipaddress.ip_address(ip)
    return found.is_loopback or found.is_unspecified or found.is_multicast


def of_route() -> str | None:
    """Returns the address from which this machine would send to the Internet; None without a route.

    Connecting a UDP socket sends nothing; the system only selects the route.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.254.254.254", 9))
            return probe.getsockname()[0]
        except OSError:
            return None


def of_interfaces() -> list[Address]:
    """Returns the first address of each active network interface on Linux and macOS; empty on other systems."""
    if sys.platform not in GET_ADDRESS:
        return []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        names = [name for _, name in socket.if_nameindex()]
        return [Address(ip, name) for name in names if (ip := _of_interface(probe, name))]


def _of_interface(probe: socket.socket, name: str) -> str | None:
    import fcntl  # missing on Windows

    request = struct.pack("256s", name.encode()[:15])
    try:
        (flags,) = struct.unpack_from("H", fcntl.ioctl(probe, GET_FLAGS[sys.platform], request), 16)
        found = fcntl.ioctl(probe, GET_ADDRESS[sys.platform], request)
    except OSError:  # the interface has no address
        return None
    return socket.inet_ntoa(found[20:24]) if flags & IS_UP else None


def of_name() -> list[Address]:
    """Returns the addresses of this machine's own name: on Windows, those of all interfaces."""
    try:
        found = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    except OSError:
        return []
    return [Address(where[0]) for *_, where in found]


def names() -> list[str]:
    """Returns the names of this machine on its network."""
    name = re.sub(r"\.local$", "", socket.gethostname().lower())
    is_plain = re.fullmatch(r"[a-z0-9-]{1,63}", name) and name != "localhost"
    return [name, f"{name}.local"] if is_plain else []
