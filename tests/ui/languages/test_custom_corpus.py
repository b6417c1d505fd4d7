"""The view of own parallel texts: counts, warnings and refusals."""

import csv
import io
import json
import re
from html import unescape

import altair as alt
import pandas as pd
import pytest
from apps import open_page as opened_page
from apps import ran, run_app

from tokenizer import encoding_from_merges, get_encoding
from tokenizer.languages.aligned import align, problems
from tokenizer.languages.premium import cost, size
from ui.languages import chart, custom_corpus, sentences

pytestmark = pytest.mark.slow

HOSTILE = '<img src=x onerror="alert(1)"> [x](http://e) $z$ :red[y]'
GPT2, O200K = get_encoding("gpt2"), get_encoding("o200k_base")
ROWS = [["one two", "", "three", "four"], ["หนึ่ง สอง", "x", "สาม"]]


def made(base=0, names=("English", "Thai")):
    found = align(names, ROWS)
    complete = found.complete()
    columns = [found.column(j, complete) for j in range(2)]
    sizes, costs = map(size, columns), [[cost(column, one) for column in columns] for one in (GPT2, O200K)]
    return found, complete, costs, custom_corpus.frame(names, ["gpt2", "o200k_base"], list(sizes), costs, base)


# ---- the numbers ----


def test_restored_names_are_as_short_as_typed_ones():
    def take():
        from ui.languages import custom_corpus  # noqa: F401, it registers the values
        from ui.session import page_snapshot

        page_snapshot.restore("languages", {"own": {"own_name_0": "n" * 300, "own_text_0": "t" * 300}})

    state = run_app(take).session_state
    assert (len(state["own_name_0"]), len(state["own_text_0"])) == (40, 300)


def test_only_complete_rows_are_counted():
    _, complete, _, rows = made()
    assert complete == [0, 2]
    thai = rows[(rows["tag"] == "1") & (rows["encoding"] == "gpt2")].iloc[0]
    own, base = [len(GPT2.encode(ROWS[1][i])) for i in complete], [len(GPT2.encode(ROWS[0][i])) for i in complete]
    assert thai["premium"] == sum(own) / sum(base)
    assert thai["median"] == pytest.approx((own[0] / base[0] + own[1] / base[1]) / 2)
    assert thai["length"] * thai["density"] == pytest.approx(thai["premium"], rel=1e-12)
    assert rows[rows["tag"] == "0"]["premium"].tolist() == [1, 1]


def test_table_lists_every_row_with_its_problems():
    found, _, costs, _ = made()
    table = custom_corpus.row_table(found, problems(found, 0), costs, 0, ["gpt2", "o200k_base"])
    assert table["row"].tolist() == [1, 2, 3, 4]  # as numbers they are sorted, and have no commas in the CSV
    assert table["warning"].tolist() == ["", "English: empty text", "", "Thai: no text"]
    assert table["tokens of Thai in gpt2"].isna().tolist() == [False, True, False, True]
    assert table["tokens of English in o200k_base"][0] == len(O200K.encode("one two"))
    assert table["Thai / English, gpt2"][0] == len(GPT2.encode(ROWS[1][0])) / len(GPT2.encode("one two"))


def test_rows_of_which_an_encoding_makes_no_tokens_have_no_ratio():
    found = align(["a", "b"], [["one", "1", "2"], ["two", "1 b", "ab"]])
    columns, letters = (
        [found.column(j, [0, 1, 2]) for j in range(2)],
        encoding_from_merges([], "[a-z]+", drop_unmatched=True),
    )
    sizes, costs = list(map(size, columns)), [[cost(column, letters) for column in columns]]
    rows = custom_corpus.frame(["a", "b"], ["letters"], sizes, costs, 0)
    assert rows["median"].tolist() == [1, 1] and rows["premium"].tolist() == [1, 2]
    table = custom_corpus.row_table(found, [], costs, 0, ["letters"])
    assert table["b / a, letters"].tolist() == [1, pd.NA, pd.NA]


