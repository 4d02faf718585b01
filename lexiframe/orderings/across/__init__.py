"""Rules that order runs across collections, with weights and gaps."""

from lexiframe.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
