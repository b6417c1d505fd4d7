"""The page Tokenizers: the list of all, files of one's own, and the parts of the chosen one."""
