"""The page of tokenizers: the list, uploads and their messages."""

import json
import tomllib

import pytest
from apps import alert_text, alerts, captions, click, interrupted_once, open_page, ran, saved_page, text_of, visitor_of
from paths import ROOT

from server.encodings import encoding_store, hub, uploads
from tokenizer import TokenizerError, encoding_files, encoding_from_merges, get_encoding, train
from tokenizer.encoding.interface import Encoding
from tokenizer.kinds import open_models
from tokenizer.kinds.open_models import MODELS
from tokenizer.kinds.registry import FOLDER, SHA256, read_table
from tokenizer.kinds.spm import SentencePieceModel
from tokenizer.training import spm
from ui.session import visitor_state
from ui.tokenizers import facts
from ui.widgets import pickers, tokenizer_upload

TEXT = "the theme of the thesis, 12345 <|end|> ที่\n"
TOY = encoding_from_merges(train(TEXT * 3, 270, "cl100k_base"), "cl100k_base", ["<|end|>"], "toy")
RANKS = {"toy.tiktoken": encoding_files(TOY, "tiktoken", "toy")["toy.tiktoken"]}  # without a file for its pattern
PAGE = "catalog.py"

pytestmark = [pytest.mark.usefixtures("no_trainings_left", "inline_files"), pytest.mark.slow]


def test_facts_say_that_an_encoding_leaves_out_unmatched_text():
    encoding = encoding_from_merges([], "[a-z]+", name="letters", drop_unmatched=True)
    assert facts.unknown(encoding).startswith("letters leaves out text that the split pattern does not match")
    assert facts.unknown(TOY) == "no text is unknown: each byte is a token"


def test_facts_of_a_vocabulary_with_gaps_and_without_an_unknown_token():
    model = {"type": "BPE", "vocab": {"a": 5, "b": 6}, "merges": []}
    loaded = uploads.load({"tokenizer.json": json.dumps({"model": model}).encode()})
    assert loaded.encode("azb") == [5, 6]
    assert facts.unknown(loaded) == "there is no unknown token: text that is not in the vocabulary is left out"
    entry = encoding_store.add(loaded, encoding_store.LOADED)
    assert facts.rows_of(entry)["Vocabulary"] == "2 tokens, largest id 6"


@pytest.mark.parametrize("has_bytes", [True, False])
def test_facts_say_that_byte_fallback_keeps_unknown_text_although_there_is_an_unknown_token(has_bytes):
    options = spm.Options("bpe", 295 if has_bytes else 40, byte_fallback=has_bytes)
    encoding = Encoding("toy", SentencePieceModel(spm.train(options, [TEXT] * 9)), {})
    assert encoding.unknown_id == 0 and (0 in encoding.encode("é")) == (not has_bytes)
    assert facts.unknown(encoding).startswith(f"Unknown text becomes {'its bytes' if has_bytes else '<unk>'}")


def upload(app, files):
    app.file_uploader(key="brought_files").set_value([(name, data, "") for name, data in files.items()])
    return ran(app.run())


def chosen(app):
    return encoding_store.find(app.selectbox(key="encoding").value).encoding


# The list


def test_every_model_is_listed_with_licence_and_source():
    words = text_of(open_page(PAGE))
    for model in MODELS:
        assert all(fact in words for fact in (model.display_name, model.key, model.maker, model.licence, model.source))
    assert "GPT-5" in words and "o200k_base" in words


def test_missing_models_are_marked_with_the_install_command(without_splintr):
    app = open_page(PAGE, encoding="llama3")
    assert app.code[0].value == "pip install splintr-rs"
    assert "Llama 3 (not installed)" in text_of(app)
    assert "Llama 3, 3.1, 3.2, 3.3 · not available: pip install splintr-rs" in app.selectbox(key="encoding").options
    assert app.selectbox(key="encoding").value == "o200k_base"
    assert (
        "Llama 3 needs a package that is not installed here. Install the package with pip install splintr-rs"
        in alert_text(app)
    )


@pytest.mark.skipif(not open_models.is_installed(), reason="splintr-rs is not installed")
def test_open_model_can_be_chosen_by_a_link_and_is_shown_on_every_page():
    app = open_page(PAGE, encoding="Llama-3.1")
    for page in (PAGE, "playground.py", "why.py", "hood.py", "decode.py"):
        ran(app.switch_page(page).run())
        assert app.selectbox(key="encoding").value == "llama3" and not alerts(app)
        assert any(option.endswith("· llama3") for option in app.selectbox(key="encoding").options)


