"""Tokenizers from files and typed special tokens: listed in every picker, or refused with a reason."""

import gc
import io
import json
import pickle
import random
import re
import time
import tracemalloc
import zipfile
from base64 import b64encode

import pytest
import streamlit as st
from apps import alerts, click, open_page, ran, run_app, text_of
from paths import FRAME

from server.encodings import encoding_store, uploads
from tokenizer import (
    TokenizerError,
    encoding_files,
    encoding_from_merges,
    get_encoding,
    train,
    train_characters,
    train_words,
)
from ui.session import visitor_state
from ui.train.results import zipped
from ui.widgets import templates, tokenizer_upload

TEXT = "the theme of the thesis, 12345 <|end|> ที่\n"
TOY = encoding_from_merges(train(TEXT * 3, 270, "cl100k_base"), "cl100k_base", ["<|end|>"], "toy")

pytestmark = [pytest.mark.usefixtures("no_trainings_left", "inline_files"), pytest.mark.slow]


def without(files, *endings):
    return {name: data for name, data in files.items() if not name.endswith(endings)}


@pytest.mark.parametrize("names", [("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"), ("my.json", "x.txt")])
def test_gpt2_files_may_have_any_names(names):
    files = encoding_files(TOY, "gpt2", "toy")
    found = uploads.load({names[0]: files["vocab.json"], names[1]: files["merges.txt"]}, "cl100k_base")
    assert found.encode(TEXT) == TOY.encode(TEXT)


def test_two_files_of_one_name_are_two_tokenizers():
    [data] = encoding_files(TOY, "huggingface", "toy").values()
    [other] = encoding_files(encoding_from_merges([(b"a", b"b")]), "huggingface", "other").values()
    files = uploads.by_name([("tokenizer.json", data), ("tokenizer.json", other)])
    one, two = map(uploads.load, uploads.sets(files))
    assert sorted([one.vocab_size, two.vocab_size]) == [257, TOY.vocab_size]


def in_zip(files: dict[str, bytes], **more) -> bytes:
    with zipfile.ZipFile(packed := io.BytesIO(), "w", zipfile.ZIP_DEFLATED, **more) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def test_zip_is_unpacked():
    files = encoding_files(TOY, "gpt2", "toy")
    noise = {"__MACOSX/._toy": b"x", "folder/.DS_Store": b"x", "folder/": b""}
    found = uploads.by_name([("toy.ZIP", in_zip({f"folder/{name}": data for name, data in files.items()} | noise))])
    assert found == files
    [one] = uploads.sets(found)
    assert uploads.load(one).encode(TEXT) == TOY.encode(TEXT)
    assert uploads.by_name([("toy-gpt2.zip", zipped(files))]) == files  # as the Train page makes it


def test_zip_with_backslashes_in_its_names_is_unpacked():
    files = encoding_files(TOY, "gpt2", "toy")
    entries = {f"folder\\{name}": data for name, data in files.items()} | {"folder\\": b""}
    assert uploads.by_name([("toy.zip", in_zip(entries))]) == files


def test_zip_whose_names_begin_with_a_dot_and_a_slash_is_unpacked():
    files = encoding_files(TOY, "gpt2", "toy")
    entries = {f"./{name}": data for name, data in files.items()} | {"./": b"", "./.DS_Store": b"x", "./._a": b"x"}
    assert uploads.by_name([("toy.zip", in_zip(entries))]) == files


def test_zip_that_cannot_be_unpacked_is_refused(monkeypatch):
    monkeypatch.setattr(uploads, "MAX_FILE_BYTES", 10_000)
    fits = in_zip({"a": b"a" * 6_000})
    locked = bytearray(in_zip({"a": b"a"}))
    locked[6] |= 1  # the flag for encryption
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    for data in (
        in_zip({"a": b"a" * 10_001}),
        in_zip({str(i): b"" for i in range(101)}),
        in_zip({}),
        bytes(locked),
        fits[:-30],
        fits[:35] + b"\xff" + fits[36:],
        b"PK\x03\x04",
        b"",
    ):
        assert uploads.by_name([("a.zip", data)]) == {"a.zip": data}
        with pytest.raises(TokenizerError):
            uploads.load({"a.zip": data})
    assert list(uploads.by_name([("a.zip", fits), ("b.zip", fits)])) == ["a", "b.zip"]  # one limit for all


