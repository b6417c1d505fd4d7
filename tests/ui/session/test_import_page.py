"""Saved pages: invalid files are refused with a reason, and stored tabs are restored."""

import re

import pytest
import streamlit as st
from apps import interrupt, open_page, open_saved, param, ran, saved_page, visitor_of
from paths import ROOT

from server.training import jobs
from tokenizer.training.worker import Order
from ui.session import choices, page_snapshot
from ui.session.import_page import (
    BadPage,
    Import,
    RunningImport,
    advance,
    begin_file,
    begin_link,
    begin_recipes,
    has_pending,
    read_file,
    report_damaged_link,
    restore_tab,
)
from ui.session.page_snapshot import checked_text
from ui.session.visitor_state import client, visitor

TAB_RECORD = ROOT / "ui" / "session" / "sync" / "js" / "tab-record.js"
NO_PAGES = [
    ("", "This file is damaged"),
    ('{"tokenloupe": "page", "version": 1, "pa', "incomplete (line 1)"),
    ("\ufffd\ufffd\0", "This file is damaged"),
    ("[]", "not a page saved by Tokenloupe"),
    ("[" * 100_000, "not a page saved by Tokenloupe"),
    ('{"tokenloupe": "page", "version": 2, "page": "x"}', "saved by a newer Tokenloupe"),
    (saved_page("../<img src=x onerror=alert(1)>"), "page that does not exist"),
    (saved_page("hood", address={"view": 7}), "A part of this link or file is damaged"),
    (saved_page("hood", typed=[]), "A part of this link or file is damaged"),
    (saved_page(["hood"]), "a page that does not exist"),
    (saved_page({}), "a page that does not exist"),
    (saved_page("hood", text={}), "A part of this link or file is damaged"),
    (saved_page("hood", made={"a": [0] * 60_000}), "not a page saved by Tokenloupe"),
    (
        " " * 2_000_001,
        "This file has 2,000,001 bytes, but a saved page has at most 2,000,000 bytes. Choose another file.",
    ),
]


@pytest.mark.parametrize(("text", "words"), NO_PAGES, ids=range(len(NO_PAGES)))
def test_invalid_files_are_refused_with_a_reason(text, words):
    with pytest.raises(BadPage) as error:
        read_file(text)
    assert words in str(error.value)


def test_page_with_a_long_text_is_read():
    text = '"0,\\' * 300_000
    assert read_file(saved_page("hood", text=text)).text == text


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"asked": [], "typed": 7, "made": {"a": 1}},
        {
            "asked": {"view": 7, "a b": "x", "long": "x" * 9_000},
            "typed": {"chat": 7, "<b>": {}},
            "made": [7, "gpt2", "x"],
        },
        {"typed": {"chat": {"messages": "x" * 5_000_000}}, "made": ["trained-" + "0" * 40]},
    ],
)
def test_invalid_parts_of_a_stored_tab_are_ignored(found):
    st.session_state.clear()
    assert restore_tab(found) == []
    assert visitor().restored_address == {} and not has_pending("chat")


def test_stored_tab_is_pending_until_its_page_opens():
    st.session_state.clear()
    gone = "trained-" + "0" * 32
    kept = {"asked": {"view": "map", "size": 7}, "typed": {"chat": {"messages": []}}, "made": [gone]}
    assert restore_tab(kept) == [gone]
    assert visitor().restored_address == {"view": "map"}
    assert has_pending("chat") and not has_pending("why")
    visitor().imports.under_way = RunningImport(Import())  # an import that trains again comes first
    assert not has_pending("chat")


def test_stored_tab_with_a_million_characters_of_thai_is_restored():
    st.session_state.clear()
    typed = {"chat": {"messages": "ก" * 500_000}, "train": {"corpus": "ข" * 490_000}}
    restore_tab({"typed": typed})
    assert visitor().imports.typed == typed


def test_longest_text_that_the_browser_keeps_is_restored():
    keeps = int(re.search(r"MAX_CHARACTERS = ([\d_]+)", TAB_RECORD.read_text(encoding="utf-8"))[1])
    assert checked_text("x" * keeps)


def test_values_of_a_link_are_not_replaced_by_those_of_the_tab():
    st.session_state.clear()
    visitor().imports.typed = {"why": {"text": "of the link"}}
    restore_tab({"typed": {"why": {"text": "of the tab"}, "chat": {"tools": []}}})
    assert visitor().imports.typed == {"why": {"text": "of the link"}, "chat": {"tools": []}}


def test_tab_keeps_typed_values_that_wait_for_a_training():
    st.session_state.clear()
    for name, default, by in (("shown", None, page_snapshot.BOTH), ("hidden", "default", page_snapshot.TAB)):
        page_snapshot.register("a page", name, lambda default=default: default, lambda found: None, by)
    visitor().imports.under_way = RunningImport(Import())
    visitor().imports.typed = {"a page": {"shown": "a corpus", "hidden": "words", "not drawn": 1}}
    found = page_snapshot.snapshot("a page")
    assert found["typed"] == {"shown": "a corpus"} and found["unseen"] == {"hidden": "words", "not drawn": 1}


