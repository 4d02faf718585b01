"""Tables of decisions in words: a module for each table, see `verdict`."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
