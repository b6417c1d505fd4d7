"""Chats rendered by each family, against Jinja templates written from the same documents."""

import json
from datetime import date
from functools import partial

import jinja2
import oracles
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from jinja2.sandbox import ImmutableSandboxedEnvironment
from paths import ROOT

from tokenizer import get_encoding
from tokenizer.chat.jinja_template import Form, for_transformers
from tokenizer.chat.messages import DEFAULT_DAY, BadChat, Message, arguments, as_json, call_ids, joined
from tokenizer.chat.reading import Prompt, with_marks
from tokenizer.chat.records import messages_of
from tokenizer.chat.templates import FAMILIES, family_of

SEP = "{{ '<|im_start|>' + m.role + '<|im_sep|>' + m.content + '<|im_end|>' }}"
QWEN = """
{%- for m in messages %}
    {%- if m.role == 'tool' %}
        {%- if loop.first or loop.previtem.role != 'tool' %}{{ '<|im_start|>user' }}{% endif %}
        {{- '\\n<tool_response>\\n' + m.content + '\\n</tool_response>' }}
        {%- if loop.last or loop.nextitem.role != 'tool' %}{{ '<|im_end|>\\n' }}{% endif %}
    {%- elif m.call %}
        {%- if loop.first or loop.previtem.role != 'assistant' %}{{ '<|im_start|>assistant' }}{% endif %}
        {{- '\\n<tool_call>\\n{"name": "' + m.call.name + '", "arguments": ' + m.call.arguments }}
        {{- '}\\n</tool_call>' }}
        {%- if loop.last or not loop.nextitem.call %}{{ '<|im_end|>\\n' }}{% endif %}
    {%- elif m.role == 'assistant' and not loop.last and loop.nextitem.call %}
        {{- '<|im_start|>assistant' + ('\\n' + m.content if m.content else '') }}
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
        {%- set channel = 'commentary' if not loop.last and loop.nextitem.call else 'final' %}
        {{- '<|start|>assistant<|channel|>' + channel + '<|message|>' + m.content + '<|end|>' }}
    {%- elif m.role == 'developer' %}
        {{- '<|start|>developer<|message|># Instructions\\n\\n' + m.content + '<|end|>' }}
    {%- else %}
        {{- '<|start|>' + m.role + '<|message|>' + m.content + '<|end|>' }}
    {%- endif %}
{%- endfor %}
{{- '<|start|>assistant' }}"""
GEMMA = """
{%- set systems = messages | selectattr('role', 'equalto', 'system') | map(attribute='content') | list %}
{{- '<bos>' }}
{%- for m in messages if m.role != 'system' %}
    {{- '<start_of_turn>' + ('model' if m.role == 'assistant' else m.role) + '\\n' }}
    {%- if loop.first %}{% for text in systems %}{{ text + '\\n\\n' }}{% endfor %}{% endif %}
    {{- m.content | trim + '<end_of_turn>\\n' }}
{%- endfor %}
{{- '<start_of_turn>model\\n' }}"""
MISTRAL = """
{%- set systems = messages | selectattr('role', 'equalto', 'system') | map(attribute='content') | list %}
{%- set users = messages | selectattr('role', 'equalto', 'user') | list %}
{{- '<s>' }}
{%- for m in messages if m.role != 'system' %}
    {%- if m.role == 'user' %}
        {{- '[INST]' }}
        {%- if m is sameas users[-1] %}{% for text in systems %}{{ text + '\\n\\n' }}{% endfor %}{% endif %}
        {{- m.content + '[/INST]' }}
    {%- elif m.role == 'tool' %}
        {{- '[TOOL_RESULTS]{"content": ' + m.result + ', "call_id": "' + m.id + '"}[/TOOL_RESULTS]' }}
    {%- elif m.call %}
        {{- '[TOOL_CALLS][' if loop.first or not loop.previtem.call else ', ' }}
        {{- '{"name": "' + m.call.name + '", "arguments": ' + m.call.json + ', "id": "' + m.id + '"}' }}
        {{- ']</s>' if loop.last or not loop.nextitem.call }}
    {%- else %}
        {{- m.content.rstrip(' ') + '</s>' }}
    {%- endif %}
{%- endfor %}"""
# Templates as in the models' own files, for messages in the form of Hugging Face's library
FIXED_DATE = "{%- if not date_string is defined %}{%- set date_string = '26 Jul 2024' %}{%- endif %}"
DATE_OF_TODAY = "{%- if not date_string is defined %}{%- set date_string = strftime_now('%d %b %Y') %}{%- endif %}"
OF_LLAMA = """
{{- bos_token }}
{%- set first = messages[0].content | trim if messages[0].role == 'system' else '' %}
{%- set others = messages[1:] if messages[0].role == 'system' else messages %}
{{- '<|start_header_id|>system<|end_header_id|>\\n\\nCutting Knowledge Date: December 2023\\nToday Date: ' }}
{{- date_string + '\\n\\n' + first + '<|eot_id|>' }}
{%- for m in others %}
    {%- set role = 'ipython' if m.role == 'tool' else m.role %}
    {{- '<|start_header_id|>' + role + '<|end_header_id|>\\n\\n' }}
    {%- if 'tool_calls' in m %}
        {%- if m.tool_calls | length > 1 %}{{ raise_exception('one call at a time') }}{% endif %}
        {%- set call = m.tool_calls[0].function %}
        {{- '{"name": "' + call.name + '", "parameters": ' }}{{ call.arguments | tojson }}{{ '}' }}
    {%- elif m.role == 'tool' %}
        {{- m.content | tojson }}
    {%- else %}
        {{- m.content | trim }}
    {%- endif %}
    {{- '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}"""
