"""Descriptions of runs that ir_metadata keeps in comments of their files."""
