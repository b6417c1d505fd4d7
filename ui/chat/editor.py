"""The editor of a chat: a box per message; short chats are stored in the URL too."""

import json
from collections.abc import Callable, Mapping

import streamlit as st

from tokenizer.chat.jinja_template import JinjaTemplate
from tokenizer.chat.messages import ROLE_LABELS, ROLES, BadChat, Message
from tokenizer.chat.records import NAMES, REASONING, TOOLS, chat_in, left_out
from tokenizer.chat.samples import chats
from tokenizer.chat.templates import Family, attack
from tokenizer.i18n import mark, tr
from tokenizer.text.well_formed import well_formed
from ui.chat import template
from ui.components import notices
from ui.session import page_snapshot, widget_events
from ui.session.choices import Choice, InvalidValue
from ui.session.visitor_state import visitor
from ui.widgets import undo_button

ATTACK = "Attack"
MAX_URL_CHARACTERS = 1_000
MAX_MESSAGES = 40
MAX_CHAT_CHARACTERS = 100_000  # of all messages
MAX_JSON_CHARACTERS = 1_000_000  # of a pasted chat, in which a character may be six
LAST_OWN = "chat_last_own"  # session key of the chat that was shown last, None for the initial example
UNREPORTED = "chat_unreported"  # session key of the chat with the boxes that a restarted server got without a callback
LEFT_OUT = {  # of a pasted chat
    TOOLS: mark(
        "The tool definitions beside the messages were left out. To count them, paste them under “Tool definitions”"
        " below."
    ),
    REASONING: mark("Reasoning beside the text of messages was left out, and is not counted."),
    NAMES: mark("Names of speakers, in the field name of messages, were left out, and are not counted."),
}
NUM_PASTED_KEY = "chat_pasted"  # session key of the number of chats that were pasted


def _read(source: str) -> tuple[Message, ...]:
    """Returns the messages of a URL, JSON such as [[role, text], [role, text, tool], …]; raises InvalidValue."""
    try:
        found = [Message(*map(_well_formed, one)) for one in json.loads(source)]
    except (ValueError, TypeError, RecursionError):
        raise InvalidValue(tr('a list of messages such as [["user", "Hello"]]')) from None
    is_right = all(one.role in ROLES and all(isinstance(part, str) for part in one) for one in found)
    if not is_right or len(found) > MAX_MESSAGES:
        roles = ", ".join(ROLES)
        raise InvalidValue(
            tr("a list of at most {most} messages, each with one of the roles {roles}", most=MAX_MESSAGES, roles=roles)
        )
    return tuple(found)


def _well_formed(part: object) -> object:
    return well_formed(part)[0] if isinstance(part, str) else part


def _spell(messages: tuple[Message, ...]) -> str | None:
    source = json.dumps([list(one if one.tool else one[:2]) for one in messages], ensure_ascii=False)
    return source if len(source) <= MAX_URL_CHARACTERS and source == well_formed(source)[0] else None


CHAT = Choice("chat", _spell(chats()[0].messages), _read, _spell)


def _unlinkable() -> list | None:
    """Returns the chat as JSON values if it is too long for the URL."""
    found = CHAT.chosen
    return None if found is None or _spell(found) is not None else [list(one) for one in found]


def _restore(found: object) -> None:
    restored = _read(json.dumps(found))
    st.session_state.pop("chat_ids", None)
    # after a restart the boxes come before the tab's chat, in the example: that mixture was never the visitor's chat
    mixed = st.session_state.pop(UNREPORTED, None)
    if mixed is not None and mixed == CHAT.chosen:
        st.session_state[LAST_OWN] = None
    CHAT.choose(restored)


page_snapshot.register("chat", "messages", _unlinkable, _restore, address="chat")


def messages() -> tuple[Message, ...]:
    """Returns the messages of this visitor; of a new visitor, those of the URL."""
    if CHAT.name not in visitor().choices:  # the chat of the URL is a new one
        st.session_state.pop("chat_ids", None)
    CHAT.begin()
    _keep_replaced()
    return CHAT.chosen


def _keep_replaced() -> None:
    """Keeps the chat that a link or a saved page has replaced or removed since the last run; Undo restores it."""
    if (before := st.session_state.get(LAST_OWN)) is not None and before != CHAT.chosen:
        visitor().choices["chat_before"] = before
    st.session_state[LAST_OWN] = None if CHAT.chosen == CHAT.of(CHAT.begins) else CHAT.chosen


def is_too_long(found: tuple[Message, ...]) -> bool:
    """Whether the chat has more than MAX_CHAT_CHARACTERS; shows a notice if so."""
    size = sum(len(one.text) + len(one.tool) for one in found)
    if size > MAX_CHAT_CHARACTERS:
        facts = {"n": size, "most": MAX_CHAT_CHARACTERS}
        notices.show(
            tr("This chat has {n:,} characters; the limit is {most:,} characters. Shorten a message.", **facts)
        )
    return size > MAX_CHAT_CHARACTERS


