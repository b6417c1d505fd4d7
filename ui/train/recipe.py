"""The options of a training: vocabulary size, kind, split pattern, alphabet, and the rule for ties."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from server.encodings import encoding_store
from tokenizer import PATTERNS, Encoding, TokenizerError, get_encoding
from tokenizer.errors import CannotExtend, enumerated
from tokenizer.i18n import mark, tr
from tokenizer.kinds.extending import check_extensible, first_new_id, packed_start
from tokenizer.kinds.open_models import BY_KEY
from tokenizer.split.guards import SAMPLE_TIMEOUT_SECONDS
from tokenizer.split.patterns import pieces, usable_pattern
from tokenizer.text.units import beginning
from tokenizer.training.makers import MAKERS, ExternalTraining
from tokenizer.training.train import TIES, split_of
from tokenizer.training.worker import Order
from ui.components import notices
from ui.session import page_snapshot, pending_values
from ui.session.choices import Choice, InvalidValue, int_in_range, one_of, switch
from ui.session.validation import (
    MAX_VOCABULARY_SIZE,
    SMALLEST_VOCABULARY,
    checked_merges,
    checked_name,
    checked_size,
    special_tokens,
)
from ui.session.visitor_state import visitor
from ui.train import external_options
from ui.train.corpora import CountsFile
from ui.widgets import patterns
from ui.widgets.patterns import (
    MAX_ADDRESS_CHARACTERS,
    MAX_PATTERN_CHARACTERS,
    NONE,
    OWN,
    OWN_PATTERN,
    OWN_START,
    PATTERN,
    PATTERN_LABELS,
    lanes,
)

ALPHABET_LABELS = {"bytes": mark("bytes"), "characters": mark("characters")}
MAX_NAME_CHARACTERS = 40  # as `checked_name` has it
EXCERPT_CHARACTERS = 120  # of the training text, which every pattern splits
MIN_COUNTS = {False: "1", True: "2"}  # whether training stops before pairs that occur once -> in the address

BYTES = "bytes"
STARTS = {  # what a training begins from -> label
    BYTES: mark("bytes or characters"),
    "gpt2": "GPT-2",
    "cl100k_base": "GPT-4",
    "o200k_base": "GPT-5",
    "llama3": "Llama 3",
    "qwen3": "Qwen 3",
}
KINDS = {  # kind of encoding -> label, description
    "bpe": (
        mark("byte-pair encoding"),
        mark("The most frequent pair of neighbouring tokens becomes a new token; then this is repeated."),
    ),
    "characters": (
        mark("characters"),
        mark(
            "Each character of the training text is a token; other characters become the unknown token. There are no"
            " merges."
        ),
    ),
    "words": (
        mark("words"),
        mark("Each word is put in lower case and merged from its characters; white space is not a token."),
    ),
}

INVALID = object()  # stands for an invalid value, whose error has been drawn


@dataclass(frozen=True)
class TrainingOptions:
    """The valid options of a training; `name` is that of the new encoding."""

    order: Order | ExternalTraining
    special_tokens: tuple[str, ...]
    name: str


def recipe(sample: str, default_name: str, counts_file: CountsFile | None = None) -> TrainingOptions | None:
    """Draws the options, with the patterns' splits of `sample`; returns None if one is invalid.

    The pre-tokens of a counts file can be learned only by Tokenloupe's own byte-pair encoding.
    """
    in_more = OWN_PATTERN, PATTERN, DROP_UNMATCHED, LIFT_AFTER, ALPHABET, TIE_RULE, MIN_COUNT, SPECIALS
    for choice in (KIND, BEGIN, ADD, VOCAB_SIZE, *in_more):
        choice.begin()
    st.session_state.setdefault("more_choices", any(choice.problem for choice in in_more))  # to show the problem
    if not counts_file:
        maker = external_options.MAKER.segmented(tr("Trained by"), external_options.BY)
        if maker != external_options.OURS:
            return _external_recipe(maker, default_name)
        if (begin := _begin()) != BYTES:
            return _extension_recipe(begin, default_name)
    kind = "bpe" if counts_file else _kind()
    pattern, alphabet, ties, min_count, drops, lift_after = None, "characters", "first-seen", 1, False, None
    size, size_error = 1 if kind == "characters" else _vocab_size(), st.container()
    more = st.expander(tr("More settings"), key="more_choices", on_change="rerun")
    with more, st.container(gap="xsmall"):
        if kind == "bpe":
            excerpt = beginning(sample, EXCERPT_CHARACTERS)
            pattern, drops = (_pattern_of_counts(counts_file), False) if counts_file else _pattern(excerpt)
            lift_after = None if counts_file or drops or pattern in (None, INVALID) else _lift_after()
            alphabet = _alphabet(drops)
        if kind != "characters":
            ties, min_count = _ties(), int(MIN_COUNTS[MIN_COUNT.ask(st.toggle, tr("Stop when no pair occurs twice"))])
        words = tr(
            "Type special tokens, separated by spaces. They get the last ids, unless you type an id with a token:"
            " <|end|>=1105."
        )
        checked_specials = partial(special_tokens, least_id=size + (kind == "words"))
        specials = _checked(checked_specials, SPECIALS.ask(st.text_input, tr("Special tokens"), help=words))
        lifted = f"-lifted-{lift_after}" if lift_after else ""
        defaults = {"bpe": _joined(default_name, f"{size}{lifted}"), "words": _joined(default_name, "words", size)}
        name = _checked(checked_name, _name(defaults.get(kind) or _joined(default_name, kind)))
    with size_error:
        size = _checked(checked_size, size, alphabet)
    if any(choice is INVALID for choice in (pattern, specials, name)) and not more.open:
        notices.show(tr("A value under “More settings” is not valid. Open “More settings” and correct the value."))
    if any(choice is INVALID for choice in (size, pattern, specials, name)):
        return None
    order = Order(size, pattern, ties, alphabet, min_count, kind=kind, drop_unmatched=drops, lift_after=lift_after)
    with size_error:
        if _checked(order.check) is INVALID:
            return None
    return TrainingOptions(order, specials, name)


def _begin() -> str:
    """Draws the choice of what the training begins from; offers what is here, and the visitor's own encodings."""
    rows = {name: tr(label) for name, label in STARTS.items() if name not in BY_KEY or BY_KEY[name].is_here}
    rows |= {key: one.name for key, one in visitor().own_encodings.items() if _is_extensible(one.encoding)}
    words = tr(
        "If you begin from bytes or characters, every token is new. If you begin from an encoding, its tokens keep"
        " their ids, and new merges join them."
    )
    return BEGIN.ask(st.selectbox, tr("Begin from"), list(rows), format_func=rows.get, help=words)


