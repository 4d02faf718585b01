"""How often runs beat each other: `win_rates`, `win_rate_matrix`, `request_win_rates`."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from lexiframe.core.base import (
    check_choice,
    coded,
    schemas,
    sums,
    typed,
)
from lexiframe.core.pairwise import By, Pairs, PairsLike, arrays, grouping
from lexiframe.core.projection import alone
from lexiframe.typing import RequestsLike, SharesLike, WeightsLike


@alone.each_collection
@typed
@grouping.takes_groups
def win_rates(
    d: PairsLike, /, *, matrix: bool = False, weights: WeightsLike = None,
    strata: str | None = None, shares: SharesLike = None,
    requests: RequestsLike = None, by: By = None,
) -> pl.DataFrame:  # fmt: skip
    """Count, for every pair of runs, the requests won, lost and tied.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.
    matrix : bool
        Return the win rates as `win_rate_matrix` does: runs × runs, below the name of the measure.
    weights, strata, shares, requests, by
        As for `compare`.

    Returns
    -------
    polars.DataFrame
        Key ``measure, run_a, run_b``, sorted by it. ``n`` requests have a preference of the pair:
        run_a wins ``wins`` of them, loses ``losses`` and ties ``ties``. ``win_rate``
        = (wins + ties / 2) / n, in 0..1: a tie is half a win, as in `win_rate_matrix` and in the
        ordering ``win_rate``. ``mean_preference`` is the mean over the n requests. With weights
        both are by weight, ``win_share``, ``loss_share`` and ``tie_share`` are shares of the weight
        and ``n_effective`` is n*; counts stay counts.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "run_a": "a", "run_b": "b",
    ...                   "measure": "RPP", "preference": [1.0, 0.5, -1.0, 0.0]})
    >>> lf.win_rates(d).select("n", "wins", "losses", "ties", "win_rate", "mean_preference").row(0)
    (4, 2, 1, 1, 0.625, 0.125)
    >>> lf.win_rates(d, matrix=True).rows()
    [('a', 0.5, 0.625), ('b', 0.375, 0.5)]
    """
    cube = arrays.cube_or_sums(d)
    if matrix:
        from lexiframe.core.orderings.win_matrix import win_rate_matrix

        if len(cube.measures) == 1:
            return win_rate_matrix(d)
        of_each = [
            win_rate_matrix(cube, name).select(pl.lit(name).alias("measure"), pl.all())
            for name in cube.measures
        ]
        empty = pl.DataFrame(schema={"measure": pl.String, "run": pl.String})
        stacked = pl.concat([empty, *of_each], how="diagonal")
        return stacked.select("measure", "run", *sorted(stacked.columns[2:]))
    frames = [_rates_of_pairs(measure, pairs) for measure, pairs in cube]
    found = pl.concat([pl.DataFrame(schema=schemas.WIN_RATES.required), *frames], how="diagonal")
    return schemas.WIN_RATES.arranged(found)


@alone.each_collection
@typed
@grouping.takes_groups
def request_win_rates(
    d: PairsLike,
    /,
    *,
    how: Literal["sum", "mean"] = "sum",
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Sum up each run's preferences over the other runs, request by request.

    Parameters
    ----------
    d, requests, by
        As for `win_rates`.
    how : {"sum", "mean"}
        Whether to return the sum over the other runs or their mean.

    Returns
    -------
    polars.DataFrame
        Key ``measure, query_id, run``, sorted by it; ``win_rate``, in −(S − 1)..S − 1 for
        preferences in −1..1 (mean: −1..1).

    Notes
    -----
    Σ over the other runs π′ of Δ(π, π′), the sum of Diaz & Ferraro, SIGIR 2022, equation 7,
    doi:10.1145/3477495.3532033. Despite its name the value is not a share, and it may be negative.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": "q1", "run_a": ["a", "a", "b"], "run_b": ["b", "c", "c"],
    ...                   "measure": "RPP", "preference": [1.0, 0.5, -0.25]})
    >>> lf.request_win_rates(d)["win_rate"].to_list()
    [1.5, -1.25, -0.25]
    """
    check_choice("request_win_rates", how, ("sum", "mean"), "how")
    frames = [_sums(measure, pairs, how) for measure, pairs in arrays.pair_cube(d)]
    return pl.concat([pl.DataFrame(schema=schemas.REQUEST_WIN_RATES.columns), *frames])


def _sums(measure: str, pairs: Pairs, how: str) -> pl.DataFrame:
    totals = pairs.totals
    n_queries, n_runs = totals.shape
    return pl.DataFrame(
        {
            "measure": pl.repeat(measure, totals.size, eager=True),
            "query_id": coded.decode(pairs.queries, np.repeat(np.arange(n_queries), n_runs)),
            "run": coded.decode(pairs.runs, np.tile(np.arange(n_runs), n_queries)),
            "win_rate": (totals if how == "sum" else totals / (n_runs - 1)).ravel(),
        },
        schema=schemas.REQUEST_WIN_RATES.columns,
    )


def _rates_of_pairs(measure: str, pairs: Pairs | arrays.PairSums) -> pl.DataFrame:
    d = pairs.differences
    table = pl.DataFrame(
        {
            "measure": pl.Series([measure]).new_from_index(0, len(d.n)),
            "run_a": coded.decode(pairs.runs, pairs.a),
            "run_b": coded.decode(pairs.runs, pairs.b),
            "n": d.n,
            "wins": d.wins,
            "losses": d.losses,
            "ties": d.ties,
            "win_rate": sums.ratio(2 * d.wins + d.ties, 2 * d.n),
            "mean_preference": d.mean,
        },
        schema=schemas.WIN_RATES.required,
    )
    if d.has_weights:
        won, lost, n = d.won, d.lost, d.n_effective
        shares = {"win_share": won / n, "loss_share": lost / n, "tie_share": 1 - (won + lost) / n}
        shares |= {"win_rate": 0.5 + d.lead / n / 2, "n_effective": n}
        shares["tie_share"][d.ties == 0] = 0.0  # and no rounding
        table = table.with_columns(pl.Series(name, of) for name, of in shares.items())
    return table if d.n.all() else table.filter(pl.col("n") > 0)
