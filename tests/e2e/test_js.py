"""The editor's pure JavaScript modules, in the browser, against tiktoken and against models of what they promise."""

import random
import re
import string
from os.path import commonprefix
from xml.etree import ElementTree

import numpy as np
import pytest

from e2e.corpus import NO_CONTROL, PIECES, SAMPLES, edited, random_text, sliced, units
from e2e.desk import assert_boundaries, call
from tokenizer import get_encoding
from tokenizer.text.well_formed import well_formed
from ui.server.answers import answer, read_texts

PATTERNS = ["gpt2", "cl100k_base", "o200k_base"]  # an encoding of every split pattern


@pytest.fixture
def rng(request) -> random.Random:
    return random.Random(request.function.__name__)


# ---- text.js: safe cuts ----

SAFE_CUTS = """(texts) => texts.map((text) =>
  Array.from({ length: text.length + 1 }, (_, i) => i).filter((i) => isSafeCut(text, i)))"""


@pytest.mark.parametrize("special", ["text", "special"])
def test_tokens_of_both_sides_of_a_safe_cut_are_those_of_the_whole(modules, rng, special):
    texts = [random_text(rng, 12) for _ in range(6000)]
    cuts = call(modules, SAFE_CUTS, texts)
    assert sum(map(len, cuts)) > 2000
    for name in [*PATTERNS, "o200k_harmony"]:
        enc = get_encoding(name)
        for text, places in zip(texts, cuts, strict=True):
            whole = enc.encode(text, special=special) if places else []
            for at in places:
                left, right = sliced(text, 0, at), sliced(text, at, None)
                both = enc.encode(left, special=special) + enc.encode(right, special=special)
                assert both == whole, f"{name}: {left!r} | {right!r}"


def test_every_kind_of_safe_cut_is_found(modules):
    texts = ["line\nnext", "two words", "文字。次", "a\n/b", "a \nb", "a\n\nb", "a  b", "。。", "a\u0085b"]
    assert call(modules, SAFE_CUTS, texts) == [[5], [3], [2], [], [], [], [], [], []]


@pytest.mark.parametrize(
    "pieces", [PIECES, string.ascii_letters, [*"ab .", "\n", "。", "文"]], ids=["all", "letters", "few"]
)
def test_cut_ends_are_safe_cuts_in_order(modules, rng, pieces):
    texts = [random_text(rng, 6000, list(pieces)) for _ in range(8)]
    ends = "(texts) => texts.map((text) => text.length ? cutEnds(text, 0, text.length) : [])"
    safe = call(modules, SAFE_CUTS, texts)
    for text, found, allowed in zip(texts, call(modules, ends, texts), safe, strict=True):
        assert found == sorted(set(found))
        assert not text or found[-1] == units(text)
        assert set(found[:-1]) <= set(allowed)


# ---- document.js ----

CHUNKS_AFTER_EDITS = """(texts, cuts) => {
  const doc = new Document();
  doc.cuts = cuts;
  return texts.map((text) => {
    const before = doc.chunks.slice(), { gone, fresh, at } = doc.edit(text);
    return {
      text: doc.text,
      chunks: doc.chunks.map((chunk) => chunk.text),
      offsets: doc.chunks.map((chunk) => chunk.offset),
      startsLine: doc.chunks.every(
        ({ offset, startsLine }) => startsLine === (offset === 0 || doc.text[offset - 1] === '\\n')),
      consistent: before.slice(at, at + gone.length).every((chunk, i) => chunk === gone[i])
        && doc.chunks.slice(at, at + fresh.length).every((chunk, i) => chunk === fresh[i]),
    };
  });
}"""


def documents(rng: random.Random, edits: int = 40) -> list[str]:
    """A long text in the states it goes through as it is edited, as the encoders read it."""
    texts = [random_text(rng, 4000)]
    for _ in range(edits):
        texts.append(edited(rng, texts[-1]))
    return [well_formed(text)[0] for text in texts]


