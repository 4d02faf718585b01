"""Votes: which of two answers people or models prefer, and the strengths of runs by them."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