@pytest.mark.skipif(not open_models.is_installed(), reason="splintr-rs is not installed")
@pytest.mark.parametrize("key", ["qwen3", "gemma3"])
def test_why_marks_the_lane_of_an_open_models_pattern(key):
    app = open_page("why.py", encoding=key)
    assert not alerts(app)
    [lanes] = [one.value for one in app.html if 'class="lanes"' in one.value]
    assert f"<b>{get_encoding(key).pattern_name or 'none'}</b> ✓ chosen" in lanes


@pytest.mark.skipif(not open_models.is_installed(), reason="splintr-rs is not installed")
def test_open_models_can_be_compared():
    app = open_page("compare.py", encodings="gpt2,llama3,gemma3")
    assert app.multiselect(key="encodings").value == ["gpt2", "llama3", "gemma3"] and not alerts(app)


# Facts


def test_facts_are_shown_and_names_escaped():
    made = get_encoding("gpt2").with_special_tokens({"<b>x</b>": 60_000})
    made.name = "odd"
    key = encoding_store.add(made, encoding_store.EXTENDED).key
    app = open_page(PAGE, encoding=key)
    assert "50,256 tokens + 2 special tokens" in text_of(app) and "<b>x</b>" in text_of(app)
    assert not any("<b>x</b>" in one.value for one in app.html)


# Uploads


def test_gpt2_files_without_a_pattern_show_a_notice():
    files, notice = encoding_files(TOY, "gpt2", "toy"), "These files contain no split pattern, so GPT-2’s is used."
    app = upload(open_page(PAGE), files)
    assert notice not in text_of(app)
    del files["tokenloupe.json"]
    assert notice in text_of(upload(app, files))


def test_uploaded_tokenizer_can_be_compared_with_one_press():
    app = upload(open_page(PAGE), encoding_files(TOY, "huggingface", "toy"))
    assert app.button(key="compare_it").label == "Compare this tokenizer with GPT-4"
    click(app, "compare_it")
    assert [encoding_store.find(key).name for key in app.multiselect(key="encodings").value] == [
        *pickers.COMPARED,
        "toy",
    ]


def test_several_uploaded_tokenizers_are_listed_and_the_first_is_chosen():
    other = encoding_files(TOY, "huggingface", "toy")["toy.json"]
    files = {"bad.json": b"{}", "other.json": other, **encoding_files(TOY, "gpt2", "toy")}
    app = upload(open_page(PAGE), files)
    text = " ".join(text_of(app).split())
    assert "merges.txt, tokenloupe.json and vocab.json are read as toy: Byte-level BPE" in text
    assert "other.json is read as other: Byte-level BPE, 270 tokens + 1 special token" in text
    [alert] = alerts(app)
    assert "Cannot load bad.json" in alert
    assert chosen(app).name == "toy"
    assert len([option for option in app.selectbox(key="encoding").options if "opened or downloaded" in option]) == 2


def test_added_file_is_chosen_and_only_it_is_read(monkeypatch):
    read, load = [], uploads.load
    monkeypatch.setattr(uploads, "load", lambda files, *args: read.append([*files]) or load(files, *args))
    data = encoding_files(TOY, "huggingface", "toy")["toy.json"]
    app = upload(open_page(PAGE), {"b.json": data})
    app = upload(app, {"b.json": data, "a.json": data, "c.json": data})
    assert read == [["b.json"], ["a.json"], ["c.json"]] and chosen(app).name == "a"
    app = upload(app, {"b.json": data, "a.json": data})
    assert len(read) == 3 and chosen(app).name == "a"


def test_files_of_one_tokenizer_are_read_together_and_unused_ones_named():
    files = {
        **encoding_files(TOY, "huggingface", "tokenizer"),
        "tokenizer_config.json": json.dumps({"eos_token": "<|end|>", "chat_template": "{{ messages }}"}).encode(),
        "special_tokens_map.json": json.dumps({"pad_token": {"content": "<pad>"}}).encode(),
        "config.json": b"{}",
    }
    app = upload(open_page(PAGE), files)
    assert not alerts(app)
    words = " ".join(text_of(app).split())
    assert "tokenizer.json is read as tokenizer: Byte-level BPE" in words
    assert "The Chat page uses the template in tokenizer_config.json." in words
    assert "Files that were not needed: config.json and special_tokens_map.json." in words
    assert "The settings files list a special token that the tokenizer does not have: '<pad>'." in words
    ran(app.switch_page("chat.py").run())
    assert app.selectbox(key="template").value == "file: tokenizer_config.json"


@pytest.mark.parametrize("name", ["tokenizer_config.json", "merges.txt", "vocab.json"])
def test_incomplete_tokenizer_names_the_missing_files(name):
    data = encoding_files(TOY, "gpt2", "toy").get(name, b"{}")
    [alert] = alerts(upload(open_page(PAGE), {name: data}))
    assert "together with" in alert


