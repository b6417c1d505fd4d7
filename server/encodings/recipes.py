"""Recipes: the inputs of a training as plain values, in a link or a file, from which another server trains it again.

`merges_as_values` returns the result instead: the merges, without the text.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from server.encodings import encoding_store
from server.encodings.encoding_store import MERGES, ExternallyTrained, FromTraining, MergesOnly, StoredEncoding, Trained
from server.training import public_corpora
from tokenizer import Encoding, TokenizerError, encoding_files
from tokenizer.errors import shown
from tokenizer.i18n import mark, tr
from tokenizer.kinds.extending import check_extensible
from tokenizer.text.well_formed import well_formed
from tokenizer.training.corpora import mix, own_corpora
from tokenizer.training.corpus import FORMS, hold_out
from tokenizer.training.makers import MAKERS, ExternalTraining
from tokenizer.training.train import ALPHABETS
from tokenizer.training.worker import Order

MAX_TEXT_BYTES = 1_000_000  # of all texts of a recipe
MAX_VOCABULARY_TOKENS = 50_000
FORMATS_WITHOUT_TEXT = "minbpe", "tokenloupe", "huggingface"  # forms that hold all of an encoding, the shortest first
KINDS = ("bpe", "characters", "words")


class BadRecipe(TokenizerError):
    """A recipe that cannot be read, or followed here."""


@dataclass(frozen=True)
class Recipe:
    """All that a training and its encoding depend on; all but the name and the special tokens is checked."""

    order: Order | ExternalTraining
    texts: tuple[str, ...]
    source: Mapping[str, Any] | None
    special_tokens: tuple[str, ...]
    name: str
    parent: dict | None = None


def as_values(found: FromTraining) -> dict[str, Any]:
    """Returns a recipe as plain values; raises BadRecipe where its texts are too long.

    One of our own texts is included by its name, any other text in full.
    """
    if begins_from_own(found):
        sentence = mark(
            "{name} cannot be shared: it was trained from another encoding of yours. Share its file instead."
        )
        raise BadRecipe(tr(sentence, name=found.name))
    if not is_portable(found):
        size = sum(len(text.encode()) for text in found.job.texts)
        words = tr(
            "{name} cannot be shared: its training text has {n:,} bytes, more than the limit of {most:,} bytes."
            " Train on a shorter text.",
            name=found.name,
            n=size,
            most=MAX_TEXT_BYTES,
        )
        raise BadRecipe(words)
    recipe = {"name": found.name, "order": json.loads(found.job.order.to_json())}
    if isinstance(found, Trained):
        recipe["specials"] = found.typed_specials
        recipe |= {"parent": found.parent} if found.parent else {}
    text = {"texts": list(found.job.texts)} if found.source is None else {"source": dict(found.source)}
    return recipe | text


def begins_from_own(found: StoredEncoding) -> bool:
    """Whether it was trained from another encoding of the visitor."""
    return isinstance(found, Trained) and found.job.order.begin.startswith("{")


def is_portable(found: StoredEncoding) -> bool:
    """Whether links and files can contain an encoding that was trained here, or its merges."""
    if begins_from_own(found):
        return False
    if not isinstance(found, FromTraining) or found.source is not None:
        return isinstance(found, FromTraining | MergesOnly)
    texts = found.job.texts
    return sum(map(len, texts)) <= MAX_TEXT_BYTES and sum(len(text.encode()) for text in texts) <= MAX_TEXT_BYTES


def merges_as_values(found: StoredEncoding) -> dict[str, Any]:
    """Returns an encoding as plain values without the text that it was trained on: the file that holds its merges.

    Its `key` contains no facts of the training. Raises TokenizerError where no file format can hold all of it.
    """
    name, data = _file(found)
    try:
        file = {"file": name, "text": data.decode()}
    except UnicodeDecodeError:
        file = {"file": name, "base64": base64.b64encode(data).decode()}
    return {"key": f"{MERGES}{hashlib.sha256(data).hexdigest()[:32]}", "name": found.name, **file}


def _file(found: StoredEncoding) -> tuple[str, bytes]:
    if isinstance(found, MergesOnly):
        return found.file
    if isinstance(found, ExternallyTrained):
        return f"made{MAKERS[found.job.order.maker].suffix}", found.job.file
    problem = None
    for form in FORMATS_WITHOUT_TEXT:
        try:
            return next(iter(encoding_files(found.encoding, form, "made").items()))
        except TokenizerError as error:
            problem = problem or error
    raise problem


def store_merges(encoding: Encoding) -> MergesOnly:
    """Stores an encoding with the file that holds its merges; raises StoreFull, or TokenizerError as above."""
    file = _file(StoredEncoding("", encoding))
    return encoding_store.add(encoding, MERGES, lambda *facts: MergesOnly(*facts, file))


def add_merges(facts: Mapping[str, Any], address: str = "") -> MergesOnly:
    """Stores the encoding that `merges_as_values` wrote; the values are untrusted, so all are checked.

    It counts in the share of `address`. Raises TokenizerError.
    """
    try:
        name, file = facts["name"], facts["file"]
        data = facts["text"].encode() if "text" in facts else base64.b64decode(facts["base64"], validate=True)
        if not isinstance(name, str) or not isinstance(file, str):
            raise TypeError
        return encoding_store.add_merges(name, file, data, address)
    except TokenizerError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadRecipe(
            tr(
                "A tokenizer in this link or file is damaged, so it could not be restored. Ask the sender for another"
                " copy."
            )
        ) from None


def read(facts: object) -> Recipe:
    """Returns the recipe that `as_values` wrote; the values are untrusted, so all are checked. Raises BadRecipe.

    >>> read({"name": "x"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    server.encodings.recipes.BadRecipe: The settings of a shared training are damaged, ...
    """
    try:
        texts = _texts(facts)
        specials, name, parent = facts.get("specials", []), facts["name"], _parent(facts.get("parent"))
        if not isinstance(name, str) or not all(isinstance(one, str) for one in specials):
            raise TypeError
        return Recipe(_order(facts["order"], len(texts)), texts, facts.get("source"), tuple(specials), name, parent)
    except TokenizerError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        raise BadRecipe(
            tr(
                "The settings of a shared training are damaged, so the tokenizer cannot be trained again. Ask the"
                " sender for another copy."
            )
        ) from None


def _texts(facts: Mapping[str, Any]) -> tuple[str, ...]:
    if "source" in facts:
        return texts_of(facts["source"])
    texts = tuple(well_formed(text)[0] for text in facts["texts"])
    if sum(len(text.encode()) for text in texts) > MAX_TEXT_BYTES:
        raise BadRecipe(
            tr(
                "The text of a shared training is longer than {most:,} bytes, the limit. Train on a shorter text.",
                most=MAX_TEXT_BYTES,
            )
        )
    return texts


def texts_of(source: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the training texts that a source names: one of ours, a mix of them, a public one that is cached.

    >>> [len(text) > 1000 for text in texts_of({"corpus": "thai", "held_out": True})]
    [True, True]
    """
    if "corpus" in source:
        text = own_corpora()[source["corpus"]]
    elif "mix" in source:
        share, characters = int(source["mix"]), source.get("characters")
        text = mix(
            min(100, max(0, share)), None, None if characters is None else min(int(characters), MAX_TEXT_BYTES)
        ).text
    else:
        text = _public(source["public"])
    changed = FORMS[source.get("form", "as-is")](text)
    if not source.get("held_out"):
        return (changed,)
    kept, held = hold_out([changed])
    return (*kept, *held)


def _public(name: str) -> str:
    public = public_corpora.PUBLIC_CORPORA[name]
    if not public_corpora.cached(public):
        sentence = mark(
            "{text} must be downloaded first: on the page Train, choose the training text “Tiny Shakespeare, and other"
            " public texts”, then this corpus, and press “Download (needs the internet)”."
        )
        raise BadRecipe(tr(sentence, text=tr(public.label)))
    return public_corpora.fetch(public)


def _order(facts: Mapping[str, Any], num_texts: int) -> Order | ExternalTraining:
    if "maker" in facts:
        order = ExternalTraining.from_facts(dict(facts))
        _alike(order.options, type(order.options)())
        MAKERS[order.maker].check(order.options)
        size = order.options.vocab_size
    else:
        order = Order.from_json(json.dumps(facts))
        example = Order(
            pattern=None if order.pattern is None else "", lift_after=None if order.lift_after is None else 0
        )
        _alike(order, example)
        if order.begin.startswith("{"):  # an own encoding, which a recipe does not contain
            raise TypeError
        base = order.base
        if order.begin:
            check_extensible(base)
        if order.begin and (order.pattern, order.kind) != (base.pattern_name or base.pattern, "bpe"):
            raise TypeError
        order.check()
        size = order.vocab_size - (order.num_base if order.begin else 0)
        if order.min_count < 1:
            raise ValueError
        known = (order.kind, KINDS), (order.alphabet, ALPHABETS)
        if (unknown := next((one for one, names in known if one not in names), None)) is not None:
            raise BadRecipe(
                tr(
                    "A shared training needs the setting {what}, which this version of Tokenloupe does not know. Train"
                    " with other settings.",
                    what=shown(unknown),
                )
            )
    if size > MAX_VOCABULARY_TOKENS:
        raise BadRecipe(
            tr(
                "A shared training asks for a vocabulary of {n:,} tokens, more than the limit of {most:,} tokens."
                " Train with a smaller vocabulary.",
                n=size,
                most=MAX_VOCABULARY_TOKENS,
            )
        )
    if type(order.held_out) is not int or not 0 <= order.held_out <= num_texts:
        raise TypeError
    return order


def _alike(found: Any, example: Any) -> None:
    """Raises TypeError where a field has another type than in the example, which has a value for every field."""
    for field in fields(found):
        value, other = getattr(found, field.name), getattr(example, field.name)
        if type(value) is not type(other) and not (type(other) is float and type(value) is int):
            raise TypeError
        if isinstance(value, tuple) and not all(isinstance(one, str | tuple) for one in value):
            raise TypeError


def _parent(facts: object) -> dict | None:
    if facts is None:
        return None
    found = {"key": str(facts["key"]), "name": str(facts["name"])[:80], "at": int(facts["at"])}
    return found | {"forced": [int(one) for one in facts.get("forced", [])][:MAX_VOCABULARY_TOKENS]}
