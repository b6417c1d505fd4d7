"""QR codes of links, dark on light with a quiet zone, on any background."""

from io import BytesIO

from tokenizer.errors import TokenizerError
from tokenizer.i18n import tr

MAX_QR_BYTES = 2_331  # capacity with error correction M (15 %), version 40: ISO/IEC 18004, table 7
QUIET_ZONE_MODULES = 4  # as the standard requires


class TooLongForCode(TokenizerError):
    """A text is too long for a QR code."""

    def __init__(self, size: int):
        self.size = size
        super().__init__(
            tr(
                "{n:,} bytes are too many for a QR code: the limit here is {most:,} bytes. Share the page as a file.",
                n=size,
                most=MAX_QR_BYTES,
            )
        )


def qr_svg(text: str) -> bytes:
    """Returns a QR code as SVG, with error correction M; raises TooLongForCode beyond 2,331 bytes of UTF-8.

    >>> qr_svg("http://192.168.1.5:8501/class")[:62]
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 37 37" cl'
    >>> qr_svg("x" * 2332)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tokenizer.display.qr.TooLongForCode: 2,332 bytes are too many for a QR code: the limit here is 2,331 bytes. ...
    """
    import segno  # rarely needed

    if (size := len(text.encode())) > MAX_QR_BYTES:
        raise TooLongForCode(size)
    code = segno.make(text, error="m", micro=False, boost_error=False, mode="byte", encoding="utf-8")
    drawn = BytesIO()
    code.save(drawn, kind="svg", border=QUIET_ZONE_MODULES, dark="#000", light="#fff", xmldecl=False, omitsize=True)
    return drawn.getvalue()