def test_chunks_join_to_the_text_and_their_tokens_to_the_whole(modules, rng):
    for _ in range(3):
        texts = documents(rng)
        for text, after in zip(texts, call(modules, CHUNKS_AFTER_EDITS, texts, True), strict=True):
            assert after["text"] == text == "".join(after["chunks"])
            assert all(after["chunks"]) and after["startsLine"] and after["consistent"]
            assert after["offsets"] == [units("".join(after["chunks"][:i])) for i in range(len(after["chunks"]))]
            for name in PATTERNS:
                enc = get_encoding(name)
                assert sum((enc.encode(chunk) for chunk in after["chunks"]), []) == enc.encode(text), name


def test_small_edits_leave_most_chunks_alone(modules, rng):
    lines = [random_text(rng, 12, [*"abc "]) + "x" for _ in range(2000)]
    text = "\n".join(lines)
    place = len(text) // 2
    chunks = """(texts) => {
      const doc = new Document();
      return texts.map((text) => doc.edit(text).fresh.length);
    }"""
    first, *after = call(modules, chunks, [text, *(text[:place] + "y" * n + text[place:] for n in range(1, 50))])
    assert first > 10
    assert max(after) <= 2


def test_a_text_without_cuts_is_one_chunk(modules, rng):
    texts = [text for text in documents(rng, 5) if text]
    assert [len(after["chunks"]) for after in call(modules, CHUNKS_AFTER_EDITS, texts, False)] == [1] * len(texts)


def test_tally_of_distinct_tokens_follows_the_edits(modules, rng):
    # Stand-in tokens, one a UTF-16 unit: what counts is that each is put in and taken out once.
    script = """(texts) => {
      const doc = new Document();
      return texts.map((text) => {
        const { gone, fresh } = doc.edit(text);
        doc.forget(gone);
        for (const chunk of fresh) {
          const ids = Uint32Array.from(chunk.text, (letter) => letter.codePointAt(0));
          const lengths = ids.map((id) => new TextEncoder().encode(String.fromCodePoint(id)).length);
          doc.settle(chunk, { ...side(Array.from(lengths)), ids }, []);
        }
        doc.number();
        const last = doc.find(doc.numTokens - 1);
        return [doc.tally.size, doc.numTokens, doc.find(doc.numTokens), last && last.chunk.base + last.k];
      });
    }"""
    texts = documents(rng, 20)
    for text, (distinct, total, beyond, last) in zip(texts, call(modules, script, texts), strict=True):
        assert (distinct, total) == (len(set(text)), len(text))
        assert beyond is None and last == (len(text) - 1 if text else None)


# ---- text.js: line ends, surrogates ----


def shown(raw: str) -> str:
    return raw.replace("\r\n", "\n").replace("\r", "\n")


def raw_offset(raw: str, at: int) -> int:
    """Where offset `at` of shown(raw) is in raw."""
    return next(i for i in range(len(raw) + 1) if raw[i - 1 : i + 1] != "\r\n" and len(shown(raw[:i])) == at)


def joined(*parts: str) -> str:
    """The parts in a row; a lone \\r that meets a \\n becomes one itself, or two line ends would be one."""
    raw = ""
    for part in parts:
        ends = len(raw) - len(raw.rstrip("\r")) if part.startswith("\n") else 0
        raw = raw[: len(raw) - ends] + "\n" * ends + part
    return raw


def after_paste(raw: str, start: int, end: int, put: str) -> set[str]:
    """All that raw may be after `put` went in the place of shown(raw)[start:end]: it may fit in several places."""
    before, size = shown(raw), end - start
    value = before[:start] + shown(put) + before[end:]
    return {
        joined(raw[: raw_offset(raw, at)], put, raw[raw_offset(raw, at + size) :])
        for at in range(len(before) - size + 1)
        if before[:at] + shown(put) + before[at + size :] == value
    }


