"""The built-in metrics, each an entry with its formula, its range and its source."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
