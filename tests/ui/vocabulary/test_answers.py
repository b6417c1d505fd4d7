"""Questions of the vocabulary page, for encodings of every kind, against plain loops over tokens."""

import csv
import io
import json
import re

import pytest
import sentencepieces

from server.editor_api.questions import answer, cost_class
from server.encodings import encoding_store
from server.vocabulary import facts_cache
from server.vocabulary.query import DEFAULTS, BadQuery, span
from tokenizer import get_encoding, train_characters, train_words
from tokenizer.encoding.interface import Encoding
from tokenizer.errors import TokenizerError
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.kinds.pipeline import NO_STEPS, PipelineModel
from tokenizer.text.scripts import script
from tokenizer.text.well_formed import as_text

NO_TEXT = bytes(4)
HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
HOSTILE = ["=1+1", "+2", "-3", "@SUM(A1)", "\t=4", '"', "\n", "\u202etxt", "<b>"]


def hostile():
    ranks = {bytes([i]): i for i in range(256)}
    for token in HOSTILE:
        ranks.setdefault(token.encode(), len(ranks))
    return byte_bpe("hostile", None, ranks, {"<|end|>": 400})  # ids between are unused


KINDS = {
    "hostile": hostile,
    "characters": lambda: train_characters("hello the same, ที่นี่"),
    "words": lambda: train_words(HUGS, 12),
    "unigram, bytes": lambda: sentencepieces.encoding("unigram, bytes"),
    "bpe, bytes, as Llama": lambda: sentencepieces.encoding("bpe, bytes, as Llama"),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def entries():
    """One encoding of each kind, referenced here because the store evicts unreferenced ones."""
    return {"ours": encoding_store.find("gpt2")} | {
        kind: encoding_store.add(make(), encoding_store.LOADED) for kind, make in KINDS.items()
    }


@pytest.fixture
def entry(entries, kind):
    return entries[kind]


def ask(entry, name, **parameters):
    found = answer(name, parameters, NO_TEXT, entry).decode()
    return found if name.endswith("csv") else json.loads(found)


def ids(entry, **query):
    """Returns all found ids, requested in windows."""
    found, start = [], 0
    while True:
        window = ask(entry, "vocabulary", query=json.dumps(query), start=str(start), count="500")
        found += [row["id"] for row in window["rows"]]
        start += 500
        if start >= window["total"]:
            assert len(found) == window["total"]
            return found


def ordinary(encoding):
    """Returns the tokens that stand for text, by id."""
    apart = {*encoding.special_tokens.values(), encoding.unknown_id}
    return {id: encoding.bytes_of(id) for id in encoding.ids() if id not in apart}


@every_kind
def test_windows_contain_every_token_once(entry):
    assert ids(entry) == entry.encoding.ids()
    assert ids(entry, sort_by="-id") == entry.encoding.ids()[::-1]


@every_kind
def test_search_equals_a_plain_loop(entry):
    own = ordinary(entry.encoding)
    special = {*entry.encoding.ids()} - own.keys()
    for text in ("u", "H", " ", "ท", "=", "hug"):
        exact = [id for id, token in own.items() if text.encode() in token]
        assert [id for id in ids(entry, find=text, find_as="exact") if id not in special] == exact
        folded = [id for id, token in own.items() if text.casefold() in (as_text(token) or "").casefold()]
        assert [id for id in ids(entry, find=text) if id not in special and as_text(own[id]) is not None] == folded
        found = [id for id, token in own.items() if re.search(f"^.?{re.escape(text)}", as_text(token) or "", re.S)]
        matches = ids(entry, find=f"(?s)^.?{re.escape(text)}", find_as="regex")
        assert [id for id in matches if id not in special] == [id for id in found if as_text(own[id]) is not None]
        bytes_too = ids(entry, find=text.encode().hex(" "), find_as="bytes")
        assert [id for id in bytes_too if id not in special] == exact


@every_kind
def test_filters_and_sorting_equal_those_of_a_plain_loop(entry):
    own = ordinary(entry.encoding)
    thai = [id for id, token in own.items() if token and script(token) == "Thai"]
    assert ids(entry, script="Thai") == thai
    sized = [id for id, token in own.items() if 2 <= len(token) <= 3]
    assert [id for id in ids(entry, byte_range="2-3") if id in own] == sized
    longest = sorted(own, key=lambda id: -len(own[id]))
    assert [id for id in ids(entry, sort_by="-bytes") if id in own] == longest
    some = [id for id in own if 20 <= id <= 30]
    assert [id for id in ids(entry, id_range="20-30") if id in own] == some
    used = {*entry.encoding.ids()}
    assert ids(entry, role="unused") == [id for id in range(entry.encoding.id_limit) if id not in used]


@every_kind
def test_token_details_are_consistent_with_the_encoding(entry):
    known = entry.encoding.ids()
    for id in {*known[:9], *known[-9:], *known[:: max(1, len(known) // 12)]}:
        detail = ask(entry, "vocabulary_token", id=str(id))
        assert detail["id"] == id
        assert bytes.fromhex(detail["bytes"]) == (entry.encoding.table[id] or b"")
        for _, tokens in detail["variants"]:
            assert all(
                one["id"] is None or as_text(entry.encoding.bytes_of(one["id"])) == one["text"] for one in tokens
            )
        for parent in detail["parents"]["tokens"]:
            assert entry.encoding.table[id] in entry.encoding.table[parent["id"]]
        if detail["tree"]:
            assert leaves(detail["tree"]) is None or joined(entry.encoding, detail["tree"]) == entry.encoding.table[id]


@pytest.mark.parametrize("byte", [0xC0, 0xFF])
def test_a_byte_that_utf_8_never_has_is_not_said_to_be_in_a_character(byte):
    entry = encoding_store.find("gpt2")
    id = facts_cache.facts("gpt2").rows[bytes([byte])]
    assert ask(entry, "vocabulary_token", id=str(id))["notes"] == [
        "No text contains this token: the byte sequence of this token never occurs in UTF-8."
    ]


def test_a_token_whose_text_becomes_no_token_says_so():
    model = {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "\u0301": 2}, "unk_token": "[UNK]"}
    model |= {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
    steps = {"normalizer": {"type": "StripAccents"}, "pre_tokenizer": {"type": "Whitespace"}}
    encoding = Encoding("bare", PipelineModel(json.dumps(NO_STEPS | steps | {"model": model})), {})
    entry = encoding_store.add(encoding, encoding_store.LOADED)
    note = ask(entry, "vocabulary_token", id="2")["notes"][0]
    assert note.startswith("When the text of this token is encoded, the result has no token: ")


@pytest.mark.slow
@pytest.mark.parametrize("text", [" 亚洲AV", "无码AV", " 天天中彩票APP", "亚洲AV"])  # no text gives these tokens
def test_details_of_an_advert_do_not_show_its_text(text):
    entry = encoding_store.find("o200k_base")
    id = facts_cache.facts(entry.key).texts.index(text)
    detail, found = (
        ask(entry, "vocabulary_token", id=str(id)),
        ask(entry, "vocabulary_anomalies", group="unreachable"),
    )
    [reasons] = [one["reasons"] for one in found["tokens"] if one["id"] == id]
    assert detail["isAdvert"] and detail["notes"]
    variants = [one for _, tokens in detail["variants"] for one in tokens]
    assert all("isAdvert" in one for one in variants)
    assert not re.search("[\u4e00-\u9fff]", "".join([*detail["notes"], *reasons, *sum(detail["facts"], [])]))


def map_columns(entry, **parameters):
    """Returns the columns of the map of an encoding."""
    found, n = answer("vocabulary_map", parameters, NO_TEXT, entry), entry.encoding.id_limit
    assert len(found) % n == 0
    return [list(found[i : i + n]) for i in range(0, len(found), n)]


@every_kind
def test_map_has_the_length_of_each_id_and_what_another_vocabulary_shares(entry, entries):
    encoding, other = entry.encoding, entries["ours"]
    groups, lengths, shared = map_columns(entry, than=other.key)
    assert map_columns(entry) == [groups, lengths]
    assert lengths == [min(255, len(token or b"")) for token in encoding.table]
    own, theirs = ordinary(encoding), {*ordinary(other.encoding).values()}
    assert [id for id, is_shared in enumerate(shared) if is_shared] == [id for id in own if own[id] in theirs]
    assert len({groups[id] for id in range(encoding.id_limit) if encoding.table[id] is None}) <= 1
    assert len({groups[id] for id in encoding.special_tokens.values()}) <= 1


@every_kind
def test_rows_by_id_have_the_tokens_and_their_ids_in_another_vocabulary(entry, entries):
    encoding, other = entry.encoding, entries["ours"].encoding
    wanted = [encoding.id_limit - 1, *range(0, encoding.id_limit, max(1, encoding.id_limit // 50))]
    rows = ask(entry, "vocabulary_ids", ids=",".join(map(str, wanted)), than="gpt2")
    own, ids_there = ordinary(encoding), {other.bytes_of(id): id for id in ordinary(other)}
    assert [row["id"] for row in rows] == wanted
    for row in rows:
        assert row["numBytes"] == len(encoding.table[row["id"]] or b"")
        assert row.get("idThere", "none") == (ids_there.get(own[row["id"]]) if row["id"] in own else "none")
    assert all("idThere" not in row for row in ask(entry, "vocabulary_ids", ids="0"))


@pytest.mark.parametrize("ids", ["", "1,", "a", "-1", "401", ",".join(["1"] * 501)])
def test_invalid_ids_raise(entries, ids):
    with pytest.raises(BadQuery):
        ask(entries["hostile"], "vocabulary_ids", ids=ids)


def leaves(node):
    """Returns None where the tree is cut, because leaves are missing then."""
    return None if node["isCut"] else [*map(leaves, node["halves"])] and True


def joined(encoding, node):
    return b"".join(joined(encoding, half) for half in node["halves"]) or encoding.table[node["id"]]


@every_kind
def test_odd_groups_equal_the_filtered_table(entry, kind):
    groups = ("unreachable", "parts", "suspicious")
    for group in (*groups, "inside") if kind == "hostile" else groups:  # slow for GPT-2's vocabulary
        found = ask(entry, "vocabulary_anomalies", group=group)
        rows = ids(entry, only=group)
        assert found["total"] == len(rows)
        assert {one["id"] for one in found["tokens"]} <= {*rows}
        assert group != "unreachable" or sum(n for n, _ in found["reasons"]) == found["total"]
        for rule in found["rules"]:
            assert {one["id"] for one in rule["tokens"]} <= {*ids(entry, only=rule["name"])} <= {*rows}
    encoding = entry.encoding
    texts = {id: encoding.decode([id]) for id, token in ordinary(encoding).items() if as_text(token) is not None}
    unreachable = [id for id, text in texts.items() if text and encoding.encode(text) != [id]]
    assert ids(entry, only="unreachable") == unreachable
    for id in [*unreachable[:5], *(id for id in texts if id not in unreachable)][:10]:
        notes = " ".join(ask(entry, "vocabulary_token", id=str(id))["notes"])
        assert ("the text of this token is encoded, the result" in notes) == (id in unreachable)


def test_shared_tokens_are_those_of_equal_bytes(entries):
    ours, other = entries["ours"], entries["hostile"]
    theirs = {*ordinary(other.encoding).values()}
    parameters = {"query": json.dumps({"only": "shared"}), "count": "500", "than": other.key}
    found = [row["id"] for row in ask(ours, "vocabulary", **parameters)["rows"]]
    assert found == [id for id, token in ordinary(ours.encoding).items() if token in theirs]
    alone = ask(ours, "vocabulary", **parameters | {"query": json.dumps({"only": "alone"})})["total"]
    assert len(found) + alone == len(ordinary(ours.encoding))


def test_csv_has_every_token_and_no_formulas(entries):
    entry = entries["hostile"]
    rows = [*csv.reader(io.StringIO(ask(entry, "vocabulary_csv")))]
    assert not [cell for row in rows for cell in row if cell[:1] in tuple("=+-@\t\r")]
    head, *rows = rows
    texts = {int(row[0]): json.loads(row[1]) for row in rows if row[1]}
    encoding = entry.encoding
    assert texts == {id: text for id in encoding.ids() if (text := as_text(encoding.table[id])) is not None}
    assert [int(row[0]) for row in rows] == encoding.ids()
    assert [bytes.fromhex(row[head.index("bytes")]) for row in rows] == [encoding.table[id] for id in encoding.ids()]


def test_json_file_has_the_requested_rows(entries):
    found = ask(entries["ours"], "vocabulary_json", query=json.dumps({"find": "elephant", "sort_by": "-id"}))
    assert found["asked"] == {"find": "elephant", "sort_by": "-id"}
    assert [row["id"] for row in found["tokens"]] == ids(entries["ours"], find="elephant", sort_by="-id")
    assert found["rank_table_sha256"] == get_encoding("gpt2").fingerprint


INVALID_QUESTIONS = [
    "",
    "[]",
    "{",
    '{"find": 1}',
    "[" * 3_000,
    '{"find_as": "soundex"}',
    '{"sort_by": "--id"}',
    '{"sort_by": "price"}',
    '{"id_range": "1-2-3"}',
    '{"byte_range": "٣"}',
    '{"length_range": "1e9"}',
    '{"only": "best"}',
    '{"made": "wood"}',
    '{"space": "maybe"}',
    '{"find": "(", "find_as": "regex"}',
    '{"find": "XY", "find_as": "bytes"}',
    json.dumps({"find": "x" * 5_000}),
]


@pytest.mark.parametrize("query", INVALID_QUESTIONS, ids=range(len(INVALID_QUESTIONS)))
def test_invalid_queries_raise(entries, query):
    with pytest.raises(TokenizerError) as raised:
        ask(entries["ours"], "vocabulary", query=query)
    assert 10 < len(str(raised.value)) < 600
    assert cost_class({"query": query}, encoding_store.find("gpt2")) in ("known", "own")


@pytest.mark.parametrize("parameters", [{"start": "-1"}, {"count": "many"}, {"id": "1.5"}, {"start": "9" * 12}])
def test_invalid_numbers_raise(entries, parameters):
    with pytest.raises(BadQuery):
        ask(entries["ours"], "vocabulary", **parameters)


def test_id_beyond_the_last_raises_and_unused_id_is_described(entries):
    with pytest.raises(BadQuery, match="below 401"):
        ask(entries["hostile"], "vocabulary_token", id="401")
    assert ask(entries["hostile"], "vocabulary_token", id="399")["notes"] == ["No token has this id."]


def test_regex_searches_have_a_cost_class_of_their_own(entries):
    assert cost_class({"query": '{"find": "a", "find_as": "regex"}'}, encoding_store.find("gpt2")) == "own"
    assert cost_class({"query": '{"find": "a"}'}, encoding_store.find("gpt2")) == "known"


def test_search_uses_a_foreign_model_only_where_it_must_encode(entries):
    foreign = entries["unigram, bytes"]
    assert foreign.encoding.runs_in_library
    assert cost_class({"query": '{"find": "a"}'}, foreign) == "known"
    assert cost_class({"query": '{"only": "unreachable"}'}, foreign) == cost_class({}, foreign) == foreign.key


@pytest.mark.parametrize("written", ["--", "-", "–", "3-x", "½", "1 2"])
def test_invalid_ranges_raise(written):
    with pytest.raises(BadQuery):
        span("id_range", DEFAULTS | {"id_range": written})
