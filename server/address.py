"""The address under which other machines reach the app, and the names of this server."""

import os
import re

HOSTS = "TOKENLOUPE_HOSTS"  # more names that the server answers to: "tokens.example.org, *.hf.space"


def address() -> str:
    """Returns the value of TOKENLOUPE_ADDRESS, which `make class` sets; empty where it is missing or no address."""
    found = os.environ.get("TOKENLOUPE_ADDRESS", "").rstrip("/")
    return found if re.fullmatch(r"https?://[\w.:\[\]-]+(/[\w.~-]+)*", found) else ""


def hosts() -> list[str]:
    """Returns the names in TOKENLOUPE_HOSTS; "*.example.org" is any name below example.org, and "*" any name.

    >>> hosts()
    []
    """
    return os.environ.get(HOSTS, "").replace(",", " ").split()
