"""The components of the page Playground."""
