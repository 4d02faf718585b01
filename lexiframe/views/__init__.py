"""What people look at: charts, tables, the report and the verdict.

`lexiframe.views.charts` has a function for each chart, and `lexiframe.views.display` one for each
table to look at; both need the extra ``viz``.
"""

from lexiframe.views import charts, display

__all__ = ["charts", "display"]
