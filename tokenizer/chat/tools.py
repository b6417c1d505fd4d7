"""Tool definitions in a prompt: read from the JSON of several APIs, written like chat templates, and counted."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import groupby
from typing import NamedTuple

import numpy as np

from tokenizer.chat.jinja_template import JinjaTemplate
from tokenizer.chat.messages import Message, Part, joined
from tokenizer.chat.reading import SYNTHETIC, Prompt, with_marks
from tokenizer.chat.templates import CHANNELS, GPT_OSS, HARMONY_TOKENS
from tokenizer.chat.typescript import typescript
from tokenizer.encoding.interface import Encoding
from tokenizer.errors import TokenizerError, enumerated, shown
from tokenizer.i18n import tr
from tokenizer.i18n.third_party_messages import translated
from tokenizer.text.well_formed import well_formed

MAX_JSON_CHARACTERS = 1_000_000  # of the JSON
MAX_TOOLS = 2_000
MAX_DEPTH = 100  # levels of nested objects and arrays
MAX_SHOWN_CHARACTERS = 80  # characters of a value in a message
MAX_MARKS = 2_000  # special tokens of a template from a file

NAME, DESCRIPTION, SCHEMA, OTHER = "name", "description", "schema", "other"
FIELDS = {"name": NAME, "description": DESCRIPTION, "parameters": SCHEMA}
SCHEMA_KEYS = ("parameters", "inputSchema", "input_schema", "parametersJsonSchema", "parameters_json_schema")
# keys of a definition without a schema in the APIs of OpenAI and Anthropic and in MCP: a tool may take no arguments
BARE_KEYS = {"name", "description", "title", "strict", "annotations", "outputSchema", "icons", "_meta", "cache_control"}
LIST_KEYS = ("result", "tools", "functions", "functionDeclarations", "function_declarations")
USER_MESSAGE = "Hello"  # the prompt has this user message and no other


class BadTools(TokenizerError):
    """The JSON has no readable tool definitions."""


class ToolList(NamedTuple):
    """Tool definitions in OpenAI's form, which chat templates expect, and remarks on what was left out."""

    tools: list[dict]
    notes: list[str]


class Piece(NamedTuple):
    """A part of a prompt; `tool` is the index of its tool, or None; `field` is one of the four above."""

    text: str
    tool: int | None = None
    field: str = OTHER


class ToolTokens(NamedTuple):
    """Tokens of one tool in a prompt, by field; a token belongs to the field of its first byte."""

    name: int
    description: int
    schema: int
    other: int

    @property
    def total(self) -> int:
        """Tokens of the whole definition."""
        return sum(self)


class Counts(NamedTuple):
    """Numbers of tokens: of the prompt with the tools and without them, and of the definition of each tool.

    The sum of `tools` and `frame` is `with_tools` - `without`. `num_shared` tokens span several fields.
    `injected` are names of special tokens in definitions, each with the index of its tool; they are encoded as text.
    `synthetic` are special tokens of the form that the encoding lacks: one token each. `missing` are read as text.
    """

    with_tools: int
    without: int
    tools: list[ToolTokens]
    num_shared: int
    injected: list[tuple[int, str]]
    synthetic: list[str]
    missing: tuple[str, ...]

    @property
    def added(self) -> int:
        """Tokens that the tools add to the prompt."""
        return self.with_tools - self.without

    @property
    def is_divided(self) -> bool:
        """Whether it is known which tokens are of which tool."""
        return not self.added or any(one.total for one in self.tools)

    @property
    def frame(self) -> int:
        """Tokens that the tools add outside of the definitions, such as instructions."""
        return self.added - sum(one.total for one in self.tools)


# Reading


