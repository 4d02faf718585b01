"""The options of `read_runs` and `read_qrels` for facts that files lack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

import pyarrow as pa

from lexiframe.core.base import check_choice
from lexiframe.core.io.column_forms.values_for_none import NaValues, values_in
from lexiframe.core.io.files.provenance import provenance_of

Third = Literal["rank", "score"]
Better = Literal["high", "low"]
RankedBy = Literal["rank", "score"]


@dataclass(frozen=True)
class TextOptions:
    """The user's options for text and scores; `read_runs` describes them."""

    third: Third | None = None
    header: bool = False
    decimal: str = "."
    columns: Mapping[str, str] = field(default_factory=dict)
    better: Better = "high"
    rows: str | Path | None = None
    grades: Mapping[str, float | None] = field(default_factory=dict)
    na_values: NaValues = None
    ranked_by: RankedBy | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.columns, Mapping):
            raise TypeError(f"columns: expected {{our name: the table's}}, found {self.columns!r}")
        given: Any = self.grades
        grades = given.values() if isinstance(given, Mapping) else "x"
        if not all(grade is None or isinstance(grade, int | float) for grade in grades):
            raise TypeError(f"grades: expected {{word: number}}, found {self.grades!r}")
        # pandas numbers columns without names, so names may be integers
        named = {str(ours): str(theirs) for ours, theirs in self.columns.items()}
        object.__setattr__(self, "columns", named)
        object.__setattr__(self, "grades", {str(k): v for k, v in self.grades.items()})
        object.__setattr__(self, "rows", None if self.rows is None else str(self.rows))
        if self.na_values is not None:
            object.__setattr__(self, "na_values", values_in(self.na_values))
        check_choice("third", self.third, (None, *get_args(Third)))
        check_choice("decimal", self.decimal, (".", ","))
        check_choice("better", self.better, get_args(Better))
        check_choice("ranked_by", self.ranked_by, (None, *get_args(RankedBy)))

    def changed(self) -> dict[str, object]:
        """Return the options that are not at their defaults, for the provenance."""
        defaults = vars(TextOptions())
        return {name: value for name, value in vars(self).items() if value != defaults[name]}

    def settled_for(self, data: Any) -> TextOptions:
        """Return the options for data; a table of runs that was read has no values for none."""
        is_read = isinstance(data, pa.Table) and bool(provenance_of(data.schema))
        return replace(self, na_values=[]) if is_read and self.na_values is None else self

    def facts(self) -> dict[str, object]:
        """Return these options as a fact about a file; empty if all are at their defaults."""
        return {"reading": changed} if (changed := self.changed()) else {}
