"""Leaderboards: runs over several collections, with gaps, and how sure a rank is."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
