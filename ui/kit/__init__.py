"""What every page and component is made of."""
