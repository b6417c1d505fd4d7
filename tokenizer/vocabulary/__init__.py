"""What a vocabulary holds: the facts of every token, how to find them, their families, and those that mislead."""
