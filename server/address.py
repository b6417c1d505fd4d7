"""The address under which other machines reach the app."""

import os
import re


def address() -> str:
    """Returns the value of TOKENLOUPE_ADDRESS, which `make class` sets; empty where it is missing or no address."""
    found = os.environ.get("TOKENLOUPE_ADDRESS", "").rstrip("/")
    return found if re.fullmatch(r"https?://[\w.:\[\]-]+", found) else ""
