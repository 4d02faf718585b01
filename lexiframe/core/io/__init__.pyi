"""Readers of runs, judgments, scores and logs; writers of tables.

In all of `io`, ``data`` is the text of a file (unpacked, UTF-8), ``where`` what error messages call
the file or frame, ``schema`` what it should hold, ``columns`` the user's names of columns.
"""

"Reading: runs, judgments and scores, from anywhere"
from .runs import read_runs as read_runs
from .runs import scan_runs as scan_runs
from .qrel_files import read_qrels as read_qrels
from . import per_request_scores as per_request_scores

"What is read: sources, options, and runs that are found but not read"
from .files.data_sources import File as File
from . import one_run as one_run
from . import run_scan as run_scan
from . import reading_options as reading_options
from . import qrel_files as qrel_files
from .files import data_sources as data_sources

"Parts of the readers: for those who join what was read"
from . import checks as checks
from . import problems as problems
from . import doubts as doubts
from . import column_forms as column_forms
from . import batches as batches
from . import logs as logs
from . import score_forms as score_forms
from .text.trec import warn_of_wider_lines as warn_of_wider_lines

"Writing: files that replace others at once, and what they say of themselves"
from .files import output_files as output_files
from . import to_parquet as to_parquet
from .to_trec import write_trec as write_trec
from .tables_together import Tables as Tables
from . import compared as compared
from . import kept_results as kept_results
from .files import kept_json as kept_json

"For features: modules whose names they use"
from . import columns as columns
from .files import provenance as provenance
from . import headers as headers
from . import rows_of_files as rows_of_files
from . import run_tables as run_tables
from . import parsing as parsing
from . import runs as runs
from . import tables_together as tables_together
