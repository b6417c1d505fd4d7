"""The page of tokenizers: find one, bring one, take one apart."""
