"""Tables by row: each row has the tokens of its text, and unreadable rows are reported with their line."""

import csv
import io
import json
import tracemalloc

import numpy as np
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import oracle
from pyarrow import parquet
from texts import TOO_DEEP

from tokenizer import get_encoding
from tokenizer.chat.messages import BadChat, Message
from tokenizer.chat.records import chat_in, left_out, messages_of
from tokenizer.measure.rows import as_csv, count_rows, histogram, longest_first, summary
from tokenizer.text import rows
from tokenizer.text.rows import cells, letters
from tokenizer.text.tables import BadCorpusFile, most_text

NAMES = ["gpt2", "o200k_base"]
ENCODINGS = {name: get_encoding(name) for name in NAMES}
TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\r\n\t",;=ที่ ')), min_size=1)


def as_table(texts, form):
    """A file with these texts under `text`, after a column of numbers."""
    rows = [{"id": i, "text": text} for i, text in enumerate(texts)]
    if form == ".parquet":
        file = io.BytesIO()
        parquet.write_table(pyarrow.Table.from_pylist(rows), file)
        return file.getvalue()
    if form == ".jsonl":
        return "\n".join(map(json.dumps, rows)).encode()
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=";" if form == ".csv" else "\t", quoting=csv.QUOTE_ALL)
    writer.writerows([["id", "text"], *([row["id"], row["text"]] for row in rows)])
    return file.getvalue().encode("utf-16" if form == ".tsv" else "utf-8-sig")


def counted(name, data, field="text", encodings=ENCODINGS):
    return count_rows(cells(name, io.BytesIO(data), field), encodings)


