from lexiframe.core.base import face as _face

_ABOUT, _GROUPS = _face.read_stub(__name__, __file__)
__getattr__, __dir__, __all__ = _face.face(__name__, _GROUPS)
__doc__ = _face.described(_ABOUT, _GROUPS)
