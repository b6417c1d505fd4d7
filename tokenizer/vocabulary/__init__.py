"""Analysis of vocabularies: facts of tokens, search, the graph of merges, and anomalous tokens."""
