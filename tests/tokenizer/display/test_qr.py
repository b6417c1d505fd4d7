"""QR codes of links: dark on light with a quiet zone; too long texts raise."""

import re

import pytest
import segno

from tokenizer.display.qr import MAX_QR_BYTES, TooLongForCode, qr_svg

LINK = "http://192.168.1.5:8501/hood?view=scripts#v=1&t=eJx7sGP6gx1bH-zsUMjPS1UoycgvTc8oAQCMqgsj"


def modules(svg: str) -> list[list[int]]:
    """The modules of the code in a picture, with its quiet zone."""
    size = int(re.search(r'viewBox="0 0 (\d+) \1"', svg)[1])
    found = [[0] * size for _ in range(size)]
    x = y = 0.0
    for kind, numbers in re.findall(r"([Mmh])([-\d. ]+)", re.search(r'stroke="#000" d="([^"]+)"', svg)[1]):
        first, *second = map(float, numbers.split())
        if kind == "M":
            x, y = first, second[0]
        elif kind == "m":
            x, y = x + first, y + second[0]
        else:
            for i in range(int(first)):
                found[int(y)][int(x) + i] = 1
            x += first
    return found


@pytest.mark.parametrize("text", [LINK, "ที่ 👍", "x" * MAX_QR_BYTES])
def test_qr_svg_equals_segnos_code(text):
    svg = qr_svg(text).decode()
    code = segno.make(text, error="m", micro=False, boost_error=False, mode="byte", encoding="utf-8")
    assert modules(svg) == [list(row) for row in code.matrix_iter(border=4)]
    assert code.error == "M" and '<path fill="#fff" d="M0 0h' in svg  # a light background up to the edge


def test_text_over_the_maximum_raises():
    with pytest.raises(TooLongForCode, match="2,332 bytes are too many"):
        qr_svg("x" * (MAX_QR_BYTES + 1))
    with pytest.raises(TooLongForCode):
        qr_svg("ที่" * 260)
