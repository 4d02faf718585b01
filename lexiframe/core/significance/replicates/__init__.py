"""Runs that were trained or sampled several times: what varies, and comparing algorithms."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
