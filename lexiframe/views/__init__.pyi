"""What people look at: charts, tables, the report and the verdict.

`lexiframe.views.charts` has a function for each chart, and `lexiframe.views.display` one for each
table to look at; both need the extra ``viz``.
"""

"Pictures: functions of the extra viz"
from . import charts as charts
from . import display as display
from .charts.leaderboards import LeaderboardPlots as LeaderboardPlots

"For users: any table as LaTeX or Markdown"
from .shown.any_table import latex as latex
from .shown.any_table import markdown as markdown

"For users: strengths as a page"
from .report.strengths import strength_report as strength_report

"For people to read: sentences, shown tables, the report"
from . import sentences as sentences
from . import shown as shown
from .report.page import html_page as html_page
from .report.data import Rankings as Rankings
from .report.ranked import leaderboard_page as leaderboard_page

"Added by features: what plots are drawn with, and what all lists of runs reach"
from ..collection.beyond.reached_in_words import catalogue_sections as catalogue_sections
from .charts.drawing import altair as altair
from .plots import Plots as Plots