def test_zip_is_not_unpacked_beyond_the_limit(monkeypatch):
    monkeypatch.setattr(uploads, "MAX_FILE_BYTES", 10_000)
    bomb = in_zip({"a": bytes(50_000_000)})
    tracemalloc.start()
    try:
        assert uploads.by_name([("a.zip", bomb)]) == {"a.zip": bomb}
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_zip_of_a_method_that_unpacks_whole_stays_packed(method):
    with zipfile.ZipFile(packed := io.BytesIO(), "w", method) as archive:
        archive.writestr("a", bytes(20_000_000))
    tracemalloc.start()
    try:
        assert [*uploads.by_name([("a.zip", packed.getvalue())])] == ["a.zip"]
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_directory_of_a_zip_is_not_read_where_it_is_long():
    data = in_zip({f"folder-{number}/": b"" for number in range(uploads.MAX_ENTRIES_IN_ZIP)} | {"a": b"a"})
    tracemalloc.start()
    try:
        assert [*uploads.by_name([("a.zip", data)])] == ["a.zip"]
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_many_files_of_one_name_take_no_time_by_the_square_of_their_number():
    begin = time.thread_time()
    names = [*uploads.by_name([("a-3.model", b""), *[("a.model", b"")] * 10_000])]
    assert time.thread_time() - begin < 1
    assert names[:4] == ["a-3.model", "a.model", "a-2.model", "a-4.model"] and names[-1] == "a-10001.model"
    assert len(names) == 10_001


def test_damaged_zips_do_not_raise():
    rng, packed = random.Random(1), io.BytesIO()
    for how in uploads.ZIP_METHODS:
        with zipfile.ZipFile(packed, "a", how) as archive:
            archive.writestr(f"{how}.txt", b"some words " * 30)
    for _ in range(2_000):
        data = bytearray(packed.getvalue())
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        assert uploads.by_name([("a.zip", bytes(data))])


def test_rank_table_uses_the_chosen_pattern():
    alone = without(encoding_files(TOY, "tiktoken", "toy"), ".json")
    with pytest.raises(TokenizerError, match="split pattern"):
        uploads.load(alone)
    assert uploads.load(alone, "cl100k_base").encode(TEXT) == TOY.encode(TEXT)


def growing_model():
    """Each merge doubles the previous token, up to 2 to the 60th bytes."""
    return b"minbpe v1\n\n0\n97 97\n" + b"".join(b"%d %d\n" % (i, i) for i in range(256, 316))


def many_ranks():
    return b"".join(b"%s %d\n" % (b64encode(i.to_bytes(3, "big")), i) for i in range(400_000))


HOSTILE = {
    "growing": {"x.model": growing_model()},
    "a picture": {"x.csv": b"\x89PNG\r\n\x1a\n" + bytes(range(256))},
    "no tokenizer": {"tokenizer.json": json.dumps({"a": list(range(9))}).encode()},
    "large": {"x.tiktoken": b"a" * (uploads.MAX_FILE_BYTES + 1)},
    "half of two": {"merges.txt": b"#version: 0.2\na b\n"},
    "many": {"x.tiktoken": many_ranks()},
}


@pytest.mark.parametrize("files", HOSTILE.values(), ids=HOSTILE)
def test_invalid_files_are_refused_without_server_paths(files):
    with pytest.raises(TokenizerError) as refused:
        uploads.load(files, "gpt2")
    assert str(refused.value).endswith(".") and "/tmp" not in str(refused.value) and len(str(refused.value)) < 500


def test_names_from_files_are_safe():
    data = encoding_files(TOY, "minbpe", "toy")["toy.model"]
    for name in ("../../etc/passwd", "<b>x</b>", "a" * 300, "ก", ""):
        assert re.fullmatch(r"[\w.-]{1,40}", uploads.load({f"{name}.model": data}).name, re.ASCII)


def test_published_names_are_not_reused():
    assert uploads.load({"gpt2.model": encoding_files(TOY, "minbpe", "gpt2")["gpt2.model"]}).name == "gpt2-file"


def test_loaded_encodings_are_bounded_for_all_visitors(monkeypatch, small_heap):
    encoding_store.reset()  # other tests may hold entries
    size = encoding_store.MIN_SIZE_MERGES + TOY.id_limit // 2
    monkeypatch.setattr(encoding_store, "MAX_LOADED_MERGES", 8 * size)
    full = [add_all(address) for address in ("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4")]
    assert [len(held) for held in full] == [5, 2, 0, 0]  # the first leaves a share to others, as in every other quota
    again = encoding_store.add(full[0][1].encoding, encoding_store.LOADED, address="10.0.0.3")
    assert again is full[0][1]  # an equal encoding needs no room
    del full[0][3:], again
    gc.collect()
    held = encoding_store.add(renamed_encoding("another"), encoding_store.LOADED, address="10.0.0.1")
    assert encoding_store.find(held.key) is held  # those that no visitor holds any more give way


