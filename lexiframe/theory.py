from lexiframe.core.base.face import described, face, read_stub

_ABOUT, _GROUPS = read_stub(__name__, __file__)
__getattr__, __dir__, __all__ = face(__name__, _GROUPS)
__doc__ = described(_ABOUT, _GROUPS)
