"""Preferences that someone states: files and frames of judgments of two runs, side by side."""
