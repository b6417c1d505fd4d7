"""Pre-tokenization: split patterns, and what they do, in words."""
