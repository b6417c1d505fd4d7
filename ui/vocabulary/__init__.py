"""The page Vocabulary: charts over the ids, a searchable table of the tokens, and the comparison with another one."""