def test_a_single_row_has_no_confidence_interval():
    columns = ["one two"], ["หนึ่ง สอง"]
    sizes, costs = list(map(size, columns)), [[cost(column, GPT2) for column in columns]]
    rows = custom_corpus.frame(["a", "b"], ["gpt2"], sizes, costs, 0)
    assert rows[["low", "high"]].isna().all(axis=None)
    interval, *_ = sentences.facts(rows.assign(model="GPT-2").to_dict("records")[1:]).split("</tr>")[1:]
    assert interval.endswith("<td>–</td>")
    assert made()[3][["low", "high"]].notna().all(axis=None)


def test_csv_has_whole_texts_and_no_formulas():
    found = align(["=cmd()", "b"], [["=1+1", "x" * 500], ['say "a"', None]])
    complete = found.complete()
    costs = [[cost(found.column(j, complete), GPT2) for j in range(2)]]
    table = custom_corpus.row_table(found, problems(found, 0), costs, 0, ["gpt2"])
    rows = list(csv.DictReader(io.StringIO(custom_corpus.to_csv(found, lambda: table))))
    assert [row["text of =cmd()"] for row in rows] == ["'=1+1", "x" * 500]
    assert [(row["row"], row["text of b"]) for row in rows] == [("1", 'say "a"'), ("2", "")]
    assert not any(value[:1] in "=@+-" for row in rows for value in [*row, *row.values()] if value)


def test_formulas_in_names_and_sections_are_escaped_in_the_csv():
    formula = '=HYPERLINK("http://e","x")'
    found = align(["a", formula], [["one"], ["two"]], [formula])
    costs = [[cost(found.column(j, [0]), GPT2) for j in range(2)]]
    rows = list(
        csv.reader(
            io.StringIO(custom_corpus.to_csv(found, lambda: custom_corpus.row_table(found, [], costs, 0, ["gpt2"])))
        )
    )
    assert rows[1][0] == f"'{formula}"
    assert not [cell for row in rows for cell in row if cell[:1] in tuple("=+-@\t\r")]


def test_equal_column_names_are_all_kept():
    found = align(["b", "text of q", "q / b, gpt2"], [["one"], ["two"], ["three"]])  # two columns get the same heading
    costs = [[cost(found.column(j, [0]), GPT2) for j in range(3)]]
    assert len(custom_corpus.row_table(found, [], costs, 0, ["gpt2"]).columns) == 2 + 3 + 2 + 3


def test_names_are_only_data_in_the_chart():
    *_, rows = made(names=(HOSTILE, "Thai"))
    labels = {"gpt2": "GPT-2", "o200k_base": "GPT-5"}
    spec = chart.chart(rows, "premium", "cost", ["0", "1"], None, HOSTILE, labels)
    alt.Chart.from_dict(spec)
    assert all(HOSTILE not in str(layer.get("transform")) for layer in spec["layer"])


# ---- the page ----


def opened(**query):
    return opened_page("languages.py", **{"lens": "own", **query})


def seen(app):
    drawn = " ".join(re.sub(r"</?bdi>", "", html.value) for html in app.get("html"))
    return unescape(" ".join([drawn, *(one.value for one in app.caption)]))


def put(app, *columns):
    for j, text in enumerate(columns):
        app.text_area(key=f"own_text_{j}").set_value(text)
    return ran(app.run())


def test_page_opens_with_an_example():
    app = opened()
    assert "3 of 3 rows were compared." in seen(app) and "Thai compared with English" in seen(app)


def test_default_names_follow_the_language():
    app = opened()
    app.text_input(key="own_name_0").set_value("Mine")
    ran(app.run())
    app.session_state.lang = "th"
    assert [one.value for one in ran(app.run()).text_input if one.key.startswith("own_name")] == ["Mine", "ไทย"]