def draw(counts: Mapping[int, tuple[int, int]]) -> None:
    """Draws the boxes of the messages, with the tokens of text and of wrapping of each if known."""
    found = CHAT.chosen
    if CHAT.problem:
        notices.show(CHAT.problem)
    with st.container(key="chat_messages"):
        for i, message in enumerate(found):
            _message(i, message, len(found), counts.get(i))
    with st.container(horizontal=True, key="chat_add"):
        is_full = len(found) >= MAX_MESSAGES
        st.button(tr("Add a message"), icon=":material/add:", key="add_message", on_click=_add, disabled=is_full)
        key = f"paste_{st.session_state.get(NUM_PASTED_KEY, 0)}"
        with st.popover(tr("Paste a chat as JSON"), icon=":material/data_object:", key=key):
            _paste()
    pasted, kinds = visitor().choices.get("chat_left_out", ((), []))
    if kinds and pasted == found:
        notices.show(" ".join(tr(LEFT_OUT[kind]) for kind in kinds))


def _paste() -> None:
    words = tr(
        "Paste a list of messages, or a request as for OpenAI’s, Anthropic’s or Gemini’s API. Tool calls are kept. "
        "Tool definitions are not read here: paste them under “Tool definitions” below."
    )
    label = tr("The chat, as JSON")
    st.text_area(label, key="chat_json", height=220, max_chars=MAX_JSON_CHARACTERS, help=words)
    st.button(tr("Replace the chat"), key="read_chat", type="primary", on_click=_read_json)
    if problem := st.session_state.get("chat_json_problem"):
        notices.show(problem)


def _message(i: int, message: Message, number: int, count: tuple[int, int] | None) -> None:
    id = message_ids()[i]
    with st.container(border=True, gap="xsmall", key=f"message_{id}"):
        with st.container(horizontal=True, vertical_alignment="bottom", key=f"message_row_{id}"):
            field = _field(id, "role")
            called = {role: tr(word).capitalize() for role, word in ROLE_LABELS.items()}
            label = widget_events.remember_labels(field["key"], ROLES, called.get)
            words, index = tr("Role of message {n}", n=i + 1), ROLES.index(message.role)
            st.selectbox(words, ROLES, index, label, **field)
            _button("up", tr("Move up"), id, i == 0, move, -1)
            _button("down", tr("Move down"), id, i == number - 1, move, 1)
            _button("remove", tr("Remove"), id, False, remove)
        if message.role in ("call", "tool"):
            words = tr("Tool of message {n}", n=i + 1)
            typed = st.text_input(words, message.tool, placeholder=tr("the tool’s name"), **_field(id, "tool"))
            _keep_unreported(id, "tool", typed, message.tool)
        words = tr("Text of message {n}", n=i + 1)
        if message.role == "call":
            words = tr("Arguments of message {n}, as JSON", n=i + 1)
        typed = st.text_area(words, message.text, height="content", **_field(id, "text"))
        _keep_unreported(id, "text", typed, message.text)
        if count:
            text, wrapping = count
            st.caption(tr("text tokens: {n:,}; template tokens: {wrapping:,}", n=text, wrapping=wrapping))


ICONS = {"up": ":material/arrow_upward:", "down": ":material/arrow_downward:", "remove": ":material/close:"}


def _button(name: str, words: str, id: int, is_disabled: bool, action: Callable, *args: object) -> None:
    more = {"help": words, "disabled": is_disabled, "on_click": action, "args": (id, *args), "type": "tertiary"}
    st.button(words, key=f"{name}_{id}", icon=ICONS[name], **more)


def _field(id: int, name: str) -> dict:
    """Returns the key, the callback and the look of the widget of a field of a message.

    Its value is given to the widget as the default: one set in the session state is sent by one run alone, and a
    browser that creates the widget after the next run would show an empty one.
    """
    key = f"message_{name}_{id}"
    return {"key": key, "on_change": _change, "args": (id, name), "label_visibility": "collapsed"}


def examples(written_by: Family | JinjaTemplate) -> None:
    """Draws a button for each example chat, and Undo after one has replaced the chat.

    An example changes the template only if the current one cannot render it. The attack is written for the current one.
    """
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="examples"):
        st.caption(tr("Try:"), width="content")
        for one in chats():
            args = (one.messages, "" if can_render(written_by, one.messages) else one.template)
            if one.name == ATTACK and isinstance(written_by, Family):
                args = ((one.messages[0], attack(written_by)), "")
            st.button(tr(one.label), key=f"chat_{one.name}", on_click=replace_all, args=args)
        if "chat_before" in visitor().choices:
            undo_button.offer(tr("The chat was changed."), "undo_chat", undo)


