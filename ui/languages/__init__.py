"""The Languages page: a module a view, and what they share: the chart, its table, sentences, trainings in a row."""
