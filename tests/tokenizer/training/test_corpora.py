"""Sources of a training corpus: our own texts, mixes, files, downloads, and the choice on the page."""

import csv
import hashlib
import io
import json
import os
import re
import threading
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise

import pytest
from apps import alerts, captions, click, param, ran, run_app
from hypothesis import assume, given
from hypothesis import strategies as st

from server.training import downloads, public_corpora
from server.training.public_corpora import DownloadFailed, PublicCorpus, cached, fetch
from tokenizer import TokenizerError
from tokenizer.errors import shown
from tokenizer.text.files import MAX_FILE_BYTES
from tokenizer.text.tables import BadCorpusFile, fields_of, most_text
from tokenizer.training import corpora
from tokenizer.training.corpora import mix, own_corpora, paragraphs, read_corpus_file
from ui.train import corpora as page

ENGLISH = [f"E{i} " + "word " * (3 + i % 5) for i in range(30)]
THAI = [f"T{i} " + "คำ " * (9 - i % 4) for i in range(20)]
STAND_INS = {"english": "\n\n".join(ENGLISH), "thai": "\n\n".join(THAI)}
JSON_LINES = b'{"id": 7, "text": "one"}\n\n{"text": "", "id": 8}\r\n{"id": 9, "text": "\xe0\xb8\x97"}'
SHORT_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NAMES = SHORT_TEXTS.filter(lambda name: not name.startswith("\ufeff"))  # there it is the byte-order mark
ROWS = st.lists(st.tuples(SHORT_TEXTS, SHORT_TEXTS), max_size=6)


def parts(text):
    """The Thai and the other paragraphs of a mix, in their order."""
    found = paragraphs(text)
    return [p for p in found if p.startswith("T")], [p for p in found if p.startswith("E")]


# Our own texts


def test_own_corpora_have_10_000_to_60_000_characters():
    assert set(own_corpora()) >= {"english", "thai"}
    for text in own_corpora().values():
        assert len(paragraphs(text)) >= 30
        assert 10_000 < len(text) < 60_000
        assert "\ufffd" not in text and "\r" not in text


@pytest.mark.parametrize("texts", [None, STAND_INS])
def test_mix_has_the_requested_share_of_thai(texts):
    every = {language: paragraphs(text) for language, text in (texts or own_corpora()).items()}
    longest = max(len(paragraph) for side in every.values() for paragraph in side)
    reached = [mix(share, texts) for share in range(101)]
    assert [mix(share, texts) for share in range(101)] == reached
    assert all(one.share <= two.share for one, two in pairwise(reached))
    for share, found in enumerate(reached):
        assert abs(found.thai - share / 100 * found.characters) <= longest
        assert found.characters == sum(map(len, paragraphs(found.text)))
    assert paragraphs(reached[0].text) == every["english"] and reached[0].share == 0
    assert paragraphs(reached[100].text) == every["thai"] and reached[100].share == 100


@pytest.mark.parametrize("share", [0, 1, 20, 50, 80, 99, 100])
def test_mix_takes_the_paragraphs_that_come_nearest_to_the_share(share):
    thai, english = parts(mix(share, STAND_INS).text)
    assert thai == THAI[: len(thai)] and english == ENGLISH[: len(english)]
    assert len(thai) == len(THAI) or len(english) == len(ENGLISH)

    def miss(num_thai, num_english):
        sizes = sum(map(len, THAI[:num_thai])), sum(map(len, ENGLISH[:num_english]))
        return abs(100 * sizes[0] / sum(sizes) - share)

    others = [miss(i, len(ENGLISH)) for i in range(21)] + [miss(len(THAI), i) for i in range(31)]
    assert miss(len(thai), len(english)) == pytest.approx(min(others))


