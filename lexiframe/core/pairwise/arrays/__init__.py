"""Long tables as dense arrays, and in groups of requests, for the later stages."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
