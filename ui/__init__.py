"""The interface: a folder for each page, and what pages share."""
