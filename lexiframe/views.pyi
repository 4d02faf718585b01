"""What people look at: charts, tables, the report and the verdict.

`lexiframe.views.charts` has a function for each chart, and `lexiframe.views.display` one for each
table to look at; both need the extra ``viz``. `lexiframe.views.style` gives a chart the colours of
a dark ground, a font and a width.
"""

"For users: any table as LaTeX or Markdown"
from lexiframe.core.views.shown.any_table import latex as latex
from lexiframe.core.views.shown.any_table import markdown as markdown

"For users: strengths as a page"
from lexiframe.decide.votes.page import strength_report as strength_report

"For users: pictures, their style, and tables to look at"
from lexiframe import charts as charts
from lexiframe.core.views import display as display
from lexiframe.core.views.charts.style import style as style