@pytest.mark.parametrize("characters", [2_000, 9_000])
@pytest.mark.parametrize("share", [0, 10, 33, 50, 100])
def test_mix_has_the_requested_length(share, characters):
    found = mix(share, None, characters)
    longest = max(len(paragraph) for text in own_corpora().values() for paragraph in paragraphs(text))
    assert abs(found.characters - characters) <= longest
    assert abs(found.thai - characters * share / 100) <= longest / 2
    assert sum(map(len, paragraphs(found.text))) == found.characters


@pytest.mark.parametrize("share", [10, 33, 50, 70, 90])
def test_mix_spreads_thai_evenly(share):
    found = paragraphs(mix(share, STAND_INS).text)
    whole = sum(p.startswith("T") for p in found) / len(found)
    for end in range(1, len(found)):
        assert abs(sum(p.startswith("T") for p in found[:end]) - whole * end) <= 1


# Files


@pytest.mark.parametrize("name", ["a.txt", "a", "a.md", "csv", "a.csv.txt"])
def test_plain_text_files_are_one_text(name):
    data = "id,text\r\n1,ที่\r\n".encode()
    assert read_corpus_file(name, data, "text").texts == (data.decode(),)
    assert fields_of(name, data) == {}
    assert read_corpus_file(name, "ที่ 1".encode("utf-16"), "").texts == ("ที่ 1",)
    assert read_corpus_file(name, b"", "") == corpora.CorpusFile((), empty=1)


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", ["a.jsonl", "A.JSONL", "b.ndjson", "a.csv", "a.TSV"])
def test_rows_are_read_in_any_codec_with_any_line_end(name, codec):
    delimiter = {"csv": ",", "tsv": "\t"}.get(name[2:].lower())
    quoted = f'two{delimiter}lines\r\nand "quotes"'
    rows = ["id|text", "1|one", "", '2|"two|lines\r\nand ""quotes"""', "3|", "4|ท"]
    written = [end.join(rows).replace("|", delimiter) for end in ("\n", "\r\n")] if delimiter else [JSON_LINES.decode()]
    for data in (text.encode(codec) for text in written):
        texts = ("one", quoted, "ท") if delimiter else ("one", "ท")
        assert read_corpus_file(name, data, "text") == corpora.CorpusFile(texts, empty=1)
        assert [*fields_of(name, data)] == ["id", "text"]


@given(first=NAMES, second=NAMES, rows=ROWS)
def test_json_lines_are_read_as_written(first, second, rows):
    written = [json.dumps({first: one, second: two}, ensure_ascii=len(one) % 2 == 0) for one, two in rows]
    data = "\n".join(written).encode()
    wanted = [two for _, two in rows]
    found = read_corpus_file("a.jsonl", data, second)
    assert list(found.texts) == [text for text in wanted if text]
    assert (found.empty, found.replaced) == (wanted.count(""), 0)


@given(names=st.tuples(NAMES, NAMES).filter(lambda pair: pair[0] != pair[1]), rows=ROWS)
@pytest.mark.parametrize("name, dialect", [("a.csv", "excel"), ("a.tsv", "excel-tab")])
def test_csv_is_read_as_written(name, dialect, names, rows):
    file = io.StringIO(newline="")
    csv.writer(file, dialect, quoting=csv.QUOTE_ALL).writerows([names, *rows])
    data = file.getvalue().encode()
    assume(len(re.findall(rb"[\x00-\x08\x0e-\x1f]", data)) <= 3)  # more of them are refused as binary
    assert [*fields_of(name, data)] == list(names)
    found = read_corpus_file(name, data, names[0])
    assert list(found.texts) == [one for one, _ in rows if one]


