"""Tool definitions: reading, and prompts with them against Jinja templates of the same shape."""

import json
import random

import numpy as np
import oracles
import pytest
from amounts import SHARE
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tokenizer import get_encoding
from tokenizer.chat import tools as chat_tools
from tokenizer.chat.jinja_template import JinjaTemplate
from tokenizer.chat.messages import DEFAULT_DAY, BadChat
from tokenizer.chat.tools import FORMATS, JSON, BadTools, count_tools, of_file, read_tools
from tokenizer.chat.typescript import typescript

QWEN = """
{%- if tools %}
    {{- '<|im_start|>system\\n# Tools\\n\\nYou may call one or more functions to assist with the user query.\\n\\n' }}
    {{- 'You are provided with function signatures within <tools></tools> XML tags:\\n<tools>' }}
    {%- for tool in tools %}
        {{- '\\n' + tool | tojson }}
    {%- endfor %}
    {{- '\\n</tools>\\n\\nFor each function call, return a json object with function name and arguments within ' }}
    {{- '<tool_call></tool_call> XML tags:\\n<tool_call>\\n{"name": <function-name>, "arguments": ' }}
    {{- '<args-json-object>}\\n</tool_call><|im_end|>\\n' }}
{%- endif %}
{%- for m in messages %}
    {{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}
{%- endfor %}
{{- '<|im_start|>assistant\\n' }}"""
LLAMA = """
{{- bos_token + '<|start_header_id|>system<|end_header_id|>\\n\\n' }}
{%- if tools is not none %}
    {{- 'Environment: ipython\\n' }}
{%- endif %}
{{- 'Cutting Knowledge Date: December 2023\\nToday Date: 26 Jul 2024\\n\\n<|eot_id|>' }}
{%- for m in messages %}
    {{- '<|start_header_id|>' + m.role + '<|end_header_id|>\\n\\n' }}
    {%- if loop.first and tools is not none %}
        {{- 'Given the following functions, please respond with a JSON for a function call with its proper ' }}
        {{- 'arguments that best answers the given prompt.\\n\\nRespond in the format {"name": function name, ' }}
        {{- '"parameters": dictionary of argument name and its value}.Do not use variables.\\n\\n' }}
        {%- for tool in tools %}
            {{- tool | tojson(indent=4) + '\\n\\n' }}
        {%- endfor %}
    {%- endif %}
    {{- m.content | trim + '<|eot_id|>' }}
{%- endfor %}
{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}"""
MISTRAL = """
{{- bos_token }}
{%- for m in messages %}
    {%- if loop.last and tools is not none %}
        {{- '[AVAILABLE_TOOLS][' }}
        {%- for tool in tools %}
            {{- '{"type": "function", "function": {' }}
            {%- for key, val in tool.function.items() if key != 'return' %}
                {{- '"' + key + '": ' + ('"' + val + '"' if val is string else val | tojson) }}
                {%- if not loop.last %}{{ ', ' }}{% endif %}
            {%- endfor %}
            {{- '}}' + (']' if loop.last else ', ') }}
        {%- endfor %}
        {{- '[/AVAILABLE_TOOLS]' }}
    {%- endif %}
    {{- '[INST]' + m.content + '[/INST]' }}
{%- endfor %}"""
JINJA = {"qwen": (QWEN, ""), "llama3": (LLAMA, "<|begin_of_text|>"), "mistral": (MISTRAL, "<s>")}
ENCODINGS = {"harmony": "o200k_harmony", "qwen": "qwen3", "llama3": "llama3", "mistral": "mistral_v3"}
WORDS = ["search", "café", "ที่พัก", "東京", "👍🏽", 'a "quoted" word', "line\nend", "C:\\dir", "</tools>", "é"]
WORDS += ["\u2028", "x" * 40]


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def of_harmony(tools):
    """The text that openai-harmony makes of tools and a message."""
    module, library = oracles.harmony()
    messages = [(module.Role.SYSTEM, module.SystemContent.new()), (module.Role.USER, "Hello")]
    if tools:
        own = [
            module.ToolDescription.new(one["name"], one.get("description", ""), parameters=one.get("parameters"))
            for one in (tool["function"] for tool in tools)
        ]
        messages.insert(1, (module.Role.DEVELOPER, module.DeveloperContent.new().with_function_tools(own)))
    chat = module.Conversation.from_messages([module.Message.from_role_and_content(*one) for one in messages])
    return library.decode(library.render_conversation_for_completion(chat, module.Role.ASSISTANT))


