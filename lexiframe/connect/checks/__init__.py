"""``lexiframe check``: the problems of a file of runs, judgments, scores or votes."""
