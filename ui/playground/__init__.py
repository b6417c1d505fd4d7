"""The parts of the Playground page."""
