"""Self-contained HTML of tokens, a training and a comparison for notebooks, in light and dark."""

from collections.abc import Sequence
from itertools import chain

from tokenizer import notebook_repr
from tokenizer.display import charts, palette
from tokenizer.display.comparing import agreement_words, metrics_table
from tokenizer.display.readable import readable
from tokenizer.display.strip import html, strip, strip_css
from tokenizer.encoding.bpe import Merge
from tokenizer.encoding.tokens import Tokens
from tokenizer.i18n import mark, number, tr, trn
from tokenizer.measure.comparison import Comparison
from tokenizer.training.train import Timeline
from tokenizer.training.training_history import TrainingHistory

MAX_DRAWN_TOKENS = 2_000
FIRST_MERGES, LAST_MERGES = 20, 5  # shown of a training
MAX_TOKEN_CHARACTERS = 16  # or bytes, of a token in a table
METRICS = ("tokens", "bytes_per_token", "tokens_per_word", "cut_share", "vocab_size")
NAME = "tokenloupe"
# Selectors of pages with a theme of their own: JupyterLab and its exported files, VS Code, Colab, Jupyter Book. On
# other pages the browser's preference applies. The background is always our own.
DARK = ('[data-jp-theme-light="false"]', ".vscode-dark", *(f"[{name}=dark]" for name in ("theme", "data-theme")))
LIGHT = ('[data-jp-theme-light="true"]', ".vscode-light", *(f"[{name}=light]" for name in ("theme", "data-theme")))
OWN = f".{NAME}" * 4  # repeated, to override the styles of notebooks for tables
STYLE = f"""\
.{NAME} {{ color-scheme: light dark; }}
{", ".join(f"{page} .{NAME}" for page in DARK)} {{ color-scheme: dark; }}
{", ".join(f"{page} .{NAME}" for page in LIGHT)} {{ color-scheme: light; }}
{OWN} {{ {palette.css_variables()}
  color: light-dark({palette.LIGHT_INK}, {palette.DARK_INK});
  background: light-dark({palette.LIGHT_PAPER}, {palette.DARK_PAPER});
  padding: 12px 16px; border-radius: 6px; max-width: 60em; overflow-x: auto;
  font: 16px/1.6 system-ui, "Noto Sans Thai", sans-serif; text-align: start;
  & p {{ margin: 0 0 8px; }}
  & iframe[srcdoc] + p {{ display: none; }}
  & table {{ margin: 0 0 8px; border: 0; font: inherit; color: inherit; table-layout: auto; }}
  & tbody tr, & thead tr, & tr:hover {{ background: none; }}
  & :is(th, td) {{ background: none; color: inherit; border: 0; font-size: 15px; vertical-align: top; }}
  & :is(th[scope=row], caption, .text) {{ text-align: start; }}
  & .tokens {{ margin: 0 0 8px; }}
  & small {{ font-size: 14px; font-weight: 400; }}
  & summary {{ cursor: pointer; }}
  & .ids {{ font-family: monospace; overflow-wrap: anywhere; }}
{strip_css()}
}}
"""


@notebook_repr.html.register
def of_tokens(tokens: Tokens) -> str:
    """Returns the first tokens of a text, coloured, with their ids.

    >>> from tokenizer import get_encoding
    >>> get_encoding("gpt2").tokenize("<b>")._repr_html_().endswith('<p class="ids">27, 65, 29</p></details></div>')
    True
    """
    shown = tokens.beginning(MAX_DRAWN_TOKENS)
    count, size = trn("{n:,} token", "{n:,} tokens", len(tokens)), len(tokens.text.encode())
    about = [f"<b>{html(count)}</b>"]
    if tokens.encoding:
        about.append(f"<bdi>{html(tokens.encoding)}</bdi>")
    about.append(html(trn("{n:,} byte", "{n:,} bytes", size)))
    ids = f'<details><summary>{html(tr("Ids"))}</summary><p class="ids">{", ".join(map(str, shown.ids))}</p></details>'
    return framed(f"<p>{' · '.join(about)}</p>", drawn(shown), left_out(len(shown), len(tokens)), ids)


