"""The kinds of encoding: what makes the tokens of each, and the list of names."""
