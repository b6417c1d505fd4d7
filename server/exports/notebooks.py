"""Notebooks that reproduce a page: cells that create each encoding, and cells that count with it."""

from collections.abc import Sequence
from operator import itemgetter

from server.encodings.encoding_store import EXTENDED, LOADED, StoredEncoding, Trained, is_made
from server.encodings.recipes import begins_from_own
from tokenizer import get_encoding, list_encoding_names
from tokenizer.display.notebook import literal, notebook
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.paths import read_toml
from tokenizer.text.tables import distinct

MAX_TRAINING_CHARACTERS = 500_000  # of the texts of a training

TOO_LONG = mark(
    "The training text of {name} has {size:,} characters; a notebook can contain at most {most:,}. Train on a"
    " shorter text."
)
FROM_FILE = mark(
    "A notebook cannot be made for {name}: this tokenizer was opened from a file or downloaded. Choose another"
    " tokenizer."
)
NOT_REPEATABLE = mark(
    "A notebook cannot be made for {name}: code in a notebook cannot make this tokenizer again. Choose another"
    " tokenizer."
)

CELLS = read_toml("notebooks.toml")


class CannotRepeat(TokenizerError):
    """A notebook cannot create an encoding."""


def of_text(text: str, entry: StoredEncoding, special: str = "text") -> str:
    """Returns the notebook of a text's tokens; raises CannotRepeat."""
    count = CELLS["count"].format(text=literal(text), special=special)
    return notebook(tr("The tokens of a text"), [*making(entry), count])


def of_comparison(text: str, entries: Sequence[StoredEncoding], special: str = "text") -> str:
    """Returns the notebook of a text in several encodings; raises CannotRepeat."""
    compared = CELLS["compare"].format(text=literal(text), special=special)
    return notebook(tr("One text, several encodings"), [*_several(entries), compared])


def of_training(entry: Trained) -> str:
    """Returns the notebook that trains an encoding again and counts a line of its text; raises CannotRepeat."""
    sentence = next((line for line in entry.sample[0].splitlines() if line.strip()), "")[:200]
    merges = CELLS["merges"].format(sentence=literal(sentence))
    return notebook(tr("How an encoding is trained"), [*making(entry), merges])


def of_languages(entries: Sequence[StoredEncoding], base: str, kinds: Sequence[str] = ()) -> str:
    """Returns the notebook that counts the same sentences in each language; raises CannotRepeat."""
    premiums = CELLS["premiums"].format(base=base, kinds=tuple(kinds))
    return notebook(tr("The same sentences in many languages"), [*_several(entries), premiums])


def _several(entries: Sequence[StoredEncoding]) -> list[str]:
    cells = ["encodings = {}"]
    for entry, name in zip(entries, distinct([entry.name for entry in entries]), strict=True):
        *before, last = making(entry)
        cells += [*before, f"{last}\nencodings[{name!r}] = encoding"]
    return cells


# ---- an encoding ----


def making(entry: StoredEncoding) -> list[str]:
    """Returns the cells that create an encoding in the variable `encoding`; raises CannotRepeat."""
    if isinstance(entry, Trained) and not begins_from_own(entry):
        return _training(entry)
    if not is_made(entry.key):
        return [CELLS["get"].format(key=entry.key)]
    base = entry.name.partition("+")[0]  # the pages call it gpt2+2; no other name has this sign
    if entry.key.startswith(EXTENDED) and base in list_encoding_names():
        known = get_encoding(base).special_tokens
        added = {token: id for token, id in entry.encoding.special_tokens.items() if token not in known}
        return [f"{CELLS['get'].format(key=base)}.with_special_tokens({added!r})"]
    raise CannotRepeat(tr(FROM_FILE if entry.key.startswith(LOADED) else NOT_REPEATABLE, name=entry.name))


def _training(entry: Trained) -> list[str]:
    order, texts = entry.job.order, entry.learned_from
    if (size := sum(map(len, texts))) > MAX_TRAINING_CHARACTERS:
        raise CannotRepeat(tr(TOO_LONG, name=entry.name, size=size, most=MAX_TRAINING_CHARACTERS))
    specials = entry.encoding.special_tokens
    has_ids = entry.typed_specials != list(specials)
    fields = {
        "size": order.vocab_size,
        "pattern": order.pattern,
        "ties": order.ties,
        "alphabet": order.alphabet,
        "min_count": order.min_count,
        "specials": dict(specials) if has_ids or order.kind == "characters" else list(specials),
        "name": entry.name,
        "start": repr(list(order.start)),
        "what": "texts",
        "counts": None,
        "words": "counts" if order.counted else "texts",
        "symbols": "sorted(set(''.join(texts)))",
        "more": "",
        "lift": "" if order.lift_after is None else f", lift_after={order.lift_after}",
        "split": None if entry.history.lifted else order.pattern,
        "drop": ", drop_unmatched=True" if order.drop_unmatched else "",
    }
    if order.drop_unmatched:
        fields |= {"what": "()", "counts": "counts", "more": CELLS["dropped"].format(**fields)}
    if order.counted:
        fields |= {"what": "()", "counts": "counts", "symbols": "sorted(set(''.join(counts)))"}
        fields["more"] = CELLS["counted"]
    if order.kind == "bpe" and order.alphabet == "bytes":
        fields["symbols"] = repr("bytes")
    if order.parity:
        fields |= {"more": CELLS["parity"].format(**fields), "start": "start"}
    kind = order.kind
    if order.begin:
        own = entry.encoding.special_tokens.items() - order.base.special_tokens.items()
        fields |= {"begin": order.begin, "specials": dict(sorted(own, key=itemgetter(1)))}
        fields["more"] = fields["more"] or CELLS["split"].format(**fields)
        kind = "extended"
    literals = "".join(f"{literal(text)},\n" for text in texts)
    return [f"texts = [\n{literals}]", CELLS["train"][kind].format(**fields)]
