"""Printed output: tables as text and HTML, and sentences."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
