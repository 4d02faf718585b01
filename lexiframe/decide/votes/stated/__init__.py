"""Preferences that someone states: files and frames of judgments of two runs, side by side."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
