"""Rankings in theory: ties, orientation, worst cases, orders and simulations."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
