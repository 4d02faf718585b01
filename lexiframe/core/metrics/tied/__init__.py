"""Expectations of metrics over all orders of equal scores."""