OF_GPT_OSS = """
{{- '<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\\n' }}
{{- 'Knowledge cutoff: 2024-06\\nCurrent date: ' + strftime_now('%Y-%m-%d') + '\\n\\nReasoning: medium\\n\\n' }}
{{- '# Valid channels: analysis, commentary, final. Channel must be included for every message.<|end|>' }}
{%- set others = messages %}
{%- if messages[0].role in ('system', 'developer') %}
    {%- set others = messages[1:] %}
    {%- if messages[0].content %}
        {{- '<|start|>developer<|message|># Instructions\\n\\n' + messages[0].content + '\\n\\n<|end|>' }}
    {%- endif %}
{%- endif %}
{%- set last = namespace(name=none) %}
{%- for m in others %}
    {%- if m.role == 'assistant' and 'tool_calls' in m %}
        {%- set last.name = m.tool_calls[0].function.name %}
        {%- set answers = others[loop.index:] | selectattr('role', 'equalto', 'assistant')
            | rejectattr('tool_calls', 'defined') | list %}
        {%- if m.content and not answers %}
            {{- '<|start|>assistant<|channel|>analysis<|message|>' + m.content + '<|end|>' }}
        {%- endif %}
        {{- '<|start|>assistant to=functions.' + last.name + '<|channel|>commentary json<|message|>' }}
        {{- m.tool_calls[0].function.arguments | tojson }}{{ '<|call|>' }}
    {%- elif m.role == 'assistant' %}
        {{- '<|start|>assistant<|channel|>final<|message|>' + m.content + '<|end|>' }}
        {%- set last.name = none %}
    {%- elif m.role == 'tool' %}
        {%- if last.name is none %}{{ raise_exception('no call before') }}{% endif %}
        {{- '<|start|>functions.' + last.name + ' to=assistant<|channel|>commentary<|message|>' }}
        {{- m.content | tojson }}{{ '<|end|>' }}
    {%- elif m.role == 'user' %}
        {{- '<|start|>user<|message|>' + m.content + '<|end|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|start|>assistant' }}{% endif %}"""
