"""The options of trainings by other programs, one function per program."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from tokenizer.i18n import mark, tr
from tokenizer.training import pipeline, spm
from tokenizer.training.makers import MAKERS
from ui.session.choices import Choice, InvalidValue, int_in_range, one_of, switch

OURS = "tokenloupe"
BY = {OURS: "Tokenloupe", **{name: maker.label for name, maker in MAKERS.items()}}
MAKER = Choice("maker", OURS, one_of(BY))
MAX_SYMBOL_CHARACTERS = 1_000  # of all user-defined symbols together
MODEL_LABELS = {"unigram": "Unigram", "bpe": "BPE", "char": mark("characters"), "word": mark("words")}


def _sentencepiece(size: int) -> spm.Options:
    explained = {name: tr(words) for name, words in spm.EXPLAINED.items()}
    model_type = SPM_TYPE.segmented(tr("Kind of encoding"), MODEL_LABELS)
    st.caption(tr(spm.MODEL_TYPES[model_type]))
    fallback = SPM_FALLBACK.ask(st.toggle, tr("Byte fallback"), help=explained["byte_fallback"])
    with st.expander(tr("More settings"), key="spm_choices"), st.container(gap="xsmall"):
        rule = SPM_RULE.select(tr("Normalization"), {name: name for name in spm.NORMALIZATIONS})
        st.caption(tr(spm.NORMALIZATIONS[rule]))
        prefix = SPM_PREFIX.ask(st.toggle, tr("Dummy prefix"), help=explained["add_dummy_prefix"])
        digits = SPM_DIGITS.ask(st.toggle, tr("Split digits"), help=explained["split_digits"])
        scripts = SPM_SCRIPTS.ask(st.toggle, tr("Split by script"), help=explained["split_by_unicode_script"])
        numbers = SPM_NUMBERS.ask(st.toggle, tr("Split digits from letters"), help=explained["split_by_number"])
        words = explained["max_piece_characters"]
        longest = SPM_LONGEST.ask(st.number_input, tr("Longest token, in characters"), **PIECE_BOUNDS, help=words)
        words = explained["character_coverage"]
        coverage = SPM_COVERAGE.ask(st.number_input, tr("Character coverage"), **COVERAGE_BOUNDS, help=words)
        options = {"max_chars": MAX_SYMBOL_CHARACTERS, "help": explained["user_symbols"]}
        symbols = SPM_SYMBOLS.ask(st.text_input, tr("User-defined symbols"), **options)
    return spm.Options(
        model_type,
        size,
        coverage,
        fallback,
        prefix,
        digits,
        scripts,
        numbers,
        longest,
        normalization=rule,
        user_symbols=tuple(symbols.split()),
    )


def _huggingface(size: int) -> pipeline.Options:
    explained = {name: tr(words) for name, words in pipeline.EXPLAINED.items()}
    model = HF_MODEL.segmented(tr("Kind of encoding"), HF_MODEL_LABELS)
    st.caption(tr(pipeline.MODELS[model]))
    choice, known = (HF_WORDS, pipeline.LOSES_SPACES) if model == "wordpiece" else (HF_SPLITTING, pipeline.SPLITTINGS)
    splitting = choice.select(tr("Split the text"), {name: tr(pipeline.SPLITTINGS[name]) for name in known})
    prefix = fallback = False
    if splitting not in pipeline.LOSES_SPACES:
        prefix = HF_PREFIX.ask(st.toggle, tr("Space before the text"), help=explained["prefix_space"])
    if (model, splitting) == ("bpe", "spaces"):
        fallback = HF_FALLBACK.ask(st.toggle, tr("Byte fallback"), help=explained["byte_fallback"])
    with st.expander(tr("More settings"), key="hf_choices"), st.container(gap="xsmall"):
        rule = HF_RULE.select(tr("Normalization"), {name: name for name in pipeline.NORMALIZATIONS})
        st.caption(tr(pipeline.NORMALIZATIONS[rule]))
        specials = HF_SPECIALS.ask(st.text_input, tr("Special tokens"), help=explained["special_tokens"])
    return pipeline.Options(
        model, size, rule, splitting, prefix, fallback, special_tokens=tuple(dict.fromkeys(specials.split()))
    )


def _coverage(value: str) -> float:
    try:
        found = float(value)
    except ValueError:
        found = 0.0
    if not COVERAGE_BOUNDS["min_value"] <= found <= COVERAGE_BOUNDS["max_value"]:
        raise InvalidValue(tr("a number from 0.98 to 1"))
    return found


COVERAGE_BOUNDS = {"min_value": 0.98, "max_value": 1.0, "step": 0.0005, "format": "%.4f"}
SPM_TYPE = Choice("spm_type", "unigram", one_of(spm.MODEL_TYPES))
SPM_FALLBACK = switch("spm_fallback", True)
SPM_RULE = Choice("spm_rule", "nmt_nfkc", one_of(spm.NORMALIZATIONS))
SPM_PREFIX = switch("spm_prefix", True)
SPM_DIGITS = switch("spm_digits", False)
SPM_COVERAGE = Choice("spm_coverage", "0.9995", _coverage)
SPM_SCRIPTS, SPM_NUMBERS = switch("spm_scripts", True), switch("spm_numbers", True)
PIECE_BOUNDS = {"min_value": 1, "max_value": spm.MAX_PIECE_CHARACTERS}
SPM_LONGEST = Choice("spm_longest", "16", int_in_range(1, spm.MAX_PIECE_CHARACTERS))
SPM_SYMBOLS = Choice("spm_symbols", "", str)
HF_MODEL_LABELS = {"bpe": "BPE", "unigram": "Unigram", "wordpiece": "WordPiece", "wordlevel": "WordLevel"}
HF_MODEL = Choice("hf_model", "bpe", one_of(pipeline.MODELS))
HF_SPLITTING = Choice("hf_splitting", "bytes", one_of(pipeline.SPLITTINGS))
HF_WORDS = Choice("hf_words", "bert", one_of(pipeline.LOSES_SPACES))
HF_PREFIX, HF_FALLBACK = switch("hf_prefix", False), switch("hf_fallback", False)
HF_RULE = Choice("hf_rule", "none", one_of(pipeline.NORMALIZATIONS))
HF_SPECIALS = Choice("hf_specials", "", str)
# By program: draws the options for a vocabulary size, and returns them unchecked.
DRAW_OPTIONS: Mapping[str, Callable[[int], Any]] = {"sentencepiece": _sentencepiece, "huggingface": _huggingface}
