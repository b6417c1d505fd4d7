"""Lessons: short steps of a question, a guess and what the core computes; their words are in assets/lessons."""
