"""The kinds of metrics, and the arrays they compute with."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
