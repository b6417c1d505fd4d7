"""Milestones of a training: the first word, Thai syllable and merge across graphemes."""

import io
import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer import count_graphemes, count_pre_tokens
from tokenizer.text.units import words
from tokenizer.training.corpora import own_corpora
from tokenizer.training.milestones import Milestone, is_thai_syllable, milestones, word_uses
from tokenizer.training.training_history import NO_SYMBOL, record_training
from tokenizer.training.worker import Order, serve, write_order

SYLLABLES = """
    จะ พระ ค่ะ จ๊ะ นะ วัน กับ จักร บัตร รัฐ จันทร์ ลักษณ์ พันธุ์ ตัว วัย ผัวะ มา กา การ บ้าน เก้า ข้าว ศาสตร์ การ์ด ทำ น้ำ คำ มิตร หิว สิทธิ์
    ฟิล์ม ลึก ที่ นี้ มี ปี รู้ ลูก อยู่ หมู ศุกร์ สุข คุย พุทธ คืน ปืน มือ หรือ ก็ ล็อก บล็อก เท เล เลว เลย เก่ง เพลง เมตร เร็ว เป็น เห็น เสร็จ
    เตะ เละ เกาะ เพราะ เขา เท่า เสาร์ เดิน เกิด เริ่ม เสิร์ฟ เมีย เรียน เดียว เปลี่ยน เปี๊ยะ เรือ เมื่อ เดือน เหนื่อย เธอ เจอ เทอม เยอะ แม่
    แดง แล้ว แข็ง แพะ แกะ โต โรค โดย โปรด โอ๊ย โต๊ะ ไป ไม่ ไทย ไกล ไหว้ ไฟล์ ใน ใคร ใหม่ ใหญ่ พ่อ ของ ก่อน น้อง คอย กลอง สวน รวม ด้วย
    กล้วย ขวด หลวง ธรรม กรรม พรรค วรรค ฤทธิ์ พฤกษ์ คน นม รถ ลม หก ต้น ส้ม ตรง ครบ องค์ หงส์ ผม ขวัญ กว่า ควาย กว้าง สร้าง
    จริง ทราย หมา หญิง อย่า อย่าง อยาก อา โอ เอ ครู ปลา อ่าน เอง
"""

NO_SYLLABLES = """
    ะ า ำ ิ ี่ ่ ์ ็น ั่ง ่า ้าน าร ิน ุด ึก เ แ โ ไ ใ กเ กาเ การไ มาแ ที่เ กั กั่ กื มั ตั เดิ เริ่ เกิ กลั ก ณ ฮ อ คว ๆ ฯ ๑๒
    ภาษา ประเทศ นาฬิกา สวัสดี กาแฟ ทะเล มะลิ อาหาร คนไทย พอดี ต้นไม้ กรุงเทพ ที่ดี มีนา เวลา ตัวเ สวรรค์
    ตลาด สนาม ขนม ถนน สบาย ขยะ ชนะ อร่อย สมุด สว่าง เสมอ นคร วัสดุ
    ก่่า เเม เกะา กะา กิี ใจน กำน คำา ไกา ดียว รูว ขวํ abc the กa ไทยland
"""


every_syllable = st.sampled_from(SYLLABLES.split())


def test_is_thai_syllable_by_hand():
    assert [text for text in SYLLABLES.split() if not is_thai_syllable(text)] == []
    assert [text for text in NO_SYLLABLES.split() if is_thai_syllable(text)] == []
    assert len(set(SYLLABLES.split())) > 150 and len(set(NO_SYLLABLES.split())) > 80


@given(
    every_syllable,
    every_syllable.filter(lambda text: text[0] in "เแโใไ"),
    st.sampled_from([*"ะัาำิีึืฺุู็่้๊๋ๅ"]),
    st.sampled_from([*"เแโใไ"]),
)
def test_misplaced_signs_and_two_syllables_are_no_syllable(syllable, second, sign, vowel):
    assert not is_thai_syllable(sign + syllable)
    assert not is_thai_syllable(syllable + vowel)
    assert not is_thai_syllable(syllable + second)


def found(tokens, words=()):
    history = SimpleNamespace(base=[], tokens=[token.encode() for token in tokens], crossing=NO_SYMBOL, lifted=None)
    return [(one.kind, one.step) for one in milestones(history, set(words))]


@pytest.mark.parametrize(
    "tokens, words, reached",
    [
        (["t", " t", " the"], ["the"], [("word", 2)]),
        (["  the", "the "], ["the"], []),
        (["a", "ที่"], ["a", "ที่"], [("syllable", 1)]),  # a word has two graphemes
        (["อง"], [], []),  # a syllable of letters alone must be a word
        (["คน"], ["คน"], [("syllable", 0), ("word", 0)]),
        ([" มี"], [], [("syllable", 0)]),
    ],
)
def test_milestones_of_tokens_by_hand(tokens, words, reached):
    assert found(tokens, words) == reached


def test_missing_milestones_are_absent():
    assert milestones(record_training({"a": 1}, 300), {"a"}) == []
    assert [one.kind for one in milestones(record_training({"th": 1}, 300), {"the"})] == ["crossing"]


@pytest.mark.parametrize("language", ["english", "thai"])
def test_milestones_of_own_corpora_are_the_first_such_merges(language):
    text = own_corpora()[language]
    history, known = record_training(count_pre_tokens(text), 512), word_uses(text)
    reached = {one.kind: one.step for one in milestones(history, known)}
    texts = [token.decode(errors="replace").removeprefix(" ") for token in history.tokens[256:]]
    assert reached["word"] == min(i for i, text in enumerate(texts) if text in known and count_graphemes(text) > 1)
    assert reached["crossing"] == history.crossing
    assert ("syllable" in reached) == (language == "thai")


def test_word_counts_although_it_is_more_frequent_inside_others():
    text = "thinking of things in a string " * 3
    history = record_training(count_pre_tokens(text), 300, min_count=2)
    assert history.tokens[256] == b"in"
    assert Milestone(0, "word") in milestones(history, word_uses(text))


# The words of a corpus


def test_word_uses_equal_icus_words():
    text = "Don't panic: สวัสดีครับ 42 times! こんにちは世界"
    icu = {text.encode()[start:end].decode() for start, end in words(text)}
    assert word_uses(text).keys() == icu - {"42"}


def test_word_uses_reads_only_the_beginning_of_a_corpus():
    assert word_uses("one two three", 7).keys() == {"one", "two"}
    assert word_uses(["one", "two", "three"], 6).keys() == {"one", "two"}
    assert word_uses([]) == word_uses("") == {}
    assert word_uses("lone \ud83d surrogate").keys() == {"lone", "surrogate"}


def test_milestones_of_word_trainings_ignore_case():
    source, sink = io.BytesIO(), io.BytesIO()
    write_order(source, Order(60, None, alphabet="characters", kind="words"), ("Hamburg " * 5 + "it it",))
    source.seek(0)
    serve(source, sink)
    [record] = [json.loads(line) for line in sink.getvalue().split(b"\n") if b'"milestones"' in line]
    [step] = [step for step, kind, *_ in record["milestones"] if kind == "word"]
    assert step == len("hamburg") - 2  # the last of its merges
