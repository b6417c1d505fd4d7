"""The parts of the Train page."""