@pytest.mark.parametrize("form", [".csv", ".tsv", ".jsonl", ".parquet"])
@given(texts=TEXTS)
def test_sums_equal_the_counts_of_single_rows(form, texts):
    found = counted(f"a{form}", as_table(texts, form))
    own = [[len(oracle(name).encode(text, disallowed_special=())) for name in NAMES] for text in texts]
    assert found.tokens.tolist() == own and found.places.tolist() == list(range(1, len(texts) + 1))
    assert summary(found.tokens[:, 0]).total == sum(one[0] for one in own)
    assert found.empty == texts.count("")


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60))
def test_quantiles_are_counts_of_rows_and_the_histogram_has_every_row(counts):
    found, ordered = summary(np.array(counts)), sorted(counts)
    for percent, value in found.quantiles.items():
        assert value == ordered[max(0, -(-percent * len(counts) // 100) - 1)]
    for low, high, [n] in histogram(np.array(counts)[:, None]):
        assert n == sum(low <= one <= high for one in counts)
    assert sum(n for _, _, [n] in histogram(np.array(counts)[:, None])) == len(counts)


def test_csv_has_the_longest_rows_first_and_no_formulas():
    found = counted("a.jsonl", as_table(["a", '=HYPERLINK("http://e")', "", "@a b"], ".jsonl"))
    written = list(csv.reader(io.StringIO("".join(as_csv(found)), newline="")))
    assert written[0] == ["row", *NAMES, "text"]
    assert [row[0] for row in written[1:]] == [str(i + 1) for i in longest_first(found)] == ["2", "4", "1", "3"]
    assert [row[3] for row in written[1:]] == ['\'=HYPERLINK("http://e")', "'@a b", "a", ""]


@pytest.mark.parametrize("form", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_column_with_most_letters_is_found_in_every_format(form):
    found = letters(f"a{form}", io.BytesIO(as_table(["one", "two ที่"], form)))
    assert list(found) == ["id", "text"] and found["id"] == 0 and found["text"] == 9


@pytest.mark.parametrize(
    "name, data, words",
    [
        ("a.csv", b"", ["no rows"]),
        ("a.jsonl", b"\n \n", ["no rows"]),
        ("a.txt", b"a,b\n", ["no columns", ".parquet"]),
        ("a.csv", b"id,text\n1,a\n2,b,c\n", ["line 3", "3 fields", "2 fields"]),
        ("a.csv", b'id,text\n1,"a\nb\n', ["line 2", "quotation mark"]),
        ("a.csv", b"id,title\n1,a\n", ["no field 'text'", "'id', 'title'"]),
        ("a.jsonl", b'{"id": 1}\n{"id": 2}', ["no field 'text'", "'id'"]),
        ("a.jsonl", b'{"text": "a"}\n{"text": ', ["line 2", "not valid JSON"]),
        ("a.csv", b"text\na\xff\n", ["not UTF-8", "byte 7"]),
        ("a.parquet", b"PAR1", ["cannot be read as Parquet"]),
    ],
)
def test_unreadable_table_raises(name, data, words):
    with pytest.raises(BadCorpusFile) as caught:
        letters(name, io.BytesIO(data))
        counted(name, data)
    assert all(word in str(caught.value) for word in words), caught.value


def test_parquet_numbers_are_rejected_and_other_columns_not_read():
    table = pyarrow.table({"n": [1, 2], "text": pyarrow.array(["a b", None]).dictionary_encode(), "b": [b"\xff", b""]})
    parquet.write_table(table, file := io.BytesIO())
    assert counted("a.parquet", file.getvalue()).tokens.tolist() == [[2, 2], [0, 0]]
    for field in ("n", "b"):
        with pytest.raises(BadCorpusFile, match="not text"):
            counted("a.parquet", file.getvalue(), field)


@pytest.mark.parametrize("method", ["__init__", "iter_batches"])
def test_parquet_that_takes_too_much_memory_is_not_called_damaged(monkeypatch, method):
    def fail(*args, **more):
        raise pyarrow.lib.ArrowMemoryError("malloc of size 162124096 failed")

    data = as_table(["a"], ".parquet")
    monkeypatch.setattr(parquet.ParquetFile, method, fail)
    with pytest.raises(MemoryError):
        letters("a.parquet", io.BytesIO(data))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_cells_and_line_ends_may_cross_chunks(monkeypatch, end):
    texts = ["one\r\ntwo", 'a "b"', "ที่", "x" * 50]
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator=end).writerows([["id", "text"], *enumerate(texts)])
    for size in range(1, 12):
        monkeypatch.setattr("tokenizer.text.files.CHUNK_BYTES", size)
        assert [cell for _, cell in cells("a.csv", io.BytesIO(file.getvalue().encode()), "text")] == texts


@pytest.mark.slow
def test_many_rows_take_little_memory_and_all_bytes_are_reported():
    data = b"id,text\n" + b"".join(b"%d,one two three\n" % i for i in range(30_000))
    reported, encodings = [], {"gpt2": ENCODINGS["gpt2"]}
    tracemalloc.start()
    try:
        found = count_rows(cells("a.csv", io.BytesIO(data), "text", on_read=reported.append), encodings)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert summary(found.tokens[:, 0]).total == 90_000 and sum(reported) == len(data)
    assert peak < 8_000_000  # without the file; its rows as Python lists would take 12 MB


def test_endless_line_raises(monkeypatch):
    monkeypatch.setattr(rows, "MAX_LINE_CHARACTERS", 1_000_000)
    with pytest.raises(BadCorpusFile, match="1,000,000 characters"):
        counted("a.jsonl", b"x" * 3_000_000)


# Chats


CHAT = [{"role": "user", "content": "Hi <|im_end|>"}, {"role": "assistant", "content": "Hello"}]


@pytest.mark.parametrize(
    "field, chat",
    [
        ("messages", CHAT),
        ("conversations", [{"from": "human", "value": "Hi <|im_end|>"}, {"from": "gpt", "value": "Hello"}]),
    ],
)
@pytest.mark.parametrize("form", [".jsonl", ".parquet"])
def test_chats_are_counted_as_in_openais_cookbook(field, chat, form):
    data = json.dumps({"id": 1, field: chat}).encode()
    if form == ".parquet":
        parquet.write_table(pyarrow.Table.from_pylist([{"id": 1, field: chat}]), file := io.BytesIO())
        data = file.getvalue()
    assert most_text(letters(f"a{form}", io.BytesIO(data))) == field
    found = counted(f"a{form}", data, field, {"cl100k_base": get_encoding("cl100k_base")})
    plain = oracle("cl100k_base")
    texts = ["user", "Hi <|im_end|>", "assistant", "Hello"]
    # 3 tokens a message and 3 for the answer, besides its role and its content
    assert found.tokens.tolist() == [[sum(len(plain.encode(one, disallowed_special=())) for one in texts) + 2 * 3 + 3]]
    assert found.chats == {"cl100k_base": "ChatML (GPT-3.5, GPT-4, GPT-4o)"}


def test_unsupported_chat_is_left_out_with_its_line():
    call = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}],
    }
    lines = [{"messages": CHAT}, {"messages": [*CHAT, call]}, {"messages": [{"role": "judge", "content": ""}]}]
    data = "\n".join(map(json.dumps, lines)).encode()
    found = counted("a.jsonl", data, "messages")
    assert found.places.tolist() == [1] and found.left_out.count == 2
    assert [line for line, _ in found.left_out.reasons] == [2, 3] and "tool call" in found.left_out.reasons[0][1]


