"""Difficult texts for Hypothesis."""

import sys

from hypothesis import strategies as st

# Characters that split patterns distinguish, and some that Unicode 17 and 18 added or changed.
NASTY = list(" \n\r\t\x00\x1c\x85\xa0\ufeff\u3000\u2028'’sStTlLvVeEdDmMrRſaAǅʰéß019٣½²!/<|>") + list(
    "กที่漢あア한。，\u0301\u200d\u0e31👍🏽👩‍👦🇹🇭\ud83d\udc4dʕ\u088f\u1acf\ua7ce\U0003d000\U00011de0"
)
SPECIAL = ["<|endoftext|>", "<|fim_prefix|>", "<|endofprompt|>", "<|start|>", "<|reserved_200018|>", "<|im_start|>"]
WORDS = [" the", "don't", "WE'LL", "สวัสดี", "漢字", "123456", "   ", "\r\n\r\n", "//\n", "def f(x):", "\ud83d\udc4d"]
CHUNKS = st.one_of(
    st.characters(exclude_categories=()),  # all of Unicode, lone surrogates too
    st.sampled_from(NASTY),
    st.sampled_from(SPECIAL),
    st.sampled_from(WORDS),
)
TEXTS = st.lists(CHUNKS, max_size=40).map("".join)

FEW_BYTES = st.lists(st.sampled_from([b"a", b"A", b" ", b"0", b"e", b"th", b"\n", b"\xe0\xb8", b"\x81"]), max_size=60)
PRE_TOKENS = st.binary(max_size=60) | FEW_BYTES.map(b"".join) | st.text(max_size=20).map(str.encode)

# Letters that join, marks that reorder, jamo, directions, line ends, and any other character.
LIVELY = st.text(
    st.one_of(
        st.sampled_from(
            "a1 .\n\r\u2029\x1dกี่ำ้שالé\u0301\u0323\u0327e①ﬁ½ㄱ\u1100\u1161\u11a8가각Å\u212bｶﾞ\u200d👩👦🇹🇭"
            "\u0f71\u0f72\u0f74\u2066\u2067\u2068\u2069\u202e٣\u0344\u1e9b"
        ),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=30,
)

# More levels than our functions read, and fewer than JSON's decoder; until Python 3.11 both count by one limit.
LEVELS = 800 if sys.version_info < (3, 12) else 1_200
TOO_DEEP = "[" * LEVELS + "]" * LEVELS


@st.composite
def merges_of_any_kind(draw, *letters):
    """Merges in any order and with several ways to the same bytes, which no training learns."""
    tokens, merges = list(letters), []
    for _ in range(draw(st.integers(0, 12))):
        pair = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        if pair not in merges:
            merges.append(pair)
            tokens.append(pair[0] + pair[1])
    return merges
