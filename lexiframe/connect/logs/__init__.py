"""Evaluations in experiment trackers."""
