"""Preferences in expectation over all orders of equal scores."""
