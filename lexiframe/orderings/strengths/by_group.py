"""Strengths in groups of requests, and how they differ from those in all other requests."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.base import LexiframeError, schemas, warn
from lexiframe.orderings.strengths.estimates import Estimate, How, estimated
from lexiframe.orderings.strengths.judged import Judged
from lexiframe.orderings.strengths.strength_tables import runs_table
from lexiframe.pairwise import arrays

_SCHEMA = schemas.STRENGTHS_BY_GROUP


def groups_table(
    frame: pl.DataFrame, judged: Judged, how: How, requests: Any, groups: Any
) -> pl.DataFrame:
    """Return the strengths in each group; null where no maximum exists, which a warning says."""
    if groups is None and requests is None:
        return pl.DataFrame(schema=_SCHEMA.columns)
    if groups is None or requests is None:
        raise LexiframeError(
            "bradley_terry: groups of requests need both, requests= (a frame or file of their "
            "attributes) and groups= (the attributes that form the groups)"
        )
    found = arrays.named_groups("bradley_terry", frame, requests, groups)
    tables, reasons = [], {}
    for name, queries in found:
        inside = frame["query_id"].is_in(queries.implode()).to_numpy()
        own = _estimated(judged.part(inside), how)
        rest = _estimated(judged.part(~inside), how)
        if isinstance(own, LexiframeError):
            reasons[name] = own
        tables.append(_group(name, judged.part(inside), own, rest, how))
    table = pl.concat(tables, how="vertical")
    if reasons:
        name, reason = next(iter(reasons.items()))
        warn(
            f"groups of requests whose strengths are null, as they cannot be estimated: "
            f"{', '.join(reasons)} ({name}: {reason})"
        )
    return table.select(*_SCHEMA.columns).sort(*_SCHEMA.key)


Tried = Estimate | LexiframeError


def _estimated(judged: Judged, how: How) -> Tried:
    """Return the strengths of some requests, or why they cannot be estimated."""
    try:
        return estimated(judged, how)
    except LexiframeError as reason:
        return reason


def _group(name: str, part: Judged, own: Tried, rest: Tried, how: How) -> pl.DataFrame:
    if isinstance(own, Estimate):
        table = runs_table(own, how.level).sort("run")
        table = table.with_columns(**_strength_differences(own, rest, how))
    else:
        n = np.bincount(np.concatenate([part.a, part.b]), np.tile(part.weight, 2))
        table = pl.DataFrame({"run": part.runs, "n_judgments": n.astype(np.int64)})
    known = [pl.col(c) if c in table.columns else pl.lit(None) for c in _SCHEMA.columns]
    named = [x.alias(c).cast(t) for x, (c, t) in zip(known, _SCHEMA.columns.items(), strict=True)]
    return table.select(named).with_columns(
        group=pl.lit(name), n_requests=pl.lit(part.n_requests, pl.Int64)
    )


def _strength_differences(own: Estimate, rest: Tried, how: How) -> dict[str, pl.Series]:
    """Return how strengths differ from those in all other requests.

    Both sum to 0 over their runs, so that only those of the same runs can be compared. Requests are
    independent of one another; judges are in both parts, so that their intervals would be wrong.
    """
    if not isinstance(rest, Estimate) or rest.judged.runs != own.judged.runs:
        return {}
    found = {"difference": own.fitted.beta - rest.fitted.beta}
    are_independent = how.by in ("request", "judgment")
    if own.spread is not None and rest.spread is not None and are_independent:
        spread = own.spread.difference(rest.spread)
        ends = spread.around_runs(found["difference"], how.level)
        found |= dict(zip(("difference_low", "difference_high"), ends, strict=True))
        se = spread.parameter_errors()[: len(own.judged.runs)]
        found["p_value"] = spread.p_values(found["difference"], se)
    return {name: pl.Series(values) for name, values in found.items()}
