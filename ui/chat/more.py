"""The views under the prompt: share of a context window and cost, and a text split into parts."""

import json
from collections.abc import Mapping
from html import escape

import streamlit as st

from server.encodings import encoding_store
from server.encodings.encoding_store import StoredEncoding
from tokenizer import TokenizerError, list_models, parallel_corpus
from tokenizer.chat.reading import Prompt
from tokenizer.chat.samples import Window, window_by_id, window_by_model, windows
from tokenizer.encoding.chunking import Chunk, split_into_chunks
from tokenizer.i18n import mark, month, number, tr, trn
from tokenizer.languages.parallel import BASE, languages
from tokenizer.languages.premium import count_tokens
from ui.components import cache, notices
from ui.components.markdown import in_markdown
from ui.session.choices import Choice, int_in_range, one_of
from ui.widgets import pickers
from ui.widgets.live_text import live_text

VIEWS = {"window": mark("Context window and cost"), "tools": mark("Tool definitions"), "split": mark("Split a text")}
MAX_WINDOW_TOKENS = 100_000_000
MAX_ANSWER_TOKENS = 1_000_000
MAX_PART_TOKENS = 100_000
MAX_PARTS, NUM_SHOWN_PARTS = 20_000, 50
FIT, TYPED = "fit", "typed"
TOKENS_PER_PRICE = 1_000_000

MORE = Choice("more", "window", one_of(VIEWS))
PICKED = Choice("picked", FIT, one_of([FIT, TYPED, *(one.model for one in windows())]))
SIZE = Choice("chat_window", "8192", int_in_range(1, MAX_WINDOW_TOKENS))
OUTPUT = Choice("answer", "500", int_in_range(0, MAX_ANSWER_TOKENS))
LANGUAGE = Choice("chat_language", BASE, one_of(languages()))
PART_SIZE = Choice("part", "200", int_in_range(1, MAX_PART_TOKENS))
OVERLAP = Choice("overlap", "0", int_in_range(0, MAX_PART_TOKENS))


def draw(prompt: Prompt | None, entry: StoredEncoding, model: str) -> str:
    """Draws the chosen view and returns its name; the view "tools" is drawn by ui/chat/tools.py.

    `model` is the name in windows.toml of the model whose own template renders the chat, empty if there is none.
    """
    chosen = MORE.segmented(tr("More"), VIEWS, label_visibility="collapsed")
    if chosen == "split":
        _split(entry)
    elif chosen == "window" and prompt:
        _window(prompt, entry, model)
    return chosen


# Window and cost


def _window(prompt: Prompt, entry: StoredEncoding, model: str) -> None:
    tokens = len(prompt.tokens)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        size, window = ask_window(model)
        answer = OUTPUT.ask(st.number_input, tr("Tokens in the answer"), 0, MAX_ANSWER_TOKENS, step=100, width=200)
    st.html(share_html(tokens, answer, size))
    st.caption(source_sentence(window, size))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        price_in = _price(tr("Input price per million tokens"), "price_in")
        price_out = _price(tr("Output price per million tokens"), "price_out")
    if price_in or price_out:
        st.html(f'<p class="finding">{cost_sentence(tokens, answer, price_in, price_out)}</p>')
    else:
        st.caption(tr("Enter the prices of your provider to see the cost. Prices change too often to be listed here."))
    _in_other_languages(tokens, int(prompt.is_wrapping.sum()), price_in, entry)


def ask_window(model: str) -> tuple[int, Window | None]:
    """Draws the choice of a context window; returns its tokens, and the published window unless it was typed.

    The default is the window of `model`, a name in windows.toml, or of the encoding if the name is empty.
    """
    fitting = window_by_model(model) or window_of(pickers.ENCODING.chosen)
    PICKED.begin()
    picked = PICKED.select(tr("Context window"), sizes(fitting, PICKED.chosen == TYPED), width=360)
    window = fitting if picked == FIT else window_by_model(picked)
    if window:
        return window.tokens, window
    return SIZE.ask(st.number_input, tr("Context window, tokens"), 1, MAX_WINDOW_TOKENS, width=200), None


