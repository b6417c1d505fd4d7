"""Errors of the core: a class for each, with facts as attributes and a remedy in the message."""

import copyreg
import difflib
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tokenizer.i18n import mark, tr

MAX_SUGGESTIONS = 4  # names in an error
MAX_COMPARED_CHARACTERS = 100  # of an unknown name with the known ones


class TokenizerError(ValueError):
    """Base class of all errors that the core raises on purpose."""

    def __reduce__(self):
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # pickled with its facts


def shown(name: object) -> str:
    r"""Returns a name or a token for a message: quoted, and cut if it is long.

    Bytes that are not text are shown in hexadecimal, a pair of tokens with a plus sign.

    >>> shown("gpt4"), len(shown("x" * 5000)), shown((b"a", b"\xe0\xb8"))
    ("'gpt4'", 80, "'a' + E0 B8")
    """
    if isinstance(name, tuple):
        return " + ".join(map(shown, name))
    text = repr(name)
    if isinstance(name, bytes):
        try:
            text = repr(name.decode())
        except UnicodeDecodeError:
            text = name.hex(" ").upper()
    return text if len(text) <= 80 else f"{text[:79]}…"


def enumerated(names: Sequence[str], joint: str = "and") -> str:
    """Returns names with commas, and "and" or "or" before the last one, in the current language.

    >>> enumerated(["a"]), enumerated(["a", "b", "c"], "or")
    ('a', 'a, b or c')
    """
    if len(names) < 2:
        return "".join(names)
    *before, last = names
    if joint == "or":
        return tr("{names} or {last}", names=", ".join(before), last=last)
    return tr("{names} and {last}", names=", ".join(before), last=last)


def _nearest(name: str, known: Sequence[str]) -> list[str]:
    """Returns the known names that resemble a name, or its beginning if none resembles all of it."""
    name = name[:MAX_COMPARED_CHARACTERS].rsplit("/", 1)[-1]
    known = [one for one in known if one[:1] == name[:1] or one in name]  # phi-2 was not meant as gpt-2
    parts = name.split("-")
    for length in range(len(parts), 0, -1):
        if found := difflib.get_close_matches("-".join(parts[:length]), known, n=MAX_SUGGESTIONS):
            return found
    return []


def _digits(name: str) -> str:
    return "".join(filter(str.isdecimal, name))


class UnknownName(TokenizerError):
    """No known thing has this name.

    `problem` and `list_sentence` are marked sentences with the field {name}, and with {names}.
    """

    def __init__(
        self,
        problem: str,
        list_sentence: str,
        name: object,
        known: Iterable[str],
        more: str = "",
        others: Iterable[str] = (),
    ):
        self.name, self.known = name, list(known)
        near = _nearest(str(name).lower(), list(dict.fromkeys([*self.known, *others])))
        # another number means another generation of a model, so such a name is similar but not what was meant
        digits = _digits(str(name)[:MAX_COMPARED_CHARACTERS])
        alike = (one for one in near if one in self.known or digits in ("", _digits(one)))
        self.suggestion = next(alike, None)
        near = [one for one in near if one != self.suggestion]
        suggestion = tr("Did you mean {name!r}?", name=self.suggestion) if self.suggestion else ""
        similar = tr("Similar names: {names}.", names=", ".join(near)) if near and others else ""
        known_names = tr(list_sentence, names=", ".join(self.known))
        sentences = [tr(problem, name=shown(name)), suggestion, similar, known_names, more]
        super().__init__(" ".join(filter(None, sentences)))


class UnknownEncoding(UnknownName):
    """No encoding and no model has this name."""

    def __init__(self, name: object, known: Iterable[str], models: Iterable[str] = ()):
        problem, list_sentence = mark("Unknown encoding {name}."), mark("Known encodings: {names}.")
        more = tr(
            "You can also use the name of a model of OpenAI or of an open model, such as gpt-5, llama-3 or qwen3."
        )
        super().__init__(problem, list_sentence, name, known, more, models)


class NeedsPackage(TokenizerError):
    """A package is not installed; `python` is the lowest version that it supports."""

    def __init__(self, what: str, package: str, command: str, python: tuple[int, int] = (3, 11)):
        self.package, self.command = package, command
        problem = mark(
            "{what} needs a package that is not installed here. Install the package with {command}, then"
            " restart the program."
        )
        if sys.version_info < python:
            problem = mark(
                "{what} needs Python {least} or newer, but Python {own} is running. Install a newer Python, then"
                " run {command}."
            )
        least, own = (".".join(map(str, version[:2])) for version in (python, sys.version_info))
        super().__init__(tr(problem, what=what, command=command, least=least, own=own))


