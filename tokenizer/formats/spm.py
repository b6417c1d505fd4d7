"""SentencePiece's `.model`: a protobuf of pieces, scores and settings. https://github.com/google/sentencepiece"""

from functools import partial

from tokenizer.encoding.interface import Encoding
from tokenizer.errors import BadTokenizerFile
from tokenizer.formats.reading import Source
from tokenizer.i18n import mark, tr
from tokenizer.kinds.spm import BadSentencePiece, SentencePieceModel

LENGTH_FOLLOWS = 0x0A  # tag of a first field with a length: the first piece of a file, and the name of a piece

RENUMBERED = mark("Models that come with a {file}, such as {model}, give its tokens other ids than those shown here.")
MODELS = {  # by the names that transformers gives such files
    "sentencepiece.bpe.model": "XLM-RoBERTa",
    "source.spm": "MarianMT",
    "target.spm": "MarianMT",
}


def recognises(data: bytes) -> bool:
    r"""Whether a file begins with a piece that begins with its name.

    >>> recognises(b"\n\x0e\n\x05<unk>\x15"), recognises(b"\n\n\n\n\n"), recognises(b"minbpe v1\n")
    (True, False, False)
    """
    tags = _tag_and_length(data, 0)
    inner = tags and _tag_and_length(data, tags[1])
    return bool(inner) and inner[0] + inner[1] <= tags[0] + tags[1]


def _tag_and_length(data: bytes, at: int) -> tuple[int, int] | None:
    """Returns the length of the field that begins here, and the offset of its content."""
    if data[at : at + 1] != bytes([LENGTH_FOLLOWS]):
        return None
    length = 0
    for i, byte in enumerate(data[at + 1 : at + 5]):
        length |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return length, at + 2 + i
    return None


def read(source: Source) -> Encoding:
    """Returns the encoding in a `.model` file; raises BadTokenizerFile."""
    if source.pattern is not None:
        raise BadTokenizerFile(
            source.path, tr("a SentencePiece model has no split pattern, so no other pattern can be chosen for it")
        )
    try:
        model = SentencePieceModel(source.data)
    except BadSentencePiece as error:
        raise BadTokenizerFile(source.path, error.reason) from None
    if name := MODELS.get(source.path.name):
        model.lazy_notes = [partial(tr, RENUMBERED, model=name, file=source.path.name)]
    found = Encoding(source.path.stem, model, model.special_tokens)
    return found.with_special_tokens(source.special_tokens or {})
