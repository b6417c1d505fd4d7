"""The prompt of a chat as tokens: wrapping and text, and the effect of injected special tokens."""

from collections.abc import Callable, Sequence
from html import escape

import numpy as np
import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from tokenizer.chat.reading import DOCUMENTED, SYNTHETIC, Marks, Prompt, origin_remarks
from tokenizer.display.readable import readable
from tokenizer.encoding.tokens import SPECIAL, Tokens
from tokenizer.errors import enumerated
from tokenizer.i18n import mark, number, tr, trn
from ui.components import headline_metric, notices
from ui.session import why_text
from ui.widgets.token_strip import Wrapped, token_strip

LEGEND = (
    mark("Dashed frame: a special token."),
    mark("Underlined: added by the chat template. Each message starts on a new line."),  # where these are separated
)
MAX_NAMED = 5  # special tokens or tools listed in a sentence


def show(prompt: Prompt, marks: Marks, entry: StoredEncoding, notes: list[str], has_messages: bool) -> None:
    """Draws the token counts, the tokens and remarks."""
    entry = StoredEncoding(entry.key, marks.encoding)
    with st.container(key="stage"):
        wrapping = int(np.count_nonzero(prompt.is_wrapping))
        total, text = len(prompt.tokens), len(prompt.tokens) - wrapping
        others = (
            (number(text), trn("text token", "text tokens", text)),
            (number(wrapping), trn("template token", "template tokens", wrapping)),
            *([] if has_messages and not _is_separated(prompt) else [_wrapping_per_message(prompt)]),
        )
        headline_metric.show(total, trn("token", "tokens", total), *others)
        token_strip("chat_prompt", prompt.tokens, entry, why_text.PAGE, wrapped=wrapped(prompt))
    generation = generation_prompt_sentence(prompt, has_messages)
    legend = " ".join(map(tr, LEGEND[:1] if has_messages and not _is_separated(prompt) else LEGEND))
    lines = [escape(legend), *filter(None, [generation]), *map(escape, notes), *_remarks(prompt, marks)]
    st.html(f'<ul class="remarks">{"".join(f"<li>{line}</li>" for line in lines)}</ul>')
    if prompt.injected:
        _attack(prompt, entry)


def _is_separated(prompt: Prompt) -> bool:
    """Whether a part of the prompt belongs to a message."""
    return any(part.message is not None for part in prompt.parts)


def _wrapping_per_message(prompt: Prompt) -> tuple[str, str]:
    messages = len({part.message for part in prompt.parts} - {None})
    wrapping = sum(prompt.counts(i)[1] for i in range(max((p.message or 0 for p in prompt.parts), default=0) + 1))
    each = round(wrapping / messages, 1) if messages else 0
    unit = trn("template token per message", "template tokens per message", 1 if each == 1 else 2)
    return number(each, ",.0f" if each == round(each) else ",.1f"), unit


def wrapped(prompt: Prompt) -> Wrapped:
    """Returns the layout of a prompt: each message, and the generation prompt, begins a line."""
    begins, size = set(), 0
    for i, part in enumerate(prompt.parts):
        if i == 0 or part.message != prompt.parts[i - 1].message:
            begins.add(size)
        size += len(part.text)
    starts = np.cumsum([0, *map(len, prompt.segments)]).tolist()
    return Wrapped(prompt.segments, [i for i, at in enumerate(starts[:-1]) if at in begins], prompt.is_wrapping)


def generation_prompt_sentence(prompt: Prompt, has_messages: bool) -> str:
    """Returns, as HTML, a sentence on the generation prompt; "" if it cannot be told from the messages."""
    if not _is_separated(prompt):
        return "" if has_messages else escape(tr("There is no message yet."))
    if not prompt.generation_prompt:
        return escape(
            tr("The template does not begin the assistant’s message; that message comes after the last token.")
        )
    words = escape(readable(prompt.generation_prompt.encode(), 200))
    return trn(
        "The prompt already ends with {words}, the beginning of the assistant’s message: {n:,} token that "
        "the model does not have to generate.",
        "The prompt already ends with {words}, the beginning of the assistant’s message: {n:,} tokens that "
        "the model does not have to generate.",
        prompt.num_generation_tokens,
        words=f"<bdi><code>{words}</code></bdi>",
    )


