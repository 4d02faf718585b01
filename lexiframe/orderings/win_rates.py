"""Who wins how often: `win_rates`, `win_rate_matrix`, `request_win_rates`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl

from lexiframe.codes import decode
from lexiframe.errors import LexiframeError, check_choice, unknown_name
from lexiframe.layouts.arrays import Pairs
from lexiframe.layouts.cube import PairsLike, pair_cube
from lexiframe.layouts.groups import By, by_groups
from lexiframe.schemas import REQUEST_WIN_RATES, WIN_RATES
from lexiframe.typing import RequestsLike


@by_groups
def win_rates(d: PairsLike, /, *, requests: RequestsLike = None, by: By = None) -> pl.DataFrame:
    """Count, for every pair of runs, the requests won, lost and tied.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.
    requests, by
        A frame ``query_id`` → attributes, and which of them make groups of requests: the table is
        made within each group, and the attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        Key ``measure, run_a, run_b``, sorted by it. Of ``n`` requests run_a ``wins`` and
        ``losses``, and ``ties``; ``win_rate`` = wins / n, in 0..1, ties counted apart;
        ``mean_preference``.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "run_a": "a", "run_b": "b",
    ...                   "measure": "RPP", "preference": [1.0, 0.5, -1.0, 0.0]})
    >>> lf.win_rates(d).select("n", "wins", "losses", "ties", "win_rate", "mean_preference").row(0)
    (4, 2, 1, 1, 0.5, 0.125)
    """
    frames = [_of_measure(measure, pairs) for measure, pairs in pair_cube(d)]
    return pl.concat([pl.DataFrame(schema=WIN_RATES.columns), *frames])


@by_groups
def win_rate_matrix(
    d: PairsLike,
    /,
    measure: str | None = None,
    *,
    runs: Sequence[str] | None = None,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Lay one measure's win rates out as runs × runs.

    Parameters
    ----------
    d
        The table of `preferences` or `scores`.
    measure : str, optional
        Which measure; may be left out when there is one.
    runs : sequence of str, optional
        Which runs, in this order; all, by name, unless given.
    requests, by
        A frame ``query_id`` → attributes, and which of them make groups of requests: the table is
        made within each group, and the attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        ``run``, and a column for each run: the share of requests that the row's run wins against
        the column's, ties counted as half a win, so that opposite cells sum to 1; a run against
        itself has 0.5; null for pairs that the table does not have.

    Raises
    ------
    UnknownNameError
        When the table does not have the measure or one of the runs.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2"], "run_a": "a", "run_b": "b",
    ...                   "measure": "RPP", "preference": [1.0, 0.0]})
    >>> lf.win_rate_matrix(d).rows()
    [('a', 0.5, 0.75), ('b', 0.25, 0.5)]
    """
    cube = pair_cube(d)
    if measure is None and len(cube.measures) != 1:
        raise LexiframeError(
            f"win_rate_matrix: which measure? Pass one of {', '.join(cube.measures)}"
        )
    name = cube.measures[0] if measure is None else str(measure)
    by_name = dict(cube)
    if name not in by_name:
        raise unknown_name("measure", name, by_name)
    matrix = half_win_matrix(by_name[name])
    place = {run: n for n, run in enumerate(by_name[name].runs)}
    shown = list(place) if runs is None else list(runs)
    for run in shown:
        if run not in place:
            raise unknown_name("run", run, place)
    rows = [place[run] for run in shown]
    columns = {run: matrix[rows, place[run]] for run in shown}
    table = pl.DataFrame({"run": pl.Series(shown, dtype=pl.String), **columns})
    return table.with_columns(pl.selectors.float().fill_nan(None))


@by_groups
def request_win_rates(
    d: PairsLike,
    /,
    *,
    how: Literal["sum", "mean"] = "sum",
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Add up each run's preferences over the other runs, request by request.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.
    how : {"sum", "mean"}
        Σ over the other runs, or their mean.
    requests, by
        A frame ``query_id`` → attributes, and which of them make groups of requests: the table is
        made within each group, and the attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        Key ``measure, query_id, run``, sorted by it; ``win_rate``, in −(S − 1)..S − 1 for
        preferences in −1..1 (mean: −1..1).

    Notes
    -----
    Diaz & Ferraro, SIGIR 2022, equation 7, doi:10.1145/3477495.3532033.

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
    frames = [_sums(measure, pairs, how) for measure, pairs in pair_cube(d)]
    return pl.concat([pl.DataFrame(schema=REQUEST_WIN_RATES.columns), *frames])


def mean_preferences(pairs: Pairs) -> np.ndarray:
    """Mean over the other runs of Δ: requests × runs."""
    return np.asarray(total_preferences(pairs) / (len(pairs.runs) - 1))


def total_preferences(pairs: Pairs) -> np.ndarray:
    """Σ over the other runs of Δ: requests × runs."""
    known = np.nan_to_num(pairs.values)
    totals = [
        known[:, pairs.a == run].sum(axis=1) - known[:, pairs.b == run].sum(axis=1)
        for run in range(len(pairs.runs))
    ]
    return np.stack(totals, axis=1)


def half_win_matrix(pairs: Pairs) -> np.ndarray:
    """Give the share of requests won, ties half: runs × runs, 0.5 on the diagonal."""
    lead = np.divide(pairs.lead, pairs.n, out=np.full(len(pairs.n), np.nan), where=pairs.n > 0)
    return np.asarray(0.5 + pairs.square(lead) / 2)


def _sums(measure: str, pairs: Pairs, how: str) -> pl.DataFrame:
    totals = total_preferences(pairs)
    n_queries, n_runs = totals.shape
    return pl.DataFrame(
        {
            "measure": pl.repeat(measure, totals.size, eager=True),
            "query_id": decode(pairs.queries, np.repeat(np.arange(n_queries), n_runs)),
            "run": decode(pairs.runs, np.tile(np.arange(n_runs), n_queries)),
            "win_rate": (totals if how == "sum" else totals / (n_runs - 1)).ravel(),
        },
        schema=REQUEST_WIN_RATES.columns,
    )


def _of_measure(measure: str, pairs: Pairs) -> pl.DataFrame:
    wins, losses = (pairs.values > 0).sum(axis=0), (pairs.values < 0).sum(axis=0)
    table = pl.DataFrame(
        {
            "measure": pl.repeat(measure, len(wins), eager=True),
            "run_a": decode(pairs.runs, pairs.a),
            "run_b": decode(pairs.runs, pairs.b),
            "n": pairs.n,
            "wins": wins,
            "losses": losses,
            "ties": pairs.n - wins - losses,
            "total": np.nansum(pairs.values, axis=0),
        }
    )
    table = table.filter(pl.col("n") > 0).with_columns(
        win_rate=pl.col("wins") / pl.col("n"), mean_preference=pl.col("total") / pl.col("n")
    )
    return table.select(*WIN_RATES.columns)
