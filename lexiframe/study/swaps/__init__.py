"""Swaps of two documents of a ranking, and the gain of a measure by each."""