def read_tools(text: str) -> ToolList:
    """Returns the tool definitions in a JSON text; raises BadTools with the line or path of the error.

    Accepts the forms of OpenAI (Chat Completions, Responses), Anthropic, Gemini and MCP: one definition, an array, or a
    request or response that contains them. All are converted to OpenAI's form: name, description and schema.

    >>> read_tools('{"result": {"tools": [{"name": "f", "inputSchema": {"type": "object"}}]}}').tools
    [{'type': 'function', 'function': {'name': 'f', 'parameters': {'type': 'object'}}}]
    """
    found, notes, dropped = [], [], {}
    for path, one, is_declared in _definitions(_parsed(text), "$", notes):
        if tool := _converted(path, one, is_declared, notes, dropped):
            found.append(tool)
    if len(found) > MAX_TOOLS:
        raise BadTools(
            tr(
                "This JSON has {n:,} tools; the limit is {most:,} tools. Remove some of them.",
                n=len(found),
                most=MAX_TOOLS,
            )
        )
    if not found:
        raise BadTools(
            " ".join(
                [
                    tr(
                        "This JSON has no tool definition. Paste a tool, or a list of tools, each with a name and "
                        "parameters."
                    ),
                    *notes,
                ]
            )
        )
    if dropped:
        note = tr(
            "Keys that are not counted: {keys}. Of such tools, only name, description and schema are counted.",
            keys=_keys(dropped),
        )
        notes.append(note)
    return ToolList(found, notes)


def _parsed(text: str) -> object:
    if len(text) > MAX_JSON_CHARACTERS:
        raise BadTools(
            tr(
                "This JSON has {n:,} characters; the limit is {most:,} characters. Shorten it.",
                n=len(text),
                most=MAX_JSON_CHARACTERS,
            )
        )
    try:
        found = json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        facts = {"line": error.lineno, "column": error.colno, "reason": translated(error.msg)}
        raise BadTools(tr("This is not valid JSON: {reason} (line {line:,}, column {column:,}).", **facts)) from None
    except RecursionError:
        raise _too_deep() from None
    except BadTools:
        raise
    except ValueError:
        raise BadTools(
            tr(
                "A number in this JSON has more than {most:,} digits, the limit. Shorten the number.",
                most=sys.get_int_max_str_digits(),
            )
        ) from None
    if _is_deeper(found, MAX_DEPTH):
        raise _too_deep()
    written, replaced = well_formed(_json(found))  # \ud800 in JSON is a lone surrogate, which UTF-8 cannot encode
    return json.loads(written) if replaced else found


def _refuse_constant(word: str) -> None:
    raise BadTools(tr("This is not valid JSON: {word} is not a JSON value. Write a number or null instead.", word=word))


def _too_deep() -> BadTools:
    return BadTools(
        tr("This JSON has more than {most} levels of nesting, the limit. Use fewer levels.", most=MAX_DEPTH)
    )


def _is_deeper(value: object, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deeper(one, levels - 1) for one in inner)


def _definitions(value: object, path: str, notes: list[str], is_declared: bool = False) -> Iterator:
    """Yields each definition with its JSONPath, and whether its parent key allows it to lack a schema."""
    if isinstance(value, list):
        for i, one in enumerate(value):
            yield from _definitions(one, f"{path}[{i}]", notes, is_declared)
        return
    if not isinstance(value, dict):
        raise BadTools(
            tr("{path}: the value must be an object, but it is {value}.", path=_place(path), value=_shown(value))
        )
    if "jsonrpc" in value and value.get("error") is not None:
        raise BadTools(
            tr(
                "This JSON is not a list of tools, but an error message from a server: {value}. Paste the server’s"
                " list of tools.",
                value=_error_text(value["error"]),
            )
        )
    inner = [key for key in LIST_KEYS if "name" not in value and isinstance(value.get(key), dict | list)]
    for key in inner:
        yield from _definitions(value[key], f"{path}.{key}", notes, key[:8] == "function")
    if inner and value.get("nextCursor"):
        notes.append(
            tr(
                "{path}: the key nextCursor means that the server has more tools than this JSON lists.",
                path=_place(path),
            )
        )
    if not inner:
        yield path, value, is_declared


def _converted(path: str, one: dict, is_declared: bool, notes: list[str], dropped: dict[str, None]) -> dict | None:
    """Returns a definition in OpenAI's form; None for a tool that is built into the provider's API."""
    if isinstance(function := one.get("function"), dict):
        _check(f"{path}.function", function)
        return one
    kind, schemas = one.get("type", "function"), [key for key in SCHEMA_KEYS if one.get(key) is not None]
    if kind != "function" and not schemas:
        notes.append(
            tr(
                "{path}: the type is {kind} and there is no schema, so this tool is not counted.",
                path=_place(path),
                kind=_shown(kind),
            )
        )
        return None
    _check(path, one)
    if not schemas and "type" not in one and not is_declared and set(one) - BARE_KEYS:
        problem = tr(
            "{path}: the schema is missing. Add it under the key {keys}.",
            path=_place(path),
            keys=enumerated([*SCHEMA_KEYS[:3]], "or"),
        )
        raise BadTools(problem)
    if one.get("type") == "function":  # form of the Responses API: all other keys describe the function
        return {"type": "function", "function": {key: value for key, value in one.items() if key != "type"}}
    made = {"name": one["name"]}
    if one.get("description") is not None:
        made["description"] = one["description"]
    if schemas:
        made["parameters"] = one[schemas[0]]
    dropped.update(dict.fromkeys(key for key in one if key not in (*FIELDS, "type", *schemas[:1])))
    return {"type": "function", "function": made}


