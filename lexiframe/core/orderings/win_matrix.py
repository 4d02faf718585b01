"""One measure's win rates as a matrix of runs × runs: `win_rate_matrix`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, sums, typed, unknown_name
from lexiframe.core.pairwise import By, Pairs, PairsLike, arrays, grouping
from lexiframe.core.projection import alone
from lexiframe.typing import MeasureLike, RequestsLike


@alone.each_collection
@typed
@grouping.takes_groups
def win_rate_matrix(
    d: PairsLike,
    /,
    measure: MeasureLike | None = None,
    *,
    runs: Sequence[str] | None = None,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Arrange one measure's win rates as a matrix of runs × runs.

    Parameters
    ----------
    d, requests, by
        As for `win_rates`.
    measure : str, optional
        The measure; it may be left out when the table has only one.
    runs : sequence of str, optional
        The runs to show, in this order. Default: all, sorted by name.

    Returns
    -------
    polars.DataFrame
        ``run``, and a column for each run. A cell is the share of requests that the row's run wins
        against the column's, in 0..1. A tie counts as half a win, so opposite cells sum to 1, and
        the diagonal is 0.5. A cell is null where the table lacks the pair.

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
    cube = arrays.cube_or_sums(d)
    if measure is None and len(cube.measures) != 1:
        raise LexiframeError(
            f"win_rate_matrix: which measure? Pass one of {', '.join(cube.measures)}"
        )
    name = cube.measures[0] if measure is None else str(measure)
    by_name: dict[str, Pairs | arrays.PairSums] = {name: pairs for name, pairs in cube}  # noqa: C416
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


def half_win_matrix(pairs: Pairs | arrays.PairSums) -> np.ndarray:
    """Return the share of requests won, ties counted half: runs × runs, 0.5 on the diagonal."""
    d = pairs.differences
    return np.asarray(0.5 + pairs.square(sums.ratio(d.lead, d.n_effective)) / 2)