def add_all(address):
    """Adds encodings until an address has none of its share left; returns them."""
    held = []
    with pytest.raises(encoding_store.StoreFull):
        for i in range(9):
            encoding = renamed_encoding(f"{address}-{i}")
            held.append(encoding_store.add(encoding, encoding_store.LOADED, address=address))
    return held


def renamed_encoding(name):
    return encoding_from_merges([(m.left, m.right) for m in TOY.merges.learned], "cl100k_base", ["<|end|>"], name)


# In the page


def with_files(app, files):
    """Uploads files in the popover, which opens them at once."""
    [uploader] = [one for one in app.get("file_uploader") if one.key.startswith("opened_files_")]
    app.file_uploader(key=uploader.key).set_value([(name, data, "") for name, data in files.items()])
    return ran(app.run())


def chosen_encoding(app):
    return encoding_store.find(app.selectbox(key="encoding").value).encoding


def test_loaded_tokenizer_is_chosen_kept_and_linked():
    app = with_files(run_app(FRAME), encoding_files(TOY, "huggingface", "toy"))
    key = app.selectbox(key="encoding").value
    assert key.startswith(encoding_store.LOADED) and app.query_params["encoding"] == key
    assert any(option.startswith("toy ") for option in app.selectbox(key="encoding").options)
    other = ran(app.switch_page("compare.py").run())
    assert any("toy" in option for option in other.multiselect(key="encodings").options)
    assert run_app(FRAME, encoding=key).selectbox(key="encoding").value == key  # as long as the server keeps it


def test_second_file_of_one_name_gets_a_number_each_time_it_is_opened():
    app, names = run_app(FRAME), []
    other = encoding_from_merges([(b"a", b"b")])
    for made in (TOY, other, other, other.with_special_tokens({"<|a|>": 257}), other):
        [data] = encoding_files(made, "huggingface", "toy").values()
        names.append(chosen_encoding(with_files(app, {"tokenizer.json": data})).name)
    assert names == ["tokenizer", "tokenizer-2", "tokenizer-2", "tokenizer-3", "tokenizer-2"]
    assert len(app.session_state.visitor.own_encodings) == 3


@pytest.mark.parametrize("train_kind", [train_characters, train_words])
def test_saved_character_and_word_tokenizers_can_be_loaded(train_kind):
    saved = train_kind(TEXT).with_special_tokens({"<|end|>": 900})
    app = with_files(run_app(FRAME), encoding_files(saved, "tokenloupe"))
    found = encoding_store.find(app.selectbox(key="encoding").value).encoding
    assert (found.kind, found.fingerprint, found.special_tokens) == (saved.kind, saved.fingerprint, {"<|end|>": 900})
    assert found.encode(TEXT, "special") == saved.encode(TEXT, "special")


def test_settings_of_a_file_without_effect_here_are_noted_on_every_page():
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"], "dropout": 0.25}
    cut = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}
    padding = {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0}
    padding |= {"pad_type_id": 0, "pad_token": "a"}
    facts = {"truncation": cut, "padding": padding, "added_tokens": [], "model": model}
    app = with_files(run_app(FRAME), {"asks.json": json.dumps(facts).encode()})
    note = "asks : The file asks to truncate a text to 3 tokens; Tokenloupe truncates nothing. The file asks to pad"
    assert note in text_of(app) and "(dropout 0.25); Tokenloupe skips no merge" in text_of(app)
    assert encoding_store.find(app.selectbox(key="encoding").value).encoding.encode("ab" * 4) == [2] * 4
    assert note in text_of(ran(app.switch_page("decode.py").run()))
    assert "The file asks to truncate" not in text_of(
        with_files(
            run_app(FRAME),
            {
                "plain.json": json.dumps(
                    facts | {"truncation": None, "padding": None, "model": model | {"dropout": None}}
                ).encode()
            },
        )
    )


def test_invalid_file_shows_a_notice_and_keeps_the_choice():
    app = with_files(run_app(FRAME, encoding="gpt2"), {"<b>.model": b"{}"})
    assert app.selectbox(key="encoding").value == "gpt2"
    [alert] = [one.value for one in app.html if 'role="alert"' in one.value]
    assert "&lt;b&gt;.model: Cannot load" in alert and "<b>" not in alert


