"""The options of trainings by other programs, as knobs: a function a program."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from tokenizer.training import spm
from tokenizer.training.makers import MAKERS
from ui.desk.choices import Choice, Unwanted, one_of

OURS = "tokenloupe"
BY = {OURS: "Tokenloupe", **{name: maker.label for name, maker in MAKERS.items()}}
MAKER = Choice("maker", OURS, one_of(BY))
LONGEST_SYMBOLS = 1_000  # characters of all together
MODEL_LABELS = {"unigram": "Unigram", "bpe": "BPE", "char": "characters", "word": "words"}


def options(maker: str, size: int) -> Any:
    """Draws the knobs of a program, and returns its options, which may still be wrong."""
    return KNOBS[maker](size)


def _sentencepiece(size: int) -> spm.Options:
    model_type = SPM_TYPE.segmented("Model type", MODEL_LABELS)
    st.caption(spm.MODEL_TYPES[model_type])
    fallback = SPM_FALLBACK.ask(st.toggle, "Byte fallback", help=spm.EXPLAINED["byte_fallback"])
    with st.expander("More choices", key="spm_choices"), st.container(gap="xsmall"):
        rule = SPM_RULE.select("Normalization", {name: name for name in spm.NORMALIZATIONS})
        st.caption(spm.NORMALIZATIONS[rule])
        prefix = SPM_PREFIX.ask(st.toggle, "Dummy prefix", help=spm.EXPLAINED["add_dummy_prefix"])
        digits = SPM_DIGITS.ask(st.toggle, "Split digits", help=spm.EXPLAINED["split_digits"])
        words = spm.EXPLAINED["character_coverage"]
        coverage = SPM_COVERAGE.ask(st.number_input, "Character coverage", **COVERAGE_BOUNDS, help=words)
        words = spm.EXPLAINED["user_symbols"]
        symbols = SPM_SYMBOLS.ask(st.text_input, "User-defined symbols", max_chars=LONGEST_SYMBOLS, help=words)
    return spm.Options(model_type, size, coverage, fallback, prefix, digits, rule, tuple(symbols.split()))


def _switch(name: str, begins: bool) -> Choice:
    """A choice between on and off, which the address spells 1 and 0."""
    return Choice(name, str(int(begins)), lambda asked: one_of(("0", "1"))(asked) == "1", lambda on: str(int(on)))


def _coverage(asked: str) -> float:
    try:
        found = float(asked)
    except ValueError:
        found = 0.0
    if not COVERAGE_BOUNDS["min_value"] <= found <= COVERAGE_BOUNDS["max_value"]:
        raise Unwanted("a number from 0.98 to 1")
    return found


COVERAGE_BOUNDS = {"min_value": 0.98, "max_value": 1.0, "step": 0.0005, "format": "%.4f"}
SPM_TYPE = Choice("spm_type", "unigram", one_of(spm.MODEL_TYPES))
SPM_FALLBACK = _switch("spm_fallback", True)
SPM_RULE = Choice("spm_rule", "nmt_nfkc", one_of(spm.NORMALIZATIONS))
SPM_PREFIX = _switch("spm_prefix", True)
SPM_DIGITS = _switch("spm_digits", False)
SPM_COVERAGE = Choice("spm_coverage", "0.9995", _coverage)
SPM_SYMBOLS = Choice("spm_symbols", "", str)
KNOBS: Mapping[str, Callable[[int], Any]] = {"sentencepiece": _sentencepiece}