def test_rows_that_are_neither_text_nor_chat_are_left_out_with_reason():
    lines = [{"messages": CHAT}, {"messages": []}, {"messages": 5}, {"messages": "a text"}, {"messages": [1]}]
    found = counted("a.jsonl", "\n".join(map(json.dumps, lines)).encode(), "messages")
    assert found.places.tolist() == [1, 4] and found.left_out.count == 3
    assert found.left_out.reasons == (
        (2, "The chat has no message."),
        (3, "The field 'messages' holds a number, not text."),
        (5, "The field 'messages' holds a list, not text."),
    )


def test_chat_nested_too_deeply_is_left_out():
    """The decoder reads more levels than a chat may have here."""
    deep = f'{{"messages": [{{"role": "user", "content": "a", "more": {TOO_DEEP}}}]}}'
    found = counted("a.jsonl", f"{deep}\n{json.dumps({'messages': CHAT})}".encode(), "messages")
    assert found.places.tolist() == [2]
    assert found.left_out == (1, ((1, "this JSON is nested too deeply."),))


def test_calls_and_results_become_messages():
    chat = [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "x", "function": {"name": "f", "arguments": {"a": "ท"}}}],
        },
        {"role": "tool", "tool_call_id": "x", "content": "1"},
        {"from": "function_call", "value": '{"name": "g", "arguments": {}}'},
        {"from": "observation", "value": "2"},
    ]
    assert messages_of(chat) == [
        Message("call", '{"a": "ท"}', "f"),
        Message("tool", "1", "f"),
        Message("call", "{}", "g"),
        Message("tool", "2", ""),
    ]


def test_calls_and_results_of_2023_become_messages():
    chat = [
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"a": 1}'}},
        {"role": "function", "name": "f", "content": "2"},
        {"role": "assistant", "content": "3", "function_call": None},
    ]
    found = [Message("call", '{"a": 1}', "f"), Message("tool", "2", "f"), Message("assistant", "3")]
    assert messages_of(chat) == found == chat_in("\ufeff" + json.dumps(chat))


def test_parallel_calls_in_one_message_become_messages():
    calls = [{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": {}}]
    chat = [{"from": "function_call", "value": json.dumps(calls)}, {"from": "observation", "value": "2"}]
    assert messages_of(chat) == [Message("call", '{"a": 1}', "f"), Message("call", "{}", "g"), Message("tool", "2")]


@pytest.mark.parametrize(
    "message",
    [
        {"from": "function_call", "value": "get_weather(Paris)"},
        {"from": "function_call", "value": "[]"},
        {"role": "assistant", "content": None, "tool_calls": ["f"]},
        {"role": "assistant", "content": None, "tool_calls": [{"function": "f"}]},
    ],
)
def test_tool_call_that_is_no_object_is_told_with_an_example(message):
    with pytest.raises(BadChat, match="^The tool call of message 1 is not a JSON object with a name") as found:
        messages_of([message])
    example = str(found.value).partition("Write it as ")[2].removesuffix(".")
    assert messages_of([{"from": "function_call", "value": example}])[0].tool == "get_weather"


def test_tool_call_without_a_name_raises():
    with pytest.raises(BadChat, match="^Message 1 has a tool call whose name is missing"):
        messages_of([{"from": "function_call", "value": '{"arguments": {}}'}])


@pytest.mark.parametrize(
    "export",
    [
        [{"title": "a", "mapping": {"x": {}}}],
        [{"uuid": "a", "chat_messages": [{"sender": "human"}]}],
        [{"messages": [{"role": "user", "content": "Hi"}]}] * 2,
    ],
)
def test_export_of_several_chats_is_no_list_of_messages(export):
    """ChatGPT's, Claude's, and a data set: their items are chats, not messages with the role None."""
    with pytest.raises(BadChat, match="^This text is neither a list of messages nor a request"):
        chat_in(json.dumps(export))


INPUT = [  # items as in OpenAI's API reference, "Create a model response"
    {"role": "user", "content": [{"type": "input_text", "text": "Hot?"}]},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Look."}]},
    {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
    },
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"city": "ท"}'},
    {"type": "function_call", "call_id": "c2", "name": "g", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c2", "output": "2"},
    {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "31"}]},
]
CONTENTS = [  # as in Gemini's API reference, "Content" and "Part"
    {"parts": [{"text": "Ho"}, {"text": "t?"}]},
    {"role": "model", "parts": [{"text": "Look.", "thought": True}, {"text": "I look."}]},
    {
        "role": "model",
        "parts": [
            {"functionCall": {"name": "f", "args": {"city": "ท"}}, "thoughtSignature": "a"},
            {"function_call": {"name": "g"}},
        ],
    },
    {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {"n": 1}}} for name in "gf"]},
]
CHAT_WITH_CALLS = [("user", "Hot?"), ("assistant", "I look."), ("call", '{"city": "ท"}', "f"), ("call", "{}", "g")]