@pytest.mark.parametrize(
    "name, data, line, words",
    [
        ("a.jsonl", b'{"text": "a"}\n\n{"text": "b"', 3, ["not valid JSON", "column 13", '{"text": "…"}']),
        ("a.jsonl", b'{"text": "a"}\n["b"]', 2, ["this is a list"]),
        ("a.jsonl", b'"b"', 1, ["this is a string"]),
        ("a.jsonl", b"null", 1, ["this is null"]),
        ("a.jsonl", b'{"id": 1, "txt": "a"}', 1, ["no field 'text'", "'id', 'txt'"]),
        ("a.jsonl", b"{}", 1, ["no field 'text'", "none"]),
        ("a.jsonl", b'{"text": "a", "text": "b"}', 1, ["more than one field 'text'"]),
        ("a.jsonl", b'{"text": 5}', 1, ["'text' holds a number"]),
        ("a.jsonl", b'{"text": true}', 1, ["'text' holds true or false"]),
        ("a.jsonl", b'{"text": ["a"]}', 1, ["'text' holds a list"]),
        ("a.jsonl", b'{"text": {"text": "a"}}', 1, ["'text' holds an object"]),
        ("a.jsonl", b'{"text": ' + b"9" * 5000 + b"}", 1, ["more than 4,300 digits"]),
        ("a.jsonl", b"[" * 200_000, 1, ["nested too deeply"]),
        ("a.jsonl", b'{"text":' * 200_000, 1, ["nested too deeply"]),
        ("a.jsonl", b'{"' + b"x" * 5000 + b'": 1}', 1, ["…"]),
        ("a.jsonl", json.dumps(dict.fromkeys(map(str, range(500)))).encode(), 1, ["'11' and 488 more"]),
        ("a.jsonl", json.dumps(dict.fromkeys(map(str, range(50_001)))).encode(), 1, ["more than 50,000 columns"]),
        ("a.csv", b"text" + b"," * 50_000 + b"\n", 1, ["more than 50,000 columns"]),
        ("a.csv", b"id,txt\n1,a", 2, ["no field 'text'", "'id', 'txt'"]),
        ("a.csv", b'text\n"a\nb"\n\n"c\nd', 5, ["unexpected end of data", "quotation mark"]),
        ("a.csv", b'text\n"a"b\n', 2, ["quotation mark"]),
        ("a.csv", b'id,text\n1,"a\nb"\n2,c,d\n', 4, ["3 fields", "2 fields", '"quotes"']),
        ("a.csv", b"id,text\n1\n", 2, ["1 field,"]),
        ("a.csv", b"text,text\na,b", 2, ["more than one field 'text'"]),
        ("a.tsv", b"id\ttxt\n1\ta", 2, ["no field 'text'", "'id', 'txt'"]),
        ("a.txt", b"\x89PNG\r\n\x1a\n", None, ["not UTF-8"]),
        ("a.csv", b"text\n\xff", None, ["not UTF-8"]),
        ("a.jsonl", b"a" * (MAX_FILE_BYTES + 1), None, ["5,000,001 bytes"]),
    ],
)
def test_unreadable_corpus_file_raises_with_its_line(name, data, line, words):
    with pytest.raises(BadCorpusFile) as caught:
        read_corpus_file(name, data, "text")
    assert caught.value.line == line
    message = str(caught.value)
    assert message.startswith(name + (f", line {line}:" if line else ":"))
    assert all(word in message for word in words), message
    assert len(message) < 1500


def test_error_escapes_and_shortens_the_file_name():
    with pytest.raises(BadCorpusFile) as caught:
        read_corpus_file("\u202e<b>" * 500 + ".jsonl", b"1", "text")
    assert "\u202e" not in str(caught.value) and len(str(caught.value)) < 300


LONG_TEXT = "x" * (MAX_FILE_BYTES - 20)


