"""HTML tables that compare encodings on one text: metrics with bars, and agreement of boundaries."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from html import escape
from types import MappingProxyType

from tokenizer.i18n import mark, number, tr
from tokenizer.measure.comparison import Comparison, Value
from tokenizer.measure.metrics import METRICS, Metric, ratio, written

BETTER = {
    "lower": mark("lower is better"),
    "higher": mark("higher is better"),
    "neither": mark("a high value is neither good nor bad"),
}


def metrics_table(
    found: Comparison,
    baseline: int = 0,
    shown: Collection[str] = METRICS,
    label: str = "",
    models: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Returns an HTML table with a row for each metric, a bar for each encoding and its ratio to the baseline.

    `baseline` is the index of an encoding, `shown` the names of the metrics. The head of a column has the name of the
    model in `models`, if any, and the name of the encoding.
    """
    heads, caption = [head_of(name, models) for name in found.names], ""
    if len(heads) > 1:
        base = models.get(found.names[baseline], found.names[baseline])
        words = tr("Each ratio (×) compares an encoding with {name}, the baseline.", name=base)
        caption = f"<caption>{escape(words)}</caption>"
        heads[baseline] += f" <small>{escape(tr('baseline'))}</small>"
    rows = (
        _row(metric, [values[name] for values in found.values], baseline)
        for name, metric in METRICS.items()
        if name in shown
    )
    return html_table(label or tr("Metrics"), caption, heads, "".join(rows))


def head_of(name: str, models: Mapping[str, str]) -> str:
    """Returns the head of an encoding's column, as HTML."""
    model = models.get(name, name)
    return escape(name) if model == name else f"{escape(model)} <small>{escape(name)}</small>"


def html_table(
    label: str, caption: str, heads: Iterable[str], rows: str, kind: str = "metrics", corner: str = "<td></td>"
) -> str:
    """Returns an HTML table of a class `kind`, with a caption and a column for each head after the corner."""
    head = "".join(f"<th scope='col'>{name}</th>" for name in heads)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(label)}"><table class="{kind}">'
        f"{caption}<thead><tr>{corner}{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(metric: Metric, numbers: list[Value], baseline: int) -> str:
    most = max((value for value in numbers if value), default=0)
    cells = ""
    for i, value in enumerate(numbers):
        share = value / most if value and most else 0
        times = ratio(value, numbers[baseline]) if i != baseline and value else None
        small = f" <small>{two_places(times)}×</small>" if times is not None else ""
        cells += f'<td><span class="bar" style="--share:{share:.3f}"></span>{written(metric, value)}{small}</td>'
    about = f"{tr(metric.definition)} {_source(metric)} {tr(metric.caveat) if metric.caveat else ''}".strip()
    head = f"{escape(tr(metric.label))} <small>{escape(tr(BETTER[metric.better]))}</small>"
    return f'<tr><th scope="row" title="{escape(about)}">{head}</th>{cells}</tr>'


def _source(metric: Metric) -> str:
    return tr("Source: {source}.", source=tr(metric.source))


def two_places(value: float) -> str:
    """Returns a ratio with two decimals, half rounded up like in the columns' JavaScript; "" for None.

    >>> two_places(2.125), two_places(1.005), two_places(1234), two_places(0.004)
    ('2.13', '1.01', '1,234.00', 'under 0.01')
    """
    if 0 < value < 0.005:
        return tr("under 0.01")
    return number(float(Decimal(str(value)).quantize(Decimal("0.01"), ROUND_HALF_UP)), ",.2f")


def definitions() -> str:
    """Returns the definitions of the metrics as HTML."""
    items = (
        f"<dt>{escape(tr(metric.label))}</dt><dd>{escape(tr(metric.definition))}"
        f" {escape(tr(metric.caveat) if metric.caveat else '')} <i>{escape(_source(metric))}</i></dd>"
        for metric in METRICS.values()
    )
    return f"<dl class='definitions'>{''.join(items)}</dl>"


def agreement_words(found: Comparison) -> str:
    """Returns a sentence on how many boundaries the encodings share."""
    own = found.agreement
    if not own.total:
        return tr("There are no token boundaries inside the text.")
    return tr(
        "Token boundaries inside the text: {total:,}, of which {shared:,} ({share:.1f} %) are in all encodings and"
        " {some:,} only in some.",
        total=own.total,
        shared=own.shared,
        share=100 * own.shared / own.total,
        some=own.disputed,
    )


def agreement_table(found: Comparison, models: Mapping[str, str] = MappingProxyType({})) -> str:
    """Returns the agreement of each pair of encodings as an HTML table."""
    heads = [head_of(name, models) for name in found.names]
    rows = "".join(
        f"<tr><th scope='row'>{name}</th>{_cells(row)}</tr>"
        for name, row in zip(heads, found.agreement.jaccard.tolist(), strict=True)
    )
    about = tr(
        "Each cell of the table compares two encodings: the number of token boundaries that both have, divided by"
        " the number that at least one of them has (Jaccard index)."
    )
    return f"<p>{escape(agreement_words(found))} {escape(about)}</p>{html_table(tr('Agreement'), '', heads, rows)}"


def _cells(row: Sequence[float]) -> str:
    return "".join(f"<td>{number(value, '.3f')}</td>" for value in row)
