"""Evaluations in parts, on Spark, and with results of an earlier evaluation."""
