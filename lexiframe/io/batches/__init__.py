"""Runs and judgments as batches of rows, whatever they are read from."""
