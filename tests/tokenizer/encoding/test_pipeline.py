"""Hugging Face's tokenizers: ids, places and text as the library gives them, whatever the file is made of."""

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from pipelines import CORPUS, LIBRARY, loaded, loaded_apart, oracle
from texts import TEXTS

from tokenizer.text.well_formed import well_formed

SOME = TEXTS | st.text("aé ½ﬁ\u0301ที่▁Ġ<s>#'1,.\n", max_size=30) | st.sampled_from(CORPUS)
every_pipeline = pytest.mark.parametrize("name", LIBRARY)


def bytes_before(text, characters):
    return len(text[:characters].encode())


@every_pipeline
@examples(60)
@given(text=SOME)
def test_ids_places_and_text_are_the_librarys(name, text):
    text = well_formed(text)[0]
    enc, theirs = loaded(name), oracle(name)
    theirs.post_processor = None  # it may trim spaces off
    found, tokens = theirs.encode(text, add_special_tokens=False), enc.tokenize(text)
    assert tokens.ids == found.ids
    assert enc.decode(tokens.ids) == theirs.decode(found.ids, skip_special_tokens=False)
    assert all(
        id == enc.unknown_id or enc.piece(id) == token for id, token in zip(found.ids, found.tokens, strict=True)
    )
    spans = [(bytes_before(text, start), bytes_before(text, end)) for start, end in found.offsets]
    ours = list(zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True))
    for i, (own, span) in enumerate(zip(ours, spans, strict=True)):
        around = spans[max(0, i - 9) : i] + spans[i + 1 : i + 10]
        is_shared = any(other[0] < span[1] and span[0] < other[1] for other in around)
        assert own == span or (is_shared and span[0] <= own[0] <= own[1] <= max(span[1], own[0]))
    if (normalizer := theirs.normalizer) and name != "added tokens":
        assert tokens.normalized == (normalizer.normalize_str(text) if text else "")


@every_pipeline
def test_another_process_says_the_same(name):
    enc, apart = loaded(name), loaded_apart(name)
    text = CORPUS[0][:300] + CORPUS[-1]
    assert apart.encode(text) == enc.encode(text)
    assert apart.stages(text) == enc.stages(text)
    assert (apart.kind, apart.split, apart.safe_cuts) == (enc.kind, enc.split, enc.safe_cuts)
    assert apart.model.about == enc.model.about
    assert (apart.merges and apart.merges.pairs, apart.ranks) == (enc.merges and enc.merges.pairs, enc.ranks)
    assert apart.decode(apart.encode(text)) == enc.decode(enc.encode(text))
