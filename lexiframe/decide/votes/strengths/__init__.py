"""Strengths of runs from judgments of pairs: Bradley–Terry and Davidson, with their intervals."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
