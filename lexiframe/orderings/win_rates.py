"""Who wins how often: `win_rates`, `win_rate_matrix`, `request_win_rates`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeError, unknown_name
from lexiframe.preferences.cube import PairCube, pair_cube
from lexiframe.schemas import REQUEST_WIN_RATES, WIN_RATES


def win_rates(d: Any) -> pl.DataFrame:
    """Count, for every pair of runs, the requests won, lost and tied.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.

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
    cube = pair_cube(d)
    frames = [_of_measure(cube, measure, values) for measure, values in cube]
    return pl.concat(frames).select(*WIN_RATES.columns) if frames else _empty()


def win_rate_matrix(
    d: Any, measure: str | None = None, *, runs: Sequence[str] | None = None
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

    Returns
    -------
    polars.DataFrame
        ``run``, and a column for each run: the share of requests that the row's run wins against
        the column's, ties counted as half a win, so that opposite cells sum to 1; a run against
        itself has 0.5.

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
    matrix = half_win_matrix(cube, by_name[name])
    place = {run: n for n, run in enumerate(cube.runs)}
    shown = list(place) if runs is None else list(runs)
    for run in shown:
        if run not in place:
            raise unknown_name("run", run, place)
    rows = [place[run] for run in shown]
    columns = {run: matrix[rows, place[run]] for run in shown}
    return pl.DataFrame({"run": pl.Series(shown, dtype=pl.String), **columns})


def request_win_rates(d: Any, *, how: Literal["sum", "mean"] = "sum") -> pl.DataFrame:
    """Add up each run's preferences over the other runs, request by request.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.
    how : {"sum", "mean"}
        Σ over the other runs, or their mean.

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
    if how not in ("sum", "mean"):
        raise LexiframeError(f"request_win_rates: expected how='sum' or 'mean', found {how!r}")
    cube = pair_cube(d)
    others = 1 if how == "sum" else max(len(cube.runs) - 1, 1)
    frames = []
    for measure, values in zip(cube.measures, cube.values, strict=True):
        answered = ~np.isnan(values).all(axis=1)
        queries = cube.queries.filter(pl.Series(answered))
        totals = total_preferences(cube, values[answered]) / others
        frames.append(
            pl.DataFrame(
                {
                    "measure": pl.repeat(measure, totals.size, eager=True),
                    "query_id": queries.gather(np.repeat(np.arange(len(queries)), len(cube.runs))),
                    "run": cube.runs.gather(np.tile(np.arange(len(cube.runs)), len(queries))),
                    "win_rate": totals.ravel(),
                }
            )
        )
    return pl.concat(frames) if frames else pl.DataFrame(schema=REQUEST_WIN_RATES.columns)


def total_preferences(cube: PairCube, values: np.ndarray) -> np.ndarray:
    """Σ over the other runs of Δ: requests × runs, from requests × pairs."""
    known = np.nan_to_num(values)
    totals = [
        known[:, cube.a == run].sum(axis=1) - known[:, cube.b == run].sum(axis=1)
        for run in range(len(cube.runs))
    ]
    return np.stack(totals, axis=1)


def half_win_matrix(cube: PairCube, values: np.ndarray) -> np.ndarray:
    """Give the share of requests won, ties half: runs × runs, 0.5 on the diagonal."""
    n = (~np.isnan(values)).sum(axis=0)
    lead = np.divide(
        np.sign(np.nan_to_num(values)).sum(axis=0), n, out=np.zeros(len(n)), where=n > 0
    )
    return 0.5 + cube.square(lead) / 2


def _of_measure(cube: PairCube, measure: str, values: np.ndarray) -> pl.DataFrame:
    n = (~np.isnan(values)).sum(axis=0)
    wins, losses = (values > 0).sum(axis=0), (values < 0).sum(axis=0)
    table = pl.DataFrame(
        {
            "measure": pl.repeat(measure, len(n), eager=True),
            "run_a": cube.runs.gather(cube.a),
            "run_b": cube.runs.gather(cube.b),
            "n": n,
            "wins": wins,
            "losses": losses,
            "ties": n - wins - losses,
            "total": np.nansum(values, axis=0),
        }
    )
    return table.filter(pl.col("n") > 0).with_columns(
        win_rate=pl.col("wins") / pl.col("n"), mean_preference=pl.col("total") / pl.col("n")
    )


def _empty() -> pl.DataFrame:
    return pl.DataFrame(schema=WIN_RATES.columns)
