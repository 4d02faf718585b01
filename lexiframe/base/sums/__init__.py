"""Sums that do not depend on the order of what is added, and when two of them count as equal."""
