"""Text before any tokenizer: code points, graphemes, words, scripts, bytes, what a paste hides."""
