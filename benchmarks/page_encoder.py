"""Compares the encoder of the page with tiktoken in real browsers: texts, edits, and the first merges of vocabularies.

    python benchmarks/page_encoder.py [--texts N] [--edits N] [--sizes N] [--seed N] [--first BATCH] [chromium] …

1. Every code point of the planes with characters in several contexts, by an encoding of each split pattern.
2. Difficult texts, a thousand a batch: each is encoded by three encodings, which take turns.
3. Edits of documents, a hundred of each: the ids of the whole text after each edit.
4. Texts by the first N merges of an encoding, ten random N for a hundred texts, also against naive byte-pair encoding.

Encodings are those of the app with the encoder of the page, one of each rank table and pattern, and a trained one. The
characters that a browser has in other categories than tiktoken are printed first: the page takes tiktoken's, so these
must not matter. Texts that the page leaves to the server are counted; each is compared in one encoding only, by the
encoder of the page without a server, since a long pre-token takes time by its squared length. All browsers work at
the same time.
"""

import argparse
import json
import math
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import _serving
import numpy as np
from browsers.conftest import ENGINES
from browsers.engine import Engine
from difficult_texts import difficult_text
from oracles import naive_parts, oracle

from server.encodings import rank_tables
from server.encodings.encoding_store import StoredEncoding
from server.exports.take_home import encoder_facts
from tokenizer import Encoding, count_pre_tokens, encoding_from_merges, get_encoding, list_encoding_names
from tokenizer.encoding.bpe import first_merges
from tokenizer.kinds import open_models
from tokenizer.kinds.byte_bpe import byte_bpe, category_ranges
from tokenizer.training.corpora import own_corpora
from tokenizer.training.training_history import record_training

BATCH, ENCODINGS_OF_TEXT, REPORT_ROUNDS = 1_000, 3, 25
DOCUMENTS, EDITS = 10, 100  # of a batch, and of a document
MAX_DOCUMENT_UNITS = 4_000
NUM_SIZES_PER_TEXT, TEXTS_OF_SIZES, MAX_NAIVE_CHARACTERS = 10, 100, 200
MAX_SHOWN = 20  # differences of a comparison in a browser
CATEGORIES = ["L", "M", "N", "Lu", "Ll", "Lt", "Lm", "Lo"]
BLOCK_CODE_POINTS = 128
CONTEXTS = "a{0}b {0} 1{0}2 '{0}l'{0}L{0}'s{0}\r\n{0}{0}A{0}a\u0301{0}/{0}"
MODULE = "(await import('/benchmarks/page_encoder.js'))"


class TestFiles(SimpleHTTPRequestHandler):
    """Serves the files of the repository, and what `given` has by name."""

    given: dict[str, bytes] = {}

    def do_GET(self) -> None:
        folder, _, name = self.path.lstrip("/").partition("/")
        if folder == "given":
            self.send_response(200)
            self.send_header("Content-Length", str(len(self.given[name])))
            self.end_headers()
            self.wfile.write(self.given[name])
        else:
            super().do_GET()

    def log_message(self, *_) -> None:
        pass


def give(name: str, value: object) -> None:
    """Gives a value to the browsers as JSON, in which lone surrogates are escaped."""
    TestFiles.given[name] = json.dumps(value).encode()


def give_ids(rows: list[list[int]]) -> None:
    """Gives rows of ids to the browsers."""
    parts = [[len(rows)], [len(row) for row in rows], *rows]
    TestFiles.given["ids"] = np.concatenate([np.array(part, "<u4") for part in parts]).tobytes()


@contextmanager
def opened(kinds: list[str]) -> Iterator[dict[str, Engine]]:
    """Opens browsers on a page that can import the JavaScript of this repository by path."""
    files = ThreadingHTTPServer(("127.0.0.1", 0), partial(TestFiles, directory=str(_serving.ROOT)))
    threading.Thread(target=files.serve_forever, daemon=True).start()
    with ExitStack() as stack:
        engines = {}
        for kind in kinds:
            folder = stack.enter_context(TemporaryDirectory())
            engines[kind] = stack.enter_context(closing(ENGINES[kind](Path(folder))))
            engines[kind].go(f"http://127.0.0.1:{files.server_port}/web/tokens.css")
        yield engines


