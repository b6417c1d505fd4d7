"""What a visitor has and chose."""
