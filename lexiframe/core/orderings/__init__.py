"""Win rates and orderings of runs, and the agreement between orderings and between measures."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
