"""The parts of the Tokenizers page."""
