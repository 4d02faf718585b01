"""Measures over random orders of equal scores: the spread of their values."""
