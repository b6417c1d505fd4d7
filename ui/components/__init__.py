"""Building blocks of every page: components, tables, charts, messages, the cache."""
