"""Evaluations of several collections in one call."""
