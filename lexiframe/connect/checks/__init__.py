"""``lexiframe check``: what is wrong with a file of runs, judgments, scores or votes."""
