"""Functions that the tests in tests/js call: texts, tokens and trainings as plain values."""

import base64
import hashlib
import re
from random import Random

import numpy as np
from oracles import ladder_rows, random_ranks

from e2e import corpus
from e2e.trainings import ENGLISH, THAI, TRAININGS, naive_cut, training
from server.editor_api import questions
from server.encodings import encoding_store, rank_tables
from server.exports import site
from tokenizer import Tokens, get_encoding
from tokenizer.display import comparing
from tokenizer.encoding import ladder as core
from tokenizer.encoding import tokens as drawn
from tokenizer.encoding.bpe import first_merges
from tokenizer.encoding.ladder_json import ladder_json
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.split.dialects import CATEGORIES
from tokenizer.text.well_formed import well_formed as reading
from tokenizer.training import training_history

two_places = comparing.two_places


def texts():
    return {name: getattr(corpus, name) for name in ("PIECES", "NO_CONTROL", "SAMPLES")}


def well_formed(every):
    return [reading(text)[0] for text in every]


class Gapped:
    """A model that drops white space and has an empty token before each sign; `x` is special."""

    name, special_tokens, pattern, unknown_id = "gapped", {"x": 1}, None, None

    def tokenize(self, text, special="text"):
        found = []
        for one in re.finditer(r"\w+|([^\w\s])", text):
            found += [(one.start(), one.start()), one.span()] if one[1] else [one.span()]
        starts, ends = (np.array([len(text[: span[side]].encode()) for span in found], np.int64) for side in (0, 1))
        ids = np.array([1 if text[a:b] == "x" else 2 + len(text[a:b]) for a, b in found], np.uint32)
        return Tokens(text, ids, ends - starts, starts, (ids == 1).astype(np.uint8))

    def encode_array(self, text, special="text"):
        return self.tokenize(text).id_array

    def contains_special_token(self, text):
        return False

    def decode_bytes(self, ids):
        return b""


def sha256(data):
    return list(hashlib.sha256(bytes(data)).digest())


def site_version(style):
    """A static page of one style sheet and one rank table: its service worker, and the texts of its other files."""
    stamp = hashlib.sha256(style.encode()).hexdigest()[: site.HEX_DIGITS]
    files = {"site.css": style, "index.html": f'<link href="site.css?v={stamp}">'}
    worker = site.service_worker({name: text.encode() for name, text in files.items()}, ["ranks/toy.bin"])
    return {"worker": worker, "files": files}


def encoding(name):
    return Gapped() if name == "gapped" else get_encoding(name)


def encode(name, every, special="text"):
    return [encoding(name).encode(text, special=special) for text in every]


def lengths(name, every):
    """Returns the number of bytes of each token."""
    own = get_encoding(name)
    ids = [own.encode(text) for text in every]
    known = {id: len(own.decode_bytes([id])) for id in set().union(*ids)}
    return [[known[id] for id in row] for row in ids]


def tokens(name, every, special="text"):
    found = [encoding(name).tokenize(text, special) for text in every]
    return [[own.ids, own.starts.tolist(), own.ends.tolist(), own.kinds.tolist()] for own in found]


def pieces(name, every):
    return [[list(piece) for piece in drawn.pieces(encoding(name).tokenize(text))] for text in every]


def read_texts(body):
    return questions.read_texts(bytes(body))


def answer(name, key, special, body):
    """Returns the route's answer in bytes, also for the model with gaps, which no page offers."""
    if key == "gapped":
        return questions.QUESTIONS[name](questions.read_texts(body), Gapped(), special)
    return questions.answer(name, {"special": special}, body, encoding_store.find(key))


def training_texts():
    return {"THAI": THAI, "ENGLISH": ENGLISH}


def _triple(left, right, count):
    return [list(left), list(right), count]


def training_facts(name):
    own = training(name)
    return {
        "rows": [[int(number) for number in row] for row in own.history_rows],
        "tokens": [list(token) for token in own.history.tokens],
        "numTokens": own.history.num_tokens.tolist(),
        "numBytes": own.history.num_bytes,
        "alphabet": own.history.alphabet,
        "merges": [_triple(merge.left, merge.right, merge.count) for merge in own.history.merges],
        "rivals": [[_triple(*rival) for rival in own.history.runners_up(i)] for i in range(len(own.history))],
    }


def closings(name, text):
    return [row.tolist() for row in training_history.closings(text, training(name).encoding)]


def naive_cuts(name, text, steps):
    return [[[list(part), id] for part, id in naive_cut(text, training(name), step)] for step in steps]


def ladder(name, text, with_rows=True):
    data, own = ladder_json(text.encode(), get_encoding(name)), core.ladder(text.encode(), get_encoding(name))
    rows = [
        [
            [[one.start, one.start + len(one.bytes), one.id] for one in parts],
            [[parts[i + 1].start, rank] for rank, i in candidates],
        ]
        for parts, candidates in (ladder_rows(own, get_encoding(name)) if with_rows else ())
    ]
    return {"data": data, "rows": rows}


def page_encoding(name):
    if name.startswith("random"):
        return byte_bpe(name, "gpt2", random_ranks(Random(name)))
    return training(name).encoding if name in TRAININGS else get_encoding(name)


def page_encoder(name):
    found = page_encoding(name)
    table = base64.b64encode(rank_tables.packed(found)).decode()
    pattern = rank_tables.page_encoder(name, found, "")["pattern"]
    categories = {name: rank_tables.category_steps(name) for name in CATEGORIES}
    return {"pattern": pattern, "categories": categories, "table": table, "specials": list(found.special_tokens)}


def page_tokens(name, every):
    read = [page_encoding(name).tokenize(text) for text in every]
    return [[tokens.ids, tokens.ends.tolist()] for tokens in read]


def first_merges_tokens(name, ns, every):
    """Returns the tokens of each text by the first n merges of an encoding, for each n."""
    whole = page_encoding(name)
    cut = [byte_bpe("cut", whole.pattern, first_merges(whole.ranks, n)) for n in ns]
    return [[[tokens.ids, tokens.ends.tolist()] for tokens in map(one.tokenize, every)] for one in cut]


def ladders(name, every):
    return [ladder_json(text.encode(), page_encoding(name)) for text in every]
