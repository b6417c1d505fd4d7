"""The Tokenizers page's parts: what is only for some kinds of models."""
