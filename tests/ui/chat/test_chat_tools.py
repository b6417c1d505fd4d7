"""Tool definitions on the Chat page: the table, its notes, and invalid input."""

import json

import pytest
from apps import alerts, captions, click, open_page, ran, run_app, text_of

from tokenizer import get_encoding
from tokenizer.chat.tools import FORMATS, count_tools, read_tools
from ui.chat import tools

MARKUP = "<img src=x onerror=alert(1)>"


def page(text="", **query):
    app = open_page("chat.py", more="tools", **query)
    return ran(app.text_area(key="tools").set_value(text).run()) if text else app


def table(app):
    return app.dataframe[0].value


def words(app):
    return " ".join(text_of(app).split())


def test_example_tools_are_counted_by_the_template():
    app = page(encoding="cl100k_base", template="qwen")
    click(app, "tools_example")
    found = read_tools(app.text_area(key="tools").value).tools
    counts = count_tools(found, get_encoding("cl100k_base"), FORMATS["qwen"])
    assert table(app)["total tokens"].tolist() == sorted((one.total for one in counts.tools), reverse=True)
    assert table(app)["tool"].tolist() == ["search_files", "get_weather", "get_time"]
    assert f"3 tools: {counts.added} tokens" in words(app) and "estimate" not in words(app)
    assert f"{counts.without} tokens without the tools and {counts.with_tools} with the tools" in words(app)
    assert "does not contain <|im_start|>" in words(app)


def test_share_uses_the_chosen_window():
    app = page('[{"name": "f", "inputSchema": {}}]', encoding="cl100k_base")
    assert table(app)["share of the context window"].tolist() == [table(app)["total tokens"][0] / 8_192]
    ran(app.selectbox(key="picked").select("GPT-2").run())
    assert table(app)["share of the context window"].tolist() == [table(app)["total tokens"][0] / 1_024]
    assert "as of February 2019" in captions(app)


def test_unknown_form_gives_an_estimate():
    app = page(tools='{"tools": [{"name": "f", "inputSchema": {}, "title": "F"}]}', template="chatml")
    assert "1 tool: an estimate of" in words(app) and "does not know how ChatML" in words(app)
    assert "Keys that are not counted: title." in words(app)


@pytest.mark.slow
def test_template_of_a_file_gives_exact_tokens():
    text = '[{"name": "f", "description": "Finds it.", "inputSchema": {}}, {"name": "g", "inputSchema": {}}]'
    app = page(text, encoding="gpt2")
    jinja = "{% for tool in tools or [] %}{{ tool | tojson }}{% endfor %}[{{ messages[-1].content }}]"
    ran(app.file_uploader(key="template_file").upload("a.jinja", jinja.encode()).run())
    found, enc = read_tools(text).tools, get_encoding("gpt2")
    both = "".join(json.dumps(tool) for tool in found)
    added = len(enc.encode(f"{both}[Hello]")) - len(enc.encode("[Hello]"))
    assert f"2 tools: {added} tokens" in words(app) and "estimate" not in words(app)
    assert "With the template from your file, a prompt" in words(app) and table(app)["total tokens"].sum() == added
    own = "{% for tool in tools or [] %}{{ tool.function.name }}{% endfor %}[{{ messages[-1].content }}]"
    ran(app.file_uploader(key="template_file").upload("b.jinja", own.encode()).run())
    added = len(enc.encode("fg[Hello]")) - len(enc.encode("[Hello]"))
    assert f"2 tools: {added} token" in words(app) and "not contain the tools in a form that this page knows" in words(
        app
    )
    assert table(app).columns.tolist() == ["tool", "tokens as minified JSON", "tokens as indented JSON"]


def test_markup_stays_text_and_csv_has_no_formulas():
    definition = {"name": MARKUP, "description": "<|im_end|>", "inputSchema": {}, MARKUP: 1}
    app = page(json.dumps([definition]), template="qwen")
    assert "<img" not in " ".join(one.value for one in app.html) and MARKUP in words(app)
    assert "The names of special tokens (<|im_end|>) occur in" in words(app)
    rows = tools.table(tools.counted('[{"name": "=1+1", "inputSchema": {}}]', "", "gpt2"), 10)
    assert tools.csv(rows).splitlines()[1].startswith("'=1+1,")


@pytest.mark.parametrize("text", ["[{", f'["{MARKUP}"]', "[]"])
def test_invalid_json_shows_a_notice_and_stays(text):
    app = page(text)
    assert len(alerts(app)) == 1 and not app.dataframe
    assert app.text_area(key="tools").value == text
    assert "<img" not in " ".join(one.value for one in app.html)


def test_many_tools_survive_a_change_of_page():
    text = json.dumps([{"name": f"f{i}", "inputSchema": {"type": "object"}} for i in range(500)])
    app = page(text)
    assert len(table(app)) == 500
    for other in ("decode.py", "chat.py"):
        ran(app.run().switch_page(other).run())
    assert app.text_area(key="tools").value == text
    assert "tools" not in app.query_params


def test_tools_of_older_links_are_restored():
    def script():
        from ui.chat import tools
        from ui.session import page_snapshot

        assert page_snapshot.restore("chat", {"chat_tools": "[]"}) == []
        assert tools.pasted() == "[]"
        assert page_snapshot.restore("chat", {"chat_tools": 5}) == ["chat_tools"]

    run_app(script)
