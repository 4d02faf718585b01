"""The report: an evaluation as one HTML page that needs no other file and no network."""

from lexiframe.views.report.data import RUNS_OF_PAGE, Rankings, runs_of_page
from lexiframe.views.report.page import html_page
from lexiframe.views.report.ranked import leaderboard_page
from lexiframe.views.report.strengths import strength_report

__all__ = [
    "RUNS_OF_PAGE",
    "Rankings",
    "html_page",
    "leaderboard_page",
    "runs_of_page",
    "strength_report",
]
