"""Numbers to compare encodings by."""