def _remarks(prompt: Prompt, marks: Marks) -> list[str]:
    """Returns, as HTML, how the tokens differ from the model's: ids, special tokens, tokens of several parts."""
    name, found = escape(marks.encoding.name), []
    used = {mark: origin for mark, origin in marks.origins.items() if mark in prompt.segments}
    documented, synthetic = ([mark for mark in used if used[mark] == origin] for origin in (DOCUMENTED, SYNTHETIC))
    if documented:
        remark = tr(
            "The published vocabulary of {name} does not contain {marks}. The ids used here are those of the chat "
            "models that use {name}.",
            name=name,
            marks=_names_html(documented),
        )
        found.append(remark)
    found += origin_remarks(name, _names_html(synthetic), _names_html(marks.missing))
    if prompt.unknown_names:
        remark = tr(
            "These names are read as ordinary text, because neither {name} nor the template’s file lists them "
            "as special tokens: {marks}.",
            name=name,
            marks=_names_html(prompt.unknown_names),
        )
        found.append(remark)
    if prompt.num_shared:
        remark = trn(
            "{n:,} token contains both template text and message text; it is counted as message text.",
            "{n:,} tokens contain both template text and message text; they are counted as message text.",
            prompt.num_shared,
        )
        found.append(remark)
    return found


def _names_html(marks: Sequence[str]) -> str:
    return first_named(marks, lambda mark: f"<bdi><code>{escape(mark)}</code></bdi>")


def first_named(names: Sequence[str], write: Callable[[str], str] = str) -> str:
    """Returns the first MAX_NAMED names as an enumeration, formatted by `write`, and the number of the others."""
    shown = [write(readable(name.encode(), 60)) for name in names[:MAX_NAMED]]
    return enumerated([*shown, tr("{n} more", n=len(names) - MAX_NAMED)] if len(names) > MAX_NAMED else shown)


def _attack(prompt: Prompt, entry: StoredEncoding) -> None:
    """Draws the warning that messages contain special tokens, and the prompt if they are parsed as such."""
    notices.show(danger_sentence(prompt))
    with st.expander(
        tr("What happens if a program reads these names as special tokens"), key="attack", on_change="rerun"
    ) as box:
        if not box.open:
            return
        attacked = prompt.tokens_with_injection
        caption = trn(
            "If a program reads every name of a special token in this text as a special token, the text has "
            "{n:,} token, {special:,} of them special. A special token inside a message can end this message "
            "and begin another one, which the model cannot tell from a real message.",
            "If a program reads every name of a special token in this text as a special token, the text has "
            "{n:,} tokens, {special:,} of them special. A special token inside a message can end this message "
            "and begin another one, which the model cannot tell from a real message.",
            len(attacked),
            special=int(np.count_nonzero(attacked.kinds == SPECIAL)),
        )
        st.caption(caption)
        token_strip("chat_attack", attacked, entry, why_text.PAGE, wrapped=_attack_layout(prompt, attacked))


def _attack_layout(prompt: Prompt, attacked: Tokens) -> Wrapped:
    """Returns the layout of an attacked prompt: each real or injected turn begins a line."""
    honest = wrapped(prompt)
    begins = {prompt.segments[i] for i in honest.begins_line} & prompt.encoding.special_tokens.keys()
    segments = [text for text, _ in prompt.encoding.split_special_tokens(prompt.text, "special") if text]
    return Wrapped(segments, [i for i, text in enumerate(segments) if text in begins], np.zeros(len(attacked), bool))


def danger_sentence(prompt: Prompt) -> str:
    """Returns a sentence on the messages that contain special tokens, and on why these are dangerous."""
    by_message: dict[int, list[str]] = {}
    for message, name in prompt.injected:
        by_message.setdefault(message, []).append(name)
    numbers = [
        tr("message {n} ({names})", n=i + 1, names=", ".join(dict.fromkeys(names))) for i, names in by_message.items()
    ]
    return tr(
        "The names of special tokens occur in {who}. Here these names are read as ordinary text and have "
        "no effect. A program that reads them as special tokens may let the author of a message end the "
        "message and write in any role.",
        who=enumerated(numbers),
    )