def can_render(template: Family | JinjaTemplate, messages: tuple[Message, ...]) -> bool:
    """Whether a template of ours can render these messages.

    >>> from tokenizer.chat.templates import FAMILIES
    >>> [can_render(FAMILIES[name], (Message("call", "{}", "f"),)) for name in ("qwen", "gemma")]
    [True, False]
    """
    try:
        return isinstance(template, Family) and bool(template.render(list(messages)))
    except BadChat:
        return False


# Callbacks; a double click calls each twice


def message_ids() -> list[int]:
    """Returns a stable id for each message, for the keys of its widgets."""
    ids, found = st.session_state.setdefault("chat_ids", []), CHAT.chosen or ()  # none: a file was opened meanwhile
    if len(ids) != len(found):  # the chat came from the URL
        st.session_state.chat_ids = ids = [_next_id() for _ in found]
    return ids


def _keep_unreported(id: int, name: str, typed: str, known: str) -> None:
    """Stores what a browser had in a box when the server was restarted: no callback reports it to the new session."""
    if typed != known:
        _change(id, name)
        st.session_state[UNREPORTED] = CHAT.chosen
        st.rerun()


def _next_id() -> int:
    st.session_state.chat_last_id = st.session_state.get("chat_last_id", 0) + 1
    return st.session_state.chat_last_id


def _change(id: int, name: str) -> None:
    widget_events.resolve_labels(f"message_{name}_{id}")
    if id in message_ids() and (value := st.session_state.get(f"message_{name}_{id}")) is not None:
        found, i = list(CHAT.chosen), message_ids().index(id)
        if name == "role" and value not in ROLES:  # the label of an earlier version, from a tab that was open
            st.session_state[f"message_{name}_{id}"] = value = found[i].role
        found[i] = found[i]._replace(**{name: value})
        _store(found)


def _add() -> None:
    if CHAT.chosen is None:  # a file was opened meanwhile
        return
    found = list(CHAT.chosen)
    st.session_state.chat_ids = [*message_ids(), _next_id()]
    role = "assistant" if found and found[-1].role in ("user", "tool") else "user"
    _store([*found, Message(role, "")])


def _read_json() -> None:
    """Replaces the chat by the pasted one, and closes the popover by giving it another key; Undo restores it."""
    source = st.session_state.get("chat_json") or ""
    try:
        found = chat_in(source)
        if len(found) > MAX_MESSAGES:
            problem = tr(
                "This chat has {n:,} messages; the limit is {most:,} messages.", n=len(found), most=MAX_MESSAGES
            )
            advice = tr("Paste a part of the chat.")
            raise BadChat(f"{problem} {advice}")
    except BadChat as error:
        st.session_state.chat_json_problem = str(error)
        return
    st.session_state.chat_json, st.session_state.chat_json_problem = "", ""
    st.session_state[NUM_PASTED_KEY] = st.session_state.get(NUM_PASTED_KEY, 0) + 1
    replace_all(tuple(found))
    visitor().choices["chat_left_out"] = tuple(found), left_out(source)


def remove(id: int) -> None:
    """Removes a message; Undo restores it."""
    if id in message_ids():
        before, i = CHAT.chosen, message_ids().index(id)
        st.session_state.chat_ids = [one for one in message_ids() if one != id]
        _store([one for j, one in enumerate(before) if j != i])
        visitor().choices["chat_before"] = before


def move(id: int, by: int) -> None:
    """Moves a message up or down, unless it is at the end."""
    found, ids = list(CHAT.chosen or ()), list(message_ids())
    i = ids.index(id) if id in ids else -1
    if i >= 0 and 0 <= i + by < len(found):
        for row in (found, ids):
            row[i], row[i + by] = row[i + by], row[i]
        st.session_state.chat_ids = ids
        _store(found)


def replace_all(found: tuple[Message, ...], written_by: str = "") -> None:
    """Replaces the chat and, if given, its template; Undo restores the chat before."""
    before, earlier = CHAT.chosen, visitor().choices.get("chat_before")
    st.session_state.chat_ids = [_next_id() for _ in found]
    if written_by:
        template.TEMPLATE.choose(written_by)
    _store(found)
    if (kept := earlier if before == found else before) is not None:  # a second press keeps the first undo
        visitor().choices["chat_before"] = kept


def undo() -> None:
    """Restores the chat from before it was replaced or a message was removed."""
    if (before := visitor().choices.get("chat_before")) is not None:
        replace_all(before)
        visitor().choices.pop("chat_before", None)


def _store(found: list[Message] | tuple[Message, ...]) -> None:
    visitor().choices.pop("chat_before", None)
    st.session_state[LAST_OWN] = tuple(found)
    CHAT.choose(tuple(found))
