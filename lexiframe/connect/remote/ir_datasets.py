"""Loading judgments and scored documents from ir_datasets, by the name of a data set."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base import ReadError, errors
from lexiframe.core.io.column_forms.objects import to_frame
from lexiframe.core.io.files.data_sources import IR_DATASETS


def from_ir_datasets(name: str, what: str) -> pl.DataFrame:
    """Load the judgments (``qrels``) or runs (``scoreddocs``) of a data set of ir_datasets."""
    try:
        import ir_datasets
    except ImportError:
        raise ReadError(
            f"{name}: needs ir_datasets; install it with pip install 'lexiframe[interop]'"
        ) from None
    try:
        dataset: Any = ir_datasets.load(name.removeprefix(IR_DATASETS))
    except KeyError:
        raise ReadError(f"{name}: ir_datasets knows no data set of this name") from None
    if not getattr(dataset, f"has_{what}")():
        raise ReadError(f"{name}: this data set of ir_datasets has no {what}")
    try:  # only now ir_datasets fetches and parses files
        rows = list(getattr(dataset, f"{what}_iter")())
    except (RuntimeError, OSError, ValueError, EOFError) as error:
        raise ReadError(
            f"{name}: ir_datasets cannot give the {what} ({errors.one_line(error):.200}); "
            f"`ir_datasets export {name.removeprefix(IR_DATASETS)} {what}` says more"
        ) from None
    return to_frame(rows, "score", name)
