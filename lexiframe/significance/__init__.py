"""Tests of which runs differ: p-values, corrections, intervals, power and swaps."""
