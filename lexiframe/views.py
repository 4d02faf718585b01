"""What people look at: charts, tables, the report and the verdict.

`lexiframe.views.charts` has a function for each chart, and `lexiframe.views.display` one for each
table to look at; both need the extra ``viz``. `lexiframe.views.style` gives a chart the colours of
a dark ground, a font and a width.
"""

import sys

from lexiframe import charts
from lexiframe.core.base.face import door
from lexiframe.core.views import display

# So that `from lexiframe.views.charts import mean_chart` finds them, though this is no folder.
sys.modules |= {f"{__name__}.charts": charts, f"{__name__}.display": display}
__getattr__, __dir__, __all__ = door(__name__, __file__)
