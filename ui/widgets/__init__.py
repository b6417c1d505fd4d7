"""Widgets and components that several pages draw."""
