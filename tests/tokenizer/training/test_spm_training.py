"""Training by SentencePiece, and its error messages."""

import io
from dataclasses import fields

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st

from tokenizer.errors import BadVocabularySize, NothingToTrainOn, TokenizerError
from tokenizer.kinds.spm import SentencePieceModel
from tokenizer.training.corpora import own_corpora
from tokenizer.training.makers import MAKERS, ExternalTraining
from tokenizer.training.spm import EXPLAINED, MODEL_TYPES, NORMALIZATIONS, CannotTrainThis, Options, train
from tokenizer.training.worker import Order, serve, write_order

sentencepiece = pytest.importorskip("sentencepiece")
THAI = own_corpora()["thai"]


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_training_equals_the_librarys_own(model_type):
    theirs = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(THAI.splitlines()),
        model_writer=theirs,
        model_type=model_type,
        vocab_size=512,
        byte_fallback=True,
        max_sentence_length=1_000_000,
        num_threads=1,
        minloglevel=2,
    )
    ours, library = SentencePieceModel(train(Options(model_type), [THAI])), SentencePieceModel(theirs.getvalue())
    assert ours.tokens == library.tokens and ours.kind == f"sentencepiece-{model_type}"
    assert ours.encode(THAI).ids.tolist() == library.encode(THAI).ids.tolist()


def test_every_option_is_explained_and_changes_the_model():
    assert {field.name for field in fields(Options)} == EXPLAINED.keys()
    plain = SentencePieceModel(train(Options(), ["the cat sat 12 34 on the mat, " + THAI]))
    other = {
        "byte_fallback": False,
        "add_dummy_prefix": False,
        "split_digits": True,
        "split_by_unicode_script": False,
        "split_by_number": False,
        "max_piece_characters": 2,
        "normalization": "identity",
        "user_symbols": ("the cat", "a,b", 'c"d'),
        "character_coverage": 0.98,
        "vocab_size": 450,
    }
    for name, value in other.items():
        found = SentencePieceModel(train(Options(**{name: value}), ["the cat sat 12 34 on the mat, " + THAI]))
        assert found.fingerprint != plain.fingerprint, name
    short = SentencePieceModel(train(Options("bpe", 300, byte_fallback=False, max_piece_characters=2), [THAI * 9]))
    assert max(len(token.decode()) for token in short.tokens[3:]) == 2
    kept = SentencePieceModel(train(Options(user_symbols=("the cat", "a,b", 'c"d')), [THAI]))
    assert [kept.piece(id) for id in kept.encode('xthe cata,bc"d').ids][-3:] == ["the▁cat", "a,b", 'c"d']


@pytest.mark.parametrize(
    "options, texts, message",
    [
        (
            Options(vocab_size=8000),
            [THAI],
            r"The vocabulary size is 8,000 tokens, but this text allows at most \d,?\d+\. Choose a smaller",
        ),
        (
            Options("bpe", 50_000),
            ["the cat"],
            r"The vocabulary size is 50,000 tokens, but this text allows at most \d+",
        ),
        (
            Options(vocab_size=100),
            [THAI],
            r"The vocabulary size is 100 tokens, but the characters of the text, the control .* alone need 3\d\d",
        ),
        (Options(character_coverage=0.5), [THAI], "must be from 0.98 to 1"),
        (Options(max_piece_characters=513), [THAI], "from 1 to 512 characters"),
        (Options(user_symbols=("<s>",)), [THAI], "SentencePiece always has the token <s>"),
        (Options(user_symbols=("a", "a")), [THAI], "each once and none empty"),
        (Options("wordpiece"), [THAI], "Unknown option"),
        (Options(), ["▁"], "SentencePiece cannot train on this text"),
    ],
)
def test_impossible_training_raises_with_a_plain_message(options, texts, message):
    with pytest.raises(CannotTrainThis, match=message) as caught:
        train(options, texts)
    assert "src/" not in str(caught.value)


def test_empty_text_or_too_small_vocabulary_raises():
    with pytest.raises(NothingToTrainOn):
        train(Options(), ["", " \n "])
    with pytest.raises(BadVocabularySize):
        train(Options(vocab_size=3), [THAI])


@examples(25)
@given(
    st.lists(st.text("ab ▁\0\n\u3000ที่é\ud83d<>s/", max_size=30), max_size=4),
    st.sampled_from(list(MODEL_TYPES)),
    st.sampled_from(list(NORMALIZATIONS)),
    st.lists(st.text("ab ▁<s>", min_size=1, max_size=4), max_size=2, unique=True).map(tuple),
)
def test_any_text_gives_a_model_or_a_plain_error(texts, model_type, normalization, symbols):
    try:
        found = train(Options(model_type, 270, normalization=normalization, user_symbols=symbols), texts)
    except TokenizerError as error:
        assert "src/" not in str(error)
    else:
        SentencePieceModel(found).encode("".join(texts).encode("utf-8", "replace").decode())


def run_worker(order, texts):
    source, sink = io.BytesIO(), io.BytesIO()
    write_order(source, order, texts)
    source.seek(0)
    serve(source, sink)
    return sink.getvalue()


def test_worker_trains_without_the_held_out_text():
    order = ExternalTraining("sentencepiece", Options("bpe"), held_out=1)
    output = run_worker(order, (THAI, "a text that is held out"))
    stage, size, data = output.split(b"\n", 2)
    assert stage == b'{"stage": "making"}' and size == b'{"file": %d}' % len(data)
    assert data == train(Options("bpe"), [THAI])
    assert b"at most" in run_worker(ExternalTraining("sentencepiece", Options(vocab_size=9000)), (THAI,))
    assert b'"history"' in run_worker(Order(300), (THAI,))
    assert MAKERS["sentencepiece"].suffix == ".model"
