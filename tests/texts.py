"""Texts of every kind of trouble, for Hypothesis."""

from hypothesis import strategies as st

# Characters that split patterns care about, and some that Unicode 17 and 18 added or changed.
NASTY = list(" \n\r\t\x00\x1c\x85\xa0\ufeff\u3000\u2028'’sStTlLvVeEdDmMrRſaAǅʰéß019٣½²!/<|>") + list(
    "กที่漢あア한。，\u0301\u200d\u0e31👍🏽👩‍👦🇹🇭\ud83d\udc4dʕ\u088f\u1acf\ua7ce\U0003d000\U00011de0"
)
SPECIAL = ["<|endoftext|>", "<|fim_prefix|>", "<|endofprompt|>", "<|start|>", "<|reserved_200018|>", "<|im_start|>"]
CHUNKS = st.one_of(
    st.characters(exclude_categories=()),  # all of Unicode, lone surrogates too
    st.sampled_from(NASTY),
    st.sampled_from(SPECIAL),
    st.sampled_from(
        [" the", "Hello", "don't", "WE'LL", "สวัสดี", "漢字", "123456", "   ", "\r\n\r\n", "//\n", "def f(x):"]
    ),
)
TEXTS = st.lists(CHUNKS, max_size=40).map("".join)