def after_typing(raw: str, start: int, end: int, put: str) -> set[str]:
    """All that raw may be after an edit of which only the result is known: as much of raw as possible stays."""
    before = shown(raw)
    value = before[:start] + put + before[end:]
    front, back = len(commonprefix([before, value])), len(commonprefix([before[::-1], value[::-1]]))
    kept = min(front + back, len(before), len(value))
    gone, come = len(before) - kept, len(value) - kept
    return {
        joined(raw[: raw_offset(raw, at)], value[at : at + come], raw[raw_offset(raw, at + gone) :])
        for at in range(kept + 1)
        if at <= front and kept - at <= back
    }


@pytest.mark.parametrize("pasting", [False, True], ids=["typed", "pasted"])
@pytest.mark.parametrize(
    "ends", [["\r\n"], ["\r\n", "\n"], ["\r\n", "\n", "\r"]], ids=["CRLF", "CRLF+LF", "CRLF+LF+CR"]
)
def test_line_ends_outside_an_edit_stay_and_a_paste_brings_its_own(modules, rng, ends, pasting):
    cases = []
    for _ in range(1500):
        raw = "".join(rng.choices([*"abc", "ที่", "👍", *ends], k=rng.randint(0, 8)))
        start = rng.randint(0, len(shown(raw)))
        end = min(len(shown(raw)), start + rng.choice([0, 0, 1, 2]))
        put = "".join(rng.choices([*"abX", *(ends if pasting else ["\n"])], k=rng.randint(0, 4)))
        cases.append((raw, start, end, put))
    values = [shown(raw)[:start] + shown(put) + shown(raw)[end:] for raw, start, end, put in cases]
    script = "(cases) => cases.map(([raw, value, pasted]) => rawAfterEdit(raw, value, pasted))"
    arguments = [[case[0], value, case[3] if pasting else None] for case, value in zip(cases, values, strict=True)]
    for case, value, after in zip(cases, values, call(modules, script, arguments), strict=True):
        assert shown(after) == value, f"{case} became {after!r}, which a textarea shows as {shown(after)!r}"
        if value != shown(case[0]):
            assert after in (after_paste if pasting else after_typing)(*case), f"{case} became {after!r}"


def test_offsets_of_the_textarea_are_found_in_the_raw_text(modules, rng):
    raws = [random_text(rng, 6, [*"ab", "\r\n", "\n", "\r"]) for _ in range(300)]
    script = "(raws) => raws.map((raw) => Array.from({ length: shown(raw).length + 1 }, (_, at) => rawOffset(raw, at)))"
    for raw, offsets in zip(raws, call(modules, script, raws), strict=True):
        assert offsets == [raw_offset(raw, at) for at in range(len(shown(raw)) + 1)], repr(raw)


def test_lone_surrogates_are_replaced_as_the_encoders_do(modules, rng):
    texts = [random_text(rng, 10, ["a", "\ud83d", "\udc4d", "👍", "\ufffd"]) for _ in range(500)]
    assert call(modules, "(texts) => texts.map(wellFormed)", texts) == [well_formed(text)[0] for text in texts]


# ---- colors.js ----


def test_neighbours_differ_and_untouched_tokens_keep_their_colour(modules, rng):
    script = """(cases) => cases.map(({ ids, old, colors, left, right }) => {
      const before = { ids: Uint32Array.from(old), colors: Uint8Array.from(colors) };
      const { colors: own, kept } = recolor(Uint32Array.from(ids), before, left, right);
      return { colors: Array.from(own), kept };
    })"""
    cases = []
    for _ in range(3000):
        old = rng.choices(range(5), k=rng.randint(0, 9))
        row = [rng.randint(0, 6)]
        while len(row) < len(old) + 2:
            row.append(rng.choice([color for color in range(7) if color != row[-1]]))
        left, right = rng.choice([row[0], -1]), rng.choice([row[-1], -1])
        start = rng.randint(0, len(old))
        end = min(len(old), start + rng.randint(0, 3))
        ids = old[:start] + rng.choices(range(5), k=rng.randint(0, 3)) + old[end:]
        cases.append({"ids": ids, "old": old, "colors": row[1:-1], "left": left, "right": right})
    for case, answered in zip(cases, call(modules, script, cases), strict=True):
        ids, old, old_colors, colors = case["ids"], case["old"], case["colors"], answered["colors"]
        front, back = answered["kept"]
        assert len(colors) == len(ids) and all(0 <= color < 7 for color in colors)
        row = [case["left"], *colors, case["right"]] if colors else []
        assert all(a != b for a, b in zip(row, row[1:], strict=False)), (case, colors)
        assert ids[:front] == old[:front] and ids[len(ids) - back :] == old[len(old) - back :]
        assert front + back <= min(len(ids), len(old))
        # Where tokens went and none came, one of the two that now meet has to change.
        sure = front if len(ids) > front + back else max(0, front - 1)
        if ids == old:
            sure = len(ids)
        assert colors[:sure] == old_colors[:sure], (case, colors)
        sure = back if len(ids) > back or ids == old else max(0, back - 1)
        assert colors[len(ids) - sure :] == old_colors[len(old) - sure :], (case, colors)


