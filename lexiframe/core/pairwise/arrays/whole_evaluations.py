"""The tables of an `Evaluation`, for functions that treat kinds of measures differently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.pairwise.arrays.arrays import PairCube
from lexiframe.core.pairwise.arrays.handed import PairsLike
from lexiframe.core.pairwise.arrays.reduced_pairs import Reduced
from lexiframe.typing import RequestsLike


@dataclass(frozen=True)
class ByKind:
    """The tables of an evaluation by kind of measure, for functions that treat them otherwise.

    Attributes
    ----------
    tables
        Those that have rows: the scores of metrics, and the preferences that are no differences of
        them; or the sums of either over the requests.
    """

    tables: tuple[Any, ...]

    @classmethod
    def take_apart(cls, e: Any) -> ByKind:
        """Take apart the tables of an evaluation."""
        if e.sums is not None and e.sums.scores:
            others = [name for name in e.sums.measures if name not in e.sums.scores]
            rest = (e.sums.select_measures(others),) if others else ()
            return cls((e.sums.scores_only, *rest))
        if e.sums is not None:
            return cls((e.sums,))
        s, d = e.scores, e.preferences
        others = d.filter(~pl.col("measure").is_in(s["measure"].unique().implode()))
        return cls(tuple(table for table in (s, others) if table.height) or (d,))

    def compute(self, function: Callable[[Any], pl.DataFrame], key: Sequence[str]) -> pl.DataFrame:
        """Compute a table from each, and put them together in the order of a key."""
        found = [function(table) for table in self.tables]
        groups = found[0].columns[: found[0].columns.index(key[0])]
        return pl.concat(found).sort(*groups, *key)


PairsByKind = Annotated[PairsLike, "by_kind"]
"""As `PairsLike`; but of an evaluation `ByKind`."""


def refuse_no_groups(called: str, d: Any, requests: RequestsLike) -> None:
    """Raise for an evaluation's table if it does not tell whether groups differ."""
    handed = d.tables[0] if isinstance(d, ByKind) else d
    if isinstance(handed, Reduced):
        raise LexiframeError(
            f"{called}: single requests tell whether groups differ, and this evaluation has sums "
            "over them; evaluate with out='FOLDER' and keep='preferences', and give "
            "polars.scan_parquet('FOLDER/preferences'), requests=e.attributes and by="
        )
    if not isinstance(d, ByKind | PairCube):
        return
    if len(handed.runs if isinstance(handed, PairCube) else handed["run"].unique()) < 2:
        raise LexiframeError(
            f"{called}: expected an evaluation of two runs or more, found one run alone"
        )
    if requests is None:
        raise LexiframeError(
            f"{called}: the evaluation has no groups; give requests= and by=, here or to evaluate"
        )