def _is_extensible(encoding: Encoding) -> bool:
    try:
        check_extensible(encoding)
    except CannotExtend:
        return False
    return True


def _start_key(value: str) -> str:
    """Parses what a training begins from: a name of STARTS, or the key of an encoding that was made here."""
    if value in STARTS:
        if value in BY_KEY and not BY_KEY[value].is_here:
            get_encoding(value)  # raises with the command that installs it
        return value
    if not encoding_store.is_made(value) or not _is_extensible(encoding_store.find(value).encoding):
        raise InvalidValue(enumerated([*map(repr, STARTS)], "or"))
    visitor().add_encoding(encoding_store.find(value))
    return value


def _extension_recipe(begin: str, default_name: str) -> TrainingOptions | None:
    """Draws the options of a training that begins from an encoding, whose split pattern stays."""
    more_merges, errors = ADD.ask(st.number_input, tr("Merges to add"), value=None, step=1), st.container()
    with st.expander(tr("More settings"), key="more_choices", on_change="rerun"), st.container(gap="xsmall"):
        ties, min_count = _ties(), int(MIN_COUNTS[MIN_COUNT.ask(st.toggle, tr("Stop when no pair occurs twice"))])
        known = begin if begin in STARTS else visitor().own_encodings[begin].name
        name = _checked(checked_name, _name(_joined(default_name, known, more_merges)))
    with errors:
        try:
            start = get_encoding(begin) if begin in STARTS else visitor().own_encodings[begin].encoding
            size = first_new_id(start) + checked_merges(more_merges)
        except TokenizerError as error:
            notices.show(str(error))
            return None
    if name is INVALID:
        return None
    packed = begin if begin in STARTS else packed_start(start)
    order = Order(size, split_of(start, None), ties, min_count=min_count, begin=packed)
    return TrainingOptions(order, (), name)


