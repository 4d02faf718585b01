"""The report: an evaluation as one HTML page that needs no other file and no network."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
