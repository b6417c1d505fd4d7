"""Typed special tokens are refused before a training that could not have them."""

import pytest

from tokenizer import encoding_from_merges
from tokenizer.kinds.from_merges import numbered_specials, typed_specials
from ui.session.validation import InvalidInput, special_tokens

TYPED = ["<|a|>=257 <|b|>", "<|a|> <|b|>=257", "<|a|> <|b|>=258 <|c|>", "<|b|>=258 <|a|>", "<|a|> <|b|>=260 <|c|>"]


@pytest.mark.parametrize("typed", TYPED)
def test_accepted_special_tokens_have_ids_of_their_own(typed):
    ids = numbered_specials(special_tokens(typed, 257), 257)
    assert encoding_from_merges([(b"a", b"b")], None, ids, "a").special_tokens == ids
    assert numbered_specials(typed_specials(ids, 257), 257) == ids


def test_id_of_the_vocabulary_is_refused():
    with pytest.raises(InvalidInput, match="another token may have it"):
        special_tokens("<|a|>=256", 257)