class OnlyCounted(TokenizerError):
    """The tokens of this model can only be counted."""


class Unavailable(TokenizerError):
    """The vocabulary of a known model cannot be installed."""


class DamagedEncodingFile(TokenizerError):
    """A rank table is missing, incomplete, or another file; `remedy` is a sentence."""

    def __init__(self, path: Path, reason: str, remedy: str):
        self.path, self.reason = path, reason
        sentence = mark("The vocabulary file {path} cannot be used: {reason}. {remedy}")
        super().__init__(tr(sentence, path=path, reason=reason, remedy=remedy))


class BadSpecialMode(TokenizerError):
    """`special` is none of its three values."""

    def __init__(self, mode: object):
        self.mode = mode
        super().__init__(tr("The value special={mode!r} is unknown. Use 'text', 'special' or 'error'.", mode=mode))


class BadSpecialTokens(TokenizerError):
    """These special tokens cannot be added to this encoding."""

    def __init__(self, token: object, id: object, reason: str):
        self.token, self.id, self.reason = token, id, reason
        super().__init__(
            tr("Cannot add the special token {token!r} with id {id!r}: {reason}.", token=token, id=id, reason=reason)
        )


class SpecialTokenInText(TokenizerError):
    """The text contains the name of a special token, and `special` is "error"."""

    def __init__(self, token: str, position: int, byte_position: int):
        self.token, self.position, self.byte_position = token, position, byte_position
        super().__init__(
            tr(
                "The text contains the special token {token!r} at character {position:,} (byte {byte_position:,})."
                " Pass special='text' to encode it as ordinary text, or special='special' to encode it as its own id.",
                token=token,
                position=position + 1,
                byte_position=byte_position + 1,
            )
        )


class OutOfMemory(TokenizerError):
    """Tokenizing this text needs more memory than is available."""

    def __init__(self, encoding: str, length: int):
        self.encoding, self.length = encoding, length
        super().__init__(
            tr(
                "There is not enough memory to tokenize this text of {length:,} characters with {encoding}."
                " Try a shorter text, or another encoding.",
                length=length,
                encoding=encoding,
            )
        )


class UnknownTokenIds(TokenizerError):
    """Some ids are not in the vocabulary."""

    def __init__(self, unknown: Mapping[int, object], encoding: str, id_limit: int):
        self.unknown, self.encoding, self.id_limit = dict(unknown), encoding, id_limit
        first = list(self.unknown.items())[:5]
        listed = [tr("{id!r} at position {position:,}", id=id, position=position + 1) for position, id in first]
        if len(self.unknown) > len(listed):
            listed.append(tr("and {n} more", n=len(self.unknown) - len(listed)))
        super().__init__(
            tr(
                "These are not token ids of {encoding}: {ids}. Its ids are whole numbers from 0 to {last},"
                " some of which may be unused. Check which encoding made these ids.",
                encoding=encoding,
                ids=", ".join(listed),
                last=id_limit - 1,
            )
        )


class UnknownPattern(UnknownName):
    """No split pattern has this name."""

    def __init__(self, name: str, known: Iterable[str]):
        problem, list_sentence = mark("Unknown split pattern {name}."), mark("Known split patterns: {names}.")
        super().__init__(problem, list_sentence, name, known, tr("You can also use a regular expression."))


class BadPattern(TokenizerError):
    """This split pattern is not a valid regular expression, or exceeds a limit."""

    def __init__(self, pattern: object, reason: str, position: int | None = None):
        self.pattern, self.reason, self.position = pattern, reason, position
        if position is None:
            problem = tr("Cannot split with the pattern {pattern!r}: {reason}.", pattern=pattern, reason=reason)
        else:
            problem = tr(
                "Cannot split with the pattern {pattern!r}: {reason} (character {at:,}).",
                pattern=pattern,
                reason=reason,
                at=position + 1,
            )
        super().__init__(problem + " " + tr("Correct the pattern, or use the name of a known pattern."))


