"""Signed ids of phones, and the share of a class that the phones of one address may take.

The server gives each page an id, signed with the key of its room. The key is derived from the teacher's secret, so ids
stay valid after a restart of the server. An id contains a keyed hash of the address that opened the page, its mark; the
address itself is not stored and cannot be computed from the mark without the key.
"""

import base64
import hashlib
import secrets
from collections.abc import Collection
from hmac import compare_digest
from hmac import digest as hmac_digest

from server.limits.request_guards import network
from server.limits.share import is_within_share

ADDRESS_MARK_LENGTH, NONCE_LENGTH, SIGNATURE_LENGTH = 8, 12, 20  # characters of an id, 40 together


def mark(key: bytes, address: str) -> str:
    """Returns the mark of an address; an IPv6 network of 64 bits counts as one, since a visitor has all of it.

    >>> mark(b"k", "2001:db8::1") == mark(b"k", "2001:db8::2"), mark(b"k", "10.0.0.1") == mark(b"k", "10.0.0.2")
    (True, False)
    """
    return hashed(key, f"address {network(address)}")[:ADDRESS_MARK_LENGTH]


def new_id(key: bytes, generation: int, address: str) -> str:
    """Returns a signed id for a page that was opened from an address.

    >>> is_valid(b"k", 0, new_id(b"k", 0, "10.0.0.1")), is_valid(b"k", 1, new_id(b"k", 0, "10.0.0.1"))
    (True, False)
    """
    begin = mark(key, address) + secrets.token_urlsafe(NONCE_LENGTH * 3 // 4)
    return begin + _signature(key, generation, begin)


def is_valid(key: bytes, generation: int, found: str) -> bool:
    """Whether this key signed an id in this generation; emptying a room starts a new generation."""
    begin, signature = found[:-SIGNATURE_LENGTH], found[-SIGNATURE_LENGTH:]
    return compare_digest(signature.encode(), _signature(key, generation, begin).encode())


def _signature(key: bytes, generation: int, begin: str) -> str:
    return hashed(key, f"phone {generation} {begin}")[:SIGNATURE_LENGTH]


def hashed(key: bytes, message: str) -> str:
    """Returns a keyed hash of a message, 43 characters that are safe in a URL."""
    return base64.urlsafe_b64encode(hmac_digest(key, message.encode(), hashlib.sha256)).decode()


def mark_of(id: str) -> str:
    """Returns the mark in an id."""
    return id[:ADDRESS_MARK_LENGTH]


def has_share(newcomer: str, marks: Collection[str], max_places: int) -> bool:
    """Whether the address with this mark may take one more place; `marks` are those of the taken places.

    One address gets at most three quarters of all places, the next one of the rest, and so on.

    >>> [sum(has_share("b", ["a"] * taken + ["b"] * own, 100) for own in range(100)) for taken in (0, 75, 99)]
    [75, 19, 1]
    """
    own = sum(one == newcomer for one in marks)
    return is_within_share(own, len(marks) - own, max_places)
