"""Tables to look at: as text, on a page, in LaTeX and in Markdown."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
