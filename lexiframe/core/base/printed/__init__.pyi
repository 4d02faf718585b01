"""What people read: tables as text and HTML, and sentences."""

"Tables: cells, and tables that fit the terminal"
from .cells import MISSING as MISSING
from .cells import are_numbers as are_numbers
from .cells import as_cells as as_cells
from .cells import as_texts as as_texts
from .cells import cell as cell
from .cells import column_cells as column_cells
from .cells import shortened as shortened
from .cells import texts_of as texts_of
from .cells import write_p_values as write_p_values
from .sections import MOST as MOST
from .sections import Section as Section
from .sections import ends_of as ends_of
from .sections import ends_of_long as ends_of_long
from .tables import fits as fits
from .tables import paragraph as paragraph
from .tables import paragraphs as paragraphs
from .sections import plain_text as plain_text
from .sections import join_interval_ends as join_interval_ends
from .tables import table_text as table_text

"Readers: at a terminal, or in Python"
from .readers import advice as advice
from .readers import written_for as written_for

"What is said: verdicts, and summaries that begin with one"
from .said import Summary as Summary
from .said import Verdict as Verdict

"Sentences: what each row of a table says, and the words for it"
from .rows import group_order as group_order
from .rows import place_among as place_among
from .rows import sentence_of_each as sentence_of_each
from .rows import name_groups as name_groups
from .words import and_joined as and_joined
from .words import begun as begun
from .words import known_by_one_side as known_by_one_side
from .words import counted as counted
from .words import first_runs as first_runs
from .words import group_end as group_end
from .words import group_of as group_of
from .words import group_title as group_title
from .words import listed as listed
from .words import n_range as n_range
from .words import percent as percent
from .words import they_are as they_are
from .words import say_users as say_users
