"""Files that are fetched from elsewhere, and data sets of ir_datasets."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
