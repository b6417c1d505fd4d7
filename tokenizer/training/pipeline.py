"""Training of the four models of Hugging Face's library, with their main options and explanations of them."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

from tokenizer.errors import BadVocabularySize, CannotTrainThis, NothingToTrainOn, UnknownOption
from tokenizer.i18n import mark, tr
from tokenizer.kinds.pipeline import LibraryCannotRead, library_errors
from tokenizer.paths import read_toml
from tokenizer.text.well_formed import well_formed

_EXPLANATIONS = read_toml("trainings.toml")["huggingface"]
MODELS, NORMALIZATIONS, SPLITTINGS = (_EXPLANATIONS[name] for name in ("models", "normalizations", "splittings"))
EXPLAINED: dict[str, str] = _EXPLANATIONS["options"]
LOSES_SPACES = ("words", "bert")
MIN_VOCABULARY_SIZE, MAX_VOCABULARY_SIZE = 8, 100_000
MAX_SPECIAL_TOKENS = 100
BYTE_NAMES = [f"<0x{byte:02X}>" for byte in range(256)]


@dataclass(frozen=True)
class Options:
    """Everything that a training depends on except its texts; `EXPLAINED` has a sentence on each."""

    model: str = "bpe"
    vocab_size: int = 512
    normalization: str = "none"
    splitting: str = "bytes"
    prefix_space: bool = False
    byte_fallback: bool = False
    min_frequency: int = 2
    special_tokens: tuple[str, ...] = ()

    @property
    def unknown(self) -> str | None:
        """The name of the unknown token, if the model can have one."""
        if self.model in ("wordpiece", "wordlevel"):
            return "[UNK]"
        return None if self.model == "bpe" and self.splitting == "bytes" else "<unk>"

    @property
    def alphabet(self) -> list[str]:
        """The base symbols that are in the vocabulary for any text."""
        return sorted(pre_tokenizers.ByteLevel.alphabet()) if self.splitting == "bytes" else []


def train(options: Options, texts: Iterable[str]) -> bytes:
    """Returns the `tokenizer.json` that the library trains; raises TokenizerError with a plain message.

    BPE and WordLevel are deterministic; the other two give another file each time.

    >>> facts = json.loads(train(Options(vocab_size=260), ["the cat, the hat"] * 9))
    >>> facts["model"]["merges"]
    [['a', 't'], ['h', 'e'], ['t', 'he'], ['c', 'at']]
    """
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # a training uses one processor
    check(options)
    if not (pieces := learned_from(options, texts)):
        raise NothingToTrainOn
    try:
        with library_errors():
            made = tokenizers.Tokenizer(model(options))
            set_steps(made, options)
            made.train_from_iterator(pieces, trainer(options))
            found = as_file(made, options)
    except LibraryCannotRead as error:
        raise CannotTrainThis(
            tr("The training with these options failed: {reason}. Try other options.", reason=error.reason)
        ) from None
    if (size := made.get_vocab_size()) > options.vocab_size:
        problem = mark(
            "The vocabulary size is {n:,} tokens, but this text needs at least {least:,} tokens with these options."
            " Choose a larger size."
        )
        raise CannotTrainThis(tr(problem, n=options.vocab_size, least=size))
    return found


def check(options: Options) -> None:
    """Raises TokenizerError for an invalid option."""
    choices = (options.model, MODELS), (options.normalization, NORMALIZATIONS), (options.splitting, SPLITTINGS)
    for chosen, known in choices:
        if chosen not in known:
            raise UnknownOption(chosen, known)
    if options.byte_fallback and (options.model, options.splitting) != ("bpe", "spaces"):
        raise CannotTrainThis(
            tr(
                "Byte tokens work only with BPE that splits at spaces. Choose BPE and “spaces”, or turn byte tokens"
                " off."
            )
        )
    if options.model == "wordpiece" and options.splitting not in LOSES_SPACES:
        raise CannotTrainThis(tr("WordPiece marks tokens that continue a word (##), so choose to split into words."))
    if options.prefix_space and options.splitting in LOSES_SPACES:
        raise CannotTrainThis(
            tr("An added space has no effect with this split, which removes spaces. Turn the added space off.")
        )
    specials = options.special_tokens
    if len(specials) > MAX_SPECIAL_TOKENS or len(set(specials)) < len(specials) or not all(specials):
        raise CannotTrainThis(
            tr("Choose up to {most} special tokens, each once and none empty.", most=MAX_SPECIAL_TOKENS)
        )
    if not 1 <= options.min_frequency <= 1_000_000:
        raise CannotTrainThis(
            tr(
                "The minimum frequency must be from 1 to 1,000,000; it is {min_frequency:,}.",
                min_frequency=options.min_frequency,
            )
        )
    needed = len(all_specials(options)) + len(options.alphabet)
    if (
        not isinstance(options.vocab_size, int)
        or not max(MIN_VOCABULARY_SIZE, needed) <= options.vocab_size <= MAX_VOCABULARY_SIZE
    ):
        raise BadVocabularySize(
            options.vocab_size,
            max(MIN_VOCABULARY_SIZE, needed),
            MAX_VOCABULARY_SIZE,
            tr("base symbols and special tokens"),
        )


def learned_from(options: Options, texts: Iterable[str]) -> list[str]:
    """Returns the texts for the library, split into lines if the beginning of a line matters."""
    found = [well_formed(text)[0] for text in texts]
    if options.splitting == "spaces" or options.prefix_space:
        found = [line for text in found for line in text.splitlines()]
    return [text for text in found if text.strip()]


def all_specials(options: Options) -> list[str]:
    """Returns the tokens that get the first ids."""
    fallback = BYTE_NAMES if options.byte_fallback else []
    return list(dict.fromkeys([*filter(None, [options.unknown]), *fallback, *options.special_tokens]))


def model(options: Options) -> models.Model:
    """Returns the untrained model."""
    match options.model:
        case "bpe":
            fallback = options.byte_fallback
            return models.BPE(unk_token=options.unknown, byte_fallback=fallback, fuse_unk=fallback)
        case "unigram":
            return models.Unigram()
        case "wordpiece":
            return models.WordPiece(unk_token=options.unknown)
    return models.WordLevel(unk_token=options.unknown)


def trainer(options: Options) -> trainers.Trainer:
    """Returns the trainer of the model."""
    alike = {
        "vocab_size": options.vocab_size,
        "special_tokens": all_specials(options),
        "show_progress": False,
    }
    match options.model:
        case "unigram":
            return trainers.UnigramTrainer(initial_alphabet=options.alphabet, unk_token=options.unknown, **alike)
        case "wordlevel":
            return trainers.WordLevelTrainer(min_frequency=options.min_frequency, **alike)
        case "wordpiece":
            kind = trainers.WordPieceTrainer
        case _:
            kind = trainers.BpeTrainer
    return kind(initial_alphabet=options.alphabet, min_frequency=options.min_frequency, **alike)


def set_steps(made: tokenizers.Tokenizer, options: Options) -> None:
    """Sets the steps before and after the model."""
    first = {
        "none": [],
        "nfc": [normalizers.NFC()],
        "nfkc": [normalizers.NFKC()],
        "lowercase": [normalizers.NFC(), normalizers.Lowercase()],
        "bare": [normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()],
    }[options.normalization]
    if first:
        made.normalizer = first[0] if len(first) == 1 else normalizers.Sequence(first)
    scheme = "always" if options.prefix_space else "never"
    made.pre_tokenizer = {
        "bytes": lambda: pre_tokenizers.ByteLevel(add_prefix_space=options.prefix_space),
        "spaces": lambda: pre_tokenizers.Metaspace(prepend_scheme=scheme),
        "words": pre_tokenizers.Whitespace,
        "bert": pre_tokenizers.BertPreTokenizer,
    }[options.splitting]()
    if decoder := back(options, scheme):
        made.decoder = decoder


def back(options: Options, scheme: str) -> decoders.Decoder | None:
    """Returns the decoder; None joins tokens with spaces."""
    if options.splitting == "bytes":
        return decoders.ByteLevel()
    if options.byte_fallback:
        strip = [decoders.Strip(" ", 1, 0)] if options.prefix_space else []
        return decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), *strip])
    if options.splitting == "spaces":
        return decoders.Metaspace(prepend_scheme=scheme)
    if options.model == "wordpiece":
        return decoders.WordPiece(cleanup=False)
    return None if options.model == "wordlevel" else decoders.Fuse()


def as_file(made: tokenizers.Tokenizer, options: Options) -> bytes:
    """Returns the file; bytes that were special in training, to get their ids, are ordinary in it."""
    facts = json.loads(made.to_str())
    if options.byte_fallback:
        facts["added_tokens"] = without_bytes(facts["added_tokens"])
    return json.dumps(facts, ensure_ascii=False, indent=1).encode() + b"\n"


def without_bytes(added: Sequence[dict]) -> list[dict]:
    return [token for token in added if token["content"] not in BYTE_NAMES]