def _external_recipe(maker: str, default_name: str) -> TrainingOptions | None:
    words = tr("How many tokens the vocabulary has at most, including special tokens.")
    size, errors = _vocab_size(words), st.container()
    options = external_options.DRAW_OPTIONS[maker](size)
    name = _checked(checked_name, _name(_joined(default_name, maker, size)))
    with errors:
        is_invalid = INVALID in (name, _checked(MAKERS[maker].check, options))
    return None if is_invalid else TrainingOptions(ExternalTraining(maker, options), (), name)


def _kind() -> str:
    chosen = KIND.segmented(tr("Kind of encoding"), {name: tr(label) for name, (label, _) in KINDS.items()})
    st.caption(tr(KINDS[chosen][1]))
    return chosen


def _vocab_size(words: str = "") -> int:
    return VOCAB_SIZE.ask(
        st.number_input,
        tr("Vocabulary size"),
        value=None,
        step=1,  # no bounds: beyond them the browser would show the typed number and send the previous one
        help=words
        or tr(
            "How many tokens: the base symbols (256 bytes, or the characters of the text) and one for each merge."
            " Special tokens are extra."
        ),
    )


def _pattern(sample: str) -> tuple[str | None | object, bool]:
    """Draws the pattern and what becomes of text that it does not match; returns it, and whether that is left out."""
    words = tr(
        "The split pattern divides the text into pre-tokens. As long as training uses the pattern, no merge"
        " crosses the end of a pre-token."
    )
    labels = {name: tr(label) for name, label in PATTERN_LABELS.items()}
    chosen, typed, drops = PATTERN.select(tr("Split pattern"), labels, help=words), patterns.own(), False
    if chosen == OWN:
        words = tr(
            "In the syntax of Python’s `regex` module. Text that the pattern does not match becomes a pre-token, too,"
            " or is left out, as you choose below."
        )
        typed = OWN_PATTERN.ask(st.text_input, tr("My own regex"), max_chars=MAX_PATTERN_CHARACTERS, help=words)
    own = _checked(usable_pattern, typed, sample, shows_error=chosen == OWN)
    if chosen == OWN:
        drops = _drop(sample, own)
    if sample:
        compared = [(name, name) for name in PATTERNS] + [(NONE, None)]
        if own is not INVALID and (chosen == OWN or own != OWN_START):
            compared.append((labels[OWN], own))
        st.caption(tr("How each pattern splits the first {size:,} characters of the text:", size=len(sample)))
        st.html(lanes(sample, compared, labels[OWN] if chosen == OWN else chosen, drops))
    return {NONE: None, OWN: own}.get(chosen, chosen), drops


def _drop(sample: str, pattern: str | None | object) -> bool:
    """Draws the switch that leaves out what an own pattern does not match, and what is kept of the sample."""
    words = tr(
        "If this is on, the training and the tokenizer skip that text, as in minbpe: it has no tokens, so it is"
        " missing in the decoded text. If this is off, that text becomes pre-tokens."
    )
    drops = DROP_UNMATCHED.ask(st.toggle, tr("Leave out text that the pattern does not match"), help=words)
    if drops and sample and pattern is not INVALID:
        kept = "".join(pieces(sample, pattern, SAMPLE_TIMEOUT_SECONDS, drop_unmatched=True))
        st.caption(tr("What is kept of the first {size:,} characters of the text:", size=len(sample)))
        st.html(f'<p class="why-text" dir="auto">{escape(kept)}</p>')
    return drops


def _lift_after() -> int | None:
    """Draws the number of merges after which the split pattern is lifted; returns None for never."""
    words = tr(
        "After this many merges, the split pattern no longer divides the text, so later tokens may hold several words"
        " (SuperBPE, Liu et al. 2025). If training gets that far, the finished tokenizer does not split a text before"
        " merging."
    )
    label = tr("Lift the split pattern after this many merges (0: never)")
    return LIFT_AFTER.ask(st.number_input, label, value=None, step=1, help=words) or None


