"""Altair charts of tokens, a training and a comparison; Altair is imported at the first chart."""

from typing import TYPE_CHECKING

import numpy as np

from tokenizer.display.readable import readable
from tokenizer.encoding.tokens import Tokens
from tokenizer.i18n import tr
from tokenizer.measure.comparison import Comparison
from tokenizer.measure.metrics import token_lengths
from tokenizer.training.train import Timeline
from tokenizer.training.training_history import TrainingHistory

if TYPE_CHECKING:
    import altair

MAX_POINTS = 1_000
BAR_HEIGHT_PIXELS = 28


def of_tokens(tokens: Tokens) -> "altair.Chart":
    """Returns a histogram of the bytes per token of a text.

    >>> from tokenizer import get_encoding
    >>> get_encoding("gpt2").tokenize("a b  c").chart().to_dict()["mark"]["type"]
    'bar'
    """
    import altair as alt

    found = token_lengths(tokens)
    rows = [{"bytes": int(size), "tokens": int(n)} for size, n in zip(*found, strict=True)]
    x, y = alt.X("bytes:O", title=tr("bytes"), axis=alt.Axis(labelAngle=0)), alt.Y("tokens:Q", title=tr("tokens"))
    about = tr("Bar chart: the number of tokens in the text for each length in bytes.")
    tips = [alt.Tooltip("bytes:O"), alt.Tooltip("tokens:Q", format=",")]
    return _chart(rows).mark_bar().encode(x, y, tooltip=tips).properties(description=about)


def of_timeline(timeline: Timeline | TrainingHistory) -> "altair.Chart":
    """Returns a line of the corpus's bytes per token by the size of the vocabulary."""
    import altair as alt

    merges, counts = timeline.merges, timeline.num_tokens
    steps = np.unique(np.linspace(0, len(merges), min(MAX_POINTS, len(merges) + 1)).round().astype(int)).tolist()
    rows = [
        {
            "vocabulary": timeline.num_base + step,
            "bytes": timeline.num_bytes / max(1, counts[step]),
            "token": _label(merges[step - 1].token) if step else "",
        }
        for step in steps
    ]
    x = alt.X("vocabulary:Q", title=tr("vocabulary size, tokens"), scale=alt.Scale(zero=False))
    y = alt.Y("bytes:Q", title=tr("bytes per token"), scale=alt.Scale(zero=False))
    tips = [alt.Tooltip("vocabulary:Q", format=","), alt.Tooltip("bytes:Q", format=".3f"), alt.Tooltip("token:N")]
    about = tr("Line chart: bytes per token of the corpus, as the vocabulary grows.")
    return _chart(rows).mark_line(point=len(rows) < 50).encode(x, y, tooltip=tips).properties(description=about)


def of_comparison(found: Comparison) -> "altair.Chart":
    """Returns bars of the text's tokens in each encoding."""
    import altair as alt

    rows = [
        {"encoding": _safe(name), "tokens": values["tokens"], "bytes": values["bytes_per_token"]}
        for name, values in zip(found.names, found.values, strict=True)
    ]
    x = alt.X("tokens:Q", title=tr("tokens"))
    y = alt.Y("encoding:N", title=None, sort=None, axis=alt.Axis(labelLimit=300))
    tips = [alt.Tooltip("encoding:N"), alt.Tooltip("tokens:Q", format=","), alt.Tooltip("bytes:Q", format=".2f")]
    about = tr("Bar chart: how many tokens the text has in each encoding.")
    return (
        _chart(rows)
        .mark_bar()
        .encode(x, y, tooltip=tips)
        .properties(description=about, height=BAR_HEIGHT_PIXELS * len(rows))
    )


def _chart(rows: list[dict]) -> "altair.Chart":
    import altair as alt

    return alt.Chart(alt.Data(values=rows))


def _label(token: bytes) -> str:
    return _safe(readable(token, 40))


def _safe(text: str) -> str:
    """Returns a text without the start of a tag: Altair writes it into a script, which "</script>" would end.

    >>> _safe("</script>") == "<\\u2060/script>"
    True
    """
    return text.replace("<", "<\u2060")  # a word joiner, which is invisible
