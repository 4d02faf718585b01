"""The command line: what it is asked, what it reads, what it prints and writes."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