# ---- pieces.js ----

PIECES_OF = """(texts, rows) => texts.map((text, i) => {
  const chunk = new Chunk(text, true);
  chunk.settle(side(rows[i]), new Uint8Array(rows[i].length));
  const ends = [0];
  for (const { segment } of new Intl.Segmenter('und').segment(text)) ends.push(ends[ends.length - 1] + segment.length);
  const parts = partsOf(chunk, 3).map(({ text, pieces }) => ({ text, pieces }));
  return { graphemes: ends, pieces: piecesOf(chunk), parts };
})"""


@pytest.mark.parametrize("name", PATTERNS)
def test_pieces_hold_whole_graphemes_and_every_token_once_in_order(modules, rng, name):
    enc = get_encoding(name)
    texts = [*SAMPLES.values(), *(well_formed(random_text(rng, 12))[0] for _ in range(800))]
    tokens = [enc.tokenize(text) for text in texts]
    rows = [(own.ends - own.starts).tolist() for own in tokens]
    for text, own, found in zip(texts, tokens, call(modules, PIECES_OF, texts, rows), strict=True):
        pieces, ends = found["pieces"], set(found["graphemes"])
        assert "".join(piece["text"] for piece in pieces) == text
        at = 0
        for piece in pieces:
            at += units(piece["text"])
            assert at in ends, f"{name}: a piece of {text!r} ends inside a grapheme"
            assert piece["to"] - piece["at"] == len(piece["text"].encode())
        assert_boundaries(
            [[[piece["first"], piece["last"] - piece["first"] + 1, piece["text"]] for piece in pieces]], own
        )
        assert [piece for part in found["parts"] for piece in part["pieces"]] == pieces
        assert [part["text"] for part in found["parts"]] == [
            "".join(piece["text"] for piece in part["pieces"]) for part in found["parts"]
        ]


# ---- link.js ----

ROUND_TRIP = "async (texts) => Promise.all(texts.map(async (text) => textFrom('#' + await fragmentFor(text))))"
READ = """async (fragments) => Promise.all(fragments.map(async (fragment) => {
  try { return { text: await textFrom(fragment) }; } catch (error) { return { error: error.message }; }
}))"""


def test_a_link_brings_the_text_back(modules, rng):
    longest = ["a" * 2000, "ที่" * 666 + "กก", "👍" * 2000, "".join(map(chr, range(0x4E00, 0x4E00 + 2000)))]
    texts = [*SAMPLES.values(), *longest, *(well_formed(random_text(rng, 40))[0] for _ in range(200))]
    assert call(modules, ROUND_TRIP, texts) == texts


def test_a_text_over_2000_characters_has_no_link(modules):
    fragments = call(
        modules, "async (texts) => Promise.all(texts.map(fragmentFor))", ["a" * 2001, "👍" * 2001, "a" * 9999]
    )
    assert fragments == [None] * 3


def test_a_link_that_was_cut_off_is_refused(modules):
    whole = call(modules, "(text) => fragmentFor(text)", "The same thought costs more. ความคิด 👍 " * 5)
    cut = [whole[:end] for end in range(whole.index("&t=") + 3, len(whole))]
    for fragment, answered in zip(cut, call(modules, READ, cut), strict=True):
        assert "damaged" in answered.get("error", ""), f"{fragment!r} of {whole!r} gave {answered}"


