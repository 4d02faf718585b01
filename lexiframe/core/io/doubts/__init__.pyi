"""The doubts of reading: content that can be read, and is probably something else; a file each.

A doubt has what it looks at and what it says in one module, which is loaded where a first look
sees a sign of it: `first_looks` has these.
"""

"For other rooms, and for the readers: what raises or says a doubt"
from .scores_against_ranks import Against as Against
from .scores_against_ranks import warn_of_scores_against_ranks as warn_of_scores_against_ranks
from .odd_grades import doubts_of_grades as doubts_of_grades
from .odd_grades import ratings_in_words as ratings_in_words
from .filled_scores import warn_of_zeros as warn_of_zeros
from .changed_places import refuse_changed_places as refuse_changed_places
from .lists_in_folds import divided_lists as divided_lists
from .runs_of_one_ranking import divided_ranking as divided_ranking
from .runs_of_one_ranking import may_be_one_ranking as may_be_one_ranking
from .order_of_rows import doubted_order as doubted_order
from .order_of_rows import in_order as in_order
from .order_of_rows import numbers_in_doubt as numbers_in_doubt

"For features: modules whose names they use"
from . import first_looks as first_looks
