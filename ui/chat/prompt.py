"""The text that a model reads of a chat, as tokens: wrapping and text told apart, and what an attack would do."""

from html import escape

import numpy as np
import streamlit as st

from tokenizer.chat.reading import DOCUMENTED, LENT, Marks, Prompt
from tokenizer.display.readable import readable
from tokenizer.encoding.tokens import SPECIAL, Tokens
from tokenizer.errors import counted, enumerated
from ui.desk import own_text
from ui.desk.strip import Wrapped, strip
from ui.kit import hero, notices
from ui.server.shelf import Entry

LEGEND = "Underlined is wrapping; a dashed frame is a special token. Each message begins a line here."
MOST_NAMED = 5  # special tokens that messages spell, and that are named one by one


def show(prompt: Prompt, marks: Marks, entry: Entry, notes: list[str]) -> None:
    """Draws the count, the tokens, and what there is to say of them."""
    entry = Entry(entry.key, marks.encoding)
    with st.container(key="stage"):
        wrapping = int(np.count_nonzero(prompt.is_wrapping))
        total, text = len(prompt.tokens), len(prompt.tokens) - wrapping
        hero.show(total, "token", (f"{text:,}", "of text"), (f"{wrapping:,}", "of wrapping"), _a_message(prompt))
        strip("chat_prompt", prompt.tokens, entry, own_text.WRITTEN, wrapped=wrapped(prompt))
    lines = [LEGEND, turn(prompt), *map(escape, notes), *_about(prompt, marks)]
    st.html(f'<ul class="remarks">{"".join(f"<li>{line}</li>" for line in lines)}</ul>')
    if prompt.spelled:
        _attack(prompt, entry)


def _a_message(prompt: Prompt) -> tuple[str, str]:
    number = len({part.message for part in prompt.parts} - {None})
    wrapping = sum(prompt.counts(i)[1] for i in range(max((p.message or 0 for p in prompt.parts), default=0) + 1))
    return f"{wrapping / number:.1f}".removesuffix(".0") if number else "0", "of wrapping a message"


def wrapped(prompt: Prompt) -> Wrapped:
    """Returns how a prompt is drawn: a line for each message, and what follows the last one."""
    begins, size = set(), 0
    for i, part in enumerate(prompt.parts):
        if i == 0 or part.message != prompt.parts[i - 1].message:
            begins.add(size)
        size += len(part.text)
    starts = np.cumsum([0, *map(len, prompt.stretches)]).tolist()
    return Wrapped(prompt.stretches, [i for i, at in enumerate(starts[:-1]) if at in begins], prompt.is_wrapping)


def turn(prompt: Prompt) -> str:
    """Returns in words, as HTML, what an assistant's turn begins with."""
    if all(part.message is None for part in prompt.parts):
        return "There is no message yet: all of this is wrapping."
    if not prompt.turn:
        return "Nothing is put after the last message: the assistant’s turn begins there."
    words = escape(readable(prompt.turn.encode(), 200))
    return (
        f"The assistant’s turn begins with <bdi><code>{words}</code></bdi>:"
        f" {counted(prompt.counts(None)[1], 'token')} that the model does not have to write."
    )


def _about(prompt: Prompt, marks: Marks) -> list[str]:
    """What is not as it is in a model, as HTML: ids that are lent, special tokens that cannot be, shared tokens."""
    found, name = [], escape(marks.encoding.name)
    lent = [mark for mark, origin in marks.origins.items() if origin == LENT and mark in prompt.stretches]
    documented = [mark for mark, origin in marks.origins.items() if origin == DOCUMENTED and mark in prompt.stretches]
    if documented:
        found.append(f"{name} as it is published lacks {_named(documented)}; known ids of chat models stand for them.")
    if lent:
        found.append(f"{name} lacks {_named(lent)}: counted as one token each, with ids that are made up.")
    if marks.missing:
        found.append(f"{name} cannot have {_named(marks.missing)}: read as text.")
    if prompt.unread:
        found.append(
            f"Read as text, since no special token of {name} or of the template’s file: {_named(prompt.unread)}."
        )
    if prompt.num_shared:
        one = counted(prompt.num_shared, "token")
        found.append(f"{one} with wrapping and text in one: counted as text.")
    return found


def _named(marks: list[str] | tuple[str, ...]) -> str:
    shown = [f"<bdi><code>{escape(readable(mark.encode(), 60))}</code></bdi>" for mark in marks[:MOST_NAMED]]
    return enumerated([*shown, f"{len(marks) - MOST_NAMED} more"] if len(marks) > MOST_NAMED else shown)


def _attack(prompt: Prompt, entry: Entry) -> None:
    """Says that messages spell special tokens, and shows what a careless program would make of it."""
    notices.say(danger(prompt))
    with st.expander("What the attack would do", key="attack", on_change="rerun") as box:
        if not box.open:
            return
        attacked = prompt.attacked
        st.caption(
            f"The same text where a program reads every special token in it as one: {counted(len(attacked), 'token')},"
            f" {int(np.count_nonzero(attacked.kinds == SPECIAL)):,} of them special. Those that a message spells end"
            " it and begin others, and the model cannot tell that from a real turn."
        )
        strip("chat_attack", attacked, entry, own_text.WRITTEN, wrapped=_as_one(prompt, attacked))


def _as_one(prompt: Prompt, attacked: Tokens) -> Wrapped:
    """How the attack is drawn: a line for each turn that the model would take for real."""
    honest = wrapped(prompt)
    begins = {prompt.stretches[i] for i in honest.begins_line} & prompt.encoding.special_tokens.keys()
    stretches = [text for text, _ in prompt.encoding.stretches(prompt.text, "special") if text]
    return Wrapped(stretches, [i for i, text in enumerate(stretches) if text in begins], np.zeros(len(attacked), bool))


def danger(prompt: Prompt) -> str:
    """Returns in words which messages spell special tokens, and what that means."""
    by_message: dict[int, list[str]] = {}
    for message, name in prompt.spelled:
        by_message.setdefault(message, []).append(name)
    who = enumerated([f"message {i + 1} ({', '.join(dict.fromkeys(names))})" for i, names in by_message.items()])
    return (
        f"Special tokens are spelled in {who}. Here they are read as text, and do nothing. A program that reads them as"
        " special lets whoever wrote this end the message and speak in any role."
    )