@pytest.mark.parametrize(
    "name, text", [("chat.json", '{"model": "gpt-4o", "messages": []}'), ("ids.txt", "apples 5\n")]
)
def test_texts_that_resemble_tokenizer_files_are_texts(name, text):
    app = with_files(run_app(FRAME, encoding="gpt2"), {name: text.encode()})
    assert app.session_state.visitor.text == text and not alerts(app)
    assert app.selectbox(key="encoding").value == "gpt2"


@pytest.mark.parametrize("name, text", [("counts.csv", "row,text\n"), ("a.txt", "\ufeffrow,text\n")])
def test_byte_order_mark_of_a_table_is_no_part_of_the_text(name, text):
    """Saved tables begin with it for Excel; in a plain text it is a character that an encoder sees."""
    app = with_files(run_app(FRAME, encoding="gpt2"), {name: "\ufeffrow,text\n".encode()})
    assert app.session_state.visitor.text == text and not alerts(app)


@pytest.mark.parametrize("form", ["minbpe", "tiktoken", "huggingface", "gpt2", "csv"])
def test_files_of_every_format_leave_the_text_unchanged(form):
    app = run_app(FRAME, encoding="gpt2")
    text = app.session_state.visitor.text
    with_files(app, encoding_files(TOY, form, "toy"))
    assert app.session_state.visitor.text == text and not alerts(app)
    for special in ("text", "special"):
        assert chosen_encoding(app).encode(TEXT, special=special) == TOY.encode(TEXT, special=special)


def test_companions_of_a_tokenizer_are_not_taken_for_texts():
    app, [data] = run_app(FRAME, encoding="gpt2"), encoding_files(TOY, "huggingface", "toy").values()
    text = app.session_state.visitor.text
    files = {"tokenizer.json": data, "config.json": b"{}", "README.md": b"# a model", "chat_template.jinja": b"{{ a }}"}
    assert chosen_encoding(with_files(app, files)).encode(TEXT) == TOY.encode(TEXT)
    assert app.session_state.visitor.text == text


def test_each_upload_is_read_by_itself():
    app = with_files(run_app(FRAME, encoding="gpt2"), {"a.png": b"\x89PNG\r\n\x1a\n" * 40})
    assert alerts(app)[0].strip().startswith("a.png: This file is not UTF-8 text")
    with_files(app, {"a.txt": b"one", "b.txt": b"two"})
    assert "Open one text at a time" in alerts(app)[0]
    with_files(app, {"c.txt": b"three"})
    assert app.session_state.visitor.text == "three" and not alerts(app)


def test_chosen_pattern_is_for_one_tokenizer_without_a_pattern():
    alone = without(encoding_files(TOY, "tiktoken", "toy"), ".json")
    app = with_files(run_app(FRAME, encoding="o200k_base"), alone)
    assert app.selectbox(key="encoding").value == "o200k_base" and "Choose its split pattern" in alerts(app)[0]
    ran(app.selectbox(key="tokenizer_pattern").select("gpt2").run())
    assert chosen_encoding(app).pattern_name == "gpt2" and not alerts(app)
    with_files(app, encoding_files(TOY, "huggingface", "toy"))
    assert chosen_encoding(app).encode(TEXT) == TOY.encode(TEXT)
    with_files(app, {"other.tiktoken": alone["toy.tiktoken"] + b"enp6 400\n"})
    assert "Choose its split pattern" in alerts(app)[0]


def test_page_without_a_text_opens_only_tokenizers():
    app = with_files(open_page("decode.py", encoding="gpt2"), {"a.txt": b"a text"})
    [alert] = alerts(app)
    assert "Cannot load a.txt: the file is not a tokenizer" in alert


@pytest.mark.parametrize("base", ["gpt2", "o200k_harmony"])
def test_typed_special_tokens_are_added(base):
    app = run_app(FRAME, encoding=base)
    app.text_input(key="added_specials").set_value("<|im_start|> <|im_end|>").run()
    click(app, f"add_to_{base}")
    key = app.selectbox(key="encoding").value
    made, known = encoding_store.find(key).encoding, get_encoding(base)
    text = "<|im_start|>user\nสวัสดี<|im_end|>"
    ids = made.encode(text, special="special")
    if base == "gpt2":
        assert ids == [50257, *known.encode("user\nสวัสดี"), 50258]
    assert made.decode(ids) == text and made.encode(text) == known.encode(text)
    assert app.selectbox(key="encoding").value.startswith(encoding_store.EXTENDED)


