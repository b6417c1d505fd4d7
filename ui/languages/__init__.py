"""The Languages page: one module per view, and their shared chart, table, sentences and series of trainings."""
