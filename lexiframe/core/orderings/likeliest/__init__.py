"""The strengths of runs that make wins likeliest: whether there are any, and which they are."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