def test_redundant_files_make_no_second_tokenizer():
    files = {**encoding_files(TOY, "huggingface", "tokenizer"), **encoding_files(TOY, "gpt2", "toy")}
    app = upload(open_page(PAGE), {name: files[name] for name in ("tokenizer.json", "vocab.json", "merges.txt")})
    words = " ".join(text_of(app).split())
    assert not alerts(app) and words.count(" is read as ") == 1
    assert "tokenizer.json is read as tokenizer: Byte-level BPE" in words
    assert "Files that were not read: merges.txt and vocab.json. The file tokenizer.json was read instead." in words


def test_wordpiece_vocabulary_is_a_tokenizer_by_itself():
    vocabulary = b"[UNK]\n[CLS]\n[SEP]\nThe\nthe\n"
    files = {"vocab.txt": vocabulary, **encoding_files(TOY, "huggingface", "tokenizer")}
    app = upload(open_page(PAGE), files)
    assert not alerts(app) and "vocab.txt is read as vocab: WordPiece" in " ".join(text_of(app).split())


@pytest.mark.parametrize(
    "lowers, note", [(True, "Capital letters become lower case"), (False, "Capital letters are kept")]
)
def test_config_beside_a_vocabulary_sets_lowercasing(lowers, note):
    vocabulary = b"[UNK]\n[CLS]\n[SEP]\nThe\nthe\n"
    config = json.dumps({"do_lower_case": lowers}).encode()
    app = upload(open_page(PAGE), {"vocab.txt": vocabulary, "tokenizer_config.json": config})
    assert f"{note}, as tokenizer_config.json says" in text_of(app) and not alerts(app)
    assert chosen(app).encode("The") == [4 if lowers else 3]


def test_uploaded_tokenizer_survives_pages_and_reloads_and_has_a_link():
    app = upload(open_page(PAGE), encoding_files(TOY, "huggingface", "toy"))
    key = app.selectbox(key="encoding").value
    assert app.query_params["encoding"] in (key, [key])
    for page in ("playground.py", PAGE):
        ran(app.switch_page(page).run())
        assert app.selectbox(key="encoding").value == key
    assert open_page(PAGE, encoding=key).selectbox(key="encoding").value == key
    options = open_page(PAGE).selectbox(key="encoding").options  # of another visitor
    assert not any("loaded" in option for option in options)


def test_rank_file_asks_for_its_pattern_and_refuses_an_invalid_one():
    app = upload(open_page(PAGE), RANKS)
    assert "no split pattern" in alert_text(app) and app.selectbox(key="encoding").value == "o200k_base"
    ran(app.selectbox(key="split_0").select("own").run())
    ran(app.text_input(key="own_split_0").set_value("[a-").run())
    click(app, "load_split_0")
    assert app.selectbox(key="encoding").value == "o200k_base" and alerts(app)
    ran(app.selectbox(key="split_0").select("qwen2").run())
    click(app, "load_split_0")
    assert chosen(app).pattern_name == "qwen2" and not alerts(app)


def test_pattern_that_arrives_with_the_press_is_used():
    app = upload(open_page(PAGE), RANKS)
    ran(app.selectbox(key="split_0").select("own").run())
    app.text_input(key="own_split_0").set_value(r"[a-z]+|\s")
    click(app, "load_split_0")
    assert chosen(app).pattern == r"[a-z]+|\s" and not alerts(app)


def test_published_rank_file_is_recognized_by_its_hash():
    data = read_table(FOLDER / "r50k_base.tiktoken.gz", SHA256["r50k_base"])
    found = uploads.load({"some.tiktoken": data})
    assert (found.pattern_name, found.special_tokens) == ("gpt2", {"<|endoftext|>": 50256})
    assert found.encode(TEXT) == get_encoding("gpt2").encode(TEXT)
    assert uploads.load({"some.tiktoken": data}, "llama3").pattern_name == "llama3"  # the chosen pattern overrides it


def test_uploads_above_the_total_limit_are_refused(monkeypatch):
    app = open_page(PAGE)
    monkeypatch.setattr(uploads, "MAX_FILE_BYTES", 100)
    upload(app, {"a.json": b"x" * 60, "b.json": b"y" * 60})
    [alert] = alerts(app)
    assert "120 bytes together; the limit is 100" in alert


def test_server_accepts_uploads_as_large_as_the_page_states():
    config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
    assert config["server"]["maxUploadSize"] * 2**20 >= uploads.MAX_FILE_BYTES