def test_address_of_a_link_removes_only_choices():
    st.session_state.clear()
    before, st.session_state["class_secret"] = visitor(), "x" * 32
    before.choices["view"] = st.session_state["view"] = "map"
    choices.choose_from_address({"visitor": "1", "class_secret": "1", "view": "list"})
    assert visitor() is before and st.session_state["class_secret"] == "x" * 32
    assert "view" not in before.choices and "view" not in st.session_state


def test_damaged_text_of_a_link_is_reported_though_the_rest_is_read():
    st.session_state.clear()
    visitor().imports.problems = ["of an earlier link"]
    visitor().imports.problems_page = "why"
    begin_link({"second": "other"})
    assert visitor().imports.problems == []
    report_damaged_link()
    begin_link({"second": "other"})
    [problem] = visitor().imports.problems
    assert "A part of this link cannot be read" in problem


@pytest.mark.parametrize("n", [1, 9])
def test_values_that_could_not_be_restored_are_reported_without_their_internal_names(n):
    st.session_state.clear()
    visitor().imports.typed = {"why": dict.fromkeys(map(str, range(n)), "x")}
    advance("why", list)  # which restores none
    assert visitor().imports.problems == ["Some of what was typed on this page could not be restored."]


@pytest.mark.parametrize("order", [(begin_link, begin_recipes), (begin_recipes, begin_link)])
def test_link_and_recipes_of_a_tab_are_imported_together(order):
    st.session_state.clear()
    link = {"made": {"trained-a": {}}, "address": {"encoding": "trained-a"}, "second": "other", "show": ["bytes"]}
    recipes = {"made": {"trained-b": {}}, "address": {"encoding": "trained-b", "encodings": "trained-b"}}
    for begin in order:
        begin(link if begin is begin_link else recipes)
    found = visitor().imports.under_way.imported
    assert (found.second, found.show, {*found.made}) == ("other", ("bytes",), {"trained-a", "trained-b"})
    assert found.address == {"encoding": "trained-a", "encodings": "trained-b"}


def test_file_under_way_is_opened_although_recipes_of_the_tab_come():
    st.session_state.clear()
    assert begin_file(saved_page("hood", address={"view": "scripts"}, made={"trained-a": {}})) == ""
    begin_recipes({"made": {"trained-b": {}}, "address": {"encoding": "trained-b"}})
    found = visitor().imports.under_way.imported
    assert (found.page, found.address, {*found.made}) == ("hood", {"view": "scripts"}, {"trained-a", "trained-b"})


def test_encodings_of_a_file_are_kept_before_those_of_the_tab():
    st.session_state.clear()
    assert begin_file(saved_page("hood", made={f"trained-{i}": {} for i in range(6)})) == ""
    begin_recipes({"made": {f"trained-{one}": {} for one in "abc5"}})
    names = [key.removeprefix("trained-") for key in visitor().imports.under_way.imported.made]
    assert names == ["b", "c", "0", "1", "2", "3", "4", "5"]  # added last, the file's are the newest


def test_import_that_is_replaced_leaves_the_trainings_that_the_next_one_does_not_need(run_trainings, no_trainings_left):
    st.session_state.clear()
    kept, left = (jobs.begin(Order(260 + i, None), ("aa",), client()) for i in range(2))
    begin_link({"made": {"trained-a": {}, "trained-b": {}}})
    visitor().imports.under_way.trainings = {"trained-a": (None, kept), "trained-b": (None, left)}
    assert begin_file(saved_page("hood", made={"trained-a": {}})) == ""
    assert (kept.over, left.over) == (False, True)


def test_cancel_ends_an_import_that_has_just_begun(run_trainings, no_trainings_left):
    app = open_page("decode.py")
    job = jobs.begin(Order(260, None), ("aa",), client())
    visitor_of(app).imports.under_way = RunningImport(Import(), {"trained-a": (None, job)})
    ran(app.run())
    visitor_of(app).imports.under_way = RunningImport(Import())  # by a link
    ran(app.button("cancel_opening").click().run())
    assert visitor_of(app).imports.under_way is None


def test_file_is_opened_whole_although_a_message_comes_meanwhile(monkeypatch):
    forget_all = choices.forget_all

    def interrupted():
        forget_all()
        interrupt()

    app = open_page("decode.py")
    monkeypatch.setattr(choices, "forget_all", interrupted)
    open_saved(app, "hood", address={"view": "scripts"}, text="of the file")
    assert (visitor_of(app).text, visitor_of(app).page, param(app, "view")) == ("of the file", "hood", "scripts")
