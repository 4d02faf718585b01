"""Several judges of the same documents: their agreement, and what each would make one conclude."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
