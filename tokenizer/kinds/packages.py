"""Optional packages: which are installed."""

import importlib.util
from functools import cache


@cache
def is_installed(package: str) -> bool:
    """Whether a package of this name, as it is imported, is installed.

    >>> is_installed("tiktoken"), is_installed("no_such_package")
    (True, False)
    """
    return importlib.util.find_spec(package) is not None
