"""Downloads over https, bounded in bytes and in time. They start only when a visitor presses a button that says so."""

import time
import urllib.request
from urllib.error import URLError
from urllib.parse import urlsplit

from tokenizer.i18n import tr

CHUNK_BYTES = 65_536
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class ResponseTooLong(Exception):
    """The response has more bytes than the limit."""


def read(url: str, max_bytes: int, deadline: float) -> tuple[bytes, bool]:
    """Returns the bytes at an address, and whether all that were announced arrived; sends no name, password or token.

    `deadline` is a time of `time.monotonic`. Raises ResponseTooLong, TimeoutError, URLError, and exceptions of
    http.client for an answer that is not HTTP.
    """
    place = urlsplit(url)
    if place.scheme != "https" and not (place.scheme == "http" and place.hostname in LOOPBACK):
        raise URLError(tr("the address does not begin with https://"))
    request = urllib.request.Request(url, headers={"User-Agent": "tokenloupe"})
    data = bytearray()
    with urllib.request.build_opener(_OnlyToHttps).open(request, timeout=max(0.1, _left(deadline))) as reply:
        while chunk := reply.read1(CHUNK_BYTES):
            data += chunk
            if len(data) > max_bytes:
                raise ResponseTooLong
            _left(deadline)  # the timeout of a socket applies to each packet
        return bytes(data), not reply.length


def _left(deadline: float) -> float:
    """Returns the remaining seconds; raises TimeoutError where there are none."""
    if (left := deadline - time.monotonic()) <= 0:
        raise TimeoutError
    return left


class _OnlyToHttps(urllib.request.HTTPRedirectHandler):
    """Follows redirects to https only."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        if urlsplit(newurl).scheme != "https":
            raise URLError(tr("the server redirects to an address that does not begin with https://"))
        return super().redirect_request(req, fp, code, msg, headers, newurl)
