"""What can go wrong in the core: one class each, with its facts as fields and the next step in its message."""

import copyreg
import difflib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


class TokenizerError(ValueError):
    """The base of every error the core raises on purpose."""

    def __reduce__(self):
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # pickled with its facts


def shown(name: object) -> str:
    """A name as a message shows it: quoted, and cut where it is long.

    >>> shown("gpt4"), len(shown("x" * 5000))
    ("'gpt4'", 80)
    """
    text = repr(name)
    return text if len(text) <= 80 else f"{text[:79]}…"


def counted(count: int, unit: str) -> str:
    """A count with its unit, which takes an s but for one.

    >>> counted(1, "byte"), counted(1234, "byte"), counted(0, "token")
    ('1 byte', '1,234 bytes', '0 tokens')
    """
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


def enumerated(names: Sequence[str], joint: str = "and") -> str:
    """Names with commas, and a word before the last one.

    >>> enumerated(["a"]), enumerated(["a", "b", "c"], "or")
    ('a', 'a, b or c')
    """
    return f" {joint} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


class UnknownName(TokenizerError):
    """None of those that are known has this name, nor the names that `others` may have."""

    def __init__(self, what: str, name: object, known: Iterable[str], more: str = "", others: Iterable[str] = ()):
        self.name, self.known = name, list(known)
        self.suggestion = next(iter(difflib.get_close_matches(str(name).lower(), [*self.known, *others], n=1)), None)
        asked = f" Did you mean {self.suggestion!r}?" if self.suggestion else ""
        super().__init__(f"Unknown {what} {shown(name)}.{asked} Known {what}s: {', '.join(self.known)}.{more}")


class UnknownEncoding(UnknownName):
    """No encoding and no model has this name."""

    def __init__(self, name: object, known: Iterable[str], models: Iterable[str] = ()):
        super().__init__("encoding", name, known, " The name of an OpenAI model works too.", models)


class NeedsPackage(TokenizerError):
    """What was asked for comes with a package that is not installed."""

    def __init__(self, what: str, package: str, command: str):
        self.package, self.command = package, command
        super().__init__(f"{what} needs a package that is not installed here. To get it: {command}. Then start again.")


class DamagedEncodingFile(TokenizerError):
    """A rank table is missing, cut short, or not the file it should be."""

    def __init__(self, path: Path, expected: str, found: str | None = None, reason: str = "its sha256 differs"):
        self.path, self.expected, self.found, self.reason = path, expected, found, reason
        super().__init__(
            f"The rank table {path} cannot be used: {reason}."
            f" Its unzipped bytes should have sha256 {expected}; found {found or 'nothing to hash'}."
            " Restore the file from the repository."
        )


class BadSpecialMode(TokenizerError):
    """`special` says what to do with special tokens in a text, and has three values."""

    def __init__(self, mode: object):
        self.mode = mode
        super().__init__(f"Unknown special={mode!r}. Use 'text', 'special' or 'error'.")


class BadSpecialTokens(TokenizerError):
    """These special tokens cannot be added to this encoding."""

    def __init__(self, token: object, id: object, reason: str):
        self.token, self.id, self.reason = token, id, reason
        super().__init__(f"Cannot add the special token {token!r} with id {id!r}: {reason}.")


class SpecialTokenInText(TokenizerError):
    """The text spells a special token, and the caller asked to be told."""

    def __init__(self, token: str, position: int, byte_position: int):
        self.token, self.position, self.byte_position = token, position, byte_position
        super().__init__(
            f"The text contains the special token {token!r} at character {position} (byte {byte_position})."
            " Pass special='text' to encode it as ordinary text, or special='special' to encode it as its own id."
        )


class OutOfMemory(TokenizerError):
    """Tokenizing this text takes more memory than there is."""

    def __init__(self, encoding: str, length: int):
        self.encoding, self.length = encoding, length
        super().__init__(
            f"There is not enough memory to tokenize this text of {length:,} characters with {encoding}."
            " Try a shorter part of it, or a simpler split pattern."
        )