def test_request_of_the_responses_api_is_a_chat():
    request = {"model": "gpt-5", "instructions": "Be short.", "input": INPUT, "tools": [{"type": "web_search"}]}
    found = [Message(*one) for one in (*CHAT_WITH_CALLS, ("tool", "2", "g"), ("tool", "31", "f"))]
    assert chat_in(json.dumps(request)) == [Message("system", "Be short."), *found]
    assert chat_in(json.dumps(INPUT)) == found and left_out(json.dumps(request)) == ["tools", "reasoning"]
    assert chat_in(json.dumps(request | {"input": "Hot?"})) == [Message("system", "Be short."), found[0]]
    image = {"role": "user", "content": [{"type": "input_image", "file_id": "a"}]}
    compaction = {"type": "compaction", "encrypted_content": "a"}
    approval = {"type": "mcp_approval_request", "id": "a"}
    for item in ({"type": "web_search_call"}, {"type": "item_reference", "id": "msg_1"}, compaction, approval, image):
        with pytest.raises(BadChat, match="^Message 8 contains something other than text"):
            chat_in(json.dumps([*INPUT, item]))


def test_parts_beside_a_content_are_not_read():
    chat = [{"role": "assistant", "content": "Hi", "parts": [{"type": "step-start"}, {"type": "text", "text": "Hi"}]}]
    assert chat_in(json.dumps(chat)) == [Message("assistant", "Hi")]
    assert chat_in('[{"from": "gpt", "type": "first_call", "value": "Hi"}]') == [Message("assistant", "Hi")]


def test_message_of_the_type_reasoning_is_not_left_out():
    message = {"type": "reasoning", "role": "assistant", "content": "Hm"}
    assert chat_in(json.dumps([message])) == messages_of([message]) == [Message("assistant", "Hm")]
    assert left_out(json.dumps([message])) == []
    with pytest.raises(BadChat, match="^The chat has no message"):
        messages_of([INPUT[1]])


@pytest.mark.parametrize(("items", "results"), [(INPUT, ("2", "31")), (CONTENTS, ('{"n": 1}', '{"n": 1}'))])
def test_items_of_other_apis_are_read_from_tables_too(items, results):
    found = [Message(*one) for one in (*CHAT_WITH_CALLS, ("tool", results[0], "g"), ("tool", results[1], "f"))]
    assert messages_of(items) == found
    keys = dict.fromkeys(key for item in items for key in item)
    assert messages_of([keys | item for item in items]) == found


@pytest.mark.parametrize("key", ["systemInstruction", "system_instruction"])
def test_request_of_gemini_is_a_chat(key):
    request = {key: {"parts": {"text": "Be short."}}, "contents": CONTENTS, "tools": [{"functionDeclarations": []}]}
    found = [Message(*one) for one in (*CHAT_WITH_CALLS, ("tool", '{"n": 1}', "g"), ("tool", '{"n": 1}', "f"))]
    assert chat_in(json.dumps(request)) == [Message("system", "Be short."), *found]
    assert chat_in(json.dumps(CONTENTS)) == found and left_out(json.dumps(request)) == ["tools", "reasoning"]
    assert chat_in(json.dumps({"contents": CONTENTS[0]})) == found[:1]
    image = {"inlineData": {"mimeType": "image/png", "data": ""}}
    for part in (image, {"functionResponse": {"name": "f", "response": {}, "parts": [image]}}):
        with pytest.raises(BadChat, match="^Message 5 contains something other than text"):
            chat_in(json.dumps([*CONTENTS, {"role": "user", "parts": [{"text": "See?"}, part]}]))
    for other in ({"parts": [image]}, {"part": [{"text": "Be short."}]}):
        with pytest.raises(BadChat, match=f"^The field {key} beside the messages contains something other than text"):
            chat_in(json.dumps(request | {key: other}))


