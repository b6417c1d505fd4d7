"""The Chat page: editing and keeping messages; templates; the attack; window, cost and parts."""

import gc
import json
import weakref
from datetime import date

import pytest
from apps import (
    acknowledge,
    alerts,
    button_keys,
    captions,
    click,
    new_app,
    open_page,
    open_saved,
    param,
    ran,
    text_of,
    visitor_of,
)
from paths import FRAME
from streamlit.proto.WidgetStates_pb2 import WidgetStates

from server.encodings import encoding_store
from tokenizer import TokenizerError, encoding_from_merges, get_encoding
from tokenizer.chat.messages import Message
from tokenizer.chat.samples import chats
from tokenizer.chat.templates import FAMILIES
from ui.chat import editor, more, template

ATTACK = next(one for one in chats() if one.name == "Attack")


def page(**query):
    return open_page("chat.py", **query)


def turned_to(app, other):
    ran(app.run().switch_page(other).run())


def stored_messages(app):
    """Returns the stored messages; asserts that the boxes show them."""
    found = app.session_state.visitor.choices["chat"]
    assert [box.value for box in app.text_area if box.key not in ("tools", "chat_json")] == [one.text for one in found]
    return [tuple(one[:2]) for one in found]


def tokens(app):
    """Returns the headline count."""
    words = next(one.value for one in app.html if 'class="hero"' in one.value)
    return int(words.partition("<dd>")[2].partition("<")[0].replace(",", ""))


def box(app, i):
    return app.text_area[i]


def key_of(app, name, i):
    return f"{name}_{app.session_state.chat_ids[i]}"


def test_page_opens_with_an_example_and_its_count():
    app = page(encoding="cl100k_base")
    encode = get_encoding("cl100k_base").encode
    expected = 3 + sum(3 + len(encode(role)) + len(encode(text)) for role, text in stored_messages(app))
    assert tokens(app) == expected and not alerts(app)
    assert "<|im_start|>assistant<|im_sep|>" in text_of(app)
    assert "3 tokens that the model does not have to generate" in text_of(app)
    assert "The ids used here are those of the chat models" in text_of(app)


def test_one_token_is_not_called_tokens():
    app = page(encoding="gpt2", chat='[["user", "Hi"]]')
    assert "<dd>1</dd><dt>text token</dt>" in "".join(one.value for one in app.html)


def test_edited_text_is_counted_and_stored():
    app = page()
    before = tokens(app)
    ran(box(app, 1).set_value("Where do I eat khao soi? And when?").run())
    assert tokens(app) > before
    for other in ("decode.py", "chat.py", "playground.py", "chat.py"):
        turned_to(app, other)
    assert stored_messages(app)[1] == ("user", "Where do I eat khao soi? And when?")
    assert json.loads(param(app, "chat"))[1][1].endswith("And when?")


