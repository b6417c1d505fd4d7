"""The public JSON API for programs, `/v1`."""
