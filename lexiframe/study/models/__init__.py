"""Linear models of scores: the effects of runs, requests, and components of systems."""
