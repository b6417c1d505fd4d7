"""Tokenizers that lessons train on our own two corpora, cached by recipe."""

from functools import lru_cache

from tokenizer.encoding.interface import Encoding
from tokenizer.kinds.from_merges import encoding_from_merges
from tokenizer.kinds.spm import SentencePieceModel
from tokenizer.training import spm
from tokenizer.training.corpora import Mix, mix
from tokenizer.training.train import train

ENGLISH, TWO_TO_ONE, THAI = 0, 67, 100  # the share of Thai, in percent
VOCABULARY_SIZE = 1_000
MAX_CACHED_RECIPES = 128  # recipes; a tokenizer of this size takes a fraction of a megabyte


@lru_cache(MAX_CACHED_RECIPES)
def corpus(thai_share: int) -> Mix:
    """Returns paragraphs of our own, with this share of Thai in percent.

    >>> corpus(ENGLISH).thai, corpus(THAI).share
    (0, 100.0)
    """
    return mix(thai_share)


@lru_cache(MAX_CACHED_RECIPES)
def byte_bpe(thai_share: int, size: int = VOCABULARY_SIZE) -> Encoding:
    """Returns byte-level BPE that our trainer learned from such a corpus; it stops before pairs that occur once.

    >>> byte_bpe(ENGLISH).vocab_size
    1000
    """
    return encoding_from_merges(train(corpus(thai_share).text, size, min_count=2))


@lru_cache(MAX_CACHED_RECIPES)
def sentencepiece(model_type: str, fallback: bool = True, prefix: bool = True) -> Encoding:
    """Returns a model that SentencePiece's library learned from the two-to-one mix: "bpe" or "unigram".

    `fallback` is its byte fallback, `prefix` its dummy prefix, a space in front of every text. Every character of the
    corpus has a token, and characters stay as they are.

    >>> found = sentencepiece("bpe")
    >>> [found.piece(id) for id in found.encode("rice")]
    ['▁rice']
    """
    options = spm.Options(model_type, VOCABULARY_SIZE, 1.0, fallback, prefix, normalization="identity")
    return Encoding(model_type, SentencePieceModel(spm.train(options, [corpus(TWO_TO_ONE).text])), {})
