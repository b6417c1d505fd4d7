"""An HTML table of small changes of a text, and what each does to the tokens of some encodings."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from types import MappingProxyType

from tokenizer.display.comparing import head_of, html_table
from tokenizer.display.readable import readable
from tokenizer.encoding.interface import Encoding
from tokenizer.i18n import number, tr
from tokenizer.measure.small_changes import KINDS, Changed, Effect

MAX_SHOWN_UNITS = 20  # characters of a token, or bytes of one that is not text


def more_in_words(effect: Effect) -> str:
    """Returns the change in the number of tokens, with its sign.

    >>> [more_in_words(Effect(more, 2, 0, 1, 1)) for more in (2, -2, 0)]
    ['+2', '−2', '±0']
    """
    sign = "+" if effect.more > 0 else "−" if effect.more < 0 else "±"
    return sign + number(abs(effect.more))


def first_in_words(
    effect: Effect, encoding: Encoding, shown: Callable[[bytes], str] = lambda token: readable(token, MAX_SHOWN_UNITS)
) -> str:
    """Returns the place of the first token that changed, from 1 on, with the token before and after, as `shown`.

    >>> from tokenizer.kinds.registry import get_encoding
    >>> first_in_words(Effect(1, 1, 1, 995, 220), get_encoding("gpt2"))
    'token 2: ·world → ·'
    """
    if effect.first is None:
        return tr("no token changes")
    was, now = ("–" if id is None else shown(encoding.token_bytes(id)) for id in (effect.was, effect.now))
    return tr("token {place:,}: {was} → {now}", place=effect.first + 1, was=was, now=now)


def changes_table(
    changed: Sequence[Changed],
    effects: Mapping[str, Sequence[Effect]],
    encodings: Mapping[str, Encoding],
    models: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Returns a row for each change, with its effect in the column of each encoding; `models` as in `metrics_table`."""
    rows = "".join(
        f'<tr><th scope="row">{escape(tr(KINDS[one.kind].label))}'
        f" <small>{_shown(one.before.encode())} → {_shown(one.after.encode())}</small></th>"
        + "".join(_cell(own[i], encodings[name]) for name, own in effects.items())
        + "</tr>"
        for i, one in enumerate(changed)
    )
    return html_table(tr("Small changes"), "", [head_of(name, models) for name in effects], rows)


def kinds_defined(changed: Sequence[Changed]) -> str:
    """Returns what the change of each kind does, as HTML."""
    kinds = [KINDS[one.kind] for one in changed]
    items = (f"<dt>{escape(tr(one.label))}</dt><dd>{escape(tr(one.description))}</dd>" for one in kinds)
    return f"<dl class='definitions'>{''.join(items)}</dl>"


def _shown(part: bytes, most: int = 200) -> str:
    """Returns a part as HTML that keeps its place beside another one where both run from right to left."""
    return f"<bdi>{escape(readable(part, most))}</bdi>"


def _cell(effect: Effect, encoding: Encoding) -> str:
    words = tr("{more}, distance {distance:,}", more=more_in_words(effect), distance=effect.distance)
    first = first_in_words(effect, encoding, lambda token: _shown(token, MAX_SHOWN_UNITS))
    return f"<td>{escape(words)}<br><small>{first}</small></td>"
