"""A corpus counted by many workers: on one machine or on several, with Dask, or here."""