def window_of(key: str) -> Window | None:
    """Returns the window of a model by its key in `list_models()`; None if unknown.

    An encoding has the window of its newest model.

    >>> [window_of(key).model for key in ("o200k_base", "gpt-4o", "cl100k_base")], window_of("qwen3")
    (['GPT-5', 'GPT-4o', 'GPT-4'], None)
    """
    id = next((model for model, (_, encoding) in list_models().items() if encoding == key), key)
    return window_by_id(id)


def sizes(fitting: Window | None, is_typed: bool = False) -> dict[str, str]:
    """Returns the options and their labels; the first is the window of the current model, else a typed size.

    `is_typed` means that a typed size is chosen: it stays so with a model whose window is not known.

    >>> list(sizes(window_of("gpt2")).values())[:1], list(sizes(None).values())[:1]
    (['GPT-2 · 1,024 · matches the model'], ['another size'])
    """
    known = {one.model: f"{one.model} · {number(one.tokens)}" for one in windows()}
    if fitting is None:
        return {TYPED if is_typed else FIT: tr("another size")} | known
    fits = tr("{name} · matches the model", name=known[fitting.model])
    return {FIT: fits} | known | {TYPED: tr("another size")}


def _price(label: str, name: str) -> float:
    words, exact = tr("The price may be in any currency."), "%g"  # the default shows 0.075 as 0.07
    return st.number_input(label, 0.0, 1e6, 0.0, 0.5, exact, key=name, persist_state="session", width=240, help=words)


def share_html(tokens: int, answer: int, size: int) -> str:
    r"""Returns, as HTML, a meter of a window and a sentence about its use.

    >>> import re
    >>> re.sub("<[^>]+>", "", share_html(10, 5, 100))
    'The chat takes 10 of 100 tokens, 10\xa0% of the context window. With an answer of 5 tokens, 85 tokens are left.'
    >>> share_html(10, 1, 12).endswith("With an answer of 1 token, 1 token is left.</p>")
    True
    >>> share_html(10, 5, 14).endswith("exceeds the context window by 1 token.</p>")
    True
    """
    words = trn(
        "The chat takes {tokens:,} of {n:,} token, {percent} of the context window.",
        "The chat takes {tokens:,} of {n:,} tokens, {percent} of the context window.",
        size,
        tokens=tokens,
        percent=percent(tokens / size),
    )
    more = _left(size - tokens - answer, answer)
    return f'{meter(size, tokens, answer)}<p class="finding">{escape(f"{words} {more}")}</p>'


def meter(size: int, tokens: int, answer: int = 0) -> str:
    """Returns, as HTML, a bar of a window of `size` tokens, filled by a prompt and by its answer.

    >>> meter(1000, 100)
    '<div class="window-share" aria-hidden="true"><i style="width:10.000%"></i></div>'
    """
    used = min(100, 100 * tokens / size)
    bars = f'<i style="width:{used:.3f}%"></i>'
    if answer:
        bars += f'<i class="answer" style="width:{min(100 - used, 100 * answer / size):.3f}%"></i>'
    return f'<div class="window-share" aria-hidden="true">{bars}</div>'


def _left(left: int, answer: int) -> str:
    if left >= 0:
        rest = trn("{n:,} token is left", "{n:,} tokens are left", left)
        return trn(
            "With an answer of {n:,} token, {rest}.", "With an answer of {n:,} tokens, {rest}.", answer, rest=rest
        )
    return trn(
        "With an answer of {n:,} token, the chat exceeds the context window by {excess}.",
        "With an answer of {n:,} tokens, the chat exceeds the context window by {excess}.",
        answer,
        excess=trn("{n:,} token", "{n:,} tokens", -left),
    )


def percent(share: float) -> str:
    r"""Returns a share in percent; small shares are not rounded to 0.

    >>> percent(0.1), percent(0.0123), percent(0.0000123), percent(0), percent(50)
    ('10\xa0%', '1.2\xa0%', 'less than 0.1\xa0%', '0\xa0%', '5,000\xa0%')
    """
    if 0 < share < 0.001:
        return tr("less than {percent}", percent=number(0.1, ".1f") + "\u00a0%")
    rounded = round(100 * share, 1)
    return number(rounded, ",.0f" if rounded == round(rounded) else ",.1f") + "\u00a0%"