def give_encodings(encodings: dict[str, Encoding], engines: dict[str, Engine]) -> None:
    """Has each browser make the encoders of these encodings."""
    entries = [StoredEncoding(name, encoding) for name, encoding in encodings.items()]
    give("facts", [encoder_facts(entry) for entry in entries])
    for i, encoding in enumerate(encodings.values()):
        TestFiles.given[f"table/{i}"] = rank_tables.packed(encoding)
    for engine in engines.values():
        engine.run(f"async () => {MODULE}.prepare()")


# ---- encodings ----


def trained() -> Encoding:
    """Returns an encoding trained on our corpora."""
    words = count_pre_tokens("\n".join(own_corpora().values()), "o200k_base")
    return encoding_from_merges(record_training(words, 2_000).merges, "o200k_base")


def encodings() -> dict[str, Encoding]:
    """Returns the encodings that the page encodes with, one of each rank table and pattern."""
    names = [*list_encoding_names(), *(model.key for model in open_models.MODELS if model.is_here)]
    found, known = {}, {}
    for name, encoding in [*((name, get_encoding(name)) for name in names), ("trained", trained())]:
        if (facts := rank_tables.page_encoder(name, encoding, "")) is None:
            continue
        same = known.setdefault((facts["pattern"], encoding.fingerprint), name)
        if same == name:
            found[name] = encoding
        else:
            print(f"{name} is {same} with other special tokens")
    return found


# ---- what is compared ----


def sweep() -> Iterator[list[str]]:
    """Yields batches of texts with code points in several contexts, lone surrogates too.

    Of planes without characters, and of private use, the first ones are enough.
    """
    starts = [one for one in range(0, 0x110000, BLOCK_CODE_POINTS) if one < 0x34000 or one % 0x10000 < 0x200]
    texts = ["".join(CONTEXTS.format(chr(first + i)) for i in range(BLOCK_CODE_POINTS)) for first in starts]
    yield from (texts[i : i + 100] for i in range(0, len(texts), 100))


def edited(draw: Random) -> Iterator[tuple[int, int, str, str]]:
    """Yields edits of a document: first and last UTF-16 unit, the text in their place, and the whole text after it."""
    units = b""
    for number in range(EDITS):
        length = len(units) // 2
        start = draw.randint(0, length)
        kind = draw.random()
        end = min(length, start + (draw.randint(1, 40) if kind < 0.4 else 0))
        put = difficult_text(draw)[:300] if kind > 0.3 else draw.choice([*"aกé \n1,👍"])
        if number == 0:
            put = "".join(difficult_text(draw) for _ in range(30))[:2_000]
        elif length > MAX_DOCUMENT_UNITS:
            start, end, put = length // 4, length // 2, ""
        elif draw.random() < 0.2:
            put = ""
        units = units[: 2 * start] + put.encode("utf-16-le", "surrogatepass") + units[2 * end :]
        yield start, end, put, units.decode("utf-16-le", "surrogatepass")


