"""Runs and judgments in, tables out."""
