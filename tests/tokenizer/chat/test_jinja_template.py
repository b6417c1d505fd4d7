"""Chat templates from files: their parts against the built-in families', notes, and hostile templates."""

import json
from datetime import date

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st

from tokenizer.chat import jinja_template
from tokenizer.chat.jinja_template import NOT_SEPARABLE, BadTemplate, JinjaTemplate, MarkedMessages, read_config
from tokenizer.chat.messages import BadChat, Message, Part, call_ids, joined
from tokenizer.chat.rendering import answer
from tokenizer.chat.templates import FAMILIES

QWEN = """
{%- for m in messages %}
    {{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""
CHAT = [Message("system", "Be brief."), Message("user", " two  words\n"), Message("assistant", "ที่")]


def template(source, **names):
    return JinjaTemplate("default", source, names, {})


def test_jinja_template_renders_the_same_parts_as_its_family():
    parts, notes = template(QWEN).render(CHAT)
    own = FAMILIES["qwen"].render(CHAT)
    assert joined(parts) == joined(own) and notes == []
    texts = [(part.text, part.message) for part in parts if not part.is_wrapping]
    assert texts == [("Be brief.", 0), ("two  words", 1), ("ที่", 2)]
    assert parts[-1] == Part("<|im_start|>assistant\n", True)
    assert parts[-2] == Part("<|im_end|>\n", True, 2)


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(["system", "user"]), st.text(max_size=8)), max_size=4))
@examples(20)
def test_text_and_wrapping_are_separated_in_any_chat(messages):
    messages = [Message(*one) for one in messages]
    parts, notes = template(QWEN).render(messages)
    assert joined(parts) == joined(FAMILIES["qwen"].render(messages))
    texts = [part.text for part in parts if not part.is_wrapping]
    assert texts == [one.text.strip() for one in messages if one.text.strip()]
    assert all("only white space" in note for note in notes)


def test_call_with_two_texts_of_white_space_has_one_note():
    source = "{% for one in messages %}{{ one.content }}{% for call in one.tool_calls %}{{ call.function.arguments"
    source += " | tojson }}{% endfor %}{% endfor %}"
    _, notes = template(source).render([Message("call", '{"a": " ", "b": " ", "c": "d"}', "f")])
    assert sum("only white space" in note for note in notes) == 1


@pytest.mark.parametrize(
    "source, note",
    [
        ("{{ messages[0].content | upper }}", "changes the text of message 1"),
        ("{{ messages[1].content }}", "omits the text of message 1"),
        ("{{ messages[0].content | length }}", NOT_SEPARABLE),
        ("{{ messages[0].content.startswith('B') }}", NOT_SEPARABLE),
    ],
)
def test_changed_and_lost_texts_are_noted(source, note):
    assert any(note in one for one in template(source).render(CHAT)[1])


@pytest.mark.parametrize("is_text", ["part['type'] == 'text'", "part.type == 'text'"])
def test_texts_are_lists_of_parts_for_a_template_that_reads_no_other(is_text):
    """As those of models with images, such as LLaVA and SmolVLM, are written."""
    body = f"{{% for part in m.content %}}{{% if {is_text} %}}{{{{ part.text }}}}{{% endif %}}{{% endfor %}}"
    parts, notes = template(f"{{% for m in messages %}}{{{{ m.role }}}}: {body}.{{% endfor %}}").render(CHAT)
    assert joined(parts) == "system: Be brief..user:  two  words\n.assistant: ที่." and notes == []
    assert [part.text for part in parts if not part.is_wrapping] == ["Be brief.", "two  words", "ที่"]


def test_texts_and_results_are_lists_of_parts_in_a_chat_with_calls():
    body = "{% for part in m.content %}{% if part.type == 'text' %}{{ part.text }}{% endif %}{% endfor %}"
    source = f"{{% for m in messages %}}{{{{ m.role }}}}: {body}.{{% endfor %}}"
    chat = [*CHAT, Message("call", '{"city": "Lampang"}', "weather"), Message("tool", "29", "weather")]
    parts, notes = template(source).render(chat)
    assert joined(parts) == "system: Be brief..user:  two  words\n.assistant: ที่.tool: 29."
    assert notes == ["The template omits the text of message 4."]


def test_template_may_strip_white_space():
    parts, notes = template("<{{ messages[1].content | trim }}>").render(CHAT[:2])
    assert [part.text for part in parts] == ["<", "two  words", ">"]
    assert notes == ["The template omits the text of message 1."]


def test_markers_are_characters_that_no_message_contains():
    taken = "".join(map(chr, range(0xF0000, 0xF0010)))
    marked_forms = MarkedMessages([Message("user", taken)], "\U000f0011")
    assert marked_forms.messages[0].text[0] == "\U000f0010" and marked_forms.messages[0].text[-1] == "\U000f0012"
    parts, _ = template("{{ messages[0].content }}").render([Message("user", taken)])
    assert parts == [Part(taken, False, 0)]


def test_calls_and_results_are_passed_in_the_form_of_transformers():
    source = (
        "{% for m in messages %}{% if m.tool_calls %}{% set f = m.tool_calls[0].function %}"
        "<call>{{ f.name }}({{ f.arguments | tojson }})</call>"
        "{% else %}<result>{{ m.name }}: {{ m.content }}</result>{% endif %}{% endfor %}"
    )
    messages = [Message("call", '{"city":"เชียงใหม่","n":[1,"x"]}', "weather"), Message("tool", "31", "weather")]
    parts, notes = template(source).render(messages)
    assert joined(parts) == ('<call>weather({"city": "เชียงใหม่", "n": [1, "x"]})</call><result>weather: 31</result>')
    assert [part.text for part in parts if not part.is_wrapping] == ["weather", "เชียงใหม่", "x", "weather", "31"]
    assert notes == []


def test_template_environment_has_the_helpers_of_transformers():
    source = (
        "{{ bos_token }}{{ [1, 'ที่'] | tojson }}{{ {'b': 1, 'a': 2} | tojson(indent=1, sort_keys=true) }}"
        "{% for m in messages %}{% if loop.index > 1 %}{% break %}{% endif %}"
        "{% generation %}{{ m.role }}{% endgeneration %}{% endfor %}{{ strftime_now('%Y') | length }}"
        "{{ tools is none }}{{ documents is none }}{{ unknown is defined }}"
    )
    expected = '<s>[1, "ที่"]{\n "a": 2,\n "b": 1\n}system4TrueTrueFalse'
    assert joined(template(source, bos_token="<s>").render(CHAT)[0]) == expected


def test_block_white_space_is_trimmed_as_by_transformers():
    assert joined(template("{% if true %}\n  {% set a = 1 %}\nx\n{% endif %}\n").render([])[0]) == "x\n"


CALLS = [
    Message("user", "Hot?"),
    Message("call", '{"city":"เชียงใหม่"}', "weather"),
    Message("call", '{"city": "Lampang"}', "weather"),
    Message("tool", "31", "weather"),
    Message("tool", "29", "weather"),
]
LOOP = "{% for m in messages %}{% for c in m.tool_calls or [] %}CALL{% else %}{{ m.content }}|{% endfor %}{% endfor %}"


@pytest.mark.parametrize(
    "call, notes",
    [
        ("{{ c.function.name }}{{ c.function.arguments | tojson }}|", []),
        ("{{ c.function.name + c.function.arguments }}|", [jinja_template.ARGUMENTS_AS_TEXT]),
        (
            "{{ c.function.name ~ c.function.arguments }}|",
            [jinja_template.ARGUMENTS_AS_TEXT],
        ),  # Python's own spelling of a dict
        ("{% for k, v in c.function.arguments.items() %}{{ c.function.name }}{{ k }}={{ v }}{% endfor %}|", []),
        ("{{ c.function.name if m.content is none }}{{ c.function.arguments.city if m.content is none }}|", []),
        (
            "{{ raise_exception('one') if m.tool_calls | length > 1 }}{{ c.function.name }}"
            "{{ c.function.arguments.city }}|",
            [jinja_template.ONE_CALL_PER_MESSAGE],
        ),
        (
            "{{ c.function.name if loop.first }}{{ c.function.arguments if loop.first }}|",
            [jinja_template.ONE_CALL_PER_MESSAGE, jinja_template.ARGUMENTS_AS_TEXT],
        ),
    ],
)
def test_calls_are_passed_in_a_form_that_the_template_accepts(call, notes):
    parts, found = template(LOOP.replace("CALL", call)).render(CALLS)
    assert found == notes
    text = joined(parts)
    assert text.count("weather") == 2 and "เชียงใหม่" in text and "Lampang" in text and "\\" not in text
    assert {part.message for part in parts if not part.is_wrapping} == {*range(5)}


@pytest.mark.parametrize(
    "written, changes",
    [
        ("{{ f.arguments | tojson }}", False),
        ("{{ f.arguments | tojson(indent=2) }}", False),
        ("{{ f.arguments.lines[0] }}", False),
        ("{{ f.arguments | tojson | tojson }}", True),
        ("{{ f.arguments.lines[0] | upper }}", True),
    ],
)
def test_json_escapes_are_no_change_of_arguments(written, changes):
    source = "{% set f = messages[0].tool_calls[0].function %}{{ f.name }} " + written
    parts, notes = template(source).render([Message("call", r'{"lines": ["say \"ที่\"\n\\ twice"]}', "run")])
    assert joined(parts).startswith("run ") and any(not part.is_wrapping for part in parts)
    assert notes == ["The template changes the text of message 1."] * changes


@pytest.mark.parametrize("text", ["a", r"\U000f0000", "it's", "ends in \\"])
def test_lists_in_arguments_may_be_written_as_python_does(text):
    source = "{% for k, v in messages[0].tool_calls[0].function.arguments.items() %}{{ k }}={{ v }};{% endfor %}"
    arguments = {"tags": [text, "ที่"], "deep": {"x": text}}
    parts, notes = template(source).render([Message("call", json.dumps(arguments), "")])
    assert joined(parts) == f"tags={arguments['tags']};deep={arguments['deep']};"
    spelled = repr(text)[1:-1]
    assert [part.text for part in parts if not part.is_wrapping] == [spelled, "ที่", spelled] and notes == []


def test_arguments_are_no_text_for_a_template_that_takes_it_apart():
    source = (
        "{% set f = messages[0].tool_calls[0].function %}{{ f.name }}"
        "{% for k in f.arguments %} {{ k }}={{ '%s' | format(f.arguments[k]) }}{% endfor %}"
    )
    parts, notes = template(source).render([Message("call", '{"tags": ["a", "b"]}', "run")])
    assert joined(parts) == "run tags=['a', 'b']" and notes == []


def test_tool_results_have_the_ids_of_their_calls():
    source = "{% for m in messages %}{% for c in m.tool_calls %}{{ c.id }} {% else %}{{ m.tool_call_id }} {% endfor %}"
    messages = [
        Message(role, "{}", tool) for role, tool in (("call", "a"), ("call", "b"), ("tool", "b"), ("tool", "a"))
    ]
    ids = joined(template(source + "{% endfor %}").render(messages)[0]).split()
    assert ids == ["call00001", "call00002", "call00002", "call00001"]
    unanswered = [Message("call", "{}", "a"), Message("user", "Once more."), *messages[:1], *messages[3:]]
    assert call_ids(unanswered)[2:] == ["call00002", "call00002"]


@pytest.mark.slow
def test_template_gets_the_date_and_the_tools():
    source = "{{ strftime_now('%d %b %Y') }}{{ tools[0].function.name }}{{ messages[0].content }}"
    parts, notes = template(source).render(CHAT[:1], date(2025, 6, 8), [{"function": {"name": "f"}}])
    assert joined(parts) == "08 Jun 2025fBe brief." and notes == []
    assert template("x").render([], tools=[{}])[1] == [jinja_template.TOOLS_UNUSED]
    parts, _ = template("{{ tools[0].a }}{{ messages[0].content }}").render(CHAT[:1], tools=[{"a": "\U000f0000"}])
    assert parts == [Part("\U000f0000", True, 0), Part("Be brief.", False, 0)]  # markers avoid tools' characters


# Files


def test_config_gives_templates_and_special_tokens():
    config = {
        "chat_template": [{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}],
        "bos_token": "<s>",
        "eos_token": {"content": "</s>", "special": True},
        "pad_token": None,
        "added_tokens_decoder": {
            "1": {"content": "<s>", "special": True},
            "9": {"content": "plain", "special": False},
            "x": {"content": "<x>", "special": True},
        },
    }
    found = read_config(json.dumps(config).encode())
    assert [(name, one.source) for name, one in found.items()] == [("default", "a"), ("tool_use", "b")]
    assert found["default"].names == {"bos_token": "<s>", "eos_token": "</s>"}
    assert found["default"].ids == {"<s>": 1}


@pytest.mark.parametrize(
    "written", [{"a": "x", "b": 3}, [{"name": "a", "template": "x"}, {"name": "b", "template": 3}]]
)
def test_templates_are_read_beside_an_entry_that_is_none(written):
    assert [*read_config(json.dumps({"chat_template": written}).encode())] == ["a"]


def test_special_tokens_that_no_file_names_are_a_remark():
    for settings, remarks in ((b"", [jinja_template.NO_NAMES]), (b'{"bos_token": "<s>"}', [])):
        assert read_config(b"{{ bos_token }}", settings)["default"].render([])[1] == remarks


def test_plain_jinja_file_is_a_template():
    assert read_config(QWEN.encode())["default"].source == QWEN


@pytest.mark.parametrize(
    "data, words",
    [
        (b"{}", "has no chat template"),
        (b'{"chat_template": 3}', "has no chat template"),
        (b'{"chat_template": [1, {"name": "a"}]}', "has no chat template"),
        (b"hello", "neither a JSON object nor Jinja"),
        (b"[" * 100_000, "neither a JSON object nor Jinja"),
        (b"\xff\xfe", "not UTF-8"),
        (b" " * 6_000_000, "the limit is 5,000,000"),
        (json.dumps({"chat_template": "x" * 300_000}).encode(), "the limit is 200,000"),
    ],
)
def test_file_without_a_template_raises(data, words):
    with pytest.raises(BadTemplate, match=words):
        read_config(data)


def test_template_beside_a_huge_file_of_settings_raises_before_parsing_it():
    with pytest.raises(BadTemplate, match="the limit is 5,000,000"):
        read_config(b"{{ bos_token }}", b'{"a": "' + b" " * 5_000_000 + b'"}')


# Hostile templates


@pytest.mark.slow
@pytest.mark.parametrize(
    "source, words",
    [
        ("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", "more than 1 seconds"),
        ("{{ 10 ** (10 ** 9) }}", "cannot be used|more than 1 seconds"),
        ("{{ 'a' * 900000000 }}", "more memory"),
        (
            "{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
            "more memory",
        ),
        ("{% for i in range(99999) %}{{ 'aaaaaaaaaaaaaaaaaaaa' }}{% endfor %}", "more than 1 MB"),
        ("{{ 'a' * 1000001 }}", "more than 1 MB"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "cannot be used"),
        ("{{ messages.append(1) }}", "uses something that templates may not access"),
        ("{{ cycler.__init__.__globals__.os.system('true') }}", "cannot be used"),
        ("{% include '/etc/passwd' %}", "cannot be used"),
        ("{% import 'os' as os %}", "cannot be used"),
        ("\n{{ x", "Line 2 of the template is not valid Jinja"),
        ("{{ 1 / 0 }}", "ZeroDivisionError"),
        (
            "{{ raise_exception('No <b>system</b> here.') }}",
            "does not accept these messages. It gives this reason: No <b>system</b> here",
        ),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "nests its values more deeply"),
        ("{{ " + "(" * 5000 + ")" * 5000 + " }}", "cannot be used"),
        ("{{ nothing.at.all }}", "nothing"),
    ],
)
def test_harmful_template_raises(source, words, monkeypatch):
    monkeypatch.setattr(jinja_template, "MAX_CPU_SECONDS", 1)
    with pytest.raises(BadChat, match=words):
        template(source).render(CHAT)


def test_arguments_that_are_nested_too_deeply_raise():
    call = Message("call", "[" * 700 + "]" * 700, "f")
    with pytest.raises(BadChat, match="nests its values more deeply"):
        JinjaTemplate("", "{{ messages }}", {}, {}).render([call])


def test_template_is_stopped_after_the_wall_time_limit(monkeypatch):
    monkeypatch.setattr(jinja_template, "MAX_WALL_SECONDS", 0.001)
    with pytest.raises(BadChat, match="more than 0.001 seconds"):
        template("{{ messages }}").render(CHAT)


def reply(source, *forms):
    return answer({"source": source, "context": {}, "day": "2024-07-26", "forms": [*forms]})


def test_worker_answers_in_process():
    one = {"names": [{"a": "x"}, {"a": "y"}], "marks": ""}
    assert reply("{{ a }}", one) == {"found": ["x", "y"], "form": 0}
    assert reply("{{ a + 'b' }}", {"names": [{"a": 1}], "marks": ""}, one) == {"found": ["xb", "yb"], "form": 1}
    assert reply("{{ a }}", one | {"marks": "z"}, one | {"marks": "y"}) == {"found": ["x", "y"], "form": 1}
    assert reply("{{ a + 'b' }}", {"names": [{"a": 1}], "marks": ""})["wrong"] == "failed"
    assert reply("{{", one)["wrong"] == "syntax"