def _check(path: str, function: dict) -> None:
    if "name" not in function:
        raise BadTools(tr("{path}: the key {key} is missing. Add the key.", path=_place(path), key="name"))
    texts = [key for key in ("name", "description") if function.get(key) is not None or key == "name"]
    for key in texts:
        if not isinstance(function[key], str):
            facts = {"path": _place(f"{path}.{key}"), "value": _shown(function[key])}
            raise BadTools(tr("{path}: the value must be a string, but it is {value}.", **facts))
    for key in SCHEMA_KEYS:
        if not isinstance(function.get(key, {}), dict | None):
            facts = {"path": _place(f"{path}.{key}"), "value": _shown(function[key])}
            raise BadTools(tr("{path}: the value must be an object, but it is {value}.", **facts))


def _place(path: str) -> str:
    """Returns a JSONPath as the beginning of a message."""
    return tr("At {path}", path=path[1:].removeprefix(".")) if path != "$" else tr("The JSON as a whole")


def _shown(value: object) -> str:
    """Returns a value as JSON, shortened to MAX_SHOWN_CHARACTERS."""
    text = _json(value)
    return text if len(text) <= MAX_SHOWN_CHARACTERS else f"{text[: MAX_SHOWN_CHARACTERS - 1]}…"


def _error_text(error: object) -> str:
    """Returns the message of a JSON-RPC error (https://www.jsonrpc.org/specification#error_object)."""
    message = error.get("message") if isinstance(error, dict) else None
    return _shown(message if isinstance(message, str) else error)


def _keys(keys: dict[str, None], max_keys: int = 12) -> str:
    return ", ".join(key if key.isidentifier() and len(key) < 40 else shown(key) for key in [*keys][:max_keys]) + (
        "…" if len(keys) > max_keys else ""
    )


# Writing


def _json(value: object, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)


def _definition_pieces(
    value: dict, i: int, indent: int | None = None, separators: tuple[str, str] | None = None, depth: int = 0
) -> Iterator[Piece]:
    """Yields the pieces of a definition, or of its function alone, formatted like `json.dumps`."""
    is_function = depth == 1 or "function" not in value
    between, colon = separators or (", " if indent is None else ",", ": ")
    outer, inner = ("", "") if indent is None else ("\n" + " " * indent * (depth + k) for k in (0, 1))
    for k, (key, one) in enumerate(value.items()):
        yield Piece(("{" if k == 0 else between) + inner + _json(key) + colon, i)
        if key == "function" and depth == 0:
            yield from _definition_pieces(one, i, indent, separators, 1)
        else:
            text = _json(one, indent, separators).replace("\n", inner)
            yield Piece(text, i, FIELDS.get(key, OTHER) if is_function else OTHER)
    yield Piece(outer + "}", i)


def _qwen(tools: Sequence[dict]) -> Iterator[Piece]:
    """The template in tokenizer_config.json of Qwen3-…-Instruct-2507."""
    if tools:
        yield Piece(
            "<|im_start|>system\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou"
            " are provided with function signatures within <tools></tools> XML tags:\n<tools>"
        )
        for i, tool in enumerate(tools):
            yield Piece("\n")
            yield from _definition_pieces(tool, i)
        yield Piece(
            "\n</tools>\n\nFor each function call, return a json object with function name and arguments within"
            ' <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments":'
            " <args-json-object>}\n</tool_call><|im_end|>\n"
        )
    yield Piece(f"<|im_start|>user\n{USER_MESSAGE}<|im_end|>\n<|im_start|>assistant\n")