def test_chat_is_pasted_as_json_with_its_tool_calls_and_undone():
    app = page()
    before = stored_messages(app)
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Chiang Mai"}'}}
    chat = [
        {"role": "user", "content": [{"type": "text", "text": "Is it"}, {"type": "text", "text": " hot?"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "31 °C"},
    ]
    pasted = [("user", "Is it hot?"), ("call", '{"city": "Chiang Mai"}'), ("tool", "31 °C")]
    for source in (json.dumps({"model": "gpt-5", "messages": chat}), json.dumps(chat)):
        ran(app.text_area(key="chat_json").set_value(source).run())
        click(app, "read_chat")
        assert stored_messages(app) == pasted and app.text_area(key="chat_json").value == ""
        assert [one.tool for one in app.session_state.visitor.choices["chat"]] == ["", "weather", "weather"]
    click(app, "undo_chat")
    assert stored_messages(app) == before


def test_page_says_what_of_a_pasted_request_is_left_out():
    def words(**request):
        ran(app.text_area(key="chat_json").set_value(json.dumps(request)).run())
        click(app, "read_chat")
        return " ".join(alerts(app)).strip()

    app, hello = page(), {"role": "user", "content": "Hello"}
    tool = {"name": "f", "input_schema": {"type": "object"}}
    thought = {"role": "assistant", "content": "Hi", "reasoning_content": "Greet."}
    assert words(messages=[hello], tools=[]) == ""
    assert words(messages=[hello], tools=[tool]).startswith("The tool definitions beside the messages were left out.")
    named = {"role": "system", "name": "example_user", "content": "Hello"}
    assert words(messages=[named]).startswith("Names of speakers, in the field name of messages, were left out")
    assert words(messages=[hello, thought]) == "Reasoning beside the text of messages was left out, and is not counted."
    both = words(messages=[hello, thought], tools=[tool])
    assert "tool definitions" in both and "Reasoning" in both
    click(app, "undo_chat")
    assert not alerts(app)


NO_CHATS = [
    ("", "This text is not valid JSON: a value is missing or not valid here (line 1, column 1)."),
    ('[{"role": "user",\n}]', "(line 2, column 1). A chat looks like"),
    ('{"messages": []}', "This text is neither a list of messages nor a request"),
    ("[" * 100_000, "This text is neither a list of messages nor a request"),
    ('[["user", "Hello"]]', "This text is neither a list of messages nor a request"),
    ('[{"type": "Feature", "geometry": {}}]', "This text is neither a list of messages nor a request"),
    ('[{"role": "judge", "content": ""}]', "Message 1 has an unknown role: 'judge'"),
    ('[{"content": "Hi"}]', "Message 1 has no role. Add one of these roles: system, developer, user,"),
    ('[{"role": "user", "content": [{"type": "image_url"}]}]', "Message 1 contains something other than text"),
    (json.dumps([{"role": "user", "content": "a"}] * 41), "This chat has 41 messages; the limit is 40 messages."),
]


@pytest.mark.slow
def test_json_without_a_chat_is_refused_with_its_reason():
    app = page()
    before = stored_messages(app)
    for source, reason in NO_CHATS:
        ran(app.text_area(key="chat_json").set_value(source).run())
        click(app, "read_chat")
        assert stored_messages(app) == before and reason in " ".join(alerts(app))
        assert app.text_area(key="chat_json").value == source


@pytest.mark.slow
def test_messages_are_added_moved_removed_and_restored():
    app = page()
    [first, second] = stored_messages(app)
    click(app, "add_message")
    assert stored_messages(app) == [first, second, ("assistant", "")]
    click(app, key_of(app, "up", 2))
    assert stored_messages(app) == [first, ("assistant", ""), second]
    click(app, key_of(app, "remove", 0))
    assert stored_messages(app) == [("assistant", ""), second]
    click(app, "undo_chat")
    assert stored_messages(app) == [first, ("assistant", ""), second]
    assert "undo_chat" not in button_keys(app)


@pytest.mark.parametrize(
    "opened",
    [
        {"page": "hood"},
        {"page": "chat"},
        {"page": "chat", "address": {"chat": '[["user", "of the file"]]'}},
        {"page": "chat", "typed": {"messages": [["user", "of the file " * 200]]}},
    ],
    ids=["another page", "example", "short", "long"],
)
def test_chat_that_an_opened_file_replaces_is_undone(opened):
    app = page()
    ran(box(app, 0).set_value("typed").run())
    before = stored_messages(app)
    for _ in range(2):  # opening a second file keeps the undo
        acknowledge(open_saved(app, **opened))
    turned_to(app, "chat.py")
    assert stored_messages(app) != before
    click(app, "undo_chat")
    assert stored_messages(app) == before and "undo_chat" not in button_keys(app)


def test_example_that_was_not_changed_is_not_offered_for_undo():
    app = page()
    ran(app.run())
    open_saved(app, "chat", address={"chat": '[["user", "of the file"]]'})
    assert stored_messages(app) == [("user", "of the file")] and "undo_chat" not in button_keys(app)


@pytest.mark.slow
def test_restored_chat_does_not_offer_the_boxes_of_before_for_undo():
    """After a restart the boxes' texts come first, and the chat that the tab kept comes later."""
    old = page()
    click(old, "add_message")
    ran(box(old, 1).set_value("typed " * 200).run())
    before = stored_messages(old)
    states = WidgetStates()
    for one in old.text_area:
        states.widgets.add(id=one.proto.id, string_value=one.value)
    app = ran(new_app(FRAME).switch_page("chat.py")._run(states))
    assert stored_messages(app) == before[:2]
    visitor_of(app).imports.typed = {"chat": {"messages": before}}
    ran(app.run())
    acknowledge(app)
    assert stored_messages(app) == before and "undo_chat" not in button_keys(app)
    ran(box(app, 1).set_value("typed once more").run())
    assert "undo_chat" in button_keys(open_saved(app, "chat"))


@pytest.mark.parametrize("pressed", ["add_message", "down", "remove", "text"])
def test_press_that_comes_after_a_file_was_opened_ends_no_run(pressed):
    app = page()
    before = stored_messages(app)
    visitor_of(app).choices.pop("chat")  # as `forget_all` removes it
    if pressed == "text":
        ran(box(app, 0).set_value("typed late").run())
    else:
        click(app, pressed if pressed == "add_message" else key_of(app, pressed, 0))
    assert stored_messages(app) == before


def test_double_click_acts_once():
    def press():
        import streamlit as st

        from tokenizer.chat.samples import chats
        from ui.chat import editor
        from ui.session.visitor_state import visitor

        editor.CHAT.begin()
        own, found = visitor().choices["chat"], chats()[2].messages
        for _ in range(2):
            editor.replace_all(tuple(found))
        for _ in range(2):
            editor.undo()
        one = editor.message_ids()[0]
        editor.remove(one)
        for press in (editor.remove, lambda id: editor.move(id, 1)):
            press(one)
        editor.undo()
        st.session_state["found"] = [own, visitor().choices["chat"]]

    own, after = ran(new_app(press).run()).session_state["found"]
    assert list(own) == list(after)


@pytest.mark.parametrize("has_all", [True, False])
def test_unused_encoding_is_garbage_collected(has_all, small_heap):
    family = FAMILIES["chatml"]
    encoding = encoding_from_merges([(b"a", b"b")], name="toy", special_tokens=family.marks if has_all else [])
    for _ in range(2):
        known = template.marks(encoding, family)
        assert (known.encoding is encoding) is has_all and {*family.marks} <= {*known.encoding.special_tokens}
    gone = weakref.ref(encoding)
    del encoding, known
    gc.collect()
    assert gone() is None


def test_surrogate_in_a_link_is_replaced():
    assert stored_messages(page(chat='[["user", "\\ud800"], ["assistant", "\\udc00b"]]')) == [
        ("user", "\ufffd"),
        ("assistant", "\ufffdb"),
    ]


def test_all_messages_can_be_removed():
    app = page()
    for _ in range(2):
        click(app, key_of(app, "remove", 0))
    assert stored_messages(app) == [] and tokens(app) == 3
    assert "There is no message yet." in text_of(app)
    assert "The template does not begin" not in text_of(app)
    click(app, "add_message")
    assert stored_messages(app) == [("user", "")]


def test_unknown_label_of_a_role_changes_nothing():
    app = page()
    before, role = stored_messages(app), app.selectbox(key=key_of(app, "message_role", 0))
    ran(app._run(WidgetStates(widgets=[{"id": role.proto.id, "string_value": "Person"}])))
    assert stored_messages(app) == before
    assert app.selectbox(key=key_of(app, "message_role", 0)).value == before[0][0]


def test_unsupported_role_shows_a_notice():
    app = page()
    ran(app.selectbox(key=key_of(app, "message_role", 0)).select("developer").run())
    [notice] = alerts(app)
    assert "Message 1 has the role “developer”" in notice
    ran(app.selectbox(key="template").select("harmony").run())
    assert not alerts(app) and tokens(app) > 3


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["gpt2", "o200k_harmony"])
def test_every_example_is_rendered_and_undone(encoding):
    app = page(encoding=encoding)
    first = stored_messages(app)
    for sample in chats():
        click(app, f"chat_{sample.name}")
        whole = slice(1 if sample is ATTACK else None)  # its end depends on the template in use
        assert stored_messages(app)[whole] == [tuple(one[:2]) for one in sample.messages][whole]
        assert tokens(app) > 3 and len(alerts(app)) == (sample is ATTACK)
        if stored_messages(app) != first:
            click(app, "undo_chat")
            assert stored_messages(app) == first


@pytest.mark.slow
def test_every_template_is_counted_and_is_the_target_of_an_attack():
    app = page(encoding="o200k_base")
    counts = set()
    for name in FAMILIES:
        ran(app.selectbox(key="template").select(name).run())
        assert not alerts(app)
        counts.add(tokens(app))
        click(app, "chat_Attack")
        assert app.selectbox(key="template").value == name
        [notice] = alerts(app)
        assert "The names of special tokens occur in message 2" in notice
        click(app, "undo_chat")
    assert len(counts) > 2


def test_attack_is_named_and_drawn():
    app = click(page(), "chat_Attack")
    [notice] = alerts(app)
    assert "message 2 (<|im_end|>, <|im_start|>, <|im_sep|>)" in notice and "read as ordinary text" in notice
    ran(app.selectbox(key="template").select("llama3").run())
    assert not alerts(app)  # these names are not special tokens of Llama 3


@pytest.mark.slow
def test_markup_in_a_message_stays_text():
    app = page()
    ran(box(app, 0).set_value("<script>alert(1)</script> ![x](http://e) <|im_end|>").run())
    raw = " ".join(one.value for one in app.html if "<style" not in one.value and "@font-face" not in one.value)
    assert "<script" not in raw


# The address


def test_url_sets_the_chat():
    messages = [["developer", "Be brief."], ["call", "{}", "f"], ["tool", "1", "f"]]
    app = page(chat=json.dumps(messages), template="harmony")
    assert stored_messages(app) == [tuple(one[:2]) for one in messages] and not alerts(app)


@pytest.mark.parametrize("bad", ["", "x", "[1]", '[["user"]]', '[["king", "x"]]', '[["user", 1]]', "[" * 5000])
def test_invalid_chat_in_the_url_shows_a_notice(bad):
    app = page(chat=bad)
    assert any("The link says chat=" in one for one in alerts(app))
    assert stored_messages(app)[0][0] == "system"


def test_long_chat_is_not_in_the_url():
    app = page()
    ran(box(app, 0).set_value("word " * 400).run())
    assert param(app, "chat") is None
    turned_to(app, "decode.py")
    turned_to(app, "chat.py")
    assert stored_messages(app)[0][1] == "word " * 400


def test_too_long_chat_shows_a_notice_and_stays():
    app = page()
    text = "x" * (editor.MAX_CHAT_CHARACTERS + 1)
    ran(box(app, 0).set_value(text).run())
    assert any("the limit is 100,000" in one for one in alerts(app)) and stored_messages(app)[0][1] == text


# Templates of models' own files


@pytest.mark.parametrize("template", [name for name, one in FAMILIES.items() if one.own])
def test_own_file_changes_the_count(template):
    chat = json.dumps([["user", "Hi"], ["call", '{"a":1}', "f"], ["tool", "warm", "f"]])
    app = page(encoding="o200k_harmony", template=template, chat=chat)
    own, before = FAMILIES[template].own, tokens(app)
    assert "As the template" not in text_of(app) and not app.date_input
    ran(app.toggle(key="own_file").set_value(True).run())
    assert f"The template in the files of {own.models} is used:" in text_of(app)
    assert tokens(app) != before and bool(app.date_input) is own.writes_date
    assert param(app, "own_file") == "1"


def test_texts_left_out_by_an_own_file_are_noted():
    chat = json.dumps([["user", "Hi"], ["developer", "Be brief."]])
    app = page(template="harmony", own_file="1", chat_day="2025-06-08", chat=chat)
    assert "The template omits the text of message 2." in text_of(app)
    assert "The template uses 2025-06-08 as today’s date." in text_of(app)


def test_invalid_date_shows_a_notice():
    app = page(template="llama3", own_file="1", chat_day="1 May")
    assert any("it must be a date from 2000 to 2099, such as 2024-07-26" in one for one in alerts(app))


# Templates from files

TEMPLATE = (
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{% if add_generation_prompt %}[me]{% endif %}"
)


def with_file(data, name="tokenizer_config.json"):
    app = page()
    app.file_uploader(key="template_file").upload(name, data)
    return ran(app.run())


@pytest.mark.slow
def test_messages_that_cannot_be_separated_are_not_called_missing():
    app = with_file(b"{{ messages[0].content | length }} {{ messages | map(attribute='content') | join }}", "a.jinja")
    assert "all tokens are shown as template tokens" in text_of(app)
    assert "Dashed frame" in text_of(app) and "Underlined" not in text_of(app)
    assert "counted with the later message" not in text_of(app)
    assert "There is no message yet" not in text_of(app) and "per message" not in text_of(app)


@pytest.mark.slow
def test_template_of_a_file_is_selected():
    config = {"chat_template": TEMPLATE, "added_tokens_decoder": {"60000": {"content": "[me]", "special": True}}}
    app = with_file(json.dumps(config).encode())
    assert app.selectbox(key="template").value == "file: tokenizer_config.json" and not alerts(app)
    assert "[me] , the beginning of the assistant’s message: 1 token that" in " ".join(text_of(app).split())
    for other in ("decode.py", "chat.py"):
        turned_to(app, other)
    assert app.selectbox(key="template").value == "file: tokenizer_config.json"


def test_templates_of_a_file_have_names():
    config = {"chat_template": [{"name": "default", "template": TEMPLATE}, {"name": "rag", "template": "x"}]}
    app = with_file(json.dumps(config).encode())
    assert [one for one in app.selectbox(key="template").options if "json" in one] == [
        "tokenizer_config.json, default",
        "tokenizer_config.json, rag",
    ]


@pytest.mark.slow
def test_template_of_a_file_gets_the_date_and_the_tools():
    ending = b"{{ strftime_now('%d/%m/%Y') }}{% for tool in tools or [] %}{{ tool.function.name }}{% endfor %}"
    source = b"{{ messages[0].content + messages[1].content }}{% if add_generation_prompt %}" + ending + b"{% endif %}"
    app = with_file(source, "a.jinja")
    assert "26/07/2024" in text_of(app)
    ran(app.date_input(key="chat_day").set_value(date(2025, 6, 8)).run())
    ran(app.segmented_control(key="more").set_value("tools").run())
    ran(app.text_area(key="tools").set_value('{"tools": [{"name": "weather", "inputSchema": {}, "title": "W"}]}').run())
    assert "08/06/2025weather" in text_of(app) and param(app, "chat_day") == "2025-06-08"
    assert "The template uses 2025-06-08 as today’s date." in text_of(app)
    assert "Tool definitions count as template tokens." in text_of(app)
    ran(app.segmented_control(key="more").set_value("window").run())
    assert "08/06/2025weather" in text_of(app) and "Keys that are not counted: title." in text_of(app)
    ran(app.file_uploader(key="template_file").upload("b.jinja", TEMPLATE.encode()).run())
    assert "The template takes no tool definitions." in text_of(app)
    assert "Tool definitions count" not in text_of(app) and "counted with the later message" in text_of(app)


def test_invalid_tools_for_a_template_of_a_file_show_a_notice():
    app = with_file(TEMPLATE.encode(), "a.jinja")
    ran(app.segmented_control(key="more").set_value("tools").run())
    ran(app.text_area(key="tools").set_value("{").run())
    problem = "The tools pasted under “Tool definitions” cannot be used. This is not valid JSON: "
    assert any(problem in one for one in alerts(app))
    assert stored_messages(app) and app.text_area(key="tools").value == "{"


@pytest.mark.parametrize(
    "data, words",
    [(b"{}", "has no chat template"), (b"\xff", "not UTF-8"), (b"{{ raise_exception('<b>No</b>') }}", "<b>No</b>")],
)
def test_invalid_template_file_shows_a_notice(data, words):
    app = with_file(data)
    assert any(words in one for one in alerts(app))
    assert not (problem := app.session_state.template_problem) or problem.startswith("tokenizer_config.json: ")
    assert stored_messages(app)


def test_markup_in_names_of_a_file_stays_text():
    config = {"chat_template": "{{ bos_token }}x", "bos_token": "<img src=x onerror=alert(1)>"}
    app = with_file(json.dumps(config).encode(), "<b>.json")
    raw = " ".join(one.value for one in app.html)
    assert "<img" not in raw and not alerts(app)


# Window, cost, parts


def test_share_of_the_window_is_shown_with_its_source():
    app = page(encoding="gpt2")
    ran(app.selectbox(key="picked").select("GPT-2").run())
    assert f"The chat takes {tokens(app)} of 1,024 tokens" in text_of(app)
    assert "as of February 2019" in captions(app)
    ran(app.selectbox(key="picked").select("typed").run())
    ran(app.number_input(key="chat_window").set_value(tokens(app)).run())
    assert "100\xa0%" in text_of(app) and "exceeds the context window by" in text_of(app)


def test_typed_window_stays_with_a_model_whose_window_is_not_known(no_trainings_left):
    own = encoding_store.add(encoding_from_merges([], "gpt2", name="own"), encoding_store.LOADED)
    app = page(encoding=own.key, picked="typed", chat_window="77")
    assert (app.selectbox(key="picked").value, app.number_input(key="chat_window").value) == ("typed", 77)
    ran(app.selectbox(key="encoding").set_value("gpt2").run())
    assert (app.selectbox(key="picked").value, param(app, "picked")) == ("typed", "typed")
    assert app.number_input(key="chat_window").value == 77


def test_cost_uses_the_typed_price_which_is_shown_with_all_its_digits():
    app = page()
    formats = [one.proto.format for one in app.number_input if one.key.startswith("price_")]
    assert [form % 0.075 for form in formats] == ["0.075", "0.075"]
    assert "Enter the prices of your provider" in captions(app)
    ran(app.number_input(key="price_in").set_value(1_000.0).run())
    ran(app.number_input(key="answer").set_value(0).run())
    assert f"One chat like this costs {tokens(app) / 1000}" in " ".join(text_of(app).split())
    turned_to(app, "decode.py")
    turned_to(app, "chat.py")
    assert app.number_input(key="price_in").value == 1_000.0


def test_estimate_for_other_languages_scales_the_text_only():
    counts = {"en": 100, "th": 250}
    assert more.tokens_by_language(40, "en", counts) == {"en": 40, "th": 100}
    assert more.tokens_by_language(40, "th", counts) == {"en": 16, "th": 40}
    with pytest.raises(TokenizerError, match="no tokens for our sentences"):
        more.tokens_by_language(40, "th", {"en": 40, "th": 0})
    assert more.totals("gpt2")["th"] > 4 * more.totals("gpt2")["en"]


def test_text_is_split_into_parts():
    app = page(more="split", encoding="gpt2", part="30", overlap="5")
    assert "chunks of" in " ".join(text_of(app).split()) and "Each chunk was encoded separately." in text_of(app)
    labels = ["Download the chunks (text)", "Download the chunks (JSONL)"]
    assert [one.proto.label for one in app.get("download_button")] == labels
    ran(app.number_input(key="overlap").set_value(30).run())
    assert any("the overlap must be at least 0 tokens" in one for one in alerts(app))


def test_url_of_messages_round_trips():
    found = (Message("user", "x"), Message("call", "{}", "f"))
    assert editor.CHAT.read(editor.CHAT.spell(found)) == found
    assert editor.CHAT.spell((Message("user", "\ud800"),)) is None


@pytest.mark.parametrize(
    "encoding, template, window",
    [
        ("gpt2", "ChatML (GPT-3.5, GPT-4, GPT-4o) · may not match the model", "GPT-2 · 1,024 · matches the model"),
        ("cl100k_base", "ChatML (GPT-3.5, GPT-4, GPT-4o) · matches the model", "GPT-4 · 8,192 · matches the model"),
        ("gpt-4o", "ChatML (GPT-3.5, GPT-4, GPT-4o) · matches the model", "GPT-4o · 128,000 · matches the model"),
        ("o3", "ChatML (GPT-3.5, GPT-4, GPT-4o) · may not match the model", "o3 · 200,000 · matches the model"),
        ("o200k_harmony", "Harmony (gpt-oss) · matches the model", "gpt-oss · 131,072 · matches the model"),
        ("p50k_base", "ChatML (GPT-3.5, GPT-4, GPT-4o) · may not match the model", "another size"),
    ],
)
def test_template_and_window_match_the_model(encoding, template, window):
    app = page(encoding=encoding)
    assert app.selectbox(key="template").options[0] == template
    assert app.selectbox(key="picked").options[0] == window
    source = "This size (8,192 tokens) is not from the list of models"
    assert (source in captions(app)) == (window == "another size")
    turned = window.partition(" · ")[2].partition(" ")[0]
    assert not turned or f"of {turned} tokens" in " ".join(text_of(app).split())


@pytest.mark.parametrize(
    "encoding, own_file, size",
    [("cl100k_base", "", "8,192"), ("cl100k_base", "1", "8,192"), ("o200k_harmony", "1", "131,072")],
)
def test_window_matches_the_model_of_the_own_file(encoding, own_file, size):
    app = page(encoding=encoding, template="llama3" if encoding == "cl100k_base" else "harmony", own_file=own_file)
    assert f"of {size} tokens" in " ".join(text_of(app).split())


@pytest.mark.parametrize("template, then", [("qwen", "qwen"), ("gemma", "harmony")])
def test_example_keeps_a_template_that_can_render_it(template, then):
    app = click(page(template=template), "chat_Tool")
    assert app.selectbox(key="template").value == then and not alerts(app)
