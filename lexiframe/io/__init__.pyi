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
from . import run_parts as run_parts
from . import run_scan as run_scan
from . import reading_options as reading_options
from . import qrel_files as qrel_files
from .files import data_sources as data_sources

"Parts of the readers: for those who join what was read"
from . import checks as checks
from . import problems as problems
from . import column_forms as column_forms
from . import batches as batches
from . import logs as logs
from . import score_forms as score_forms
from . import stated as stated
from .text.trec import warn_of_wider_lines as warn_of_wider_lines

"Writing: files that replace others at once, and what they say of themselves"
from .files import output_files as output_files
from .files import provenance as provenance
from . import to_parquet as to_parquet
from .to_trec import write_trec as write_trec
from .tables_together import Tables as Tables
from . import kept_results as kept_results
from .files import kept_json as kept_json

"Added by features: text that is read when it is there"
from .text import json_tables as json_tables
from .text import csv_rows as csv_rows
from .text import json_places as json_places
from .text import letor as letor
from .column_forms import documents as documents
from .column_forms.exam_grades import refuse_off_scale as refuse_off_scale
from .column_forms import lists_of_ids as lists_of_ids
from .column_forms import labels as labels
from .files.remote import fetch as fetch
from .files.ir_datasets import from_ir_datasets as from_ir_datasets
from .metadata import header_text as header_text
from .column_forms.mteb_predictions import only_split as only_split
from .column_forms.mteb_predictions import text_of_one_split as text_of_one_split

"For users: evaluations in experiment trackers, and measures inside ir_measures"
from .logs.trackers import log_mlflow as log_mlflow
from .logs.trackers import log_folder as log_folder
from ..evaluation.neighbours.in_ir_measures import use_in_ir_measures as use_in_ir_measures
