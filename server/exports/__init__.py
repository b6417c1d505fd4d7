"""Files and pages to save: the take-home page, the static page, notebooks."""