def _pattern_of_counts(counts_file: CountsFile) -> str | None:
    """Draws the pattern that split the pre-tokens, and returns it."""
    if counts_file.pattern is None:
        st.caption(tr("No split pattern was used for this corpus: each of its texts is one pre-token."))
    else:
        st.caption(tr("The corpus is already split into pre-tokens, by this split pattern:"))
        st.code(counts_file.pattern, language=None, wrap_lines=True)
    return counts_file.pattern


def _alphabet(drops: bool) -> str:
    chosen = ALPHABET.segmented(tr("Alphabet"), ALPHABET_LABELS)
    st.caption(
        tr(
            "With bytes, all text that the split pattern matches can be encoded and decoded. With characters, a"
            " matched character that is not in the training text becomes the unknown token, which is decoded as �."
        )
        if drops
        else tr(
            "With bytes, every text can be encoded and decoded. With characters, a character that is not in the"
            " training text becomes the unknown token, which is decoded as �."
        )
    )
    return chosen


def _ties() -> str:
    labels = {rule: f"{rule} ({known_by})" for rule, (known_by, *_) in TIES.items()}
    chosen = TIE_RULE.select(tr("When pairs have the same count"), labels)
    st.caption(tr(TIES[chosen][2]))
    return chosen


def _joined(*parts: object) -> str:
    """Returns a valid name of these parts, the end of it if it is too long; an encoding's name may have other signs.

    >>> _joined("thai", "gpt2+1", 500)
    'thai-gpt2-1-500'
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(map(str, parts)))[-MAX_NAME_CHARACTERS:].strip("-._")


def _name(default: str) -> str:
    """Draws the input of the name; the default follows the other options unless a name was typed."""
    st.session_state.trained_name = visitor().choices.get("trained_name") or default
    st.text_input(tr("Name of the new encoding"), key="trained_name", on_change=_keep_name, args=(default,))
    return st.session_state.trained_name


def _keep_name(default: str) -> None:
    pending_values.reapply("trained_name")
    typed = st.session_state.trained_name
    visitor().choices["trained_name"] = "" if typed == default else typed


def _checked_specials(value: str) -> str:
    special_tokens(value)
    return value


def _checked(check: Callable[..., Any], *typed: Any, shows_error: bool = True) -> Any:
    """Returns the checked value, or INVALID after drawing the error."""
    if any(value is INVALID for value in typed):
        return INVALID
    try:
        return check(*typed)
    except TokenizerError as error:
        if shows_error:
            notices.show(str(error))
        return INVALID


def _take_name(name: object) -> None:
    visitor().choices["trained_name"] = page_snapshot.checked_text(name)
    pending_values.set("trained_name", visitor().choices["trained_name"])


def _too_long() -> str | None:
    """Returns an own pattern that is too long for the address."""
    own = patterns.own() if PATTERN.chosen == OWN else ""
    return own if len(own) > MAX_ADDRESS_CHARACTERS else None


def _take_long(pattern: object) -> None:
    patterns.use_own(page_snapshot.checked_text(pattern)[:MAX_PATTERN_CHARACTERS])


page_snapshot.register("train", "pattern", _too_long, _take_long, address="pattern")
page_snapshot.register("train", "own_pattern", patterns.as_typed, patterns.restore, page_snapshot.TAB)
page_snapshot.register("train", "name", lambda: visitor().choices.get("trained_name") or None, _take_name)
VOCAB_SIZE = Choice("vocab_size", "512", int_in_range(min(SMALLEST_VOCABULARY.values()), MAX_VOCABULARY_SIZE))
BEGIN = Choice("begin", BYTES, _start_key)
ADD = Choice("add", "500", int_in_range(1, MAX_VOCABULARY_SIZE))
KIND = Choice("kind", "bpe", one_of(KINDS))
ALPHABET = Choice("alphabet", "bytes", one_of(SMALLEST_VOCABULARY))
TIE_RULE = Choice("ties", "first-seen", one_of(TIES))
MIN_COUNT = Choice("min_count", "2", lambda value: one_of(("1", "2"))(value) == "2", MIN_COUNTS.get)
DROP_UNMATCHED = switch("drop_unmatched")
LIFT_AFTER = Choice("lift_after", "0", int_in_range(0, MAX_VOCABULARY_SIZE))
SPECIALS = Choice("specials", "<|endoftext|>", _checked_specials)