class UnknownTieRule(UnknownName):
    """No tie rule has this name."""

    def __init__(self, name: object, known: Iterable[str]):
        super().__init__(
            mark("Unknown rule for pairs with equal counts: {name}."), mark("Known rules: {names}."), name, known
        )


class BadAlphabet(TokenizerError):
    """These base symbols cannot be used."""

    def __init__(self, alphabet: object, reason: str):
        self.alphabet, self.reason = alphabet, reason
        super().__init__(tr("Cannot use this alphabet (the set of base symbols): {reason}.", reason=reason))


class BadVocabularySize(TokenizerError):
    """The size of the vocabulary is too small for its base symbols, or too large."""

    def __init__(self, vocab_size: object, smallest: int, largest: int, needed_for: str = ""):
        self.vocab_size, self.smallest, self.largest = vocab_size, smallest, largest
        super().__init__(
            tr(
                "Cannot train a vocabulary of {size!r} tokens. Choose a whole number from {smallest:,}"
                " (needed for {needed_for}) to {largest:,}.",
                size=vocab_size,
                smallest=smallest,
                largest=largest,
                needed_for=needed_for or tr("the base symbols"),
            )
        )


class NothingToTrainOn(TokenizerError):
    """The corpus has no text."""

    def __init__(self, reason: str = ""):
        self.reason = reason or tr("the corpus is empty, or has only white space")
        super().__init__(
            tr(
                "There is no text to train on: {reason}. Give at least one text with visible characters.",
                reason=self.reason,
            )
        )


class BadMerge(TokenizerError):
    """This merge is invalid at this place of a list of merges."""

    def __init__(self, position: int, merge: object, reason: str):
        self.position, self.merge, self.reason = position, merge, reason
        super().__init__(
            tr(
                "Cannot use merge {place:,} ({merge}): {reason}.",
                place=position + 1,
                merge=shown(merge),
                reason=reason,
            )
        )


class CannotLift(TokenizerError):
    """The split pattern of a training cannot be lifted."""

    def __init__(self, reason: str):
        self.reason = reason
        super().__init__(tr("The split pattern cannot be lifted: {reason}.", reason=reason))


class CannotExtend(TokenizerError):
    """No merges can be added to this encoding."""

    def __init__(self, encoding: str, reason: str):
        self.encoding, self.reason = encoding, reason
        super().__init__(
            tr(
                "Cannot add merges to {encoding}: {reason}. Choose an encoding that merges bytes by a table of ranks,"
                " such as gpt2 or o200k_base.",
                encoding=encoding,
                reason=reason,
            )
        )


class CannotTrainThis(TokenizerError):
    """A library does not train with these options on this text."""


class UnknownOption(CannotTrainThis):
    """A library's training has no option of this name."""

    def __init__(self, chosen: object, known: Iterable[str]):
        sentence = mark("Unknown option: {chosen}. Known options: {known}.")
        super().__init__(tr(sentence, chosen=shown(chosen), known=", ".join(known)))


class BadTokenizerFile(TokenizerError):
    """A file is not a valid tokenizer; `line` is the wrong one, from 1, if there is one."""

    def __init__(self, path: object, reason: str, line: int | None = None):
        self.path, self.reason, self.line = path, reason, line
        if line is None:
            super().__init__(tr("Cannot load {path}: {reason}.", path=path, reason=reason))
        else:
            sentence = mark(
                "Cannot load {path}, line {line:,}: {reason}. Correct this line, or use another copy of the file."
            )
            super().__init__(tr(sentence, path=path, line=line, reason=reason))


class UnknownForm(UnknownName):
    """No file format has this name or this suffix."""

    def __init__(self, form: object, known: Iterable[str], suffixes: Mapping[str, str]):
        endings = ", ".join(f"{suffix} ({form})" for suffix, form in suffixes.items())
        more = tr("Or give the file a name with one of these endings: {endings}.", endings=endings)
        super().__init__(mark("Unknown format {name}."), mark("Known formats: {names}."), form, known, more)


class CannotSave(TokenizerError):
    """This file format cannot represent this encoding completely."""

    def __init__(self, encoding: str, form: str, reason: str):
        self.encoding, self.form, self.reason = encoding, form, reason
        super().__init__(
            tr(
                "Cannot save {encoding} in the format {form!r}: {reason}. Choose another format.",
                encoding=encoding,
                form=form,
                reason=reason,
            )
        )