OF_QWEN = """
{%- if messages[0].role != 'system' %}
    {{- '<|im_start|>system\\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\\n' }}
{%- endif %}
{%- for m in messages %}
    {%- if m.tool_calls %}
        {{- '<|im_start|>assistant' + ('\\n' + m.content if m.content else '') }}
        {%- for call in m.tool_calls %}
            {{- '\\n<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
            {{- call.function.arguments | tojson }}{{ '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif m.role == 'tool' %}
        {%- if loop.first or loop.previtem.role != 'tool' %}{{ '<|im_start|>user' }}{% endif %}
        {{- '\\n<tool_response>\\n' + m.content + '\\n</tool_response>' }}
        {%- if loop.last or loop.nextitem.role != 'tool' %}{{ '<|im_end|>\\n' }}{% endif %}
    {%- else %}
        {{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""
OF_NEMO = """
{%- set system = messages[0].content + '\\n\\n' if messages[0].role == 'system' else '' %}
{%- set others = messages[1:] if messages[0].role == 'system' else messages %}
{{- bos_token }}
{%- for m in others %}
    {%- if m.role == 'user' %}
        {{- '[INST]' + (system if loop.last else '') + m.content + '[/INST]' }}
    {%- elif m.tool_calls is defined %}
        {{- '[TOOL_CALLS][' }}
        {%- for call in m.tool_calls %}
            {%- if call.id | length != 9 %}{{ raise_exception('nine characters') }}{% endif %}
            {{- (call.function | tojson)[:-1] + ', "id": "' + call.id + '"}' + ('' if loop.last else ', ') }}
        {%- endfor %}
        {{- ']' + eos_token }}
    {%- elif m.role == 'assistant' %}
        {{- m.content + eos_token }}
    {%- elif m.role == 'tool' %}
        {{- '[TOOL_RESULTS]{"content": ' + m.content + ', "call_id": "' + m.tool_call_id + '"}[/TOOL_RESULTS]' }}
    {%- else %}
        {{- raise_exception('a role that has no place') }}
    {%- endif %}
{%- endfor %}"""
LLAMA_NAMES = {"bos_token": "<|begin_of_text|>"}
NATIVE = {  # family, template, its variables, whether consecutive calls form one message
    "Llama 3.1": ("llama3", FIXED_DATE + OF_LLAMA, LLAMA_NAMES | {"date_string": "08 Jun 2025"}, False),
    "Llama 3.2": ("llama3", DATE_OF_TODAY + OF_LLAMA, LLAMA_NAMES, False),
    "Llama 3.3": ("llama3", FIXED_DATE + OF_LLAMA, LLAMA_NAMES | {"date_string": "08 Jun 2025"}, False),
    "gpt-oss": ("harmony", OF_GPT_OSS, {}, False),
    "Qwen 2.5": ("qwen", OF_QWEN, {}, True),
    "Mistral NeMo": ("mistral", OF_NEMO, {"bos_token": "<s>", "eos_token": "</s>"}, True),
}
JINJA = {
    "chatml": f"{{% for m in messages %}}{SEP}{{% endfor %}}{{{{ '<|im_start|>assistant<|im_sep|>' }}}}",
    "harmony": HARMONY,
    "llama3": LLAMA,
    "gemma": GEMMA,
    "mistral": MISTRAL,
    "qwen": QWEN,
}
DAY = date(2025, 6, 8)


def refuse(words):
    raise jinja2.TemplateError(words)


environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
environment.filters["tojson"] = partial(json.dumps, ensure_ascii=False)
environment.globals |= {"raise_exception": refuse, "strftime_now": DAY.strftime}
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


def for_jinja(messages):
    found = []
    for id, message in zip(call_ids(messages), messages, strict=True):
        one = {"role": message.role, "content": message.text, "id": id, "name": message.tool}
        if message.role == "call":
            names = {"name": message.tool, "arguments": arguments(message.text), "typed": message.text}
            names["json"] = as_json(message.text)
            one |= {"role": "assistant", "call": names}
        if message.role == "tool":
            one["result"] = as_json(message.text)
        found.append(one)
    return found


def known(name, messages):
    return [message for message in messages if message.role in FAMILIES[name].roles]


def check(name, messages):
    parts = FAMILIES[name].render(messages)
    assert joined(parts) == TEMPLATES[name].render(messages=for_jinja(messages))
    assert all(part.text for part in parts)
    texts = [part.text for part in parts if not part.is_wrapping and part.message is not None]
    for i, message in enumerate(messages):
        if message.role not in ("call", "tool") and message.text.strip():
            assert {message.text, message.text.rstrip(" "), message.text.strip()} & {*texts}, i


@pytest.mark.parametrize("name", FAMILIES)
def test_family_renders_a_chat_as_documented(name):
    check(name, known(name, WEATHER))


@pytest.mark.parametrize("name", FAMILIES)
@given(st.data())
def test_family_renders_any_chat_as_documented(name, data):
    family = FAMILIES[name]
    roles = st.sampled_from(family.roles)
    if family.takes_turns:
        turns = data.draw(st.lists(TEXT, min_size=1, max_size=5))
        messages = [Message(("user", "assistant")[i % 2], text) for i, text in enumerate(turns)]
        system_texts = data.draw(st.lists(TEXT, max_size=2))
        messages = [*(Message("system", text) for text in system_texts), *messages]
    else:
        messages = data.draw(
            st.lists(st.builds(Message, roles, TEXT, st.sampled_from(["f", "get_weather"])), max_size=5)
        )
    check(name, messages)


def rendered_by_own_file(model, messages):
    """Renders the chat with the template of the model's own file."""
    _, source, names, is_of_one = NATIVE[model]
    given = for_transformers(messages, Form(one_call_per_message=not is_of_one), call_ids(messages))
    return environment.from_string(source).render(messages=given, add_generation_prompt=True, **names)


