"""Runs that were trained or sampled several times: sources of variance, and comparisons."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