TURNS = [  # as in Anthropic's API reference, "Create a Message"
    {"role": "user", "content": "Hot?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Look.", "signature": "a"},
            {"type": "redacted_thinking", "data": "b"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "c1", "name": "f", "input": {"city": "ท"}},
            {"type": "tool_use", "id": "c2", "name": "g", "input": {}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c2", "content": "2", "is_error": True},
            {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "31"}]},
            {"type": "text", "text": "Well?", "cache_control": {"type": "ephemeral"}},
        ],
    },
]


def test_request_of_anthropic_with_tool_calls_is_a_chat():
    tools = [{"name": "f", "input_schema": {"type": "object"}}]
    system = [{"type": "text", "text": "Be short.", "cache_control": {"type": "ephemeral"}}]
    request = {"model": "claude-opus-4-8", "system": system, "messages": TURNS, "tools": tools}
    found = [Message(*one) for one in (*CHAT_WITH_CALLS, ("tool", "2", "g"), ("tool", "31", "f"), ("user", "Well?"))]
    assert chat_in(json.dumps(request)) == [Message("system", "Be short."), *found]
    assert chat_in(json.dumps(TURNS)) == found and left_out(json.dumps(request)) == ["tools", "reasoning"]
    image = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    for block in (
        image,
        {"type": "tool_result", "tool_use_id": "c1", "content": [image]},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "a"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
    ):
        with pytest.raises(BadChat, match="^Message 4 contains something other than text"):
            chat_in(json.dumps([*TURNS, {"role": "user", "content": [{"type": "text", "text": "See?"}, block]}]))


