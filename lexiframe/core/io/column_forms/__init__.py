"""Tables from anywhere: names of columns, ids, numbers, lists of items, other libraries."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