def test_a_link_that_was_changed_is_refused(modules):
    text = "The same thought costs more. ความคิด 👍 " * 5
    whole = call(modules, "(text) => fragmentFor(text)", text)
    start = whole.index("&t=") + 3
    broken = [whole[:at] + ("A" if whole[at] != "A" else "B") + whole[at + 1 :] for at in range(start, len(whole) - 1)]
    wrong = [got["text"] for got in call(modules, READ, broken) if got.get("text") not in (None, text)]
    assert not wrong, (
        f"{len(wrong)} of {len(broken)} links with one wrong letter silently gave another text: {wrong[0]!r}"
    )


@pytest.mark.parametrize("fragment", ["#v=1", "#v=1&t=", "#v=1&t=!!!", "#v=1&t=%00%ff", "#v=1&t=AAAA", "v=1&t=__79"])
def test_a_link_with_nonsense_is_refused(modules, fragment):
    [answered] = call(modules, READ, [fragment])
    assert "damaged" in answered["error"]


def test_a_link_of_a_newer_version_says_so(modules):
    [newer, none] = call(modules, READ, ["#v=2&t=AwA", "#section"])
    assert "newer version (v=2)" in newer["error"]
    assert none == {"text": None}


def test_a_link_that_unfolds_without_end_is_refused(modules):
    bomb = """async () => {
      const stream = new Blob([new Uint8Array(50_000_000)]).stream().pipeThrough(new CompressionStream('deflate'));
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      let text = '';
      for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
      const fragment = 'v=1&t=' + btoa(text).replaceAll('+', '-').replaceAll('/', '_');
      return textFrom(fragment).catch((error) => error.message);
    }"""
    assert "damaged" in call(modules, bomb)


# ---- wire.js ----


def test_questions_are_read_as_they_were_meant(modules, rng):
    script = "(texts) => Array.from(question(texts.map((text) => new Chunk(text, true))))"
    for texts in [[], [""], ["a", "", "ที่👍\0"], [well_formed(random_text(rng, 30))[0] for _ in range(50)]]:
        assert read_texts(bytes(call(modules, script, texts))) == texts


def test_answers_are_read_as_they_were_meant(modules, rng):
    texts = [well_formed(random_text(rng, 30))[0] for _ in range(50)]
    enc = get_encoding("o200k_base")
    head = np.array([len(texts), *(len(text.encode()) for text in texts)], "<u4").tobytes()
    body = answer("tokens", {"encoding": enc.name}, head + "".join(texts).encode())
    script = """(body) => {
      const [, all] = tokenAnswers(Uint8Array.from(body).buffer);
      const lengths = ({ starts, ends }) => Array.from(ends, (end, k) => end - starts[k]);
      return [all.map(({ ids }) => Array.from(ids)), all.map(lengths)];
    }"""
    ids, lengths = call(modules, script, list(body))
    tokens = [enc.tokenize(text) for text in texts]
    assert ids == [own.ids for own in tokens]
    assert lengths == [(own.ends - own.starts).tolist() for own in tokens]


# ---- svg.js ----


def test_escaped_text_is_xml_that_reads_as_the_text(modules, rng):
    texts = [well_formed(random_text(rng, 20, NO_CONTROL))[0] for _ in range(300)]
    for text, xml in zip(texts, call(modules, "(texts) => texts.map(escapeXml)", texts), strict=True):
        clean = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", text)
        assert (ElementTree.fromstring(f"<a b=\"{xml}\" c='{xml}'>{xml}</a>").text or "") == clean


def test_every_character_is_escaped_into_xml_that_parses(modules):
    every = "".join(chr(i) for i in [*range(0xD800), *range(0xE000, 0x10000), 0x1F44D, 0x10FFFF])
    xml = call(modules, "(text) => escapeXml(text)", every)
    assert len(ElementTree.fromstring(f"<a>{xml}</a>").text) == len(every)
    assert not set(xml) & set("<>\"'")
