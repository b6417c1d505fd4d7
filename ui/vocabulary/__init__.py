"""A vocabulary: what was learned when, its tokens as a table to search, what they are made of, and beside another."""