def _llama(tools: Sequence[dict]) -> Iterator[Piece]:
    """The template in tokenizer_config.json of Llama-3.1-…-Instruct, which has a fixed date."""
    environment = "Environment: ipython\n" if tools else ""
    yield Piece(
        f"<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n{environment}Cutting Knowledge Date: December"
        " 2023\nToday Date: 26 Jul 2024\n\n<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n"
    )
    if tools:
        yield Piece(
            "Given the following functions, please respond with a JSON for a function call with its proper arguments"
            ' that best answers the given prompt.\n\nRespond in the format {"name": function name, "parameters":'
            " dictionary of argument name and its value}.Do not use variables.\n\n"
        )
    for i, tool in enumerate(tools):
        yield from _definition_pieces(tool, i, indent=4)
        yield Piece("\n\n")
    yield Piece(f"{USER_MESSAGE}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n")


def _mistral(tools: Sequence[dict]) -> Iterator[Piece]:
    """The template in tokenizer_config.json of Mistral-Nemo-Instruct-2407, which does not escape strings."""
    yield Piece("<s>")
    for i, tool in enumerate(tools):
        yield Piece(", " if i else "[AVAILABLE_TOOLS][")
        yield from _unescaped_pieces(tool, i)
    if tools:
        yield Piece("][/AVAILABLE_TOOLS]")
    yield Piece(f"[INST]{USER_MESSAGE}[/INST]")


def _unescaped_pieces(tool: dict, i: int) -> Iterator[Piece]:
    yield Piece('{"type": "function", "function": {', i)
    entries = [(key, value) for key, value in tool["function"].items() if key != "return"]
    for k, (key, value) in enumerate(entries):
        yield Piece(f'{", " if k else ""}"{key}": ', i)
        yield Piece(f'"{value}"' if isinstance(value, str) else _json(value), i, FIELDS.get(key, OTHER))
    yield Piece("}}", i)


def _harmony(tools: Sequence[dict]) -> Iterator[Piece]:
    """The output of openai-harmony 0.0.8 with its default system message, which has no date."""
    calls = "\nCalls to these tools must go to the commentary channel: 'functions'." if tools else ""
    yield Piece(f"<|start|>system<|message|>{GPT_OSS}\nReasoning: medium\n\n{CHANNELS}{calls}<|end|>")
    if tools:
        yield Piece("<|start|>developer<|message|># Tools\n\n## functions\n\nnamespace functions {\n\n")
    for i, tool in enumerate(tools):
        function = tool["function"]
        if description := function.get("description"):
            for line in description.removesuffix("\n").split("\n"):
                yield from (Piece("// ", i), Piece(line.removesuffix("\r"), i, DESCRIPTION), Piece("\n", i))
        yield from (Piece("type ", i), Piece(function["name"], i, NAME))
        if (parameters := function.get("parameters")) is None:
            yield Piece(" = () => any;", i)
        else:
            yield from (Piece(" = (_: ", i), Piece(typescript(parameters), i, SCHEMA), Piece(") => any;", i))
        yield Piece("\n\n")
    if tools:
        yield Piece("} // namespace functions<|end|>")
    yield Piece(f"<|start|>user<|message|>{USER_MESSAGE}<|end|><|start|>assistant")


def _minified(tools: Sequence[dict]) -> Iterator[Piece]:
    for i, tool in enumerate(tools):
        yield Piece("," if i else "[")
        yield from _definition_pieces(tool, i, separators=(",", ":"))
    if tools:
        yield Piece("]")


@dataclass(frozen=True)
class ToolFormat:
    """How a family of models writes tool definitions; `marks` are the special tokens used.

    `window_of` is the model in windows.toml with the context window of these models, empty if there is none.
    """

    label: str
    write: Callable[[Sequence[dict]], Iterator[Piece]]
    marks: tuple[str, ...] = ()
    window_of: str = ""

    def pieces(self, tools: Sequence[dict]) -> list[Piece]:
        """Returns the prompt with these tools and one user message.

        >>> "".join(piece.text for piece in FORMATS["mistral"].pieces([{"function": {"name": "f"}}]))
        '<s>[AVAILABLE_TOOLS][{"type": "function", "function": {"name": "f"}}][/AVAILABLE_TOOLS][INST]Hello[/INST]'
        """
        return list(self.write(tools))


LLAMA_TOKENS = ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
FORMATS = {  # by the name of the family in templates.py
    "harmony": ToolFormat("gpt-oss (openai-harmony)", _harmony, HARMONY_TOKENS, "gpt-oss"),
    "qwen": ToolFormat("Qwen 3", _qwen, ("<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>")),
    "llama3": ToolFormat("Llama 3.1", _llama, LLAMA_TOKENS, "Llama 3.1"),
    "mistral": ToolFormat(
        "Mistral (V3)", _mistral, ("<s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]")
    ),
}
JSON = ToolFormat("JSON", _minified)  # for families of unknown form: one minified array, no message


