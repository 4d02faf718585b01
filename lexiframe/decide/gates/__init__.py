"""Whether a run may replace another: the evidence, the tests and the conclusion."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