def test_special_token_is_added_with_the_id_that_is_typed():
    gpt2 = encoding_store.find("gpt2")
    made = tokenizer_upload.with_special_tokens(gpt2, ["<|a|>=50300", "<|b|>"])
    assert made.special_tokens == {"<|endoftext|>": 50256, "<|a|>": 50300, "<|b|>": 50257}
    with pytest.raises(TokenizerError, match="belongs to the token"):
        tokenizer_upload.with_special_tokens(gpt2, ["<|a|>=300"])
    most = uploads.MAX_IDS  # of a file, too; more would take most of what its address may load
    assert tokenizer_upload.with_special_tokens(gpt2, [f"<|a|>={most - 1}"]).id_limit == most
    with pytest.raises(TokenizerError, match=r"'<\|a\|>' with id 300000: the largest id is 300,000; .* 299,999"):
        tokenizer_upload.with_special_tokens(gpt2, [f"<|a|>={most}", "<|b|>"])


def test_notice_about_a_removed_encoding_disappears_with_the_last_one(monkeypatch):
    monkeypatch.setattr(visitor_state, "MAX_OWN_ENCODINGS", 1)
    app, base = run_app(FRAME, encoding="gpt2"), "gpt2"
    for added in ("<|a|>", "<|b|>"):
        app.text_input(key="added_specials").set_value(added).run()
        click(app, f"add_to_{base}")
        base = app.selectbox(key="encoding").value
    [alert] = alerts(app)
    assert "Removed because the limit was reached" in alert
    click(app, f"remove_{base}")
    assert alerts(app) == []


def test_invalid_special_tokens_show_a_notice():
    app = run_app(FRAME, encoding="gpt2")
    for typed in ("", "<|endoftext|>", "<|x|> <|x|>", "x " * 100):
        app.text_input(key="added_specials").set_value(typed).run()
        click(app, "add_to_gpt2")
        assert app.selectbox(key="encoding").value == "gpt2" and alerts(app)


def test_contents_of_files_are_kept_only_while_they_wait_for_a_pattern_and_compressed():
    st.session_state.clear()
    table = b"YQ== 0\n" * 300_000
    files = uploads.by_name([("a.zip", in_zip({"a.json": b" " * 2_000_000, "b.tiktoken": table}))])
    found = tokenizer_upload.load_sets(files)
    assert [one.read for one in found] == [["b.tiktoken"], ["a.json"]] and len(pickle.dumps(found)) < 50_000
    assert tokenizer_upload.unpacked(found[0].waiting) == {"b.tiktoken": table} and found[1].waiting == {}


def test_template_in_a_file_of_its_own_gets_the_special_tokens_of_the_settings():
    st.session_state.clear()
    files = encoding_files(TOY, "huggingface", "tokenizer") | {"chat_template.jinja": b"{{ bos_token }}"}
    [one] = tokenizer_upload.load_sets(files | {"tokenizer_config.json": b'{"bos_token": "<|end|>"}'})
    [template] = templates.kept().values()
    assert template.names == {"bos_token": "<|end|>"} and "tokenizer_config.json" not in " ".join(one.notes)


def test_tokenizers_share_one_time_limit_and_the_rest_are_named(monkeypatch):
    data = in_zip({f"{number}.json": b"{}" for number in reversed(range(100))})
    files = uploads.by_name([("a.zip", data)])
    monkeypatch.setattr(tokenizer_upload, "OPENING_SECONDS", 0)
    first, left = tokenizer_upload.load_sets(files)
    assert [*first.digests] == ["0.json"] and first.key is None and "not a tokenizer" in first.message
    assert [*left.digests] == [f"{number}.json" for number in range(1, 100)]
    assert left.key is None and left.message.startswith("Not opened: the other files took the whole time limit of")


def test_already_read_files_do_not_use_the_time_limit(monkeypatch):
    st.session_state.clear()
    monkeypatch.setattr(tokenizer_upload, "OPENING_SECONDS", 0)
    files = {"a.json": b"{}", "b.json": b"[]"}
    before = tokenizer_upload.load_sets({"a.json": b"{}"})
    again = tokenizer_upload.load_sets(files, "", before)
    assert again[0] is before[0] and [*again[1].digests] == ["b.json"] and "Not opened" in again[1].message