def test_unequal_empty_and_too_long_columns_show_a_warning():
    app = opened()
    text = seen(put(app, "one\ntwo\n\nfour", "eins\nzwei"))
    assert "The columns have different numbers of entries: English 4, Thai 2." in text
    assert "Thai, row 3: there is no text" in text and "English, row 3: the text is empty" in text
    assert "are not counted" in text and "2 of 4 rows were compared." in text
    lines = ["a line of some words"] * 6
    text = seen(put(app, "\n".join(lines), "\n".join([*lines[:5], "word " * 40])))
    assert "Thai, row 6: the text is unusually long or short" in text and "6 of 6 rows were compared." in text
    for columns in (("", ""), ("one", ""), ("\n\n", "a\nb")):
        text = seen(put(app, *columns))
        assert "Nothing to compare yet" in text or "there is nothing to compare yet" in text
    assert "2,001 rows; the limit here is 2,000" in seen(put(app, "a\n" * 2_001, "b"))


def test_markup_in_names_and_lines_stays_text():
    app = opened()
    app.text_input(key="own_name_1").set_value(HOSTILE[:40])
    put(app, f"one\n{HOSTILE}", f"eins\n{HOSTILE}\nmore")
    raw = " ".join(html.value for html in app.get("html"))
    assert "<img" not in raw and HOSTILE[:40] in unescape(raw)
    assert not any("<img" in one.value for one in app.caption)


def test_more_columns_and_another_base_can_be_chosen():
    app = opened(own_columns="3")
    put(app, "one two", "หนึ่ง", "uno dos")
    ran(app.selectbox(key="own_base").select(1).run())
    assert "English compared with Thai" in seen(app) and "Column 3 compared with Thai" in seen(app)


def test_pasted_table_is_read_and_missing_cells_are_named():
    app = opened(own_source="table")
    ran(app.text_area(key="own_table").set_value("en\tde\nhello\thallo\nworld\n").run())
    assert "de, row 2: there is no text" in seen(app) and "1 of 2 rows were compared." in seen(app)
    ran(app.text_area(key="own_table").set_value("\t".join("abcdefg")).run())
    assert "This table has 7 columns. Paste a table with 2 to 6 columns." in seen(app)


@pytest.mark.parametrize(("name", "value"), [("own_columns", "9"), ("own_source", "<b>")])
def test_invalid_link_values_show_a_notice(name, value):
    assert f"The link says {name}=" in seen(opened(**{name: value}))


# ---- files ----


def kept(app, *files):
    app.session_state.own_kept = list(files)
    return ran(app.run())


def test_files_are_compared_by_columns():
    app = opened(own_source="file")
    text = seen(kept(app, ("a.tsv", b"en\tde\thidden\nhello\thallo\tx\n")))
    assert "1 of 1 row was compared." in text and "de compared with en" in text
    assert "1 row was compared" in seen(kept(app, ("a.jsonl", b'{"en": "a\\ud800", "de": "b"}')))  # a lone surrogate
    lines = b"\n".join(b'{"name": "%s\\ud800", "sections": {"a\\udc00": "b\\ud800"}}' % name for name in (b"x", b"y"))
    text = seen(kept(app, ("udhr.jsonl", lines)))
    assert "1 of 1 row was compared." in text and "y\ufffd compared with x\ufffd" in text


def test_first_columns_with_text_are_compared_not_numbers_of_rows():
    text = seen(kept(opened(own_source="file"), ("a.csv", b"id,en,de\n1,Good morning,Guten Morgen\n2,yes,ja\n")))
    assert "de compared with en" in text and "en compared with id" not in text
    text = seen(kept(opened(own_source="file"), ("a.csv", b"key,en,de\nsettings.ok,Fine,Gut\nmenu_start,yes,ja\n")))
    assert "de compared with en" in text and "en compared with key" not in text


def test_first_row_of_a_file_without_names_is_compared():
    app = kept(opened(own_source="file"), ("a.tsv", b"Good morning.\tGuten Morgen.\nThank you.\tIch danke.\n"))
    assert "2 of 2 rows were compared." in seen(app) and "Column 2 compared with Column 1" in seen(app)
    ran(app.checkbox(key="own_file_head").check().run())
    assert "1 of 1 row was compared." in seen(app)


