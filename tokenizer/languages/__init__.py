"""The same sentences in many languages, and their costs in tokens."""