@pytest.mark.parametrize(
    "name, data, texts, counts",
    [
        ("a.jsonl", rb'{"text": "a\ud800b \ud83d\udc4d\udfff"}', ("a\ufffdb 👍\ufffd",), (0, 2)),
        ("a.jsonl", b'{"text": null}\n{"text": "a\\u0000b"}', ("a\0b",), (1, 0)),
        ("a.csv", b"text\na\0b\n", ("a\0b",), (0, 0)),
        ("a.jsonl", '{"text": "a\u2028b\u0085c"}\n{"text": "d"}'.encode(), ("a\u2028b\u0085c", "d"), (0, 0)),
        ("a.jsonl", json.dumps({"text": LONG_TEXT}).encode(), (LONG_TEXT,), (0, 0)),
        ("a.csv", b"text\n" + LONG_TEXT.encode(), (LONG_TEXT,), (0, 0)),
        ("a.jsonl", b'{"text": "a"}\n' * 9_000, ("a",) * 9_000, (0, 0)),
    ],
    ids=range(7),
)
def test_unusual_rows_are_read(name, data, texts, counts):
    assert read_corpus_file(name, data, "text") == corpora.CorpusFile(texts, *counts)


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize("delimiter", ",;\t|")
def test_delimiter_is_detected_from_the_rows(name, delimiter):
    rows = [["id", "text"], ["1", "one, two; three|four\tfive"], ["2", 'a "b"\r\nc,d']] * 20
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter).writerows(rows)
    assert list(read_corpus_file(name, file.getvalue().encode(), "text").texts) == [text for _, text in rows[1:]]


def test_field_with_the_most_text_is_chosen():
    data = b"id,when,title,body\n" + b"".join(
        b"%d,2026-01-01T00:00:00,Thai,it is so\n" % (10**12 + i) for i in range(9)
    )
    assert most_text(fields_of("a.csv", data)) == "body"
    rows = [{"id": 10**30}, {"id": 1, "\u0e01": "ที่นี่", "tags": ["one", "two"]}, {"text": "a"}]
    data = "\n".join(map(json.dumps, rows)).encode()
    assert fields_of("a.jsonl", data) == {"id": 0, "\u0e01": 6, "tags": 0, "text": 1}


def test_fields_of_reads_any_name_and_a_header_alone():
    assert fields_of("a.jsonl", rb'{"\ud800": "a"}') == {"\ufffd": 1}
    assert read_corpus_file("a.jsonl", rb'{"\ud800": "a"}', "\ufffd").texts == ("a",)
    assert [*fields_of("a.csv", b"id,text,id\n")] == ["id", "text"]


def test_fields_of_json_lines_are_bounded():
    lines = [json.dumps(dict.fromkeys(map(str, range(at, at + 30_000)))) for at in range(0, 300_000, 30_000)]
    assert len(fields_of("a.jsonl", "\n".join(lines).encode())) == 60_000


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv"])
@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_file_without_rows_has_no_fields_and_no_texts(name, data):
    assert fields_of(name, data) == {}
    assert read_corpus_file(name, data, "text") == corpora.CorpusFile(())


@given(st.binary(max_size=200))
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.txt"])
def test_any_bytes_are_read_or_refused(name, data):
    for read in (partial(fields_of, name, data), partial(read_corpus_file, name, data, "text")):
        try:
            read()
        except BadCorpusFile as error:
            assert str(error)


# Downloads


TEXT = "Once upon a time ที่ริมแม่น้ำ\n" * 5000


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests.append(self.path)
        self.server.answer(self)

    def log_message(self, *_):
        pass


