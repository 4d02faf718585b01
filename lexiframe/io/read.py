"""Where reading was; being moved."""

from lexiframe.io.arrow import read_arrow, to_arrow
from lexiframe.io.parts import RunPart, split_runs
from lexiframe.io.qrels import judgments, read_qrels
from lexiframe.io.runs import RunScan, read_runs, scan_runs

__all__ = [
    "RunPart",
    "RunScan",
    "judgments",
    "read_arrow",
    "read_qrels",
    "read_runs",
    "scan_runs",
    "split_runs",
    "to_arrow",
]