def test_parts_of_a_message_leave_its_other_fields():
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Look."}]}  # as in Mistral's API
    chat = [
        {"from": "human", "content": []},
        {"role": "assistant", "content": [thinking], "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "31"}]},
    ]
    assert chat_in(json.dumps(chat)) == [Message("user", ""), Message("call", "{}", "f"), Message("tool", "31", "f")]
    assert left_out(json.dumps(chat)) == ["reasoning"]


@pytest.mark.parametrize(
    "other",
    [
        {"model": "gpt-5", "object": "response", "instructions": "Be short.", "output": [INPUT[2]]},
        {"candidates": [{"content": CONTENTS[1]}]},
        {"choices": [{"message": {"role": "assistant", "content": "Hi"}}]},
        {"instruction": "Translate.", "input": "Hi", "output": "สวัสดี"},
        {"instruction": "Translate.", "input": "Hi", "output": "สวัสดี", "model": "gpt-4"},
    ],
)
def test_reply_or_row_without_messages_is_no_request(other):
    with pytest.raises(BadChat, match="^This text is neither a list of messages nor a request"):
        chat_in(json.dumps(other))


def test_refusal_is_the_text_of_a_message():
    chat = [{"role": "assistant", "content": None, "refusal": "I cannot."}, {"role": "user", "content": None}]
    assert messages_of(chat) == [Message("assistant", "I cannot."), Message("user", "")]


def test_refusal_among_the_parts_of_a_message_is_its_text():
    parts = [{"type": "text", "text": "Sorry. "}, {"type": "refusal", "refusal": "I cannot."}]
    assert messages_of([{"role": "assistant", "content": parts}]) == [Message("assistant", "Sorry. I cannot.")]
    for bad in ({"type": "refusal"}, {"type": "image", "refusal": "a"}, "a"):
        with pytest.raises(BadChat, match="^Message 1 contains something other than text"):
            messages_of([{"role": "assistant", "content": [bad]}])


@pytest.mark.parametrize("media", [{"images": ["aGk="]}, {"audio": {"id": "a", "transcript": "Hi"}}])
def test_images_or_audio_beside_the_text_of_a_message_are_refused(media):
    chat = [{"role": "assistant", "content": None} | dict.fromkeys(media), {"role": "user", "content": "Hi"} | media]
    with pytest.raises(BadChat, match="^Message 2 contains something other than text"):
        messages_of(chat)


@pytest.mark.parametrize("function", [{"name": "f"}, {"name": "f", "arguments": None}])
def test_call_without_arguments_has_an_empty_object(function):
    """It had the text null, as if the model had written it."""
    chat = [{"role": "assistant", "content": None, "tool_calls": [{"id": "x", "function": function}]}]
    assert messages_of(chat) == [Message("call", "{}", "f")]


@pytest.mark.parametrize("message", [{"text": "Hi"}, {}])
def test_message_whose_text_has_an_unknown_key_is_refused(message):
    """It was counted as an empty one."""
    with pytest.raises(BadChat, match="^Message 2 has no content. Add its text under the key content.$"):
        messages_of([{"role": "user", "content": "Hi"}, {"role": "user", **message}])


@pytest.mark.parametrize("system", ["Be short.", [{"type": "text", "text": "Be "}, {"type": "text", "text": "short."}]])
@pytest.mark.parametrize("key", ["messages", "conversations"])
def test_system_text_beside_the_messages_is_the_first_message(key, system):
    """Anthropic's API has it there, and LLaMA-Factory for ShareGPT."""
    chat, found = [{"role": "user", "content": "Hi"}], [Message("user", "Hi")]
    assert chat_in(json.dumps({"system": system, key: chat})) == [Message("system", "Be short."), *found]
    for other in ("", [], None, True, 5, {"os": "Linux"}):
        assert chat_in(json.dumps({"system": other, key: chat})) == found


def test_system_text_in_both_places_is_one_message():
    chat = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Hi"}]
    found = [Message("system", "Be short."), Message("user", "Hi")]
    assert chat_in(json.dumps({"system": "Be short.", "messages": chat})) == found
    assert chat_in(json.dumps({"system": "Be kind.", "messages": chat})) == [Message("system", "Be kind."), *found]


@pytest.mark.parametrize("system", [["Be short."], [{"type": "image"}]])
def test_system_field_with_something_other_than_text_is_named(system):
    """The reason named message 1, which has text."""
    row = {"system": system, "messages": CHAT}
    with pytest.raises(BadChat, match="^The field system beside the messages contains something other than text"):
        chat_in(json.dumps(row))
    [(_, reason)] = counted("a.jsonl", json.dumps(row).encode(), "messages").left_out.reasons
    assert reason.startswith("The field system beside the messages")


@pytest.mark.parametrize("field", ["messages", "conversations"])
@pytest.mark.parametrize("form", [".jsonl", ".json", ".parquet"])
def test_system_text_beside_the_chat_of_a_row_is_counted(field, form):
    """Anthropic's form for fine-tuning has it there, and LLaMA-Factory for ShareGPT."""
    system = {"role": "system", "content": "Be short."}
    rows = [{"system": "Be short.", field: CHAT}, {"system": None, field: CHAT}, {"system": "Be short.", field: []}]
    rows += [{field: [system, *CHAT]}, {"system": "Be short.", field: [system, *CHAT]}]
    data = {".jsonl": "\n".join(map(json.dumps, rows)), ".json": json.dumps(rows)}.get(form, "").encode()
    if form == ".parquet":
        parquet.write_table(pyarrow.Table.from_pylist(rows), file := io.BytesIO())
        data = file.getvalue()
    found = counted(f"a{form}", data, field)
    assert found.places.tolist() == [1, 2, 4, 5] and found.left_out.reasons[0][1] == "The chat has no message."
    beside, without, first, both = found.tokens.tolist()
    assert without < beside == first == both
    assert found.beginnings[1].startswith("Be short.")


def test_messages_beside_a_system_text_keep_their_numbers():
    row = {"system": "Be short.", "messages": [{"role": "judge", "content": ""}]}
    [(_, reason)] = counted("a.jsonl", json.dumps(row).encode(), "messages").left_out.reasons
    assert reason.startswith("Message 1 has an unknown role")


def test_column_of_system_texts_is_counted_as_texts():
    row = {"system": "one two", "messages": CHAT}
    assert counted("a.jsonl", json.dumps(row).encode(), "system").tokens.tolist() == [[2, 2]]


@given(st.recursive(st.none() | st.text() | st.integers(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)))
def test_any_chat_value_is_converted_or_raises(value):
    for one in (
        {"role": value},
        {"role": "user", "content": value},
        {"role": "assistant", "tool_calls": value},
        {"role": "assistant", "function_call": value},
    ):
        try:
            assert all(isinstance(part, str) for message in messages_of([one]) for part in message)
        except BadChat as error:
            assert str(error)
