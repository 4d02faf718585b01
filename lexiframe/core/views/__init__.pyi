"""What people look at: charts, tables, the report and the verdict.

`lexiframe.views.charts` has a function for each chart, and `lexiframe.views.display` one for each
table to look at; both need the extra ``viz``.
"""

"Pictures: functions of the extra viz"
from . import charts as charts
from . import display as display
from .plots import Plots as Plots

"For people to read: sentences, shown tables, the report"
from . import sentences as sentences
from . import shown as shown
from .report.page import Contents as Contents
from .report.page import contents_of as contents_of
from .report.page import html_page as html_page
from .report.data import Rankings as Rankings
