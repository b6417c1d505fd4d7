"""SentencePiece models trained on a small text."""

import io
from functools import cache

from tokenizer.encoding.interface import Encoding
from tokenizer.kinds.spm import SentencePieceModel
from tokenizer.text.samples import samples

TEXT = "\n".join(sample.text for sample in samples()[:8]) + " The İstanbul ΑΣ <sep> 12 345 "


@cache
def model(kind: str = "unigram", size: int = 400, **options) -> bytes:
    """Returns the `.model` that the library trains with these options; lists are strings with commas."""
    import sentencepiece

    sentencepiece.set_min_log_level(2)
    found = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT.split("\n") * 2),
        model_writer=found,
        model_type=kind,
        vocab_size=size,
        hard_vocab_limit=False,
        character_coverage=0.98,
        minloglevel=2,
        **options,
    )
    return found.getvalue()


MODELS = {
    "unigram": lambda: model(),
    "unigram, bytes": lambda: model(byte_fallback=True, size=700),
    "unigram, bytes, as it is": lambda: model(
        byte_fallback=True,
        size=700,
        add_dummy_prefix=False,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
    ),
    "unigram, symbols, capitals folded": lambda: model(
        user_defined_symbols="<sep>,ab", control_symbols="<|end|>", normalization_rule_name="nmt_nfkc_cf"
    ),
    "unigram, space behind": lambda: model(treat_whitespace_as_suffix=True),
    "bpe": lambda: model("bpe"),
    "bpe, bytes": lambda: model("bpe", 700, byte_fallback=True),
    "bpe, bytes, as Llama": lambda: model(
        "bpe",
        700,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        split_digits=True,
        allow_whitespace_only_pieces=True,
    ),
    "bpe, symbols, no prefix": lambda: model(
        "bpe", user_defined_symbols="<sep>,the ", add_dummy_prefix=False, normalization_rule_name="nfkc"
    ),
    "bpe, bytes, symbols": lambda: model("bpe", 700, byte_fallback=True, user_defined_symbols="<sep>,é"),
    "char": lambda: model("char", 80),
    "word": lambda: model("word", 60),
}


@cache
def encoding(name: str) -> Encoding:
    """Returns a model as an Encoding."""
    model = SentencePieceModel(MODELS[name]())
    return Encoding(name, model, model.special_tokens)


@cache
def both(name: str):
    """A model as an Encoding, and in its own library."""
    from sentencepiece import SentencePieceProcessor

    return encoding(name), SentencePieceProcessor(model_proto=MODELS[name]())
