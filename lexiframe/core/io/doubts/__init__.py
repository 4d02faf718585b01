"""The problems of a file: finding bad rows and their lines, advice, and tables of problems."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
