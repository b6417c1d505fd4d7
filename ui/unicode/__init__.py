"""The parts of the page Under the hood."""
