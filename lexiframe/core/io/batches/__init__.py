"""Runs and judgments as batches of rows, whatever they are read from."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
