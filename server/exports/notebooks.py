"""Notebooks that reproduce a page: cells that create each encoding, and cells that count with it."""

from collections.abc import Sequence

from server.encodings.encoding_store import EXTENDED, StoredEncoding, Trained, is_made
from tokenizer import get_encoding, list_encoding_names
from tokenizer.display.notebook import literal, notebook
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr

MAX_TRAINING_CHARACTERS = 500_000  # of the texts of a training

TOO_LONG = mark(
    "The training text of {name} has {size:,} characters; a notebook can contain at most {most:,}. Train on a"
    " shorter text."
)

GET = "from tokenizer import get_encoding\n\nencoding = get_encoding({key!r})"
COUNT = """from tokenizer import count_graphemes, count_words

text = {text}
tokens = encoding.tokenize(text, special={special!r})
print(len(tokens), "tokens")
print(len(text), "code points")
print(count_graphemes(text), "graphemes")
print(count_words(text), "words")
print(len(text.encode()), "bytes")
print(tokens.ids)
tokens"""
COMPARE = """from tokenizer import compare
from tokenizer.measure.metrics import METRICS

text = {text}
found = compare(text, encodings, special={special!r})
print(*["", *found.names], sep="\\t")
for name, metric in METRICS.items():
    print(metric.label, *[values[name] for values in found.values], sep="\\t")
found"""
MERGES = """for merge in merges[:10]:
    print(merge.left, "+", merge.right, "seen", merge.count, "times")
sentence = {sentence}
print(len(encoding.encode(sentence)), "tokens")"""
PREMIUMS = """from tokenizer import parallel_corpus
from tokenizer.languages.premium import count_tokens, premium, size

corpus, base = parallel_corpus({kinds!r}), {base!r}
sizes = {{tag: size(lines) for tag, lines in corpus.items()}}
for name, encoding in encodings.items():
    tokens = {{tag: count_tokens(lines, encoding) for tag, lines in corpus.items()}}
    for tag in corpus:
        print(name, tag, premium(sizes[tag], tokens[tag], sizes[base], tokens[base]).tokens, sep="\\t")"""

TRAIN = {
    "bpe": """from tokenizer import encoding_from_merges, train
{more}
merges = list(
    train({what}, {size}, {pattern!r}, {ties!r}, {alphabet!r}, {start}, counts={counts}, min_count={min_count})
)
encoding = encoding_from_merges(merges, {pattern!r}, {specials!r}, {name!r}, {symbols})""",
    "words": """from tokenizer import train
from tokenizer.kinds.words import count_words, words_encoding
{more}
counts = count_words({words})
merges = list(train((), {size}, None, {ties!r}, "characters", counts=counts, min_count={min_count}))
encoding = words_encoding(set("".join(counts)), merges, {specials!r}, {name!r})""",
    "characters": """from tokenizer.kinds.characters import characters_encoding
{more}
merges = []
characters = {symbols}
specials = {{token: len(characters) + 1 + i for i, token in enumerate({specials!r})}}
encoding = characters_encoding(characters, specials, {name!r})""",
}
COUNTED = 'from tokenizer.training.corpus import word_counts\n\ncounts = word_counts("\\n".join(texts))'
PARITY = """from tokenizer.training.parity import train_parity

start = [(merge.left, merge.right) for merge in train_parity(texts, {size}, {pattern!r}, {ties!r}, {min_count})]"""


class CannotRepeat(TokenizerError):
    """A notebook cannot create an encoding."""


def of_text(text: str, entry: StoredEncoding, special: str = "text") -> str:
    """Returns the notebook of a text's tokens; raises CannotRepeat."""
    count = COUNT.format(text=literal(text), special=special)
    return notebook(tr("The tokens of a text"), [*making(entry), count])


def of_comparison(text: str, entries: Sequence[StoredEncoding], special: str = "text") -> str:
    """Returns the notebook of a text in several encodings; raises CannotRepeat."""
    compared = COMPARE.format(text=literal(text), special=special)
    return notebook(tr("One text, several encodings"), [*_several(entries), compared])


def of_training(entry: Trained) -> str:
    """Returns the notebook that trains an encoding again and counts a line of its text; raises CannotRepeat."""
    sentence = next((line for line in entry.sample[0].splitlines() if line.strip()), "")[:200]
    return notebook(tr("How an encoding is trained"), [*making(entry), MERGES.format(sentence=literal(sentence))])


def of_languages(entries: Sequence[StoredEncoding], base: str, kinds: Sequence[str] = ()) -> str:
    """Returns the notebook that counts the same sentences in each language; raises CannotRepeat."""
    premiums = PREMIUMS.format(base=base, kinds=tuple(kinds))
    return notebook(tr("The same sentences in many languages"), [*_several(entries), premiums])


def _several(entries: Sequence[StoredEncoding]) -> list[str]:
    cells = ["encodings = {}"]
    for entry in entries:
        *before, last = making(entry)
        cells += [*before, f"{last}\nencodings[{entry.name!r}] = encoding"]
    return cells


# ---- an encoding ----


def making(entry: StoredEncoding) -> list[str]:
    """Returns the cells that create an encoding in the variable `encoding`; raises CannotRepeat."""
    if isinstance(entry, Trained):
        return _training(entry)
    if not is_made(entry.key):
        return [GET.format(key=entry.key)]
    if entry.key.startswith(EXTENDED) and entry.name in list_encoding_names():
        known = get_encoding(entry.name).special_tokens
        added = {token: id for token, id in entry.encoding.special_tokens.items() if token not in known}
        return [f"{GET.format(key=entry.name)}.with_special_tokens({added!r})"]
    raise CannotRepeat(
        tr(
            "A notebook cannot be made for {name}: this tokenizer was loaded from a file. Choose another tokenizer.",
            name=entry.name,
        )
    )


def _training(entry: Trained) -> list[str]:
    order, texts = entry.job.order, entry.learned_from
    if (size := sum(map(len, texts))) > MAX_TRAINING_CHARACTERS:
        raise CannotRepeat(tr(TOO_LONG, name=entry.name, size=size, most=MAX_TRAINING_CHARACTERS))
    fields = {
        "size": order.vocab_size,
        "pattern": order.pattern,
        "ties": order.ties,
        "alphabet": order.alphabet,
        "min_count": order.min_count,
        "specials": list(entry.encoding.special_tokens),
        "name": entry.name,
        "start": repr(list(order.start)),
        "what": "texts",
        "counts": None,
        "words": "counts" if order.counted else "texts",
        "symbols": "sorted(set(''.join(texts)))",
        "more": "",
    }
    if order.counted:
        fields |= {"more": COUNTED, "what": "()", "counts": "counts", "symbols": "sorted(set(''.join(counts)))"}
    if order.kind == "bpe" and order.alphabet == "bytes":
        fields["symbols"] = repr("bytes")
    if order.parity:
        fields |= {"more": PARITY.format(**fields), "start": "start"}
    literals = "".join(f"{literal(text)},\n" for text in texts)
    return [f"texts = [\n{literals}]", TRAIN[order.kind].format(**fields)]
