"""Sums that do not depend on the order of what is added, and when two of them count as equal."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
