"""Which groups of requests lie among the worst, against their share in all requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, sums
from lexiframe.core.io import logs
from lexiframe.core.pairwise import grouping
from lexiframe.decide.worst.asked import Measured, decided
from lexiframe.decide.worst.schemas import WORST_GROUPS


def groups_among_the_worst(
    of: Sequence[tuple[Measured, Any]], attributes: Sequence[str]
) -> pl.DataFrame:
    """Return the table of `WorstServed.groups`."""
    asked = of[0][1]
    names = [*attributes]
    if asked.requests is not None and not names:
        known = logs.entries_of(asked.requests, "query_id", "requests").columns
        names = [name for name in known if name not in ("query_id", *of[0][0].group)]
    if asked.requests is None or asked.unit is not None or not names:
        raise LexiframeError(
            "groups: expected attributes of single requests, found none; give requests= to "
            "worst_served, without unit="
        )
    found = [_group_rows(m, one, share, names) for m, one in of for share in one.shares]
    table = pl.concat(found, how="diagonal_relaxed")
    return WORST_GROUPS.arranged(table, table.columns[: table.columns.index("measure")])


def _group_rows(m: Measured, asked: Any, share: float, names: list[str]) -> pl.DataFrame:
    from scipy.stats import hypergeom

    counted, is_known = m.tails.counted(share), ~np.isnan(m.tails.values)
    of_rows = grouping.attributes_of(pl.DataFrame({"query_id": m.rows}), asked.requests, names)
    parts = []  # both are sorted by id
    for name in names:
        values = of_rows[name].cast(pl.String).fill_null(f"no {name}")
        for group in values.unique().sort():
            inside = (values == group).to_numpy()[:, None]
            n, every = (inside & is_known).sum(axis=0), is_known.sum(axis=0)
            at_all, there = (counted > 0).sum(axis=0), ((counted > 0) & inside).sum(axis=0)
            below = hypergeom.cdf(there, every, n, at_all)
            above = hypergeom.sf(there - 1, every, n, at_all)
            of_group = (counted * inside).sum(axis=0)
            rows = m.rows_of(
                WORST_GROUPS, len(m.runs), share=share, run=m.runs, attribute=name, group=group,
                n=n, n_worst=of_group, share_worst=sums.ratio(of_group, counted.sum(axis=0)),
                share_all=n / every, p_value=np.minimum(2 * np.minimum(below, above), 1.0),
            )  # fmt: skip
            parts.append(rows)
    table = pl.concat(parts)
    return table.with_columns(**decided(table["p_value"].to_numpy(), "holm", asked.alpha))
