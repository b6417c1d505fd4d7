"""Messages of the core are in the language of each request, across processes and threads."""

import asyncio
import json
import struct
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from apps import until
from babel.messages.pofile import read_po

from server.editor_api.questions import answer
from server.editor_api.routes import answer_question
from server.encodings import encoding_store
from server.training import jobs
from tokenizer import i18n, load_encoding
from tokenizer.errors import TokenizerError
from tokenizer.formats import sandboxed_model
from tokenizer.formats.sandboxed_model import SandboxStopped, load_sandboxed
from tokenizer.i18n import tr, using_language
from tokenizer.languages.parallel import languages, parallel_corpus
from tokenizer.split.alternatives import alternatives
from tokenizer.text.scripts import localized_script
from tokenizer.training.worker import Order

with (i18n.FOLDER / "th.po").open("rb") as file:
    THAI = read_po(file, locale="th")
VOCABULARY = {"vocab.txt": b"[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\ncat\n##s\n"}


def in_thai(sentence, **facts):
    """Returns the Thai translation of a sentence, read from the catalog file."""
    return THAI.get(sentence).string.format(**facts)


def body(text):
    return struct.pack("<2I", 1, len(text.encode())) + text.encode()


def walls(lang):
    with using_language(lang):
        return json.loads(answer("loupe", {"at": "5"}, body("the cat sat"), encoding_store.find("gpt2")))["walls"]


ENGLISH_WALLS = [
    "The previous pre-token (a run of letters) ends before a space.",
    "This pre-token (a space, then a run of letters) ends before a space.",
]


def thai_walls():
    run, space = in_thai("a run of letters"), in_thai("a space")
    both = in_thai("{first}, then {run}", first=space, run=run)
    return [
        in_thai("The previous pre-token ({run}) ends before {what}.", what=space, run=run),
        in_thai("This pre-token ({run}) ends before {what}.", what=space, run=both),
    ]


def test_boundary_reasons_are_in_the_language_of_each_question():
    assert [walls(lang) for lang in ("th", "en", "th", "xx")] == [thai_walls(), ENGLISH_WALLS] * 2


def test_errors_are_in_the_language_of_each_question():
    english = (
        "The parameter “at” is {at!r}; it must be the position of a byte in the text: a whole number below {size:,}."
    )
    facts = {"at": "99", "size": 1}
    for lang, sentence in (("th", in_thai(english, **facts)), ("en", english.format(**facts))):
        with using_language(lang), pytest.raises(TokenizerError) as error:
            answer("loupe", {"at": "99"}, body("a"), encoding_store.find("gpt2"))
        assert str(error.value) == sentence


@pytest.mark.parametrize("lang", ["th", "en"])
def test_evicted_key_is_reported_in_the_language_of_the_question(lang):
    parameters = {"encoding": f"trained-{'0' * 32}"}
    with using_language(lang):
        status, message = asyncio.run(answer_question("tokens", parameters, body("a")))
        assert (status, message.decode()) == (404, str(encoding_store.Evicted(parameters["encoding"])))
    assert i18n.language() == "en"


def test_each_thread_has_its_own_language():
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(walls, ["th", "en"] * 200))
    assert found == [thai_walls(), ENGLISH_WALLS] * 200


def test_cached_values_are_not_bound_to_the_language_of_the_first_reader():
    one = alternatives(r"[0-9]{1,3}|a+")[0]
    first = [one.words, languages()["th"].name, languages()["th"].family, localized_script("Thai")]
    with using_language("th"):
        thai = [one.words, languages()["th"].name, languages()["th"].family, localized_script("Thai")]
    assert first == ["one to three characters from 0 to 9", "Thai", "Kra-Dai", "Thai"]
    assert thai[1:] == ["ไทย", in_thai("Kra-Dai"), "ไทย"] and thai[0] != first[0]
    assert [one.words, languages()["th"].name, languages()["th"].family, localized_script("Thai")] == first


def test_languages_are_sorted_by_localized_name_and_corpora_are_not():
    order = list(parallel_corpus())
    with using_language("th"):
        names = [one.name for one in languages().values()]
        assert list(parallel_corpus()) == order == list(parallel_corpus(("news",)))
    assert [names.index(name) for name in ("กรีก", "เกาหลี", "เขมร", "ไทย")] == sorted(
        names.index(name) for name in ("กรีก", "เกาหลี", "เขมร", "ไทย")
    )


@pytest.mark.slow
def test_sandboxed_model_uses_the_language_of_each_question(monkeypatch, tmp_path):
    (tmp_path / "vocab.txt").write_bytes(VOCABULARY["vocab.txt"])
    ours = load_encoding(tmp_path / "vocab.txt").model
    with using_language("th"):  # the language while loading
        found = load_sandboxed(VOCABULARY, "vocab.txt").model
    texts = {}
    for lang in ("en", "th", "en"):
        with using_language(lang):
            texts[lang] = found.notes, found.stages("cats")
            assert texts[lang] == (ours.notes, ours.stages("cats"))
    assert not any(one in texts["th"][0] for one in texts["en"][0])
    assert not any(
        one.description == other.description for one, other in zip(texts["en"][1], texts["th"][1], strict=True)
    )
    monkeypatch.setattr(sandboxed_model, "ANSWER_SECONDS", 0.001)
    with using_language("th"), pytest.raises(SandboxStopped) as error:
        found.stages("cats " * 10_000)
    wanted = in_thai(
        "This text could not be encoded within {seconds:g} seconds, the limit. Try another text or tokenizer.",
        seconds=0.001,
    )
    assert str(error.value) == wanted


@pytest.mark.slow
def test_sandbox_errors_are_in_the_language_of_the_request():
    with using_language("th"):
        with pytest.raises(TokenizerError) as error:
            load_sandboxed({"a.txt": b"%PDF-1.7"}, "a.txt")
        reason = tr("the file is a PDF; open a tokenizer’s file instead")
        assert str(error.value) == tr("Cannot load {path}: {reason}.", path="a.txt", reason=reason)


@pytest.mark.slow
def test_key_does_not_depend_on_the_language():
    encoding = load_sandboxed(VOCABULARY, "vocab.txt")
    with using_language("th"):
        key = encoding_store.add(encoding, encoding_store.LOADED).key
    assert encoding_store.add(encoding, encoding_store.LOADED).key == key


@pytest.mark.slow
@pytest.mark.usefixtures("no_trainings_left")
def test_training_errors_are_in_the_language_of_the_request():
    with using_language("th"):
        job = jobs.begin(Order(300, ties="none"), ("some text",), ("10.0.0.1", "a"))
    other = jobs.begin(Order(300, ties="none"), ("other text",), ("10.0.0.1", "a"))
    until(lambda: job.over and other.over)
    with using_language("th"):
        assert job.problem.startswith(tr("Unknown rule for pairs with equal counts: {name}.", name="'none'"))
    assert other.problem.startswith("Unknown rule for pairs with equal counts: 'none'.")


@pytest.mark.slow
@pytest.mark.usefixtures("no_trainings_left")
def test_stop_reason_is_in_the_language_of_the_request_not_of_the_stopper():
    with using_language("th"):
        job = jobs.begin(Order(50_000, None), ("ab" * 1_000_000,), ("10.0.0.1", "a"))
    thread = threading.Thread(target=jobs.leave, args=(job, ("10.0.0.1", "a")))
    thread.start()
    thread.join(60)
    assert job.problem == in_thai("The training was stopped: {reason}.", reason=in_thai("you cancelled"))
