"""Judgments of a sample of the documents."""
