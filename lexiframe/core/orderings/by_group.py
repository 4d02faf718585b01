"""How alike the orderings of the runs are in two groups of requests: `group_correlations`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, progress, resampling, schemas, typed
from lexiframe.core.orderings.chosen_rule import ChosenRule
from lexiframe.core.orderings.coefficients import (
    PERSISTENCE,
    Coefficient,
    CorrelationMethod,
    coefficient,
)
from lexiframe.core.orderings.in_samples import laid_out, ordered
from lexiframe.core.orderings.missing_requests import Missing, settle
from lexiframe.core.orderings.ordered import Ordered
from lexiframe.core.orderings.rules import AnyMethod
from lexiframe.core.pairwise import By, PairCube, arrays
from lexiframe.core.projection import alone
from lexiframe.typing import RequestsLike


@alone.each_collection
@typed
def group_correlations(
    d: arrays.PairsByKind,
    /,
    method: CorrelationMethod = "kendall",
    *,
    order: AnyMethod = "mean",
    trials: int = 1000,
    seed: int = 0,
    p: float = PERSISTENCE,
    missing: Missing | None = None,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Correlate the orderings of the runs in every two groups of requests, and test the difference.

    Orderings of a few requests differ by chance alone. So the requests of two groups are also dealt
    out at random to two groups of the same sizes: the orderings in the groups differ beyond chance
    if they are less alike than most of those.

    Parameters
    ----------
    d
        The table of `scores`, or of `preferences`; or an `Evaluation`, for all of its measures.
    method, p
        As for `rank_correlations`.
    order
        How the runs are ordered in each group: a method of `order_runs`.
    missing
        As for `order_runs`, over the requests of all groups. ``"own"`` leaves a run that has no
        request of a group out of the correlations with this group.
    trials : int
        The number of random pairs of groups; if there are no more pairs of groups than that, each
        of them is taken once.
    seed : int
        The same seed gives the same random groups.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        the groups. Without ``requests``, ``d`` has the attributes as columns; an evaluation has
        those that it was given, and all of these form the groups if ``by`` names none.

    Returns
    -------
    polars.DataFrame
        Key ``measure, method, group_a, group_b`` with group_a < group_b, sorted by it; for
        ``tau_ap`` both directions, group_a being the truth. A group is called by the value of its
        attribute as text (``short``), by those of several attributes (``length = short, kind =
        image``), or, without a value, ``no length``. ``correlation`` is that of `rank_correlations`
        over the ``n`` runs that have values in both groups, of ``n_a`` and ``n_b`` requests.
        ``by_chance`` is its mean over the random groups, and ``p_value`` the probability, in 0..1,
        that random groups are at most as alike. Both are null, as is the correlation, for fewer
        than two runs and, except for rbo, when a group ties all runs.

    Raises
    ------
    LexiframeError
        As `order_runs` and `rank_correlations`; without ``by``; for fewer than two groups; and when
        a request is in several groups.

    Notes
    -----
    p = (1 + count) / (1 + trials) of a permutation test over the requests, one-sided. It is not
    corrected for many measures and pairs of groups. `compare_groups` tests which pairs of runs make
    the difference.

    Examples
    --------
    By AP the systems are ordered otherwise for digits with a closed loop than for the others:

    >>> import polars as pl
    >>> import lexiframe as lf
    >>> folder = lf.bundled("digits")
    >>> p = lf.positions(folder / "runs", folder / "qrels.parquet")
    >>> s = lf.scores(p, ["AP", "nDCG@10"])
    >>> c = lf.group_correlations(s, requests=folder / "queries.parquet", by="loop")
    >>> c.select("measure", pl.col("correlation", "by_chance", "p_value").round(3)).rows()
    [('AP', 0.833, 0.892, 0.003), ('nDCG@10', 0.83, 0.801, 0.774)]
    """
    called = "group_correlations"
    arrays.refuse_no_groups(called, d, requests)
    if isinstance(d, arrays.ByKind):
        how: dict[str, Any] = {"order": order, "trials": trials, "seed": seed, "p": p}
        how |= {"missing": missing, "requests": requests, "by": by}
        compute = partial(group_correlations, method=method, **how)
        return d.compute(compute, schemas.GROUP_CORRELATIONS.key)
    name, correlate = coefficient(called, method, p)
    resampling.check_draws(called, "trials", trials, seed)
    groups, rule = arrays.named_groups(called, d, requests, by), ChosenRule(order, missing=missing)
    cube = laid_out(settle(d, missing)[0], order)
    arrays.check_finite(called, cube.values)
    choose = permutations if method == "tau_ap" else combinations
    pairs = [(one, *pair) for one in _measures(cube) for pair in choose(groups, 2)]
    rows = []
    for one, (a, of_a), (b, of_b) in progress(pairs, len(pairs), "correlating groups"):
        in_a, in_b = (_query_places(one, queries) for queries in (of_a, of_b))
        found = _compared(one, rule, correlate, in_a, in_b, trials, seed)
        if found is not None:
            rows.append((one.measures[0], name, a, b, *found))
    if not rows:
        raise LexiframeError(f"{called}: expected requests in two groups, found none")
    table = pl.DataFrame(rows, schema=schemas.GROUP_CORRELATIONS.columns, orient="row")
    return table.with_columns(pl.selectors.float().fill_nan(None)).sort(
        schemas.GROUP_CORRELATIONS.key
    )