class Comparison:
    """The browsers, and what they found."""

    def __init__(self, engines: dict[str, Engine], encodings: dict[str, Encoding]):
        self.engines, self.encodings, self.names = engines, encodings, list(encodings)
        self.counts: Counter = Counter()
        self.begun = None  # what the browsers compare now, how many of each encoding, and words for a difference
        patterns = [encoding.pattern for encoding in encodings.values()]
        self.first = [i for i, pattern in enumerate(patterns) if pattern not in patterns[:i]]
        self.libraries = [
            oracle(name) if name in list_encoding_names() else encoding.model.tiktoken
            for name, encoding in encodings.items()
        ]
        give_encodings(encodings, engines)

    def count(self, engine: str, what: str, name: str, number: int) -> None:
        self.counts[engine, what, name] += number

    def ask(self, what: str, call: str, given: dict, ids: list[list[int]], compared: dict[str, int], describe) -> None:
        """Has all browsers compare these values and ids, while the next ones are made."""
        self.finish()
        for name, value in given.items():
            give(name, value)
        give_ids(ids)
        for engine in self.engines.values():
            engine.run(f"async () => {{ window.found = {MODULE}.{call}; }}")
        self.begun = what, compared, describe

    def finish(self) -> None:
        """Waits until the browsers have compared, and counts comparisons and differences by encoding."""
        if self.begun is None:
            return
        (what, compared, describe), self.begun = self.begun, None
        for kind, engine in self.engines.items():
            found = engine.run("() => window.found")
            for name, number in compared.items():
                self.count(kind, what, name, number)
            for k, number in found.get("skipped", {}).items():
                self.count(kind, what, self.names[int(k)], -number)
            self.count(kind, f"{what}, left to the server", "", found["alone"])
            for one in found["different"]:
                name, words = describe(*one)
                self.count(kind, f"{what}, differ", name, 1)
                if self.counts[kind, f"{what}, differ", name] <= MAX_SHOWN:
                    print(f"{kind}, {what}, {name}: {words}", flush=True)

    def compare_texts(self, what: str, texts: list[str], chosen: list[int]) -> None:
        wanted = [self.libraries[k].encode_ordinary_batch(texts, num_threads=1) for k in chosen]
        ids = [row for rows in wanted for row in rows]

        def describe(k: int, i: int, ids: list[int]) -> tuple[str, str]:
            return self.names[k], f"{texts[i]!r} has the ids {ids}"

        compared = {self.names[k]: len(texts) for k in chosen}
        self.ask(what, f"compareTexts({chosen})", {"texts": texts}, ids, compared, describe)

    def compare_difficult_texts(self, draw: Random, number: int) -> None:
        chosen = [(number * ENCODINGS_OF_TEXT + i) % len(self.names) for i in range(ENCODINGS_OF_TEXT)]
        self.compare_texts("texts", [difficult_text(draw) for _ in range(BATCH)], chosen)

    def compare_edits(self, draw: Random, number: int) -> None:
        documents, rows, compared = [], [], Counter()
        for i in range(DOCUMENTS):
            k = (number * DOCUMENTS + i) % len(self.names)
            edits = list(edited(draw))
            documents.append({"encoding": k, "edits": [edit[:3] for edit in edits]})
            rows += [self.libraries[k].encode_ordinary(text) for *_, text in edits]
            compared[self.names[k]] += len(edits)

        def describe(i: int, number: int, text: str) -> tuple[str, str]:
            return self.names[documents[i]["encoding"]], f"edit {documents[i]['edits'][number]} gives {text!r}"

        self.ask("edits", "compareEdits()", {"edits": documents}, rows, compared, describe)

    def compare_sizes(self, draw: Random, number: int) -> None:
        k = number % len(self.names)
        encoding = list(self.encodings.values())[k]
        total = sum(len(token) > 1 for token in encoding.ranks)
        sizes = [round(math.expm1(draw.random() * math.log1p(total))) for _ in range(NUM_SIZES_PER_TEXT)]
        texts = [difficult_text(draw)[:MAX_NAIVE_CHARACTERS] for _ in range(TEXTS_OF_SIZES)]
        rows = [[] for _ in texts]
        for n in sizes:
            ranks = first_merges(encoding.ranks, n)
            core = byte_bpe("cut", encoding.pattern, ranks)
            for text, row in zip(texts, rows, strict=True):
                tokens = core.tokenize(text)
                pieces = [piece.encode() for _, piece in core.model.pieces(tokens.text)]
                naive = [ranks[part] for piece in pieces for part in naive_parts(piece, ranks)]
                if tokens.ids != naive:
                    self.count("core", "first merges, differ from naive encoding", self.names[k], 1)
                    print(f"{self.names[k]}, the first {n} merges: {text!r}")
                row.append(tokens.ids)

        def describe(n: int, text: str, ids: list[int]) -> tuple[str, str]:
            return self.names[k], f"the first {n} merges, {text!r}: {ids}"

        compared = {self.names[k]: NUM_SIZES_PER_TEXT * TEXTS_OF_SIZES}
        ids = [one for row in rows for one in row]
        self.ask("first merges", f"compareSizes({k}, {sizes})", {"texts": texts}, ids, compared, describe)

    def report_categories(self) -> None:
        """Prints the characters of each category that a browser and tiktoken do not agree on."""
        for kind, engine in self.engines.items():
            theirs = engine.run(f"async (names) => names.map({MODULE}.rangesOf)", CATEGORIES)
            theirs, ours = ([*map(points, one)] for one in (theirs, map(category_ranges, CATEGORIES)))
            disputed = set().union(*(one ^ other for one, other in zip(theirs, ours, strict=True)))
            known, known_to_tiktoken = (set().union(*one) for one in (theirs, ours))
            for words, some in (
                ("known to the browser alone", disputed - known_to_tiktoken),
                ("known to tiktoken alone", disputed - known),
                ("in other categories", disputed & known & known_to_tiktoken),
            ):
                print(f"{kind}: {len(some):,} characters are {words}{': ' * bool(some)}{runs(some)}", flush=True)

    def report(self) -> None:
        """Prints all counts: in each browser the sum, then each encoding."""
        self.finish()
        total: dict[tuple[str, str], Counter] = {}
        for (kind, what, name), number in self.counts.items():
            total.setdefault((what, kind), Counter())[name] += number
        for (what, kind), names in sorted(total.items()):
            parts = ", ".join(f"{name} {number:,}" for name, number in names.items() if name)
            print(f"{kind}: {what}: {names.total():,}{f' ({parts})' if parts else ''}", flush=True)


