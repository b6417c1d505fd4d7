"""The same sentences in many languages, and what they cost."""
