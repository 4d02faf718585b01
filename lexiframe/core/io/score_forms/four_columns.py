"""Which of four columns without a header are the runs, the requests and the measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from lexiframe.core.base import ReadError, printed
from lexiframe.core.io.column_forms.measure_names import SUMMARIES, are_measures

ScoreForm = Literal["tot", "ir_measures"]
_FORMS = {"tot": ["run", "measure", "query_id"], "ir_measures": ["run", "query_id", "measure"]}


@dataclass(frozen=True)
class FourColumns:
    """The user's facts about files with four columns: their form, or the ids of the requests."""

    form: ScoreForm | None = None
    requests: frozenset[str] | None = None

    def are_in(self, line: str) -> bool:
        """Return whether the first line is one of values that are words, in a form that is said."""
        last = line.split()[-1:] if self.form is not None else []
        return bool(last) and last[0].lower() not in ("value", "score")

    def names(self, columns: Sequence[pl.Series], where: str) -> list[str]:
        """Return the order of run, query and measure in three columns.

        The column of measures is known by their names. Of the two remaining columns, the run stands
        before the query, unless one has only numbers or the word for all requests: this one is the
        query. Measures with unknown names stand in one of two places behind the run, as the ids of
        requests or the word for all of them show.
        """
        if self.form is not None:
            return _FORMS[self.form]
        known = [*(self.requests or ())]
        are_requests = [column.is_in(known).sum() > len(column) / 2 for column in columns]
        if not any(are_requests):
            are_requests = [bool(column.is_in(SUMMARIES).any()) for column in columns]
        pairs = [*zip(columns, are_requests, strict=True)]
        shares = [0.0 if is_request else share_of_measures(column) for column, is_request in pairs]
        if shares.count(max(shares)) == 1:
            measure = shares.index(max(shares))
            names = ["run", "query_id"]
            others = [pair for n, pair in enumerate(pairs) if n != measure]
            are_queries = [is_ or column.str.contains(r"^\d+$").all() for column, is_ in others]
            if are_queries == [True, False]:
                names.reverse()
            return [*names[:measure], "measure", *names[measure:]]
        if are_requests[1] != are_requests[2]:
            return _FORMS["ir_measures" if are_requests[1] else "tot"]
        forms = (f"form={form!r} ({', '.join(names)}, value)" for form, names in _FORMS.items())
        raise ReadError(
            f"{where}: cannot tell which of four columns is the measure; give the file a header: "
            "run, query_id, measure, value"
            + printed.advice(python=f"; or say {' or '.join(forms)}")
        )


PLAIN = FourColumns()


def share_of_measures(names: pl.Series) -> float:
    """Return the share of names that are names of measures."""
    names = names.unique()
    return len(are_measures(names.cast(pl.String))) / max(len(names), 1)
