"""Tools of every room: errors, schemas of tables, codes, hashes, memory, progress and sums."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
