"""Tables to look at: as text, on a page, in LaTeX and in Markdown."""

"For other rooms: what they use of it"
from .paper_marks import Marks as Marks
from .model import ShownTable as ShownTable
from .comparisons import comparisons_in_short as comparisons_in_short
from .comparisons import comparisons_text as comparisons_text
from .coverage import coverage_text as coverage_text
from .summary import summary_of as summary_of
from .summary import summary_across as summary_across
from .latex import latex_table as latex_table
from .markdown import markdown_table as markdown_table
from .latex import paper_latex as paper_latex
from .markdown import paper_markdown as paper_markdown
from .across import paper_of as paper_of
from .pair_texts import levels_text as levels_text
from .pair_texts import requests_text as requests_text
from .all_sections import not_weighed as not_weighed

"For features: modules whose names they use"
from . import markdown as markdown
