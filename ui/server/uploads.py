"""Tokenizers in files of other programs, as a visitor brings them: who made them is not known, so all is bounded."""

import re
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

from tokenizer import Encoding, list_encoding_names, load_encoding
from tokenizer.errors import BadTokenizerFile
from tokenizer.formats.apart import load_apart

MOST_BYTES = 16_000_000  # of the files together; the largest that are common have 200,000 merges
MOST_TOKENS = 300_000
MOST_SPECIALS, LONGEST_SPECIALS = 2_000, 100_000  # special tokens, and characters of all their names

_one_at_a_time = threading.Lock()  # each takes seconds, of a machine that many share


def load(files: Mapping[str, bytes], pattern: str | None = None) -> Encoding:
    """Returns the encoding that files hold: one of any form, GPT-2's two, a file with the pattern beside it.

    `pattern` replaces the file's own. The encoding's name is safe to show and to write; raises TokenizerError.

    >>> from tokenizer import encoding_files, encoding_from_merges
    >>> files = encoding_files(encoding_from_merges([(b"a", b"b")], name="toy"), "minbpe")
    >>> load({"../my <toy>.model": files["toy.model"]}).name
    'my-toy'
    """
    if (size := sum(map(len, files.values()))) > MOST_BYTES:
        raise BadTokenizerFile("these files", f"they have {size:,} bytes; the limit is {MOST_BYTES:,}")
    named = {_safe(name): data for name, data in _as_gpt2(files).items()}
    main = _main(named)
    with _one_at_a_time, tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "vocab-merges"
        folder.mkdir()
        for name, data in named.items():
            (folder / name).write_bytes(data)
        try:
            found = load_apart(named, main, pattern) or load_encoding(folder / main, pattern)
        except BadTokenizerFile as error:
            raise BadTokenizerFile(Path(error.path).name, error.reason, error.line) from None
        except MemoryError:
            raise BadTokenizerFile(main, "it needs more memory than there is") from None
    specials = found.special_tokens
    if found.id_limit > MOST_TOKENS:
        raise BadTokenizerFile(main, f"it has {found.id_limit:,} ids; the limit is {MOST_TOKENS:,}")
    if len(specials) > MOST_SPECIALS or sum(map(len, specials)) > LONGEST_SPECIALS:
        raise BadTokenizerFile(main, f"its {len(specials):,} special tokens are too many, or their names too long")
    found.name = _safe(found.name)
    if found.name in list_encoding_names():
        found.name += "-file"
    return found


def _as_gpt2(files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """The files, GPT-2's two under the names by which they are known."""
    merges = [name for name in files if name.endswith((".txt", ".bpe"))]
    vocabularies = [name for name in files if name.endswith(".json") and not name.endswith("tokenloupe.json")]
    if len(merges) != 1 or len(vocabularies) != 1:
        return files
    known = {merges[0]: "merges.txt", vocabularies[0]: "vocab.json"}
    return {known.get(name, name): data for name, data in files.items()}


def _main(names: Mapping[str, bytes]) -> str:
    """The file that tells of the others."""
    return next((name for name in names if not name.endswith((".json", ".vocab", ".txt"))), min(names, key=len))


def _safe(name: str) -> str:
    """A name of letters, digits, and - _ . alone."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name.rsplit("/", 1)[-1]).strip("-._")[-40:] or "tokenizer"
