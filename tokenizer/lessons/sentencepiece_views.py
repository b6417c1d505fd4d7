"""Views of SentencePiece beside byte-level BPE, learned from the same corpus."""

import math
from collections.abc import Callable, Sequence

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.tokens import BYTE, UNKNOWN
from tokenizer.kinds.spm import SPACE
from tokenizer.lessons.learned import TWO_TO_ONE, byte_bpe, sentencepiece
from tokenizer.lessons.training_views import lane
from tokenizer.lessons.views import Lane, Shown, Table, Word
from tokenizer.lessons.wording import Counted

MODELS: dict[str, Callable[[], Encoding]] = {
    "bpe": lambda: sentencepiece("bpe"),
    "unigram": lambda: sentencepiece("unigram"),
    "no_prefix": lambda: sentencepiece("bpe", prefix=False),
    "no_fallback": lambda: sentencepiece("bpe", fallback=False),
}
NUM_WAYS = 5
BAR = " | "


def pieces(text: str, models: Sequence[str]) -> Shown:
    """Encodes a text with models of SentencePiece and byte-level BPE from the same corpus, and decodes it again.

    >>> facts = pieces("rice", ["bpe", "no_prefix"]).facts
    >>> facts["bpe_marks"], facts["bpe"], facts["no_prefix_first"], facts["no_prefix"]
    (1, 1, 'ri', 2)
    """
    own_bpe, found = byte_bpe(TWO_TO_ONE), {name: MODELS[name]() for name in models}
    lanes = [*(Lane(name, _spelled(one, text), "tokens") for name, one in found.items()), lane("ours", own_bpe, text)]
    counts = {one.label: Counted(len(one.pieces)) for one in lanes}
    facts = counts | {"bytes": Counted(len(text.encode())), "fewest": min(counts, key=counts.get)}
    for name, encoding in found.items():
        facts |= {f"{name}_{fact}": value for fact, value in _facts(encoding, text).items()}
    back = [(Word(name), one.decode(one.encode(text))) for name, one in {**found, "ours": own_bpe}.items()]
    return Shown(facts, [*lanes, Table(("read_by", "comes_back"), back)])


def _spelled(encoding: Encoding, text: str) -> list[str]:
    return [encoding.piece(id) for id in encoding.encode(text)]


def _facts(encoding: Encoding, text: str) -> dict[str, Counted | str]:
    """Returns for a model of SentencePiece the characters that it reads, its first piece, and pieces of some kinds."""
    spelled, kinds = _spelled(encoding, text), encoding.tokenize(text).kinds
    return {
        "read": Counted(len(encoding.model.normalized(text))),
        "first": spelled[0] if spelled else "",
        "marks": Counted("".join(spelled).count(SPACE)),
        "bytes": Counted((kinds == BYTE).sum()),
        "unknown": Counted((kinds == UNKNOWN).sum()),
    }


def ways(text: str) -> Shown:
    """Finds the likeliest segmentations of a text by Unigram, with their scores, and the one by BPE.

    >>> facts = ways("inside").facts
    >>> facts["best"], facts["ways"]
    ('▁in | side', 5)
    """
    unigram, bpe = (MODELS[name]() for name in ("unigram", "bpe"))
    found = unigram.model.segmentations(text, NUM_WAYS)
    rows = [(BAR.join(cut), _signed(score), _times(found[0][0] - score)) for score, _, cut in found]
    best = found[0][-1] if found else []
    lanes = [Lane("unigram", best, "tokens"), Lane("bpe", _spelled(bpe, text), "tokens")]
    facts = {"ways": Counted(len(found)), "best": BAR.join(best)}
    facts |= {one.label: Counted(len(one.pieces)) for one in lanes}
    return Shown(facts, [Table(("way", "score", "less_likely"), rows), *lanes])


def _signed(score: float) -> str:
    return f"{score:.2f}".replace("-", "−")


def _times(log_ratio: float) -> str:
    """Returns how many times less likely a segmentation is, from the difference of the logarithms."""
    times = math.exp(log_ratio)
    return f"{times:,.1f}" if times < 100 else f"{times:,.0f}"


VIEWS = {"pieces": pieces, "ways": ways}
