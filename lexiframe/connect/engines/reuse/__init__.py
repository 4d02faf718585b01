"""Evaluations that take what an earlier one has computed."""
