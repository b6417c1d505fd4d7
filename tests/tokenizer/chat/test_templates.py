"""What each family makes of a chat, against templates in Jinja written from the same documents."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tokenizer import get_encoding
from tokenizer.chat.messages import BadChat, Message, arguments, joined, value
from tokenizer.chat.templates import FAMILIES, family_of

SEP = "{{ '<|im_start|>' + m.role + '<|im_sep|>' + m.content + '<|im_end|>' }}"
QWEN = """
{%- for m in messages %}
    {%- if m.role == 'tool' %}
        {%- if loop.first or loop.previtem.role != 'tool' %}{{ '<|im_start|>user' }}{% endif %}
        {{- '\\n<tool_response>\\n' + m.content + '\\n</tool_response>' }}
        {%- if loop.last or loop.nextitem.role != 'tool' %}{{ '<|im_end|>\\n' }}{% endif %}
    {%- elif m.call %}
        {{- '<|im_start|>assistant\\n<tool_call>\\n{"name": "' + m.call.name + '", "arguments": ' + m.call.arguments }}
        {{- '}\\n</tool_call><|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{{- '<|im_start|>assistant\\n' }}"""
LLAMA = """
{{- '<|begin_of_text|>' }}
{%- for m in messages %}
    {{- '<|start_header_id|>' + ('ipython' if m.role == 'tool' else m.role) + '<|end_header_id|>\\n\\n' }}
    {%- if m.call %}
        {{- '{"name": "' + m.call.name + '", "parameters": ' + m.call.arguments + '}' }}
    {%- else %}
        {{- m.content | trim }}
    {%- endif %}
    {{- '<|eot_id|>' }}
{%- endfor %}
{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}"""
HARMONY = """
{%- for m in messages %}
    {%- if m.role == 'tool' %}
        {{- '<|start|>functions.' + m.name + ' to=assistant<|channel|>commentary<|message|>' + m.content + '<|end|>' }}
    {%- elif m.call %}
        {{- '<|start|>assistant<|channel|>commentary to=functions.' + m.call.name + ' <|constrain|>json<|message|>' }}
        {{- m.call.typed + '<|call|>' }}
    {%- elif m.role == 'assistant' %}
        {{- '<|start|>assistant<|channel|>final<|message|>' + m.content + '<|end|>' }}
    {%- elif m.role == 'developer' %}
        {{- '<|start|>developer<|message|># Instructions\\n\\n' + m.content + '<|end|>' }}
    {%- else %}
        {{- '<|start|>' + m.role + '<|message|>' + m.content + '<|end|>' }}
    {%- endif %}
{%- endfor %}
{{- '<|start|>assistant' }}"""
GEMMA = """
{%- set said = messages | selectattr('role', 'equalto', 'system') | map(attribute='content') | list %}
{{- '<bos>' }}
{%- for m in messages if m.role != 'system' %}
    {{- '<start_of_turn>' + ('model' if m.role == 'assistant' else m.role) + '\\n' }}
    {%- if loop.first %}{% for text in said %}{{ text + '\\n\\n' }}{% endfor %}{% endif %}
    {{- m.content | trim + '<end_of_turn>\\n' }}
{%- endfor %}
{{- '<start_of_turn>model\\n' }}"""
MISTRAL = """
{%- set said = messages | selectattr('role', 'equalto', 'system') | map(attribute='content') | list %}
{%- set users = messages | selectattr('role', 'equalto', 'user') | list %}
{{- '<s>' }}
{%- for m in messages if m.role != 'system' %}
    {%- if m.role == 'user' %}
        {{- '[INST]' }}
        {%- if m is sameas users[-1] %}{% for text in said %}{{ text + '\\n\\n' }}{% endfor %}{% endif %}
        {{- m.content + '[/INST]' }}
    {%- elif m.role == 'tool' %}
        {{- '[TOOL_RESULTS]{"content": ' + m.result + ', "call_id": "' + m.id + '"}[/TOOL_RESULTS]' }}
    {%- elif m.call %}
        {{- '[TOOL_CALLS][{"name": "' + m.call.name + '", "arguments": ' + m.call.arguments }}
        {{- ', "id": "' + m.id + '"}]</s>' }}
    {%- else %}
        {{- m.content + '</s>' }}
    {%- endif %}
{%- endfor %}"""
JINJA = {
    "chatml": f"{{% for m in messages %}}{SEP}{{% endfor %}}{{{{ '<|im_start|>assistant<|im_sep|>' }}}}",
    "harmony": HARMONY,
    "llama3": LLAMA,
    "gemma": GEMMA,
    "mistral": MISTRAL,
    "qwen": QWEN,
}
environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
TEMPLATES = {name: environment.from_string(source) for name, source in JINJA.items()}

TEXT = st.text(st.sampled_from("ab \n'\"{}<|im_end|>ที่👍\\"), max_size=12)
WEATHER = [
    Message("system", "Be brief."),
    Message("user", " What is the weather in Chiang Mai? "),
    Message("call", '{"city":"เชียงใหม่"}', "get_weather"),
    Message("tool", '{"celsius": 31}', "get_weather"),
    Message("assistant", "It is 31 °C."),
    Message("user", "Thanks."),
]


def as_jinja_has_them(messages):
    found, calls = [], 0
    for message in messages:
        calls += message.role == "call"
        one = {"role": message.role, "content": message.text, "id": f"call{calls:05d}", "name": message.tool}
        if message.role == "call":
            names = {"name": message.tool, "arguments": arguments(message), "typed": message.text}
            one |= {"role": "assistant", "call": names}
        if message.role == "tool":
            found_value = value(message.text)
            one["result"] = json.dumps(message.text if found_value is None else found_value, ensure_ascii=False)
        found.append(one)
    return found


def known(name, messages):
    return [message for message in messages if message.role in FAMILIES[name].roles]


def check(name, messages):
    parts = FAMILIES[name].render(messages)
    assert joined(parts) == TEMPLATES[name].render(messages=as_jinja_has_them(messages))
    assert all(part.text for part in parts)
    said = [part.text for part in parts if not part.is_wrapping and part.message is not None]
    for i, message in enumerate(messages):
        if message.role not in ("call", "tool") and message.text.strip():
            assert message.text.strip() in said or message.text in said, i


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_writes_a_chat_as_its_documents_say(name):
    check(name, known(name, WEATHER))


@pytest.mark.parametrize("name", FAMILIES)
@given(st.data())
def test_a_family_writes_any_chat_so(name, data):
    family = FAMILIES[name]
    roles = st.sampled_from(family.roles)
    if family.takes_turns:
        turns = data.draw(st.lists(TEXT, min_size=1, max_size=5))
        messages = [Message(("user", "assistant")[i % 2], text) for i, text in enumerate(turns)]
        said = data.draw(st.lists(TEXT, max_size=2))
        messages = [*(Message("system", text) for text in said), *messages]
    else:
        messages = data.draw(
            st.lists(st.builds(Message, roles, TEXT, st.sampled_from(["f", "get_weather"])), max_size=5)
        )
    check(name, messages)


@pytest.mark.parametrize(
    "name, expected",
    [
        ("chatml", "<|im_start|>user<|im_sep|>hi<|im_end|><|im_start|>assistant<|im_sep|>"),
        ("harmony", "<|start|>user<|message|>hi<|end|><|start|>assistant"),
        (
            "llama3",
            "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n",
        ),
        ("gemma", "<bos><start_of_turn>user\nhi<end_of_turn>\n<start_of_turn>model\n"),
        ("mistral", "<s>[INST]hi[/INST]"),
        ("qwen", "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"),
    ],
)
def test_one_message(name, expected):
    assert joined(FAMILIES[name].render([Message("user", "hi")])) == expected


def test_harmony_writes_a_call_as_openais_guide_does():
    messages = [
        Message("call", '{"location":"San Francisco"}', "get_weather"),
        Message("tool", '{"sunny": true, "temperature": 20}', "get_weather"),
    ]
    assert joined(FAMILIES["harmony"].render(messages)) == (
        "<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
        '{"location":"San Francisco"}<|call|>'
        "<|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>"
        '{"sunny": true, "temperature": 20}<|end|><|start|>assistant'
    )


@pytest.mark.parametrize("name", ["chatml", "llama3", "gemma", "mistral", "qwen"])
def test_a_role_that_a_family_does_not_know_is_named(name):
    with pytest.raises(BadChat, match=r"Message 2 has the role “developer”.*It knows system, user"):
        FAMILIES[name].render([Message("user", "hi"), Message("developer", "x")])


@pytest.mark.parametrize("name", ["gemma", "mistral"])
def test_who_takes_turns_says_whose_turn_it_is(name):
    with pytest.raises(BadChat, match="Message 2 is the user’s, but it is the assistant’s turn"):
        FAMILIES[name].render([Message("user", "a"), Message("user", "b")])
    with pytest.raises(BadChat, match="Add a user message"):
        FAMILIES[name].render([Message("system", "a")])


def test_an_encoding_tells_its_family_by_its_tokens():
    gpt2 = get_encoding("gpt2")
    for family in FAMILIES.values():
        marks = {mark: 60_000 + i for i, mark in enumerate(family.marks)}
        assert family_of(gpt2.with_special_tokens(marks)) is family


def test_two_marks_that_many_have_are_no_more_than_a_guess():
    marks = {mark: 60_000 + i for i, mark in enumerate(FAMILIES["qwen"].marks)}
    found = get_encoding("gpt2").with_special_tokens(marks)
    assert family_of(found) is FAMILIES["qwen"] and not FAMILIES["qwen"].is_of(found)