def source_sentence(window: Window | None, size: int) -> str:
    """Returns a sentence on where and when a size was published, if it was.

    >>> source_sentence(Window("GPT-2", 1024, "OpenAI", "2019-02"), 1024)
    'GPT-2: 1,024 tokens, as of February 2019. Source: OpenAI. Check this size before you rely on it.'
    >>> source_sentence(None, 8192)
    'This size (8,192 tokens) is not from the list of models. Enter the size that your model has.'
    """
    if window is None:
        return trn(
            "This size ({n:,} token) is not from the list of models. Enter the size that your model has.",
            "This size ({n:,} tokens) is not from the list of models. Enter the size that your model has.",
            size,
        )
    return trn(
        "{model}: {n:,} token, as of {date}. Source: {source}. Check this size before you rely on it.",
        "{model}: {n:,} tokens, as of {date}. Source: {source}. Check this size before you rely on it.",
        window.tokens,
        model=window.model,
        date=month(window.date),
        source=window.source,
    )


def cost_sentence(tokens: int, answer: int, price_in: float, price_out: float) -> str:
    """Returns, as HTML, a sentence on the cost of one chat and of a thousand.

    >>> cost_sentence(1000, 500, 2.0, 8.0)
    'One chat like this costs <b>0.006</b>: 0.002 for the input and 0.004 for the output. A thousand chats cost 6.'
    """
    read, written = tokens * price_in / TOKENS_PER_PRICE, answer * price_out / TOKENS_PER_PRICE
    return tr(
        "One chat like this costs {all}: {read} for the input and {written} for the output. A thousand "
        "chats cost {thousand}.",
        all=f"<b>{money(read + written)}</b>",
        read=money(read),
        written=money(written),
        thousand=money(1_000 * (read + written)),
    )


def money(amount: float) -> str:
    """Returns an amount with three significant digits, or all before the decimal point.

    >>> money(0.0060004), money(1234.56), money(0), money(2.5), money(999.999)
    ('0.006', '1,235', '0', '2.5', '1,000')
    """
    if amount >= 1_000:
        return number(amount, ",.0f")
    digits = 2
    while amount and amount < 10 ** (2 - digits) and digits < 12:
        digits += 1
    needed = len(f"{amount:.{digits}f}".rstrip("0").partition(".")[2])
    return number(amount, f",.{needed}f")


def _in_other_languages(tokens: int, wrapping: int, price: float, entry: StoredEncoding) -> None:
    title = tr("The same chat in other languages: an estimate")
    with st.expander(title, key="chat_languages", on_change="rerun") as box, notices.errors_shown():
        if not box.open:
            return
        names = {tag: one.name for tag, one in languages().items()}
        tag = LANGUAGE.select(tr("Language of the chat"), names, width=240)
        rows = tokens_by_language(tokens - wrapping, tag, totals(entry.key))
        caption = tr(
            "Estimate: the number of text tokens ({n:,}), multiplied by the ratio of each language’s tokens to "
            "those of {language}, measured on {sentences} parallel sentences in {encoding}. The number of "
            "template tokens ({wrapping:,}) stays the same.",
            n=tokens - wrapping,
            sentences=len(parallel_corpus()[BASE]),
            language=names[tag],
            encoding=in_markdown(entry.name),
            wrapping=wrapping,
        )
        st.caption(caption)
        language, about, cost = tr("language"), tr("tokens (estimate)"), tr("input cost (estimate)")
        shown = [{language: names[one], about: found + wrapping} for one, found in rows.items()]
        if price:
            shown = [row | {cost: money(row[about] * price / TOKENS_PER_PRICE)} for row in shown]
        st.dataframe(shown, hide_index=True, height=320)


@cache.cached
def totals(key: str) -> dict[str, int]:
    """Returns the tokens of the parallel sentences of each language in an encoding."""
    encoding = encoding_store.find(key).encoding
    return {tag: int(count_tokens(lines, encoding).sum()) for tag, lines in parallel_corpus().items()}