def _measures(cube: arrays.ScoreCube | PairCube) -> Iterator[arrays.ScoreCube | PairCube]:
    """Yield the cube of each measure, with the requests that have it."""
    for n, values in enumerate(cube.values):
        known = ~np.isnan(values).all(axis=1)
        yield cube.select_measures([cube.measures[n]]).select_queries(known)


def _query_places(cube: arrays.ScoreCube | PairCube, queries: pl.Series) -> np.ndarray:
    return np.flatnonzero(cube.queries.is_in(queries.implode()).to_numpy())


def _compared(
    cube: arrays.ScoreCube | PairCube,
    rule: ChosenRule,
    correlate: Coefficient,
    a: np.ndarray,
    b: np.ndarray,
    trials: int,
    seed: int,
) -> tuple[float, float, float, int, int, int] | None:
    """Return the values of a row for the requests a and b; None if there are none of a group."""
    if not (len(a) and len(b)):
        return None
    both = np.concatenate([a, b])
    order = np.argsort(both)  # a cube keeps its requests sorted
    cube = _keep_queries(cube, both[order])

    def orderings(first: np.ndarray) -> tuple[Ordered, Ordered]:
        weights = first[:, order]
        return next(ordered(cube, weights, rule)), next(ordered(cube, 1 - weights, rule))

    x, y = orderings((np.arange(len(both)) < len(a)).astype(np.float64)[None])
    runs = ~np.isnan(x.values[0] + y.values[0])
    observed = float(correlate(x.ranks[:, runs], y.ranks[:, runs])[0])
    n = (int(runs.sum()), len(a), len(b))
    if np.isnan(observed):
        return (np.nan, np.nan, np.nan, *n)
    drawn = [
        correlate(x.ranks[:, runs], y.ranks[:, runs])
        for x, y in map(orderings, arrays.splits(len(a), len(both), trials, seed))
    ]
    alike = np.concatenate([[observed], *drawn])
    alike = alike[~np.isnan(alike)]
    p_value = float((alike <= observed + _ROUNDING).mean())
    return (observed, float(alike[1:].mean()) if len(alike) > 1 else np.nan, p_value, *n)


_ROUNDING = 1e-9
"""Coefficients of few runs differ by more than this, or are equal."""


def _keep_queries(
    cube: arrays.ScoreCube | PairCube, chosen: np.ndarray
) -> arrays.ScoreCube | PairCube:
    if isinstance(cube, PairCube):
        return cube.select_queries(np.isin(np.arange(len(cube.queries)), chosen))
    return replace(cube, queries=cube.queries[chosen], values=cube.values[:, chosen])
