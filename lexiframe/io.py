"""Readers of runs, judgments, scores and logs; writers of tables.

In all of `io`, ``data`` is the text of a file (unpacked, UTF-8), ``where`` what error messages call
the file or frame, ``schema`` what it should hold, ``columns`` the user's names of columns.
"""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
