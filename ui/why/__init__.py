"""The parts of the Why page."""
