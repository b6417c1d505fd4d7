"""The background worker: a second process for work that takes seconds."""