def test_another_file_has_its_own_columns_selected():
    app = opened(own_source="file")
    for name, data in {"a.csv": b"en,de\nyes,ja\n", "b.csv": b"id,en,de\n1,Good morning,Guten Morgen\n"}.items():
        ran(app.file_uploader(key="own_files").set_value([(name, data, "")]).run())
        assert "de compared with en" in seen(app), name


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.csv", b"en,de,en\none,eins,zwei\n"), ("a.jsonl", b'{"en": "one", "de": "eins", "en": "zwei"}')],
)
def test_equal_column_names_of_a_file_are_numbered(name, data):
    app = opened(own_source="file")
    app.session_state.own_which = [0, 1, 2]
    text = seen(kept(app, (name, data)))
    assert "en (2) compared with en (1)" in text and "de compared with en (1)" in text


def test_equal_column_names_of_a_table_are_numbered():
    app = opened(own_source="table")
    ran(app.text_area(key="own_table").set_value("en\ten\ten (2)\none\teins\tzwei\n").run())
    assert "en (3) compared with en (1)" in seen(app) and "en (2) compared with en (1)" in seen(app)


UNUSABLE = [
    ([("<b>.csv", b"en,de\nhello\n")], "<b>.csv", "line 2"),
    ([("a.csv", b"en\nhello\n")], "a.csv: This file has 1 column"),
    ([("a.txt", b"hello")], "a.txt: A plain text file is one column"),
    ([("a.xlsx", b"PK\x03\x04")], "a.xlsx: This file is a PDF, a document of Word or a similar program"),
    ([("a.txt", b"hello"), ("b.txt", b"caf\xe9 noir")], "b.txt: This file is not UTF-8 text"),
    ([("c.jsonl", b'{"sections": {}}\n\xff')], "c.jsonl: "),
]


def test_unusable_files_are_named_with_the_reason():
    app = opened(own_source="file")
    for files, *words in UNUSABLE:
        text = seen(kept(app, *files))
        assert all(word in text for word in words), text


def test_plain_texts_are_aligned_by_article_or_by_line():
    first, second = (
        "---\nTitle\n" + "".join(f"{word} {i}\n  text of {i}\n" for i in range(1, 31))
        for word in ("Article", "Artikel")
    )
    text = seen(kept(opened(own_source="file"), ("en.txt", first.encode()), ("de.txt", second.encode())))
    assert "the preamble or one of the thirty articles" in text and "31 of 31 rows were compared." in text
    text = seen(kept(opened(own_source="file"), ("en.txt", first.encode()), ("de.txt", b"eins\n")))
    assert "compared line by line" in text


def test_tables_of_one_language_each_are_compared_by_their_texts():
    files = [
        ("en.jsonl", b'{"id": 1, "text": "one two", "url": "https://e.org/1"}\n{"id": 2, "text": "three"}\n'),
        ("de.tsv", b"client_id\tsentence\tage\n4f\teins zwei\t\n5e\tdrei\t\n"),
    ]
    text = seen(kept(opened(own_source="file"), *files)).replace("\\", "")
    assert "2 of 2 rows were compared." in text and "en.jsonl: text, de.tsv: sentence" in text
    app = kept(opened(own_source="file"), ("en.csv", b"one\ntwo\n"), ("de.csv", b"eins\nzwei\n"))  # no tables
    assert "2 of 2 rows were compared." in seen(app)


def test_declaration_in_json_lines_is_compared():
    lines = [
        json.dumps({"code": name, "name": name, "sections": {f"art{i}": f"{name} {i}" for i in range(1, 31)}})
        for name in ("Thai", "English", "Lao")
    ]
    app = kept(opened(own_source="file"), ("udhr.jsonl", "\n".join(lines).encode()))
    assert "30 of 30 rows were compared." in seen(app)
    assert app.multiselect(key="own_languages").value == [0, 1]
