"""Counts of models whose tokens are only counted, made in the worker process: they take seconds."""

from collections.abc import Mapping, Sequence

import numpy as np

from server.workers.background_worker import worker
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.kinds import counters

MAX_TEXT_BYTES = 1_000_000  # of a text that is counted; the worker needs up to 5 seconds for them


class TextTooLong(TokenizerError):
    """A text that would take too long to count."""


def count(key: str, text: str) -> int:
    """Returns how many tokens a text has, without the frame of a message.

    Raises NeedsPackage, TextTooLong and WorkStopped.
    """
    return count_each(key, [text])[0]


def count_each(key: str, texts: Sequence[str]) -> list[int]:
    """Returns how many tokens each text has by itself; raises the same. `MAX_TEXT_BYTES` bounds each of them."""
    counters.find(key)
    if (size := max((len(text.encode()) for text in texts), default=0)) > MAX_TEXT_BYTES:
        problem = mark(
            "This text has {n:,} bytes; a reconstructed count is possible up to {most:,} bytes. Use a shorter part"
            " of the text."
        )
        raise TextTooLong(tr(problem, n=size, most=MAX_TEXT_BYTES))
    return worker.run(counters.count_each, key, texts)


def count_groups(key: str, groups: Mapping[str, Sequence[str]]) -> dict[str, np.ndarray]:
    """Returns how many tokens each text of each group has by itself; raises the same."""
    if not groups:
        return {}
    tokens = np.array(count_each(key, [text for texts in groups.values() for text in texts]))
    ends = np.cumsum([len(texts) for texts in groups.values()])[:-1]
    return dict(zip(groups, np.split(tokens, ends), strict=True))
