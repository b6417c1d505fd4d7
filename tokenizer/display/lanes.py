"""Compares split patterns: a lane for each pattern, with the same text in boxes."""

from html import escape

import regex

from tokenizer.display import palette
from tokenizer.display.readable import MARKS, begins_with_mark
from tokenizer.display.strip import code_points, html, is_invisible
from tokenizer.errors import TokenizerError
from tokenizer.i18n import tr, trn
from tokenizer.split.guards import SAMPLE_TIMEOUT_SECONDS
from tokenizer.split.patterns import pieces
from tokenizer.text.regex_budget import hold_gil
from tokenizer.text.well_formed import well_formed

RUNS = regex.compile(r"[\s\p{Z}]|[^\s\p{Z}]+")
is_space = hold_gil(regex.compile(r"[\s\p{Z}]").fullmatch)


def lanes(sample: str, patterns: list[tuple[str, str | None]], chosen: str, drop_unmatched: bool = False) -> str:
    """Returns the lanes as HTML on one line: name of the pattern, number of pre-tokens, and the sample in boxes.

    With `drop_unmatched`, the lane of the chosen pattern has only what it matches.

    >>> lanes("a b", [("none", None), ("words", r"\\w+")], "words").count('role="listitem"')
    4
    """
    rows = "".join(
        lane(name, sample, pattern, name == chosen, drop_unmatched and name == chosen) for name, pattern in patterns
    )
    label = escape(tr("Split patterns"))
    # dir="auto" ignores the names, which have their own direction, and uses the sample
    return f'<ul class="lanes" role="list" aria-label="{label}" tabindex="0" dir="auto">{rows}</ul>'


def lane(name: str, sample: str, pattern: str | None, chosen: bool, drop_unmatched: bool = False) -> str:
    """Returns the row of a pattern; a word marks the chosen one."""
    try:
        found = [*pieces(well_formed(sample)[0], pattern, SAMPLE_TIMEOUT_SECONDS, drop_unmatched)]
    except TokenizerError:  # the page shows the reason next to the input
        found, count = [], tr("cannot be used")
    else:
        count = trn("{n:,} pre-token", "{n:,} pre-tokens", len(found))
    boxes = "".join(box(i, pre_token) for i, pre_token in enumerate(found))
    count = tr("✓ chosen ({count})", count=count) if chosen else count
    current = ' aria-current="true"' if chosen else ""
    head = f'<span class="name" dir="ltr"><b>{html(name)}</b> {html(count)}</span>'
    return f'<li{current}>{head}<span class="strip" role="list">{boxes}</span></li>'


def box(position: int, text: str) -> str:
    """Returns a pre-token with its text unchanged; marks for invisible characters are attributes.

    >>> box(1, "ี่")
    '<span role="listitem" class="t c1 mark">ี่</span>'
    """
    color = f"c{position % palette.NUM_COLORS}"
    if is_invisible(text):
        return f'<span role="listitem" class="t {color} unseen" data-m="{code_points(text)}">{html(text)}</span>'
    # a combining mark would join the previous box; the style sheet adds a dotted circle
    mark = " mark" if begins_with_mark(text) else ""
    runs = "".join(run(found[0]) for found in RUNS.finditer(text, concurrent=False))
    return f'<span role="listitem" class="t {color}{mark}">{runs}</span>'


def run(text: str) -> str:
    r"""Returns a white-space character with its mark, or a run of others as it is.

    >>> run("\n"), run("<b>")
    ('<i class="space" data-m="↵">&#10;</i>', '&lt;b&gt;')
    """
    if not is_space(text):
        return html(text)
    classes = "space" if text in MARKS else "space named"
    return f'<i class="{classes}" data-m="{MARKS.get(text) or code_points(text)}">{html(text)}</i>'
