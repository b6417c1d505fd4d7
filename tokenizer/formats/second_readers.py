"""Other ways to read a tokenizer's file: another program, and the other files that programs read in its folder."""

from collections.abc import Callable
from pathlib import Path

from tokenizer.encoding.interface import Encoding
from tokenizer.formats import gpt2, huggingface, load_encoding
from tokenizer.formats.reading import in_folder, read_bytes, read_json, read_text
from tokenizer.kinds.pipeline import ENGINE, PipelineModel

Reader = Callable[[str], list[int]]
# The files that programs look for in a model's folder: fast tokenizers read the first, slow ones one of the others.
NAMES = ("tokenizer.json", "vocab.json", "tokenizer.model", "spiece.model", "vocab.txt", "tekken.json")


def second_readers(path: Path, encoding: Encoding) -> dict[str, Reader]:
    """Returns functions from text to ids by their names, for the file that an encoding was read from."""
    found: dict[str, Reader] = {}
    path = in_folder(path)
    if not encoding.runs_in_library and (read := _library(path)):
        found[ENGINE] = read
    own = gpt2.find(path) or (path,)
    folder = path if path.is_dir() else path.parent
    for name in NAMES:
        other = folder / name
        pair = gpt2.find(other) if other.name in gpt2.VOCABULARIES else None
        if not other.is_file() or other in own or (other.name in gpt2.VOCABULARIES and not pair):
            continue
        if name == "vocab.txt" and not huggingface.is_vocabulary(other, read_bytes(other)):
            continue
        found[" + ".join(one.name for one in pair or (other,))] = _reader(other)
    return found


def _library(path: Path) -> Reader | None:
    """Returns Hugging Face's library as the reader of a `tokenizer.json`; None for other files."""
    if path.is_dir() or not (data := read_bytes(path)).lstrip().startswith(b"{") or gpt2.find(path):
        return None
    facts = read_json(path, data)
    if not isinstance(facts, dict) or "model" not in facts or "pre_tokenizer" not in facts:
        return None
    model = PipelineModel(read_text(path, data), facts)
    return lambda text: model.encode(text).ids.tolist()


def _reader(path: Path) -> Reader:
    """Returns a function that reads the file at its first call; raises BadTokenizerFile then."""
    loaded: list[Encoding] = []

    def read(text: str) -> list[int]:
        loaded[:] = loaded or [load_encoding(path)]
        return loaded[0].encode(text)

    return read
