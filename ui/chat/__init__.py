"""The Chat page: messages, the text that a model reads of them, its share of a window, its cost."""