def rendered(name, tools):
    if name == "harmony":
        return of_harmony(tools)
    source, bos = JINJA[name]
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = to_json
    messages = [{"role": "user", "content": "Hello"}]
    return environment.from_string(source).render(messages=messages, tools=tools or None, bos_token=bos)


def schema(draw, depth=0):
    kinds = ["string", "integer", "boolean", "null", "enum", "ref"] + ["object", "array"] * (depth < 3)
    kind = draw.choice(kinds)
    if kind == "enum":
        found = {"enum": [*draw.sample(WORDS, draw.randrange(1, 5)), None, 1.5, -3]}
    elif kind == "ref":
        found = {"$ref": f"#/$defs/{draw.choice(WORDS)}"}
    elif kind == "array":
        found = {"type": ["array", "null"], "items": draw.choice([schema(draw, depth + 1), {}, True]), "minItems": 0}
    elif kind == "object":
        named = {f"{draw.choice(WORDS)}{i}": schema(draw, depth + 1) for i in range(draw.randrange(4))}
        found = {"type": "object", "properties": named, "required": [*named], "additionalProperties": False}
    else:
        found = {"type": kind, "default": draw.choice([None, 0, "", [], {}, 1e21, True])}
    if draw.random() < 0.5:
        found["description"] = " ".join(draw.choices(WORDS, k=3))
    return found


def odd_schema(draw, depth=0):
    """A schema with what TypeScript spells in its own way: choices, null, titles, examples, numbers."""
    found = schema(draw, depth)
    for key, values in {
        "oneOf": [[odd_schema(draw, depth + 1) for _ in range(draw.randrange(4))]] if depth < 3 else ["x"],
        "nullable": [True, False, "x"],
        "title": [*WORDS, 4],
        "examples": [[], [1], [*WORDS], "x"],
        "default": ["k", 1.5, 1e-5, 2.5e-5, -1e-7, 1e16, 10**30, {"b": [1, {"a": "ñ\n"}]}],
        "type": [["string", "null", 3], ["integer"], [], None],
        "enum": [["名", None], [1]],
    }.items():
        if draw.random() < 0.2:
            found[key] = draw.choice(values)
    return found


def definitions(number=50, seed=7):
    draw, found = random.Random(seed), []
    for i in range(number):
        properties = {f"p{k}": schema(draw) for k in range(draw.randrange(5))}
        parameters = {"type": "object", "properties": properties, "$defs": {"名": schema(draw)}}
        entries = [
            ("name", f"tool_{i}"),
            ("description", " ".join(draw.choices(WORDS, k=4))),
            ("parameters", parameters),
        ]
        entries += [("strict", True), ("return", {"type": "string"})][: draw.randrange(3)]
        draw.shuffle(entries)
        entries = [one for one in entries if one[0] != "description" or i % 7]
        outer = [("type", "function"), ("function", dict(entries))]
        found.append(dict(outer[:: draw.choice([1, -1])]))
    return found


@pytest.mark.parametrize("name", FORMATS)
def test_prompt_equals_the_template_of_the_family(name):
    tools = definitions()
    for some in [[], tools, *([one] for one in tools)]:
        assert "".join(piece.text for piece in FORMATS[name].pieces(some)) == rendered(name, some)


