"""Logs of experiments: read from files and MLflow, joined with tables."""
