"""How much is tried: all of it by `make test`, a part by `make quick`, for the loop while writing."""

import os

from hypothesis import settings

QUICK = os.environ.get("TESTS") == "quick"


def examples(most: int) -> settings:
    """Lets Hypothesis try so many examples; a tenth of them in `make quick`."""
    return settings(max_examples=max(5, most // 10) if QUICK else most)