def test_oldest_encoding_is_removed_above_the_limit_with_a_notice(monkeypatch):
    monkeypatch.setattr(visitor_state, "MAX_OWN_ENCODINGS", 2)
    files = {f"toy{i}.json": encoding_files(TOY, "huggingface", "toy")["toy.json"] for i in range(3)}
    app = upload(open_page(PAGE), files)
    assert "Removed because the limit was reached: toy0" in alert_text(app)
    assert "toy0.json" not in text_of(app) and chosen(app).name == "toy1"
    assert len([option for option in app.selectbox(key="encoding").options if "opened or downloaded" in option]) == 2
    app = upload(app, {**files, "toy9.json": files["toy0.json"]})
    assert chosen(app).name == "toy9" and "toy2.json" in text_of(app)  # removed encodings are not loaded again


def test_full_server_shows_a_notice(monkeypatch):
    encoding_store.reset()
    monkeypatch.setattr(encoding_store, "MAX_LOADED_MERGES", 10)
    app = upload(open_page(PAGE), encoding_files(TOY, "huggingface", "toy"))
    assert "cannot keep more tokenizers" in alert_text(app)


@pytest.mark.parametrize(("address", "is_full"), [("10.0.0.1", True), ("10.0.0.2", False)])
def test_loaded_tokenizers_count_in_the_share_of_their_address(monkeypatch, address, is_full):
    encoding_store.reset()
    held = encoding_store.add(get_encoding("gpt2"), encoding_store.LOADED, address="10.0.0.1")
    monkeypatch.setattr(encoding_store, "MAX_LOADED_MERGES", held.size * 4 // 3)
    monkeypatch.setattr(tokenizer_upload, "client", lambda: (address, "visitor"))
    app = upload(open_page(PAGE), encoding_files(TOY, "huggingface", "toy"))
    assert ("cannot keep more tokenizers" in alert_text(app)) == is_full


def test_file_names_are_escaped():
    [data] = encoding_files(TOY, "huggingface", "toy").values()
    names = "<b>x</b>.json", "![x](http://e).json", "../../x.json"
    app = upload(open_page(PAGE), {**dict.fromkeys(names, data), "z.json": b"{"})
    assert not any("<b>x</b>" in one.value for one in app.html)
    assert "Cannot load" in alert_text(app)


# The Hub


def test_hub_download_starts_only_when_the_button_is_pressed_and_may_fail(monkeypatch):
    urls, has_network = [], False

    def fetch(name):
        urls.append(name)
        if not has_network:
            raise TokenizerError("There is no network here.")
        return encoding_files(TOY, "huggingface", "toy")

    monkeypatch.setattr(hub, "fetch", fetch)
    app = open_page(PAGE)
    assert "not the weights of the model" in captions(app)
    ran(app.text_input(key="hub_name").set_value("some/model").run())
    assert urls == []
    click(app, "hub_download")
    assert urls == ["some/model"]
    assert "no network" in alert_text(app) and chosen(app).name != "model"
    has_network = True
    click(app, "hub_download")
    assert "no network" not in alert_text(app) and chosen(app).name == "model"


def test_files_are_opened_although_a_message_comes_meanwhile(monkeypatch):
    loaded, times = interrupted_once(tokenizer_upload.load_sets)
    monkeypatch.setattr(tokenizer_upload, "load_sets", loaded)
    app = upload(open_page(PAGE), encoding_files(TOY, "huggingface", "toy"))
    assert chosen(app).vocab_size == TOY.vocab_size and len(times) == 1 and not alerts(app)


def test_saved_page_is_opened_among_the_files_of_a_tokenizer():
    app = upload(open_page(PAGE), {"page.json": saved_page("hood", address={"view": "scripts"}).encode()})
    assert visitor_of(app).page == "hood" and not alerts(app)


def test_hub_download_is_opened_although_a_message_comes_meanwhile(monkeypatch):
    fetch, calls = interrupted_once(lambda name: encoding_files(TOY, "huggingface", "toy"))
    app = open_page(PAGE)
    ran(app.text_input(key="hub_name").set_value("some/model").run())
    monkeypatch.setattr(hub, "fetch", fetch)
    click(app, "hub_download")
    assert calls == [("some/model",)] and chosen(app).name == "model"


def test_hub_download_is_opened_again_after_it_was_refused_or_removed(monkeypatch):
    encoding_store.reset()
    monkeypatch.setattr(hub, "fetch", lambda name: encoding_files(TOY, "huggingface", "toy"))
    app = open_page(PAGE)
    ran(app.text_input(key="hub_name").set_value("some/model").run())
    with monkeypatch.context() as full:
        full.setattr(encoding_store, "MAX_LOADED_MERGES", 10)
        click(app, "hub_download")
        assert "cannot keep more tokenizers" in alert_text(app)
    click(app, "hub_download")
    assert chosen(app).name == "model" and not alerts(app)
    click(app, f"remove_{app.selectbox(key='encoding').value}")
    assert chosen(app).name != "model"
    click(app, "hub_download")
    assert chosen(app).name == "model"