@notebook_repr.html.register
def of_timeline(timeline: Timeline | TrainingHistory) -> str:
    """Returns the first and last merges of a training, and the compression of its corpus."""
    merges, counts = timeline.merges, timeline.num_tokens
    head = trn("{n:,} merge", "{n:,} merges", len(merges))
    size = trn("{n:,} token in the vocabulary", "{n:,} tokens in the vocabulary", timeline.num_base + len(merges))
    sentence = mark(
        "The corpus has {size:,} bytes: {before:,} tokens before the first merge, {after:,} after the last."
    )
    corpus = tr(sentence, size=timeline.num_bytes, before=counts[0], after=counts[-1])
    hidden = max(0, len(merges) - FIRST_MERGES - LAST_MERGES)
    note = trn(
        "{n:,} merge in the middle of the list is not shown.",
        "{n:,} merges in the middle of the list are not shown.",
        hidden,
    )
    return framed(
        f"<p><b>{html(head)}</b> · {html(size)}</p><p>{html(corpus)}</p>",
        merge_table(merges if not hidden else [*merges[:FIRST_MERGES], None, *merges[-LAST_MERGES:]]),
        f"<p>{html(note)}</p>" if hidden else "",
    )


def merge_table(merges: Sequence[Merge | None]) -> str:
    """Returns a table of merges; None is a gap."""
    heads = (tr("id"), tr("left"), tr("right"), tr("token"), tr("times the pair occurred"), tr("tokens saved"))
    head = "".join(f'<th scope="col"{_text(1 <= i <= 3)}>{html(name)}</th>' for i, name in enumerate(heads))
    rows = "".join(map(_merge, merges))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _merge(merge: Merge | None) -> str:
    if merge is None:
        return '<tr aria-hidden="true"><td colspan="6" class="text">⋯</td></tr>'
    words = "".join(
        f"<td{_text(True)}><bdi>{html(readable(one, MAX_TOKEN_CHARACTERS))}</bdi></td>" for one in merge[1:4]
    )
    return f"<tr><td>{merge.rank}</td>{words}<td>{number(merge.count)}</td><td>{number(merge.saved)}</td></tr>"


def _text(is_text: bool) -> str:
    return ' class="text"' if is_text else ""


@notebook_repr.html.register
def of_comparison(found: Comparison) -> str:
    """Returns metrics of encodings on one text, their agreement, and the tokens of each."""
    strips = chain.from_iterable(
        (f"<p><b><bdi>{html(name)}</bdi></b></p>", drawn(first), left_out(len(first), values["tokens"]))
        for name, first, values in zip(found.names, found.first, found.values, strict=True)
    )
    return framed(metrics_table(found, shown=METRICS), f"<p>{html(agreement_words(found))}</p>", *strips)


def drawn(tokens: Tokens) -> str:
    """Returns the strip of tokens, which formula renderers ignore."""
    ignored = "tex2jax_ignore mathjax_ignore"  # notebooks would render "$a$" as a formula
    return f'<div class="tokens {ignored}" lang="" dir="auto">{strip(tokens)}</div>'


def left_out(shown: int, total: int) -> str:
    """Returns a sentence on how many tokens are drawn, if not all."""
    if shown == total:
        return ""
    return f"<p>{html(tr('The first {shown:,} of {total:,} tokens are shown.', shown=shown, total=total))}</p>"


def framed(*parts: str) -> str:
    """Returns parts in a frame with its own style sheet."""
    return f'<div class="{NAME}"><style>{STYLE}</style>{"".join(parts)}</div>'


notebook_repr.chart.register(Tokens, charts.of_tokens)
for training in (Timeline, TrainingHistory):
    notebook_repr.chart.register(training, charts.of_timeline)
notebook_repr.chart.register(Comparison, charts.of_comparison)
