"""One number for a run under a measure, of the values of its requests: `aggregates`."""

from __future__ import annotations

import numpy as np
import polars as pl

from lexiframe.core.base import coded, schemas, typed
from lexiframe.core.metrics import derived
from lexiframe.core.pairwise import By, arrays, grouping
from lexiframe.core.projection import alone
from lexiframe.typing import RequestsLike, ScoresTable


@alone.each_collection
@typed
@grouping.takes_groups
def aggregates(s: ScoresTable, /, *, requests: RequestsLike = None, by: By = None) -> pl.DataFrame:
    """Aggregate scores over requests, as trec_eval does in its rows for all requests.

    Most measures are averaged. The logarithms gm_map and gm_bpref have a geometric mean, exp of
    their mean, and counts such as num_rel and num_q are added up.

    Parameters
    ----------
    s
        The table of `scores`, or one of `read_scores`.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The table is computed within each group, whose attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        Key ``run, measure``, sorted by it. ``value`` is in the unit of the measure (gm_map: in
        0..1, as AP); ``how`` is ``mean``, ``geometric mean`` or ``sum``; ``n`` is the number of
        requests.

    Raises
    ------
    SchemaError
        When several rows have the same run, request and measure, and for a value that is NaN or
        null.

    Notes
    -----
    Requests that `positions` left out are left out here. For the numbers of ``trec_eval -c`` keep
    them: ``positions(..., no_relevant="zero")``. The geometric mean of AP: Robertson, "On GMAP: and
    other transformations", CIKM 2006, doi:10.1145/1183614.1183630.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> runs = {"a": {"q1": {"x": 2.0, "y": 1.0}, "q2": {"y": 1.0}}}
    >>> p = lf.positions(runs, {"q1": {"x": 1}, "q2": {"x": 1}})
    >>> s = lf.scores(p, ["AP", "gm_map", "num_ret", "num_q"])
    >>> for row in lf.aggregates(s).with_columns(pl.col("value").round(6)).rows():
    ...     print(row)
    ('a', 'AP', 0.5, 'mean', 2)
    ('a', 'gm_map', 0.003162, 'geometric mean', 2)
    ('a', 'num_q', 2.0, 'sum', 2)
    ('a', 'num_ret', 3.0, 'sum', 2)
    """
    rows = schemas.check(s, schemas.SCORES)
    arrays.refuse_weights("aggregates", rows)
    runs, run = coded.encode(rows["run"])
    queries, query = coded.encode(rows["query_id"])
    if not _are_in_order(run * len(queries) + query):
        order = coded.order_of(run, query)
        rows, run, query = rows[order], run[order], query[order]
    measures, measure = coded.encode(rows["measure"])
    shape = (len(runs), len(queries), len(measures))
    arrays.refuse_too_great("scores", rows["value"].to_numpy())
    arrays.checked_cells(shape, (run, query, measure), rows["value"], schemas.SCORES)
    group = run * len(measures) + measure
    n, total = np.bincount(group), np.bincount(group, rows["value"].to_numpy())
    there = np.flatnonzero(n)
    run, measure = np.divmod(there, max(len(measures), 1))
    n, total = n[there], total[there]
    known = [derived.known_metric(name) for name in measures]
    how = np.array(["mean" if metric is None else metric.aggregate for metric in known], object)
    how = how[measure]
    mean = total / n
    value = np.where(how == "sum", total, mean)
    value = np.where(how == "geometric mean", np.exp(np.minimum(mean, 0)), value)
    found = pl.DataFrame(
        {
            "run": runs.gather(run),
            "measure": measures.gather(measure),
            "value": pl.Series(value),
            "how": pl.Series(how.tolist(), dtype=pl.String),
            "n": pl.Series(n),
        }
    )
    return found.cast(schemas.AGGREGATES.columns)  # type: ignore[arg-type]


def _are_in_order(requests: np.ndarray) -> bool:
    """Return whether rows are sorted by run and request: the last bit of a sum depends on it."""
    return bool((requests[1:] >= requests[:-1]).all())
