"""What the page of a vocabulary asks: rows found and sorted, one token, those that are not what they seem."""
