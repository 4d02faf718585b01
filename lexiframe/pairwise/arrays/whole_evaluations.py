"""The tables and groups of an `Evaluation`, for functions that compare groups of requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, TypeGuard

import polars as pl

from lexiframe.base import LexiframeError
from lexiframe.pairwise.arrays.cube import PairsLike
from lexiframe.pairwise.arrays.grouping import By
from lexiframe.typing import RequestsLike


class Grouped(Protocol):
    """The attributes of an `Evaluation` that are used here; stages may not import its class."""

    scores: pl.DataFrame
    preferences: pl.DataFrame
    attributes: pl.DataFrame | None
    provenance: dict[str, Any]


PairsOrEvaluation = PairsLike | Grouped


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
    def of(cls, e: Any) -> ByKind:
        """Take apart the tables of an evaluation."""
        if e.sums is not None and e.sums.scores:
            others = [name for name in e.sums.measures if name not in e.sums.scores]
            rest = (e.sums.of_measures(others),) if others else ()
            return cls((e.sums.of_scores, *rest))
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


def is_evaluated(data: PairsOrEvaluation) -> TypeGuard[Grouped]:
    """Return whether data is an evaluation, and not a table."""
    if _are_sums(data):  # whose tables raise
        return True
    return all(hasattr(data, name) for name in ("scores", "preferences", "attributes"))


def _are_sums(data: Any) -> bool:
    return getattr(data, "sums", None) is not None


def groups_of_evaluation(called: str, e: Grouped, requests: RequestsLike, by: By) -> dict[str, Any]:
    """Return the arguments ``requests`` and ``by``; those that are None are the evaluation's."""
    if _are_sums(e):
        raise LexiframeError(
            f"{called}: single requests tell whether groups differ, and this evaluation has sums "
            "over them; evaluate with out='FOLDER' and keep='preferences', and give "
            "polars.scan_parquet('FOLDER/preferences'), requests=e.attributes and by="
        )
    if not e.preferences.height:
        raise LexiframeError(
            f"{called}: expected an evaluation of two runs or more, found one run alone"
        )
    if requests is not None:
        return {"requests": requests, "by": by}
    if e.attributes is None:
        raise LexiframeError(
            f"{called}: the evaluation has no groups; give requests= and by=, here or to evaluate"
        )
    names = [name for name in e.attributes.columns if name != "query_id"]
    return {"requests": e.attributes, "by": names if by is None else by}
