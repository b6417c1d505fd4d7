"""Lower-cased words, each merged from characters; white space has no token.

This is the algorithm of most courses on byte-pair encoding: words with counts, without a mark for the end of a word.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from tokenizer.encoding.bpe import Merge
from tokenizer.encoding.interface import Encoding
from tokenizer.kinds.from_merges import encoding_from_merges
from tokenizer.split.guards import timeout_for
from tokenizer.split.patterns import matches
from tokenizer.text.well_formed import well_formed

# A word is a run of letters, marks and numbers, or any other single character that is not white space.
PATTERN = r"[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]"


def count_words(texts: str | Iterable[str] | Mapping[str, int]) -> dict[str, int]:
    """Counts lower-cased words in texts, or in words with counts, in the order of their first occurrence.

    >>> count_words("The cat, the hat.")
    {'the': 2, 'cat': 1, ',': 1, 'hat': 1, '.': 1}
    """
    counts: dict[str, int] = {}
    if not isinstance(texts, Mapping):
        texts = Counter([texts] if isinstance(texts, str) else texts)
    for text, times in texts.items():
        text = well_formed(text)[0]
        for match in matches(text, PATTERN, timeout_for(text)):
            word = text[match.start() : match.end()].lower()
            counts[word] = counts.get(word, 0) + times
    return counts


def words_encoding(
    characters: Iterable[str],
    merges: Iterable[Merge | tuple[bytes, bytes]],
    special_tokens: Iterable[str] | Mapping[str, int] = (),
    name: str = "words",
) -> Encoding:
    """Returns the encoding of these merges: of lower-cased words, from these characters; others become `<unk>`.

    >>> enc = words_encoding("hugp", [(b"u", b"g"), (b"h", b"ug")])
    >>> [enc.piece(id) for id in enc.encode("Hug, pug")]
    ['hug', '<unk>', 'p', 'ug']
    """
    merges, characters = list(merges), set(characters)
    unknown_id = len(characters) + len(merges)
    return encoding_from_merges(merges, PATTERN, special_tokens, name, characters, unknown_id, is_words=True)
