"""Readers of TREC text, CSV, TSV and JSON; the modules `*_rows` find the malformed lines."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
