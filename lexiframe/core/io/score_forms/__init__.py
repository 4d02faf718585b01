"""Readers of the forms in which other tools keep per-request scores."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
