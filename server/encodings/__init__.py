"""Encodings that the server holds: by key, from files, the Hub, recipes and trainings."""