class UnknownTokenIds(TokenizerError):
    """Some ids are not in the vocabulary."""

    def __init__(self, unknown: Mapping[int, object], encoding: str, id_limit: int):
        self.unknown, self.encoding, self.id_limit = dict(unknown), encoding, id_limit
        shown = [f"{id!r} at position {position}" for position, id in list(self.unknown.items())[:5]]
        if len(self.unknown) > len(shown):
            shown.append(f"and {len(self.unknown) - len(shown)} more")
        super().__init__(
            f"Not token ids of {encoding}: {', '.join(shown)}."
            f" Ids are whole numbers from 0 to {id_limit - 1}, maybe with gaps; check which encoding made them."
        )


class UnknownPattern(UnknownName):
    """No split pattern has this name."""

    def __init__(self, name: str, known: Iterable[str]):
        super().__init__("split pattern", name, known, " A regular expression works too.")


class BadPattern(TokenizerError):
    """This split pattern is not a regular expression that can be used."""

    def __init__(self, pattern: object, reason: str, position: int | None = None):
        self.pattern, self.reason, self.position = pattern, reason, position
        where = "" if position is None else f" (character {position + 1:,})"
        super().__init__(
            f"Cannot split with the pattern {pattern!r}: {reason}{where}. Correct it, or name a known pattern."
        )


class UnknownTieRule(UnknownName):
    """No tie rule has this name."""

    def __init__(self, name: object, known: Iterable[str]):
        super().__init__("tie rule", name, known)


class BadAlphabet(TokenizerError):
    """These base symbols cannot be used."""

    def __init__(self, alphabet: object, reason: str):
        self.alphabet, self.reason = alphabet, reason
        super().__init__(f"Cannot use this alphabet: {reason}.")


class BadVocabularySize(TokenizerError):
    """The vocabulary must have room for its base symbols, and a bound."""

    def __init__(self, vocab_size: object, smallest: int, largest: int, needed_for: str = "the base symbols"):
        self.vocab_size, self.smallest, self.largest = vocab_size, smallest, largest
        super().__init__(
            f"Cannot train a vocabulary of {vocab_size!r} tokens. Choose a whole number from {smallest:,}"
            f" ({needed_for}) to {largest:,}."
        )


class NothingToTrainOn(TokenizerError):
    """The corpus has no text."""

    def __init__(self, reason: str = "the corpus is empty"):
        self.reason = reason
        super().__init__(f"Nothing to train on: {reason}. Give at least one text that is not empty.")


class BadMerge(TokenizerError):
    """This merge cannot stand at this place of a list of merges."""

    def __init__(self, position: int, merge: object, reason: str):
        self.position, self.merge, self.reason = position, merge, reason
        super().__init__(f"Cannot use merge {position + 1:,}, {merge!r}: {reason}.")


class BadTokenizerFile(TokenizerError):
    """A file that is not the tokenizer it should be; `line` is the one that is wrong, from 1, where there is one."""

    def __init__(self, path: object, reason: str, line: int | None = None):
        self.path, self.reason, self.line = path, reason, line
        super().__init__(f"Cannot load {path}{'' if line is None else f', line {line:,}'}: {reason}.")


class UnknownForm(UnknownName):
    """No form of file has this name, and the name of the file does not tell one."""

    def __init__(self, form: object, known: Iterable[str], suffixes: Mapping[str, str]):
        endings = ", ".join(f"{suffix} ({form})" for suffix, form in suffixes.items())
        super().__init__("form", form, known, f" Or give the file a name that ends in one of {endings}.")


class CannotSave(TokenizerError):
    """This form cannot hold this encoding without losing something."""

    def __init__(self, encoding: str, form: str, reason: str):
        self.encoding, self.form, self.reason = encoding, form, reason
        super().__init__(f"Cannot save {encoding} in the form {form!r}: {reason}.")
