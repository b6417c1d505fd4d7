"""Split patterns for JavaScript; tests/js/page_encoder.js compares their matches in a browser."""

import pytest

from tokenizer.split.javascript import WHITE_SPACE, for_javascript
from tokenizer.split.patterns import PATTERNS


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_of_known_encodings_are_translated(name):
    assert "++" not in for_javascript(PATTERNS[name])


@pytest.mark.parametrize("pattern", [r"\w+", r"\X", r"[\S]+", r"(?!a)*b", r"(?i:k)", r"\bword", "("])
def test_pattern_that_javascript_may_read_differently_is_refused(pattern):
    assert for_javascript(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "source"),
    [
        (r"a++b", r"(?:(?=(a+))\1)b"),
        (r"(?>a|b)+c*+", r"(?:(?=((?:a|b)))\1)+(?:(?=(c*))\2)"),
        (r"\'\-[\'\-a]", r"'-['\-a]"),
        (r"\s++$|\S", rf"(?:(?=([{WHITE_SPACE}]+))\1)$|[^{WHITE_SPACE}]"),
        (r"(?i:'s|[dm])", "(?:'[sS\\u017f]|[dDmM])"),
    ],
)
def test_construct_that_javascript_lacks_is_written_out(pattern, source):
    assert for_javascript(pattern) == source
