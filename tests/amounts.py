"""How many examples Hypothesis tries: TESTS=all tries all, `make test` a quarter, TESTS=quick a tenth.

conftest.py leaves only the first case of each test where TESTS=quick.
"""

import os

from hypothesis import settings

TESTS = os.environ.get("TESTS")
QUICK = TESTS == "quick"
MIN_EXAMPLES = 5
SHARE = {"all": 1, "quick": 10}.get(TESTS, 4)  # one in so many examples is tried


def examples(most: int) -> settings:
    """Returns Hypothesis settings for a test that tries `most` examples where TESTS=all."""
    return settings(max_examples=max(MIN_EXAMPLES, most // SHARE))
