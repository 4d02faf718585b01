"""Sums that do not depend on the order of their terms, and the equality of two sums."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
