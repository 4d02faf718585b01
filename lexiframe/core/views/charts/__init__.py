"""Charts of tables, drawn with Altair, which the extra ``viz`` installs."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
