"""What people look at: charts, tables, the report and the verdict.

`lexiframe.views.charts` has a function for each chart; it needs the extra ``viz``.
"""

from lexiframe.views import charts

__all__ = ["charts"]