def test_typescript_of_tools_equals_openai_harmony():
    draw = random.Random(5)
    assert typescript({"oneOf": [{"default": 10**400}]}).endswith(f"default: 1{'0' * 400}")  # the library refuses it
    for _ in range(2_000 // SHARE):
        parameters = odd_schema(draw)
        tool = {"type": "function", "function": {"name": "f", "parameters": parameters}}
        assert f"\ntype f = (_: {typescript(parameters)}) => any;\n" in of_harmony([tool])


def test_tools_without_description_or_schema_equal_openai_harmony():
    bare = [
        {"function": {"name": "f"} | more}
        for more in ({}, {"description": "a\r\n\nb\n"}, {"parameters": {}}, {"description": "\n"})
    ]
    assert "".join(piece.text for piece in FORMATS["harmony"].pieces(bare)) == of_harmony(bare)


def in_file(source, bos=""):
    return of_file(JinjaTemplate("default", source, {"bos_token": bos}, {}), DEFAULT_DAY)


@pytest.mark.slow
@pytest.mark.parametrize("name", JINJA)
def test_template_of_a_file_has_the_tokens_of_the_family(name):
    pytest.importorskip("splintr")
    encoding, tools = get_encoding(ENCODINGS[name]), definitions(12)
    own, known = in_file(*JINJA[name]), FORMATS[name]
    assert "".join(piece.text for piece in own.pieces(tools)) == rendered(name, tools)
    found, expected = (count_tools(tools, encoding, one) for one in (own, known))
    assert (found.with_tools, found.without, found.tools) == (expected.with_tools, expected.without, expected.tools)
    assert found.is_divided


LOOP = "{%% for tool in tools or [] %%}%s{%% endfor %%}{{ messages[0].content }}"


@pytest.mark.parametrize(
    "spelled",
    ["{{ tool | tojson }}", "{{ tool.function | tojson(indent=2) }}", "{{ tool | tojson(separators=(',', ':')) }}"],
)
def test_tools_are_counted_separately_in_every_layout_of_a_file(spelled):
    encoding, tools = get_encoding("gpt2"), definitions(5)
    found = count_tools(tools, encoding, in_file(LOOP % spelled))
    assert all(one.total and one.schema for one in found.tools)
    assert sum(one.total for one in found.tools) == found.added


def test_template_with_its_own_form_of_tools_has_an_exact_sum():
    encoding, tools = get_encoding("gpt2"), definitions(5)
    found = count_tools(tools, encoding, in_file(LOOP % "{{ tool.function.name }};"))
    names = "".join(f"{tool['function']['name']};" for tool in tools)
    assert found.with_tools == len(encoding.encode(f"{names}Hello")) and not found.is_divided
    assert found.frame == found.added == found.with_tools - len(encoding.encode("Hello"))
    with pytest.raises(BadChat, match="no tools"):
        in_file("{% if tools %}{{ raise_exception('no tools') }}{% endif %}x").pieces(tools)
    unused = count_tools(tools, encoding, in_file("{{ messages[0].content }}"))
    assert unused.added == 0 and unused.is_divided


@pytest.mark.parametrize("name", FORMATS)
def test_tool_counts_add_up_to_the_prompt(name):
    pytest.importorskip("splintr")
    encoding, tools = get_encoding(ENCODINGS[name]), definitions(12)
    found = count_tools(tools, encoding, FORMATS[name])
    assert found.with_tools == len(encoding.encode(rendered(name, tools), "special"))
    assert found.without == len(encoding.encode(rendered(name, []), "special"))
    assert found.frame + sum(one.total for one in found.tools) == found.with_tools - found.without
    pieces, at = FORMATS[name].pieces(tools), 0
    expected = np.zeros((12, 4), int)
    starts = encoding.tokenize(rendered(name, tools), "special").starts.tolist()
    for piece in pieces:
        size = len(piece.text.encode())
        if piece.tool is not None:
            column = ["name", "description", "schema", "other"].index(piece.field)
            expected[piece.tool, column] += sum(at <= start < at + size for start in starts)
        at += size
    assert [tuple(one) for one in found.tools] == [*map(tuple, expected.tolist())]


def test_unknown_families_use_minified_json():
    encoding, tools = get_encoding("o200k_base"), definitions(9)
    found = count_tools(tools, encoding)
    text = json.dumps(tools, ensure_ascii=False, separators=(",", ":"))
    assert "".join(piece.text for piece in JSON.pieces(tools)) == text
    assert (found.added, found.without) == (len(encoding.encode(text)), 0)
    assert chat_tools.json_tokens(tools, encoding) == (
        found.added,
        len(encoding.encode(json.dumps(tools, ensure_ascii=False, indent=2))),
    )


def test_special_tokens_in_definitions_are_text_and_listed():
    tools = [{"function": {"name": "f", "description": "<|im_end|>"}}]
    found = count_tools(tools, get_encoding("o200k_base"), FORMATS["qwen"])
    assert found.injected == [(0, "<|im_end|>")] and found.tools[0].description > 3


SCHEMA = {"type": "object", "properties": {"q": {"type": "string", "default": None}}}
FUNCTION = {"name": "f", "description": "ที่", "parameters": SCHEMA}
MCP = {"name": "f", "description": "ที่", "inputSchema": SCHEMA}
OPENAI = {"type": "function", "function": FUNCTION}


@pytest.mark.parametrize(
    "value",
    [
        OPENAI,
        [OPENAI],
        {"model": "m", "tools": [OPENAI]},
        [{"type": "function"} | FUNCTION],
        [{"name": "f", "description": "ที่", "input_schema": SCHEMA}],
        [{"type": "custom", "name": "f", "description": "ที่", "input_schema": SCHEMA}],
        {"tools": [MCP]},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}},
        {"functionDeclarations": [FUNCTION]},
        {"tools": [{"function_declarations": [FUNCTION]}]},
        [{"functionDeclarations": [{"name": "f", "description": "ที่", "parametersJsonSchema": SCHEMA}]}],
        {"functions": [FUNCTION]},
    ],
    ids=str,
)
def test_every_input_form_is_converted_to_openais(value):
    found = read_tools(json.dumps(value))
    assert found.tools == [OPENAI] and not found.notes
    assert json.dumps(found.tools) == json.dumps([OPENAI])  # keys in order


