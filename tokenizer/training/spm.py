"""Training by SentencePiece's library, with its main options and explanations of them."""

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tokenizer.errors import BadVocabularySize, CannotTrainThis, NothingToTrainOn, UnknownOption
from tokenizer.i18n import mark, tr
from tokenizer.paths import read_toml
from tokenizer.text.well_formed import well_formed

_EXPLANATIONS = read_toml("trainings.toml")["sentencepiece"]
MODEL_TYPES, NORMALIZATIONS = _EXPLANATIONS["model_types"], _EXPLANATIONS["normalizations"]
EXPLAINED: dict[str, str] = _EXPLANATIONS["options"]
MIN_VOCABULARY_SIZE, MAX_VOCABULARY_SIZE = 8, 100_000
MAX_SYMBOLS = 100
MAX_PIECE_CHARACTERS = 512  # of the library
MAX_LINE_BYTES = 100_000_000  # the library skips longer lines; its default is 4,192


@dataclass(frozen=True)
class Options:
    """Everything that a training depends on except its texts; `EXPLAINED` has a sentence on each."""

    model_type: str = "unigram"
    vocab_size: int = 512
    character_coverage: float = 0.9995
    byte_fallback: bool = True
    add_dummy_prefix: bool = True
    split_digits: bool = False
    split_by_unicode_script: bool = True
    split_by_number: bool = True
    max_piece_characters: int = 16
    normalization: str = "nmt_nfkc"
    user_symbols: tuple[str, ...] = ()


def train(options: Options, texts: Iterable[str]) -> bytes:
    """Returns the `.model` that the library trains; each line of a text is a sentence for it.

    Raises TokenizerError with a plain message.
    """
    from sentencepiece import SentencePieceTrainer

    check(options)
    if not (lines := [line for text in texts for line in well_formed(text)[0].splitlines() if line.strip()]):
        raise NothingToTrainOn
    found = io.BytesIO()
    try:
        SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_writer=found,
            model_type=options.model_type,
            vocab_size=options.vocab_size,
            character_coverage=options.character_coverage,
            byte_fallback=options.byte_fallback,
            add_dummy_prefix=options.add_dummy_prefix,
            split_digits=options.split_digits,
            split_by_unicode_script=options.split_by_unicode_script,
            split_by_number=options.split_by_number,
            max_sentencepiece_length=options.max_piece_characters,
            normalization_rule_name=options.normalization,
            user_defined_symbols=[one.replace(" ", "▁") for one in options.user_symbols],
            max_sentence_length=MAX_LINE_BYTES,
            num_threads=1,  # with several threads, the model is not deterministic
            minloglevel=2,
        )
    except (RuntimeError, ValueError, OSError) as error:
        raise CannotTrainThis(explain_error(str(error), options)) from None
    return found.getvalue()


def check(options: Options) -> None:
    """Raises TokenizerError for an invalid option."""
    size, coverage, symbols = options.vocab_size, options.character_coverage, options.user_symbols
    if not isinstance(size, int) or not MIN_VOCABULARY_SIZE <= size <= MAX_VOCABULARY_SIZE:
        raise BadVocabularySize(
            size, MIN_VOCABULARY_SIZE, MAX_VOCABULARY_SIZE, tr("a few characters and control tokens")
        )
    if not 0.98 <= coverage <= 1:
        raise CannotTrainThis(tr("The character coverage must be from 0.98 to 1; it is {coverage}.", coverage=coverage))
    longest = options.max_piece_characters
    if not isinstance(longest, int) or not 1 <= longest <= MAX_PIECE_CHARACTERS:
        raise CannotTrainThis(tr("The longest token must have from 1 to {most} characters.", most=MAX_PIECE_CHARACTERS))
    for chosen, known in ((options.model_type, MODEL_TYPES), (options.normalization, NORMALIZATIONS)):
        if chosen not in known:
            raise UnknownOption(chosen, known)
    if len(symbols) > MAX_SYMBOLS or len(set(symbols)) < len(symbols) or not all(symbols):
        raise CannotTrainThis(
            tr("List at most {most} user-defined symbols, each once and none empty.", most=MAX_SYMBOLS)
        )
    if taken := {"<unk>", "<s>", "</s>"} & set(symbols):
        raise CannotTrainThis(
            tr("SentencePiece always has the token {token}; it cannot be added again.", token=min(taken))
        )


def explain_error(error: str, options: Options) -> str:
    """Returns the library's error as a plain sentence.

    >>> explain_error("… Vocabulary size too high (8000). Please set it to a value <= 1234.", Options(vocab_size=8000))
    'The vocabulary size is 8,000 tokens, but this text allows at most 1,234. Choose a smaller size, or use more text.'
    """
    if found := re.search(r"too high \(\d+\)\. Please set it to a value <= (\d+)", error):
        return tr(TOO_MANY_FOR_TEXT, n=options.vocab_size, most=int(found[1]))
    if found := re.search(r"smaller than required_chars\. (\d+) vs (\d+)", error):
        return tr(TOO_FEW_WITH_BYTES if options.byte_fallback else TOO_FEW, n=options.vocab_size, least=int(found[2]))
    words = error.rsplit("] ", 1)[-1].removeprefix("INTERNAL: ").strip()
    if not words or "src/" in words:
        return tr("SentencePiece cannot train on this text with these options. Try more text, or other options.")
    return tr("SentencePiece cannot train on this text with these options: {reason}", reason=words[:200])


TOO_MANY_FOR_TEXT = mark(
    "The vocabulary size is {n:,} tokens, but this text allows at most {most:,}. Choose a smaller size, or use more"
    " text."
)
TOO_FEW = mark(
    "The vocabulary size is {n:,} tokens, but the characters of the text, the control tokens and the user-defined"
    " symbols alone need {least:,}. Choose a larger size."
)
TOO_FEW_WITH_BYTES = mark(
    "The vocabulary size is {n:,} tokens, but the characters of the text, the control tokens, the byte tokens and"
    " the user-defined symbols alone need {least:,}. Choose a larger size."
)
