"""Logs of experiments: read from files and MLflow, joined with tables."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