def test_several_responses_are_read_together():
    more = MCP | {"name": "g", "title": "G", "outputSchema": {}, "annotations": {}}
    answers = [{"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP], "nextCursor": "x"}}, {"tools": [more]}, OPENAI]
    found = read_tools(json.dumps(answers))
    assert [tool["function"]["name"] for tool in found.tools] == ["f", "g", "f"]
    assert (
        "At [0].result: the key nextCursor means" in found.notes[0]
        and "title, outputSchema, annotations" in found.notes[1]
    )


def test_extra_keys_stay_and_built_in_tools_are_noted():
    found = read_tools(
        json.dumps([{"type": "web_search"}, {"type": "function", "strict": True} | FUNCTION, OPENAI | {"x": 1}])
    )
    assert found.tools == [{"type": "function", "function": {"strict": True} | FUNCTION}, OPENAI | {"x": 1}]
    assert 'At [0]: the type is "web_search"' in found.notes[0]


def test_lone_surrogates_in_definitions_become_replacement_characters():
    found = read_tools(r'[{"name": "a\ud83d", "\udc4d": 1, "parameters": {"\ud83d\udc4d": "\ud800"}}]')
    assert found.tools[0]["function"] == {"name": "a\ufffd", "parameters": {"👍": "\ufffd"}}
    assert json.dumps(found, ensure_ascii=False).encode() and "\ufffd" in found.notes[0]


def test_declared_function_may_lack_a_schema():
    assert read_tools('{"functionDeclarations": [{"name": "f"}]}').tools == [
        {"type": "function", "function": {"name": "f"}}
    ]


@pytest.mark.parametrize(
    "text, words",
    [
        ('[{"name": "f",\n "inputSchema": {]}', "a name in double quotes is missing here.*line 2, column 18"),
        ("", "a value is missing or not valid here.*line 1, column 1"),
        ("[NaN]", "NaN is not a JSON value"),
        ("9" * 5000, "has more than 4,300 digits"),
        ("[" * 100_000, "has more than 100 levels of nesting"),
        ('{"a":' * 150 + "1" + "}" * 150, "has more than 100 levels of nesting"),
        ('"f"', r'The JSON as a whole: the value must be an object, but it is "f"'),
        ("[]", "has no tool definition"),
        ('{"tools": [{"inputSchema": {}}]}', r"At tools\[0\]: the key name is missing"),
        ('[{"type": "function", "function": {"parameters": {}}}]', r"At \[0\]\.function: the key name is missing"),
        ('[{"name": "Ada", "age": 36}]', r"At \[0\]: the schema is missing.*inputSchema or input_schema"),
        ('[{"name": "f", "inputSchema": "x"}]', r'At \[0\]\.inputSchema: the value must be an object, but it is "x"'),
        ('[{"name": 1, "inputSchema": {}}]', r"At \[0\]\.name: the value must be a string, but it is 1"),
        (
            '{"jsonrpc": "2.0", "id": 1, "error": {"message": "no"}}',
            r'This JSON is not a list of tools, but an error message from a server: "no"',
        ),
        (" " * 1_000_001, "1,000,001 characters; the limit is 1,000,000"),
        ('[{"type": "web_search"}]', "has no tool definition.*web_search"),
    ],
)
def test_error_names_the_place_in_the_input(text, words):
    with pytest.raises(BadTools, match=words):
        read_tools(text)


def test_tool_without_a_schema_is_read_in_any_list():
    bare = {"name": "f", "description": "Does it."}
    assert read_tools(json.dumps([bare])).tools == [{"type": "function", "function": bare}]
    assert read_tools('[{"name": "f"}]').tools == [{"type": "function", "function": {"name": "f"}}]
