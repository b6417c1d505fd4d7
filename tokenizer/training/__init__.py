"""Training: from a corpus to merges."""
