"""The components of the page Why this split."""
