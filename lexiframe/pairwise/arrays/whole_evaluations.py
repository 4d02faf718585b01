"""The tables and groups of an `Evaluation`, for functions that compare groups of requests."""

from __future__ import annotations

from typing import Any, Protocol, TypeGuard

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
