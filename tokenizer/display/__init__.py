"""Tokens drawn without an app: colours, HTML, CSV, JSON."""