def respond(data=b"", length=None, code=200, **headers):
    def answer(handler):
        handler.send_response(code)
        for name, value in (headers or {"Content-Length": len(data) if length is None else length}).items():
            handler.send_header(name, str(value))
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def drip(handler):
    """Sends one byte at a time, so that no single wait is long."""
    handler.send_response(200)
    handler.end_headers()
    with suppress(OSError):  # the client has closed
        while not handler.server.over.wait(0.05):
            handler.wfile.write(b"x")


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.requests, server.answer, server.over = [], respond(TEXT.encode()), threading.Event()
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.over.set()
        server.shutdown()
        thread.join(10)


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """An empty cache folder, and no corpora in memory from other tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(public_corpora, "held", {})
    return tmp_path / "cache" / "tokenloupe" / "corpora"


@pytest.fixture
def public(server, folder):
    return public_corpus(f"http://127.0.0.1:{server.server_port}/a.txt")


def public_corpus(url):
    data = TEXT.encode()
    return PublicCorpus("tale", "A tale", url, hashlib.sha256(data).hexdigest(), len(data), "public domain", "us/tale")


def error_of(public, **options):
    with pytest.raises(DownloadFailed) as caught:
        fetch(public, **options)
    assert isinstance(caught.value, TokenizerError)
    assert str(caught.value).startswith(f"A tale could not be downloaded from {public.host}: ")
    assert not cached(public)
    return str(caught.value)


def test_public_corpora_are_pinned_by_hash_with_a_licence():
    for name, public in public_corpora.PUBLIC_CORPORA.items():
        assert name == public.name and re.fullmatch(r"[a-z0-9-]+", name)
        assert public.url.startswith("https://") and public.host == "raw.githubusercontent.com"
        assert f"/{public.source}/" in public.url
        assert re.fullmatch(r"[0-9a-f]{64}", public.sha256)
        assert 0 < public.bytes <= page.MAX_CORPUS_BYTES
        assert public.licence


def test_public_corpus_is_downloaded_once_and_cached(public, server, folder):
    assert not cached(public) and server.requests == []
    assert fetch(public) == TEXT
    assert os.listdir(folder) == [f"{public.sha256}.txt"]
    for forget in (lambda: None, public_corpora.held.clear):  # then only the folder has it
        forget()
        assert cached(public) and fetch(public) == TEXT
    assert server.requests == ["/a.txt"]


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data + b"x", lambda data: b"", bytes.upper])
def test_damaged_cache_file_is_downloaded_again(public, server, folder, damage):
    fetch(public)
    [path] = folder.iterdir()
    path.write_bytes(damage(TEXT.encode()))
    public_corpora.held.clear()
    assert not cached(public)
    assert fetch(public) == TEXT and path.read_bytes() == TEXT.encode()
    assert len(server.requests) == 2


@pytest.mark.parametrize("hindrance", ["a file for a folder", "a folder for the file", "no home"])
def test_corpus_is_downloaded_without_a_usable_cache_folder(public, server, folder, hindrance, monkeypatch):
    if hindrance == "no home":
        monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
        monkeypatch.setattr(public_corpora.Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    elif hindrance == "a folder for the file":
        (folder / f"{public.sha256}.txt").mkdir(parents=True)
    else:
        folder.parent.parent.write_text("a file")
    assert fetch(public) == TEXT
    assert cached(public) and fetch(public) == TEXT and len(server.requests) == 1
    if hindrance == "a folder for the file":
        assert len(list(folder.iterdir())) == 1  # no temporary file is left


@pytest.mark.parametrize(
    "answer, words",
    [
        (lambda handler: handler.send_error(404, "Not <b>Found"), "answered with the error code 404"),
        (lambda handler: handler.send_error(503), "answered with the error code 503"),
        (respond(TEXT.encode().upper()), "differs from the expected one"),
        (respond(TEXT.encode() + b"x"), "the expected size"),
        (respond(b"x" * 5_000_000), "the expected size"),
        (respond(TEXT.encode()[:100_000], len(TEXT.encode())), "bytes arrived"),
        (respond(b""), "0 of the "),
        (lambda handler: handler.wfile.write(b"SSH-2.0 hello\r\n\r\n"), "BadStatusLine"),
        (lambda handler: None, "closed connection"),
        (respond(code=302, Location="http://127.0.0.1:1/elsewhere"), "does not begin with https://"),
        (respond(code=301, Location="/again"), "does not begin with https://"),
        (respond(code=307, Location="file:///etc/hostname"), "not allowed"),
        (respond(code=302, Location="ftp://127.0.0.1/a"), "does not begin with https://"),
    ],
)
def test_wrong_answer_raises_and_nothing_is_cached(public, server, folder, answer, words):
    server.answer = answer
    message = error_of(public)
    assert words in message
    assert re.search(r"Check the connection and try again|Choose another corpus", message)
    assert not folder.exists()
    server.answer = respond(TEXT.encode())
    assert fetch(public) == TEXT


@pytest.mark.slow
def test_silent_or_slow_server_times_out(public, server):
    server.answer = lambda handler: server.over.wait(5)
    assert "did not finish within 0.3 seconds" in error_of(public, timeout=0.3)
    server.answer = drip
    assert "did not finish within 0.3 seconds" in error_of(public, timeout=0.3)


def test_unreachable_server_raises(folder):
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as gone:
        url = f"http://127.0.0.1:{gone.server_port}/"
    assert "refused" in error_of(public_corpus(url))


@pytest.mark.parametrize("url", ["http://example.invalid/a", "file:///etc/hostname", "ftp://127.0.0.1/a", "", "a"])
def test_only_https_urls_are_requested(url, folder, monkeypatch):
    monkeypatch.setattr(downloads.urllib.request, "build_opener", lambda *_: pytest.fail("requested"))
    assert "does not begin with https://" in error_of(public_corpus(url))


# On the page


@pytest.fixture
def app(folder):
    """The corpus choice on its own page, without a network."""
    return open_choice()


def open_choice(**query):
    def script():
        import streamlit as st

        from ui.train.corpora import corpus

        found = corpus()
        st.session_state.found = (found.name, found.texts)
        st.session_state.rest = (found.counted, found.held_out)

    return run_app(script, **query)


def found(app):
    name, texts = app.session_state.found
    assert re.fullmatch(r"[a-z0-9-]+", name)
    return name, texts


def choose(app, source):
    return ran(app.selectbox(key="corpus").select(source).run())


def add_files(app, *files):
    ran(choose(app, "files").file_uploader(key="corpus_files").set_value(list(files)).run())
    return app


def assert_sizes_are_shown(app):
    texts = found(app)[1]
    characters, size = sum(map(len, texts)), sum(len(text.encode()) for text in texts)
    words = f"{characters:,} character", f"{size:,} byte", f"{len(texts):,} text"
    assert not alerts(app) and all(one in captions(app) for one in words)


def test_own_corpora_are_offered_with_their_sizes(app):
    assert found(app)[0] == "english"
    for language in ("thai", "english"):
        choose(app, language)
        assert found(app) == (language, (own_corpora()[language],))
        assert param(app, "corpus") == language
        assert_sizes_are_shown(app)


@pytest.mark.parametrize("source", page.SOURCES)
def test_address_selects_the_corpus(source, folder):
    app = open_choice(corpus=source)
    assert app.selectbox(key="corpus").value == source
    assert not alerts(app)


@pytest.mark.parametrize(
    "query, default, words",
    [
        ({"corpus": "Thai"}, "english", "'mix'"),
        ({"thai_share": "101", "corpus": "mix"}, "mix-50", "a whole number from 0 to 100"),
        ({"thai_share": "๕๐", "corpus": "mix"}, "mix-50", "a whole number from 0 to 100"),
        ({"public": "x", "corpus": "public"}, "shakespeare", "'thai-wiki'"),
    ],
)
def test_invalid_query_shows_a_notice_and_the_default(query, default, words, folder):
    app = open_choice(**query)
    assert found(app)[0] == default
    [notice] = alerts(app)
    name, wrong = next(iter(query.items()))
    assert f"{name}={shown(wrong)}" in notice and words in notice
    choose(app, "thai")
    assert not alerts(app)


def test_mix_shows_its_share_and_keeps_it_in_the_address(app):
    choose(app, "mix")
    for share in (0, 100, 33, 50):
        ran(app.slider(key="thai_share").set_value(share).run())
        mixed = mix(share)
        assert found(app) == (f"mix-{share}", (mixed.text,))
        assert (
            f"{mixed.share:.1f} percent of the characters are in Thai paragraphs, {mixed.thai:,} of "
            f"{mixed.characters:,} " in captions(app)
        )
        assert param(app, "thai_share") == str(share)
    app = open_choice(corpus="mix", thai_share="70")
    assert found(choose(choose(app, "thai"), "mix"))[0] == "mix-70"


@pytest.mark.parametrize("text", ["ที่ 👍", "", "<b>*", "\ud800a"])
def test_desk_text_is_the_corpus(app, text):
    app.session_state.visitor.text = text
    choose(app, "desk")
    assert found(app) == ("desk", (text.replace("\ud800", "\ufffd"),) if text else ())
    assert ("There is no text yet" in captions(app)) == (not text)
    assert ("1 lone surrogate," in captions(app)) == ("\ud800" in text)


def test_own_text_stays_while_another_corpus_is_chosen(app):
    choose(app, "own")
    assert found(app) == ("my-text", ()) and "Paste or type" in captions(app)
    ran(app.text_area(key="corpus_text").set_value("a ที่").run())
    assert found(app) == ("my-text", ("a ที่",))
    assert "5 characters, 11 bytes (UTF-8), 1 text" in captions(app)
    choose(choose(app, "thai"), "own")
    assert found(app) == ("my-text", ("a ที่",))


def test_text_over_the_limit_is_refused_with_a_notice(app):
    max_bytes = page.MAX_CORPUS_BYTES
    app.session_state.visitor.text = "ก" * (max_bytes // 3)
    assert found(choose(app, "desk"))[1]
    app.session_state.visitor.text += "ก"
    ran(app.run())
    assert found(app) == ("desk", ())
    assert f"{max_bytes - max_bytes % 3 + 3:,} bytes; the limit here is {max_bytes:,}" in alerts(app)[0]


def test_files_of_different_kinds_are_joined(app):
    add_files(
        app,
        ("a.txt", "ที่\r\n".encode(), ""),
        ("b.jsonl", JSON_LINES, ""),
        ("c.csv", b"text\nthree\n", ""),
        ("c.csv", b"text\nfour\n", ""),
    )
    assert app.selectbox(key="corpus_field").options == ["id", "text"]
    assert app.selectbox(key="corpus_field").value == "text"
    assert found(app) == ("my-files", ("ที่\r\n", "one", "ท", "three", "four"))
    assert "1 empty text left out" in captions(app)
    assert_sizes_are_shown(app)


def test_field_choice_follows_the_files(app):
    add_files(app, ("b.tsv", b"q\ta\nwho\tme\n", ""))
    assert found(app)[1] == ("who",)
    ran(app.selectbox(key="corpus_field").select("a").run())
    assert found(app)[1] == ("me",)
    add_files(app, ("b.jsonl", b'{"body": "x"}', ""))
    assert app.selectbox(key="corpus_field").options == ["body"]
    assert found(app)[1] == ("x",)
    add_files(app, ("b.csv", b",x\none,two\n", ""))
    assert app.selectbox(key="corpus_field").options == ["(a field without a name)", "x"]
    assert found(app)[1] == ("one",)
    add_files(app, ("b.txt", b"x", ""))
    assert [box.key for box in app.selectbox] == ["corpus"]


def test_unreadable_files_are_reported_and_left_out(app):
    hostile = '<img src=x onerror="1">![x](http://e).jsonl'
    add_files(app, ("a.txt", b"fine", ""), (hostile, b'{"text": "a"}\n{"<b>": 2}', ""), ("c.png", b"\x89PNG", ""))
    assert found(app) == ("my-files", ("fine",))
    [notice] = alerts(app)
    assert all(words in notice for words in (hostile, "line 2", "'<b>'", "c.png", "not UTF-8"))
    assert not any(hostile in element.value for element in app.html)
    assert hostile not in captions(app)


def test_files_stay_until_they_are_removed(app):
    hostile = "<img onerror=1>.txt"
    add_files(app, (hostile, b"fine", ""))
    choose(app, "thai")
    choose(app, "files")
    assert found(app) == ("my-files", ("fine",))
    [shown_again] = [element.value for element in app.html if "Uploaded files still in use" in element.value]
    assert "&lt;img onerror=1&gt;.txt" in shown_again and "4 bytes" in shown_again
    add_files(app, ("b.txt", b"more", ""))
    assert found(app)[1] == ("fine", "more")
    choose(choose(app, "thai"), "files")
    assert found(app)[1] == ("fine", "more")
    add_files(app, ("c.txt", b"last", ""))
    click(app, "corpus_forget")
    assert found(app)[1] == ("last",)
    choose(choose(app, "thai"), "files")
    click(app, "corpus_forget")
    assert found(app) == ("my-files", ()) and "Add files" in captions(app)


def test_files_over_the_upload_limit_are_not_read(app, monkeypatch):
    monkeypatch.setattr(page, "MAX_UPLOADED_BYTES", 10)
    add_files(app, ("a.txt", b"123456", ""), ("b.txt", b"12345", ""))
    assert found(app) == ("my-files", ())
    assert "11 bytes; the limit is 10" in alerts(app)[0]


def test_public_corpus_is_downloaded_only_by_the_button(app, server, public, monkeypatch):
    monkeypatch.setattr(public_corpora, "PUBLIC_CORPORA", {"tale": public})
    choose(app, "public")
    assert found(app) == ("tale", ()) and server.requests == []
    assert f"{public.bytes:,} bytes, public domain, from us/tale on 127.0.0.1" in captions(app)
    server.answer = lambda handler: handler.send_error(404, "<b>![x](http://e)")
    click(app, "download")
    assert found(app) == ("tale", ()) and "answered with the error code 404 (<b>![x](http://e))" in alerts(app)[0]
    assert "answered with the error code 404" in alerts(ran(app.run()))[0]
    server.answer = respond(TEXT.encode())
    click(app, "download")
    assert found(app) == ("tale", (TEXT,))
    assert_sizes_are_shown(app)
    public_corpora.held.clear()
    assert found(ran(app.run())) == ("tale", (TEXT,))
    assert len(server.requests) == 2 and "download" not in [button.key for button in app.button]


def test_shakespeare_is_bundled_and_the_address_selects_others(folder):
    app = open_choice(corpus="public", public="shakespeare")
    public = public_corpora.PUBLIC_CORPORA["shakespeare"]
    [text] = found(app)[1]
    assert hashlib.sha256(text.encode()).hexdigest() == public.sha256 and not alerts(app)
    assert "download" not in [button.key for button in app.button]
    app = open_choice(corpus="public", public="thai-wiki")
    assert app.selectbox(key="public").value == "thai-wiki"
    assert "2,204,092 bytes, CC BY-SA" in captions(app)


def test_corpus_text_has_the_chosen_form(folder):
    app = open_choice(corpus="own", text_form="lower")
    ran(app.text_area(key="corpus_text").set_value("E\u0301A").run())
    assert found(app)[1] == ("e\u0301a",)
    ran(app.segmented_control(key="text_form").set_value("nfc").run())
    assert found(app)[1] == ("ÉA",) and param(app, "text_form") == "nfc"


def test_a_fifth_of_the_text_is_held_out(folder):
    app = open_choice(corpus="own", held_out="20")
    ran(app.text_area(key="corpus_text").set_value("one two three four five").run())
    assert found(app)[1] == ("one two three ", "four five") and app.session_state.rest == (False, 1)
    assert "The last 9 characters" in captions(app)
    ran(app.text_area(key="corpus_text").set_value("a").run())
    assert found(app)[1] == ("a",) and app.session_state.rest == (False, 0) and "too short" in captions(app)


def test_words_with_counts_are_read_or_reported_with_their_line(folder):
    app = open_choice(corpus="words")
    assert found(app)[1][0].startswith("hug 10") and app.session_state.rest == (True, 0)
    ran(app.text_area(key="corpus_words").set_value("hug 10\n<b>pug five").run())
    assert found(app)[1] == () and "Line 2" in alerts(app)[0] and "<b>pug" in alerts(app)[0]
