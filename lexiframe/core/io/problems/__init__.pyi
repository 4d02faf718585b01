"""The problems of a file: finding bad rows and their lines, advice, and tables of problems."""

"For other rooms: what they use of it"
from .advice import READ_AS_SCORES as READ_AS_SCORES
from .duplicates import repeated_document as repeated_document
from .problem_tables import decoded as decoded

"For features: modules whose names they use"
from . import line_numbers as line_numbers
from . import problem_tables as problem_tables
from . import rows_as_written as rows_as_written
