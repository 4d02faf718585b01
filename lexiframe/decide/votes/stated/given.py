"""Stated preferences in whatever form they are given, as the tables that functions need."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, schemas, to_polars
from lexiframe.core.io.column_forms.objects import is_frame
from lexiframe.decide.votes.stated.reading import read_preferences
from lexiframe.decide.votes.stated.stated_preferences import StatedPreferences


def stated_rows_of(function: str, stated: Any) -> pl.DataFrame:
    """Return the rows of preferences: given ones, or rows made from judgments."""
    if is_frame(stated) and not isinstance(stated, StatedPreferences):
        frame = to_polars(stated)
        if {"preference", "measure"} <= {*frame.columns}:
            rows = schemas.check(frame, schemas.PREFERENCES, "the stated preferences")
            if (n := rows["measure"].n_unique()) > 1:
                raise LexiframeError(
                    f"{function}: expected stated preferences of one measure, found {n}; filter "
                    "them"
                )
            return rows
    found = stated if isinstance(stated, StatedPreferences) else read_preferences(stated)
    return found.preferences


def judgments_of(stated: Any) -> pl.DataFrame:
    """Return the judgments of `read_preferences`, or read them."""
    found = stated if isinstance(stated, StatedPreferences) else read_preferences(stated)
    return found.judgments