def points(ranges: list[int]) -> set[int]:
    """Returns the code points of runs."""
    return {one for first, last in zip(ranges[::2], ranges[1::2], strict=True) for one in range(first, last + 1)}


def runs(some: set[int]) -> str:
    """Returns code points in words, a run as its first and last one."""
    starts, ends = ([one for one in sorted(some) if one + step not in some] for step in (-1, 1))
    return " ".join(f"{a:04X}" if a == b else f"{a:04X}–{b:04X}" for a, b in zip(starts, ends, strict=True))


def main() -> None:
    read = argparse.ArgumentParser()
    for name, usual in (("texts", 20_000), ("edits", 2_000), ("sizes", 100), ("seed", 1), ("first", 0)):
        read.add_argument(f"--{name}", type=int, default=usual)
    read.add_argument("engines", nargs="*", default=["chromium"])
    asked = read.parse_args()
    with opened(asked.engines) as engines:
        found = Comparison(engines, encodings())
        found.report_categories()
        kinds = {"texts": (found.compare_difficult_texts, BATCH), "edits": (found.compare_edits, DOCUMENTS * EDITS)}
        kinds["sizes"] = found.compare_sizes, TEXTS_OF_SIZES
        rounds = max(getattr(asked, kind) // batch for kind, (_, batch) in kinds.items())
        for number in range(rounds):  # each kind is spread over them
            for kind, (compare, batch) in kinds.items():
                done, wanted = (one * (getattr(asked, kind) // batch) // rounds for one in (number, number + 1))
                if wanted > done:
                    compare(Random(f"{asked.seed} {kind} {asked.first + done}"), asked.first + done)
            if number % REPORT_ROUNDS == REPORT_ROUNDS - 1:
                found.report()
        for texts in sweep() if not asked.first else ():
            found.compare_texts("code points in contexts", texts, found.first)
        found.report()


if __name__ == "__main__":
    main()
