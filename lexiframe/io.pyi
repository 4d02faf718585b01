"""Readers of runs, judgments, scores and logs; writers of tables.

In all of `io`, ``data`` is the text of a file (unpacked, UTF-8), ``where`` what error messages call
the file or frame, ``schema`` what it should hold, ``columns`` the user's names of columns.
"""

"For users: evaluations in experiment trackers, and measures inside ir_measures"
from lexiframe.connect.logs.trackers import log_folder as log_folder
from lexiframe.connect.logs.trackers import log_mlflow as log_mlflow
from lexiframe.connect.neighbours.in_ir_measures import use_in_ir_measures as use_in_ir_measures
