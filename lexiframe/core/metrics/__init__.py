"""Metrics: definitions as formulas, and the scores computed from them."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
