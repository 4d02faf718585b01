"""Evaluations in parts, on Spark, and with what an earlier one computed."""
