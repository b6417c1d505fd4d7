"""Saves and loads tokenizers in the file formats of other programs, without loss."""

from collections.abc import Mapping
from pathlib import Path

from tokenizer.encoding.interface import Encoding
from tokenizer.errors import BadTokenizerFile, CannotSave, UnknownForm
from tokenizer.formats import gpt2, huggingface, minbpe, rank_file, spm, tekken, timeline, tokenloupe
from tokenizer.formats.merges import DoesNotFit
from tokenizer.formats.other_files import explain_wrong_file
from tokenizer.formats.reading import Source, in_folder, read_bytes, read_json
from tokenizer.i18n import tr

FORMS = {
    "minbpe": minbpe.files,
    "tiktoken": rank_file.files,
    "huggingface": huggingface.files,
    "gpt2": gpt2.files,
    "csv": timeline.files,
    "tokenloupe": tokenloupe.files,
}
SUFFIXES = {
    ".model": "minbpe",
    ".tiktoken": "tiktoken",
    ".json": "huggingface",
    ".csv": "csv",
    ".tokenloupe": "tokenloupe",
}


def save_encoding(encoding: Encoding, path: str | Path, form: str | None = None) -> list[Path]:
    """Writes an encoding to `path`, in `form` or in the one of its suffix, and returns the written files.

    `form="gpt2"` takes a folder. A form that cannot contain the split pattern gets a second file beside it.
    """
    path = Path(path)
    form = form or SUFFIXES.get(path.suffix)
    folder, name = (path, path.name) if form == "gpt2" else (path.parent, path.stem)
    written = []
    contents = encoding_files(encoding, form, name)
    folder.mkdir(parents=True, exist_ok=True)
    for file_name, content in contents.items():
        written.append(folder / file_name)
        written[-1].write_bytes(content)
    return written


def encoding_files(encoding: Encoding, form: str | None, name: str | None = None) -> dict[str, bytes]:
    """Returns the files of an encoding in a form, by their names; raises CannotSave and UnknownForm.

    >>> from tokenizer.kinds.from_merges import encoding_from_merges
    >>> list(encoding_files(encoding_from_merges([(b"a", b"b")], name="toy"), "minbpe"))
    ['toy.model', 'toy.vocab']
    """
    if form not in FORMS:
        raise UnknownForm(form, FORMS, SUFFIXES)
    try:
        return FORMS[form](encoding, name or encoding.name)
    except DoesNotFit as error:
        raise CannotSave(encoding.name, form, str(error)) from None


def load_encoding(
    path: str | Path, pattern: str | None = None, special_tokens: Mapping[str, int] | None = None
) -> Encoding:
    """Returns the encoding in a file of any form; `pattern` and `special_tokens` replace the file's own.

    `path` may be a folder with a tokenizer.json; for GPT-2's two files, it is their folder or one of them.
    """
    path = in_folder(Path(path))
    if found := gpt2.find(path):
        return gpt2.read(Source(found[0], read_bytes(found[0]), pattern, special_tokens), found[1])
    if path.is_dir():
        raise BadTokenizerFile(
            path, tr("there is no tokenizer.json and no vocab.json with a merges.txt in this folder")
        )
    data = read_bytes(path)
    source = Source(path, data, pattern, special_tokens)
    for reader in (minbpe, spm, timeline, rank_file):
        if reader.recognises(data):
            return reader.read(source)
    if huggingface.is_vocabulary(path, data):
        return huggingface.read_vocabulary(source)
    begins = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:2]
    if begins.startswith(b"{") and begins not in (b"{%", b"{{", b"{#"):
        facts = read_json(path, data)
        if tekken.recognises(facts):
            return tekken.read(source, facts)
        if tokenloupe.recognises(facts):
            return tokenloupe.read(source, facts)
        if "model" in facts and not isinstance(facts["model"], int):  # a vocab.json may have a token "model"
            return huggingface.read(source, facts)
    if other := gpt2.other_half(path):
        raise BadTokenizerFile(
            path,
            tr(
                "a tokenizer with a file of this name usually has two files: open this file together with its {other}",
                other=other,
            ),
        )
    raise BadTokenizerFile(path, explain_wrong_file(data))
