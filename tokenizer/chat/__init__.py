"""Chats: from messages to the one text that a model reads, and which tokens of it are wrapping."""