def tokens_by_language(tokens: int, tag: str, counts: Mapping[str, int]) -> dict[str, int]:
    """Returns the estimated tokens in each language of a text in the language `tag`, fewest first.

    Raises TokenizerError without tokens of this language: an encoding may leave out what its pattern does not match.

    >>> tokens_by_language(10, "en", {"en": 100, "th": 250, "zh": 90})
    {'zh': 9, 'en': 10, 'th': 25}
    """
    if not counts[tag]:
        problem = tr(
            "This encoding gives no tokens for our sentences in this language, so nothing can be estimated from this"
            " language. Choose another language."
        )
        raise TokenizerError(problem)
    found = {other: round(tokens * count / counts[tag]) for other, count in counts.items()}
    return dict(sorted(found.items(), key=lambda one: one[1]))


# Split


@notices.errors_shown()
def _split(entry: StoredEncoding) -> None:
    st.caption(tr("Splits your text into chunks that a model or a search index can process one at a time."))
    text = live_text()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        size = PART_SIZE.ask(st.number_input, tr("Maximum tokens per chunk"), 1, MAX_PART_TOKENS, width=200)
        overlap = OVERLAP.ask(st.number_input, tr("Maximum overlap in tokens"), 0, MAX_PART_TOKENS, width=220)
    if not text:
        st.caption(tr("Nothing to split yet. Write something above."))
        return
    parts = split(text, entry.key, size, overlap)
    st.html(f'<p class="finding">{_parts_sentence(parts)}</p>')
    with st.container(horizontal=True):
        texts = tr("Download the chunks (text)"), "parts.txt", as_text
        lines = tr("Download the chunks (JSONL)"), "parts.jsonl", as_jsonl
        for label, name, write in (texts, lines):
            data = write(parts)
            st.download_button(label, data, name, "text/plain", on_click="ignore", key=name, icon=":material/download:")
    st.html(f'<ol class="parts">{"".join(map(_row, parts[:NUM_SHOWN_PARTS]))}</ol>')
    if len(parts) > NUM_SHOWN_PARTS:
        st.caption(
            tr("Only the first {n} chunks are shown here. The downloaded files contain all chunks.", n=NUM_SHOWN_PARTS)
        )


def _parts_sentence(parts: list[Chunk]) -> str:
    least, most = min(part.tokens for part in parts), max(part.tokens for part in parts)
    span = trn("{n:,} token", "{n:,} tokens", most)
    if least < most:
        span = tr("{least:,} to {most:,} tokens", least=least, most=most)
    facts = {"parts": f"<b>{escape(trn('{n:,} chunk', '{n:,} chunks', len(parts)))}</b>", "span": escape(span)}
    return (
        tr("The text gives {parts} of {span}. Each chunk was encoded separately.", **facts)
        if len(parts) > 1
        else tr("The text gives {parts} of {span}.", **facts)
    )


@cache.cached
def split(text: str, key: str, size: int, overlap: int) -> list[Chunk]:
    """Returns the parts of a text in an encoding; raises TokenizerError, also above MAX_PARTS."""
    found = []
    for part in split_into_chunks(text, encoding_store.find(key).encoding, size, overlap):
        if len(found) == MAX_PARTS:
            raise TokenizerError(
                tr(
                    "This text gives more than {most:,} chunks, the largest number allowed. Allow more tokens per "
                    "chunk.",
                    most=MAX_PARTS,
                )
            )
        found.append(part)
    return found


def _row(part: Chunk) -> str:
    text = part.text if len(part.text) <= 400 else f"{part.text[:400]}…"
    size = escape(trn("{n:,} token", "{n:,} tokens", part.tokens))
    return f'<li><small>{size}</small><div dir="auto">{escape(text)}</div></li>'


def as_text(parts: list[Chunk]) -> str:
    r"""Returns the texts of parts, separated by lines of dashes.

    >>> as_text([Chunk("a", 0, 1), Chunk("b", 1, 1)])
    'a\n-----\nb'
    """
    return "\n-----\n".join(part.text for part in parts)


def as_jsonl(parts: list[Chunk]) -> str:
    r"""Returns parts as JSON lines: text, byte offset in the whole text, tokens.

    >>> as_jsonl([Chunk("ที่", 0, 1)])
    '{"text": "ที่", "start": 0, "tokens": 1}\n'
    """
    return "".join(json.dumps(part._asdict(), ensure_ascii=False) + "\n" for part in parts)
