"""Public corpora: one is included, others are downloaded when a visitor asks for them."""

import gzip
import hashlib
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from server.training import downloads
from tokenizer import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.paths import ASSETS, read_toml

INCLUDED = ASSETS / "corpora"
CACHE_ERRORS = (OSError, RuntimeError)  # RuntimeError: there is no home folder
NOT_OURS = mark("The download was discarded. Choose another corpus, or open a file of your own.")


@dataclass(frozen=True, slots=True)
class PublicCorpus:
    """A third-party text, pinned by the hash and size of its file."""

    name: str
    label: str
    url: str
    sha256: str
    bytes: int
    licence: str
    source: str

    @property
    def host(self) -> str:
        """The host that a download contacts."""
        return urlsplit(self.url).hostname or ""


class DownloadFailed(TokenizerError):
    """A public corpus could not be downloaded."""

    def __init__(self, public: PublicCorpus, reason: str, advice: str = ""):
        self.public, self.reason = public, reason
        advice = advice or tr("Check the connection and try again, or choose a corpus that needs no internet.")
        super().__init__(
            tr(
                "{label} could not be downloaded from {host}: {reason}. {advice}",
                label=tr(public.label),
                host=public.host,
                reason=reason,
                advice=advice,
            )
        )


PUBLIC_CORPORA = {name: PublicCorpus(name, **facts) for name, facts in read_toml("corpora/public.toml").items()}

# Texts in memory, by sha256: each is read once, and the cache folder need not be writable.
held: dict[str, str] = {}


def cached(public: PublicCorpus) -> bool:
    """Whether the corpus is in memory or in the cache folder, so that `fetch` needs no network."""
    if public.sha256 not in held:
        included = INCLUDED / f"{public.name}.txt.gz"
        with (
            suppress(*CACHE_ERRORS),
            gzip.open(included) if included.exists() else _cache_file(public).open("rb") as file,
        ):
            data = file.read(public.bytes + 1)
            if hashlib.sha256(data).hexdigest() == public.sha256:
                held[public.sha256] = data.decode()
    return public.sha256 in held


def fetch(public: PublicCorpus, timeout: float = 20) -> str:
    """Returns the text of the corpus, from the cache folder or from the network.

    Raises DownloadFailed without network, without an answer in time, or where the file differs.
    """
    if not cached(public):
        data = _download(public, timeout)
        if (found := hashlib.sha256(data).hexdigest()) != public.sha256:
            reason = tr(
                "the downloaded file differs from the expected one: its fingerprint (sha256) begins with {found}, not"
                " with {expected}",
                expected=public.sha256[:12],
                found=found[:12],
            )
            raise DownloadFailed(public, reason, tr(NOT_OURS))
        held[public.sha256] = data.decode()
        with suppress(*CACHE_ERRORS):  # then only this process has it
            file = _cache_file(public)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)  # the hash shows a reader that a file is incomplete
    return held[public.sha256]


def _cache_file(public: PublicCorpus) -> Path:
    folder_setting = Path(os.environ.get("XDG_CACHE_HOME", ""))
    folder = folder_setting if folder_setting.is_absolute() else Path.home() / ".cache"
    return folder / "tokenloupe" / "corpora" / f"{public.sha256}.txt"


def _download(public: PublicCorpus, timeout: float) -> bytes:
    try:
        data, _ = downloads.read(public.url, public.bytes, time.monotonic() + timeout)
    except downloads.ResponseTooLong:
        reason = tr("the file has more than {n:,} bytes, the expected size", n=public.bytes)
        raise DownloadFailed(public, reason, tr(NOT_OURS)) from None
    except Exception as error:  # invalid HTTP raises exceptions of http.client
        cause = error.reason if isinstance(error, URLError) else error
        if isinstance(error, HTTPError):
            reason = tr("the server answered with the error code {code} ({reason})", code=error.code, reason=cause)
        elif isinstance(cause, TimeoutError):
            reason = tr("the download did not finish within {seconds:g} seconds", seconds=timeout)
        elif isinstance(error, URLError):
            reason = f"{getattr(cause, 'strerror', None) or cause}"
        else:
            reason = f"{type(error).__name__}: {error}"
        raise DownloadFailed(public, reason[:200]) from None
    if len(data) < public.bytes:
        raise DownloadFailed(public, tr("only {n:,} of the {all:,} bytes arrived", n=len(data), all=public.bytes))
    return data
