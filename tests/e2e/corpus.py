"""Texts that are difficult for tokenizers and browsers, and random texts from such pieces."""

import random

# White space, line ends, contractions, case folding, scripts without spaces, clusters, lone surrogates.
PIECES = [
    *" \t\n\r\v\f",
    *["\u0085", "\u00a0", "\u1680", "\u2003", "\u2028", "\u2029", "\u202f", "\u3000", "\ufeff", "\u200b", "\u200d"],
    *["\r\n", "\n\n", "\r\r\n", " \n", "\n ", "  ", "   ", " \t "],
    *["'", "'s", "'S", "'ſ", "'ll", "'VE", "’t", "it's", " don't"],
    *["a", "Z", "the", " World", "ǅ", "ʰ", "é", "e\u0301", "\u0301", "ß", "İ"],
    *["7", "42", "1234567", "๑๒", "½", "Ⅷ"],
    *["/", "!", "!/", "//\n", "\n/", "...", ", ", "-", "_", "<|", "|>", "<|endoftext|>", "<|fim_prefix|>", "<|end|>"],
    *["ที่", "น้ำ", "ความคิด", "\u0e48", "เ", "ไทย "],
    *["中", "文字。", "，", "かな、", "カ", "한국", "；", "：x", "々。", "ー"],
    *["👍", "👩‍👩‍👧", "🇹🇭", "🏳️‍🌈", "👍🏽", "\u0627\u0644", "שלום", "हिन्दी"],
    *["\ud83d", "\udc4d", "\x00", "\x07", "\x7f", "\uffff"],
]
NO_CONTROL = [piece for piece in PIECES if "\r" not in piece and not "\ud800" <= piece <= "\udfff"]

SAMPLES = {
    "thai": "ความคิดเดียวกันแพงกว่า\nเมื่อเขียนด้วยอักษรอื่น ที่นี่",
    "emoji": "👩‍👩‍👧 🇹🇭 👍🏽 ☺️",
    "byte order mark": "\ufeffbegins with a mark",
    "CRLF": "one\r\ntwo\r\n\r\nthree\r",
    "NUL": "a\x00b",
    "marks": "e\u0301 \u0301 \u0e48",
    "markup": "<img src=x onerror=alert(1)> </script> \"quotes\" 'too' & &amp;",
    "empty": "",
}


def utf16(text: str) -> str:
    """Returns `text` as in JavaScript, where adjacent surrogates form one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def units(text: str) -> int:
    """Returns the length of `text` in UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def random_text(rng: random.Random, most: int) -> str:
    """Returns up to `most` random pieces without control characters, joined."""
    return utf16("".join(rng.choices(NO_CONTROL, k=rng.randint(0, most))))


def edited(rng: random.Random, text: str) -> str:
    """Returns `text` after one random edit without control characters."""
    start = rng.randint(0, len(text))
    end = min(len(text), start + rng.choice([0, 0, 1, 2, 5, 40]))
    put = random_text(rng, rng.choice([0, 1, 2, 8]))
    return utf16(text[:start] + put + text[end:])
