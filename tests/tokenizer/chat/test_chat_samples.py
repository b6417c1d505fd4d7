"""Example chats and context windows in their data files."""

import re

from tokenizer.chat.messages import ROLES
from tokenizer.chat.samples import chats, windows
from tokenizer.chat.templates import FAMILIES
from tokenizer.kinds.counters import BY_KEY
from tokenizer.kinds.registry import encoding_name


def test_sample_chats_include_calls_and_an_injection_and_render():
    roles = {one.role for chat in chats() for one in chat.messages}
    assert {"system", "user", "assistant", "call", "tool"} <= roles <= set(ROLES)
    assert len({one.name for one in chats()}) == len(chats())
    for chat in chats():
        assert FAMILIES[chat.template or "chatml"].render(list(chat.messages))
    assert any("<|im_end|>" in one.text for chat in chats() for one in chat.messages)


def test_context_windows_have_a_source_and_a_date():
    assert [one.date for one in windows()] == sorted((one.date for one in windows()), reverse=True)
    for one in windows():
        assert one.tokens > 1_000 and re.fullmatch(r".+ \([a-z.]+\.(com|org|co)/\S+\)", one.source), one.model
        assert re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", one.date)
        assert not one.id or one.id in BY_KEY or encoding_name(one.id)
    assert len({one.model for one in windows()}) == len(windows())
