"""Metrics that compare encodings."""
