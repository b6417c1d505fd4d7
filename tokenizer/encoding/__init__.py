"""Encodings: from text to tokens with spans, and back."""
