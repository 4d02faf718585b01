"""Files: finding, fetching, unpacking and writing them; recording where tables come from."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
