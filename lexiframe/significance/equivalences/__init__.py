"""Tests of whether a difference is smaller than a margin."""