@pytest.mark.parametrize("model", NATIVE)
@given(st.data())
def test_dated_render_equals_the_template_of_the_models_file(model, data):
    family = FAMILIES[NATIVE[model][0]]
    roles = [role for role in family.roles if family.name != "mistral" or role != "system"]
    turns = st.builds(Message, st.sampled_from(roles), TEXT, st.sampled_from(["f", "get_weather", 'a"b']))
    calls = st.builds(Message, st.just("call"), st.sampled_from(['{"city":"เชียงใหม่"}', "{city", "[1]"]), st.just("f"))
    messages = data.draw(st.lists(turns | calls, min_size=1, max_size=5))
    if data.draw(st.booleans()):
        messages = [Message("system", data.draw(TEXT)), *messages]
    try:
        parts = family.render(messages, DAY)
    except BadChat:
        if not family.takes_turns:
            with pytest.raises(jinja2.TemplateError):
                rendered_by_own_file(model, messages)
        return
    assert joined(parts) == rendered_by_own_file(model, messages)
    assert all(part.text for part in parts)


@pytest.mark.parametrize("model", NATIVE)
def test_text_before_a_call_is_in_one_message_with_it(model):
    function = {"name": "f", "arguments": {"a": 1}}
    chat = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "I look.", "tool_calls": [{"id": "call00001", "function": function}]},
        {"role": "tool", "tool_call_id": "call00001", "content": "2"},
    ]
    name, source, names, _ = NATIVE[model]
    for messages in (chat, [*chat, {"role": "assistant", "content": "2"}, {"role": "user", "content": "ok"}]):
        expected = environment.from_string(source).render(messages=messages, add_generation_prompt=True, **names)
        assert joined(FAMILIES[name].render(messages_of(messages), DAY)) == expected


def test_mistral_refuses_text_before_a_call_as_its_library():
    """mistral-common: "Assistant message must have either content or tool_calls, but not both."."""
    chat = [WEATHER[1], Message("assistant", "I look."), WEATHER[2]]
    with pytest.raises(BadChat, match="^Message 2 is the assistant’s text before a tool call"):
        FAMILIES["mistral"].render(chat)
    chat[1] = Message("assistant", "")
    assert joined(FAMILIES["mistral"].render(chat)) == joined(FAMILIES["mistral"].render([chat[0], chat[2]]))


def test_mistral_strips_spaces_from_the_end_of_answers_as_its_library():
    chat = [Message("user", " a "), Message("assistant", " b \n "), Message("user", "c ")]
    assert joined(FAMILIES["mistral"].render(chat)) == "<s>[INST] a [/INST] b \n</s>[INST]c [/INST]"


def test_system_text_of_nemo_is_written_only_before_the_last_message():
    messages = [Message("system", "Be brief."), Message("user", "hi"), Message("assistant", "Hello.")]
    for chat, is_written in ((messages[:2], True), (messages, False)):
        parts = FAMILIES["mistral"].render(chat, DAY)
        assert joined(parts) == rendered_by_own_file("Mistral NeMo", chat)
        assert ("Be brief." in joined(parts)) == is_written


@pytest.mark.parametrize("model", ["Llama 3.1", "Llama 3.3"])
def test_default_date_is_the_fixed_date_of_the_llama_files(model):
    _, source, _, _ = NATIVE[model]
    chat = [{"role": "user", "content": "hi"}]
    expected = environment.from_string(source).render(messages=chat, add_generation_prompt=True, **LLAMA_NAMES)
    assert joined(FAMILIES["llama3"].render([Message("user", "hi")], DEFAULT_DAY)) == expected


def test_dated_render_rejects_chats_that_the_models_file_rejects():
    for model, messages in [
        ("gpt-oss", [Message("tool", "1", "f")]),
        (
            "Mistral NeMo",
            [Message("user", "a"), Message("assistant", "b"), Message("system", "c"), Message("user", "d")],
        ),
        ("Llama 3.1", []),
        ("Llama 3.2", []),
        ("Llama 3.3", []),
    ]:
        with pytest.raises(BadChat):
            FAMILIES[NATIVE[model][0]].render(messages, DAY)
        with pytest.raises(jinja2.TemplateError):
            rendered_by_own_file(model, messages)


@pytest.mark.parametrize("system, more", [(True, 64), (False, 61)])
def test_system_message_of_gpt_oss_adds_over_60_tokens(system, more):
    messages = [*([WEATHER[0]] if system else []), WEATHER[1]]
    encoding = get_encoding("o200k_harmony")
    plain, own = (Prompt(FAMILIES["harmony"].render(messages, day), encoding).tokens for day in (None, DAY))
    assert len(own) - len(plain) == more


ENCODINGS = {
    "chatml": "cl100k_base",
    "harmony": "o200k_harmony",
    "llama3": "llama3",
    "gemma": "gemma3",
    "mistral": "mistral_v3",
    "qwen": "qwen3",
}


