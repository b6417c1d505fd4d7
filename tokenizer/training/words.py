"""Training of words: byte-pair encoding of characters within lower-cased words."""

from collections.abc import Iterable, Mapping

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.words import count_words, words_encoding
from tokenizer.training.train import checked, train


def train_words(
    texts: str | Iterable[str] | Mapping[str, int],
    vocab_size: int = 512,
    ties: str = "first-seen",
    min_count: int = 1,
    name: str = "words",
) -> Encoding:
    """Returns the encoding of words learned from texts, or from words with their counts.

    `vocab_size` counts characters and merges; the unknown token comes after them.

    >>> enc = train_words({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 10)
    >>> [merge.token.decode() for merge in enc.merges.learned]
    ['ug', 'un', 'hug']
    >>> [enc.piece(id) for id in enc.encode("bug hugs mug")]
    ['b', 'ug', 'hug', 's', '<unk>', 'ug']
    """
    counts = count_words(checked(texts) if isinstance(texts, Mapping) else texts)
    options = {"ties": ties, "alphabet": "characters", "min_count": min_count}
    merges = train((), vocab_size, None, counts=counts, **options)
    return words_encoding(set("".join(counts)), merges, name=name)
