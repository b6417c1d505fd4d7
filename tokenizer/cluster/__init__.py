"""Counts a corpus by several workers, with Dask on one machine or several, or in this process."""
