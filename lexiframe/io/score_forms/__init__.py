"""Readers of the forms in which other tools keep per-request scores."""
