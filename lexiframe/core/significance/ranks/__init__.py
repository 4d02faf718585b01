"""The ranks that tests of all pairs of runs leave possible."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
