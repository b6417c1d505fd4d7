"""Questions of the vocabulary page: search and sort rows, details of a token, anomalies."""