def ids_of_reference(name, text):
    """The ids of a rendered chat from the library of its family."""
    if name == "chatml":
        facts = oracles.official("cl100k_base")
        facts["special_tokens"] = facts["special_tokens"] | FAMILIES[name].ids["cl100k_base"]
        return tiktoken.Encoding(**facts).encode(text, allowed_special="all")
    if name == "harmony":
        return oracles.harmony()[1].encode(text, allowed_special="all")
    return list(pytest.importorskip("splintr").Tokenizer.from_pretrained(ENCODINGS[name]).encode_with_special(text))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, model", [*((name, None) for name in FAMILIES), *((NATIVE[one][0], one) for one in NATIVE)]
)
def test_chat_ids_equal_the_reference_and_are_counted_in_the_docs(name, model):
    family, messages, encoding = FAMILIES[name], known(name, WEATHER), get_encoding(ENCODINGS[name])
    text = rendered_by_own_file(model, messages) if model else TEMPLATES[name].render(messages=for_jinja(messages))
    marks = with_marks(encoding, family.marks, family.ids.get(encoding.name))
    prompt = Prompt(family.render(messages, DAY if model else None), marks.encoding)
    assert list(prompt.tokens.ids) == ids_of_reference(name, text)
    label = f"own file of {family.own.models}" if model else family.label
    row = f"| {label} | {encoding.name} | {len(messages)} | {len(prompt.tokens)} |"
    assert row in (ROOT / "docs" / "numbers.md").read_text(encoding="utf-8")


def test_harmony_ids_equal_openai_harmony():
    harmony, library = oracles.harmony()
    own = harmony.SystemContent.new().with_conversation_start_date(DAY.isoformat())
    turns = [
        harmony.Message.from_role_and_content(harmony.Role.USER, "กินข้าวซอยที่ไหนดี"),
        harmony.Message.from_role_and_content(harmony.Role.ASSISTANT, "Near the mosque.").with_channel("final"),
        harmony.Message.from_role_and_content(harmony.Role.USER, "Thanks."),
    ]
    messages = [Message(one.author.role.value, one.content[0].text) for one in turns]
    for day, begins in ((None, []), (DAY, [harmony.Message.from_role_and_content(harmony.Role.SYSTEM, own)])):
        chat = harmony.Conversation.from_messages([*begins, *turns])
        expected = library.render_conversation_for_completion(chat, harmony.Role.ASSISTANT)
        tokens = Prompt(FAMILIES["harmony"].render(messages, day), get_encoding("o200k_harmony")).tokens
        assert list(tokens.ids) == expected


def test_llama3_equals_the_template_of_llama_3_0():
    source = (
        "{% for m in messages %}{% set said = '<|start_header_id|>' + m.role + '<|end_header_id|>\\n\\n'"
        " + m.content | trim + '<|eot_id|>' %}{{ bos_token + said if loop.first else said }}{% endfor %}"
        "{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}"
    )
    messages = [WEATHER[0], WEATHER[1], WEATHER[4], WEATHER[5]]
    given = for_transformers(messages, Form(), call_ids(messages))
    expected = environment.from_string(source).render(messages=given, bos_token="<|begin_of_text|>")
    assert joined(FAMILIES["llama3"].render(messages)) == expected


def test_harmony_renders_a_call_as_openais_guide():
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
def test_unsupported_role_is_named(name):
    with pytest.raises(BadChat, match=r"Message 2 has the role “developer”.*another role \(system, user"):
        FAMILIES[name].render([Message("user", "hi"), Message("developer", "x")])


@pytest.mark.parametrize("name", ["gemma", "mistral"])
def test_alternating_families_name_the_expected_turn(name):
    with pytest.raises(BadChat, match="Message 2 has the role “user”, but the role “assistant” must come here"):
        FAMILIES[name].render([Message("user", "a"), Message("user", "b")])
    with pytest.raises(BadChat, match="Add a user message"):
        FAMILIES[name].render([Message("system", "a")])


def test_family_is_identified_by_special_tokens():
    gpt2 = get_encoding("gpt2")
    for family in FAMILIES.values():
        marks = {mark: 60_000 + i for i, mark in enumerate(family.marks)}
        assert family_of(gpt2.with_special_tokens(marks)) is family


def test_common_marks_do_not_identify_a_family():
    marks = {mark: 60_000 + i for i, mark in enumerate(FAMILIES["qwen"].marks)}
    found = get_encoding("gpt2").with_special_tokens(marks)
    assert family_of(found) is FAMILIES["qwen"] and not FAMILIES["qwen"].is_of(found)