LAYOUTS = ((None, None), (None, (",", ":")), (2, None), (4, None))  # indent and separators of JSON
SPELLINGS: list[Callable[[dict, int], Iterator[Piece]]] = [  # in which templates write a definition
    *(partial(_definition_pieces, indent=indent, separators=separators) for indent, separators in LAYOUTS),
    _unescaped_pieces,
    *(lambda tool, i, layout=layout: _definition_pieces(tool["function"], i, *layout) for layout in LAYOUTS),
]


def of_file(template: JinjaTemplate, day: date) -> ToolFormat:
    """Returns the format of a template from a file, which fails as the template does: with BadChat.

    The pieces of a tool are known where the template writes each definition as JSON, one after the other.
    """

    def write(tools: Sequence[dict]) -> Iterator[Piece]:
        parts, _ = template.render([Message("user", USER_MESSAGE)], day, [*tools] or None)
        yield from _located(joined(parts), tools)

    return ToolFormat("", write, (*template.ids, *template.names.values())[:MAX_MARKS])


def _located(prompt: str, tools: Sequence[dict]) -> list[Piece]:
    """Returns the pieces of a prompt that holds all definitions in one spelling; a single piece for any other."""
    for spelling in SPELLINGS:
        found, at = [], 0
        for i, tool in enumerate(tools):
            own = list(spelling(tool, i))
            text = "".join(one.text for one in own)
            if (start := prompt.find(text, at)) < 0:
                break
            found += [Piece(prompt[at:start]), *own]
            at = start + len(text)
        else:
            return [one for one in (*found, Piece(prompt[at:])) if one.text]
    return [Piece(prompt)]


# Counting


def count_tools(tools: Sequence[dict], encoding: Encoding, written: ToolFormat = JSON) -> Counts:
    """Returns the tokens of tools in a prompt; names of special tokens in definitions are encoded as text.

    >>> from tokenizer import get_encoding
    >>> found = count_tools([{"function": {"name": "f", "parameters": {}}}], get_encoding("o200k_base"))
    >>> found.added, found.frame, found.tools
    (13, 1, [ToolTokens(name=2, description=0, schema=2, other=8)])
    """
    marks = with_marks(encoding, written.marks)
    encoding = marks.encoding
    pieces, bare = written.pieces(tools), written.pieces([])
    prompt = _prompt(pieces, encoding)
    keys = [key for key, _ in groupby(pieces, lambda one: one[1:])]
    texts = ["".join(one.text for one in own) for _, own in groupby(pieces, lambda one: one[1:])]
    ends = np.cumsum([len(well_formed(text)[0].encode()) for text in texts])
    starts, lasts = prompt.tokens.starts, np.maximum(prompt.tokens.ends - 1, prompt.tokens.starts)
    first, last = (np.searchsorted(ends, at, side="right").clip(0, len(ends) - 1) for at in (starts, lasts))
    tokens = np.zeros((len(tools), 4), int)
    fields = (NAME, DESCRIPTION, SCHEMA, OTHER)
    for (tool, field), n in zip(keys, np.bincount(first, minlength=len(keys)).tolist(), strict=True):
        if tool is not None:
            tokens[tool, fields.index(field)] += n
    return Counts(
        len(prompt.tokens),
        len(_prompt(bare, encoding).tokens),
        [ToolTokens(*row) for row in tokens.tolist()],
        int(np.count_nonzero(first != last)),
        prompt.injected,
        [mark for mark, origin in marks.origins.items() if origin == SYNTHETIC],
        marks.missing,
    )


def _prompt(pieces: Sequence[Piece], encoding: Encoding) -> Prompt:
    return Prompt([Part(one.text, one.tool is None, one.tool) for one in pieces], encoding)


def json_tokens(value: object, encoding: Encoding) -> tuple[int, int]:
    """Returns the tokens of a value as JSON alone: minified, and indented by two spaces.

    >>> from tokenizer import get_encoding
    >>> json_tokens({"a": [1, 2]}, get_encoding("o200k_base"))
    (7, 17)
    """
    texts = _json(value, separators=(",", ":")), _json(value, indent=2)
    return tuple(len(encoding.encode_array(text)) for text in texts)
