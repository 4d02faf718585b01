"""Metrics: definitions as formulas, and the scores computed from them."""
