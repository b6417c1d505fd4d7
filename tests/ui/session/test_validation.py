"""Typed special tokens are refused before a training that could not have them."""

import pytest

from tokenizer import encoding_from_merges
from tokenizer.kinds.from_merges import numbered_specials
from ui.session.validation import InvalidInput, special_tokens


@pytest.mark.parametrize("typed", ["<|a|>=257", "<|a|> <|b|>=258", "<|b|>=258 <|a|>", "<|a|> <|b|>=260 <|c|>"])
def test_accepted_special_tokens_have_ids_of_their_own(typed):
    ids = numbered_specials(special_tokens(typed, 257), 257)
    assert encoding_from_merges([(b"a", b"b")], None, ids, "a").special_tokens == ids


@pytest.mark.parametrize("typed", ["<|a|>=256", "<|a|>=257 <|b|>", "<|a|> <|b|>=257", "<|a|> <|b|>=258 <|c|>"])
def test_id_that_another_token_gets_is_refused(typed):
    with pytest.raises(InvalidInput, match="another token may have it"):
        special_tokens(typed, 257)
