"""Evaluations that reuse the results of an earlier one."""
