"""For tests of your own: that a run is not worse, and that a measure is sound."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
