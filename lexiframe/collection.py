"""What a collection lets one conclude: judges, holes, overlap, less data, simulated data."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
