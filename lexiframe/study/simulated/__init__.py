"""Simulated collections: runs and judgments from a model, also one that is fitted to real ones."""
