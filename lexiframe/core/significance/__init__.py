"""Tests of differences between runs: p-values, corrections, intervals, power and swaps."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
