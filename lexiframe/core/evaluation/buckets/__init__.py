"""Runs that are larger than memory: requests in buckets on disk, evaluated one bucket at a time."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
