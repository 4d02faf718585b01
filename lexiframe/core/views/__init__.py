"""Charts, tables, the report and the verdict.

`lexiframe.views.charts` has a function for each chart, and `lexiframe.views.display` one for each
table to look at; both need the extra ``viz``.
"""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
