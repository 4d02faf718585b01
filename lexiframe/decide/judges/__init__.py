"""Several judges of the same documents: their agreement, and the conclusions from each."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
