"""The problems of a file: finding bad rows and their lines, advice, and tables of problems."""

"For other rooms: what they use of it"
from .duplicates import Duplicates as Duplicates
from .advice import READ_AS_SCORES as READ_AS_SCORES
from .duplicates import repeated_document as repeated_document
from .scores_against_ranks import Against as Against
from .scores_against_ranks import warn_of_scores_against_ranks as warn_of_scores_against_ranks
from .doubted_judgments import doubts_of_grades as doubts_of_grades
from .filled_scores import warn_of_zeros as warn_of_zeros
from .problem_tables import decoded as decoded

"For features: modules whose names they use"
from . import doubted_judgments as doubted_judgments
from . import line_numbers as line_numbers
from . import problem_tables as problem_tables
from . import rows_as_written as rows_as_written
