"""Preferences between rankings: definitions as formulas, and their computation."""
