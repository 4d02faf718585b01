"""The runs in order: `order_runs`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeError, LexiframeWarning
from lexiframe.measures import notation
from lexiframe.measures.derived import is_better_small
from lexiframe.orderings.kemeny import kemeny
from lexiframe.orderings.markov import mc4, votes_of
from lexiframe.orderings.positional import borda, copeland, majority_cycles
from lexiframe.orderings.ranking import mid_ranks, tie_groups
from lexiframe.orderings.win_rates import half_win_matrix, mean_preferences
from lexiframe.preferences.cube import PairCube, Pairs, is_scores, pair_cube, score_cube
from lexiframe.schemas import ORDERINGS, to_polars

Method = Literal["mean", "win_rate", "borda", "copeland", "mc4", "kemeny"]
METHODS = ("mean", "win_rate", "borda", "copeland", "mc4", "kemeny")


def order_runs(
    d: Any,
    method: Method = "mc4",
    *,
    votes: Literal["win_rate", "preference"] = "win_rate",
    iterations: int | None = None,
    teleport: float | None = None,
) -> pl.DataFrame:
    """Order the runs over all requests, under each measure.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`.
    method : {"mean", "win_rate", "borda", "copeland", "mc4", "kemeny"}
        ``mean``: the mean score, or the mean preference over the other runs and the requests.
        ``win_rate``: mean over the other runs of the share of requests won, ties half.
        ``borda``: mean over requests of S − mid-rank, by per-request win rate.
        ``copeland``: runs beaten by a majority of the requests, minus runs beaten by; cycles are
        warned of, and `majority_cycles` lists them.
        ``mc4``: a Markov chain that moves to runs that a majority of the requests ranks higher.
        ``kemeny``: the order that the requests contradict least, found exactly, of up to 12 runs;
        placing a before b costs the number of requests that rank b over a.
    votes : {"win_rate", "preference"}
        For mc4 and kemeny: a request ranks two runs by their win rates over all runs (the papers'
        way), or by the preference between the two.
    iterations : int, optional
        For mc4: stop after so many steps from equal probabilities, as the authors' tool does
        after 10.
    teleport : float, optional
        For mc4: jump to a run drawn uniformly with this probability at each step.

    Returns
    -------
    polars.DataFrame
        Key ``measure, method, run``, sorted by measure, method and rank. ``value`` in the method's
        unit (greater is better, but for the mean of search lengths; options stand behind the
        method, ``mc4(iterations=10)``), ``rank``
        from 1; runs of equal value share the mean of their
        ranks. For mc4 without ``iterations`` and ``teleport``: runs in strongly connected
        components, these ordered by reachability; the value is the number of layers of
        components below, plus the run's share of its own. For kemeny: the runs that come behind
        the run in every order of the least cost, minus those that come before it in all of them.

    Raises
    ------
    LexiframeError
        For an unknown method, an argument that belongs to another, or kemeny of more than 12 runs.

    Notes
    -----
    Dwork et al., "Rank Aggregation Methods for the Web", WWW 2001, doi:10.1145/371920.372165;
    Diaz & Ferraro, SIGIR 2022, section 5.4, doi:10.1145/3477495.3532033. Kemeny, "Mathematics
    without numbers", Daedalus 88 (1959); its integer program: Conitzer, Davenport & Kalagnanam,
    "Improved Bounds for Computing Kemeny Rankings", AAAI 2006.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": "q1", "run_a": ["a", "a", "b"], "run_b": ["b", "c", "c"],
    ...                   "measure": "RPP", "preference": [-1.0, 0.0, 1.0]})
    >>> lf.order_runs(d, method="mc4").select("run", "rank").rows()
    [('b', 1.0), ('a', 2.5), ('c', 2.5)]
    """
    _check_arguments(method, votes, iterations, teleport)
    d = d if isinstance(d, PairCube) else to_polars(d)
    if method == "mean" and is_scores(d):
        means = ((m, s.runs, np.nanmean(s.values, axis=0)) for m, s in score_cube(d))
        signs = {True: -1, False: 1}
        ordered = (
            _ordering(m, runs, mean, mid_ranks(signs[is_better_small(m)] * mean))
            for m, runs, mean in means
        )
        return _table(method, list(ordered))
    cube = pair_cube(d)
    frames = []
    for measure, pairs in cube:
        _refuse_gaps(measure, pairs)
        if method == "mc4":
            layers, shares = mc4(_ballots(pairs, votes), iterations=iterations, teleport=teleport)
            value = layers + shares
            rank = mid_ranks(_FAR * layers + np.log(np.maximum(shares, _TINY)))
        elif method == "kemeny":
            value = kemeny(_ballots(pairs, votes)).astype(np.float64)
            rank = mid_ranks(value)
        else:
            value = _VALUES[method](pairs)
            rank = mid_ranks(value)
        frames.append(_ordering(measure, pairs.runs, value, rank))
    if method == "copeland":
        _warn_of_cycles(cube)
    options: dict[str, Any] = {"votes": None if votes == "win_rate" else votes}
    options |= {"iterations": iterations, "teleport": teleport}
    chosen = {name: value for name, value in options.items() if value is not None}
    return _table(notation.write(method, None, chosen, None), frames)


_TINY = np.finfo(np.float64).tiny
_FAR = 1000.0  # farther apart than the logarithms of any two shares
_VALUES: dict[str, Callable[[Pairs], np.ndarray]] = {
    "mean": lambda pairs: mean_preferences(pairs).mean(axis=0),
    "win_rate": lambda pairs: (half_win_matrix(pairs).sum(axis=1) - 0.5) / (len(pairs.runs) - 1),
    "borda": lambda pairs: borda(mean_preferences(pairs)),
    "copeland": copeland,
}


def _ballots(pairs: Pairs, votes: str) -> np.ndarray:
    """Requests that put the row's run over the column's, minus those that put it under."""
    if votes == "preference":
        return pairs.square(pairs.lead)
    return votes_of(tie_groups(mean_preferences(pairs)))


def _ordering(measure: str, runs: pl.Series, value: np.ndarray, rank: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame({"run": runs, "value": value, "rank": rank}).with_columns(
        measure=pl.lit(measure)
    )


def _table(method: str, frames: list[pl.DataFrame]) -> pl.DataFrame:
    named = [
        frame.with_columns(method=pl.lit(method)).select(*ORDERINGS.columns) for frame in frames
    ]
    table = pl.concat([pl.DataFrame(schema=ORDERINGS.columns), *named])
    return table.sort("measure", "method", "rank", "run")


def _refuse_gaps(measure: str, pairs: Pairs) -> None:
    gaps = np.flatnonzero(pairs.n == 0)
    if len(gaps):
        a, b = pairs.runs[int(pairs.a[gaps[0]])], pairs.runs[int(pairs.b[gaps[0]])]
        raise LexiframeError(
            f"order_runs: {measure} lacks preferences between {len(gaps)} pairs of runs "
            f"({a!r} and {b!r} first); all pairs are needed"
        )


def check_method(method: str) -> None:
    """Raise when there is no such method."""
    if method not in METHODS:
        raise LexiframeError(
            f"order_runs: expected method to be one of {', '.join(METHODS)}, found {method!r}"
        )


def _check_arguments(
    method: str, votes: str, iterations: int | None, teleport: float | None
) -> None:
    check_method(method)
    if votes not in ("win_rate", "preference"):
        raise LexiframeError(
            f"order_runs: expected votes='win_rate' or 'preference', found {votes!r}"
        )
    if method not in ("mc4", "kemeny") and votes != "win_rate":
        raise LexiframeError("order_runs: votes belongs to method='mc4' and method='kemeny'")
    if method != "mc4" and (iterations is not None or teleport is not None):
        raise LexiframeError("order_runs: iterations and teleport belong to method='mc4'")
    if iterations is not None and teleport is not None:
        raise LexiframeError("order_runs: give iterations or teleport, not both")
    if iterations is not None and iterations < 1:
        raise LexiframeError(f"order_runs: expected iterations from 1, found {iterations}")
    if teleport is not None and not 0 < teleport < 1:
        raise LexiframeError(f"order_runs: expected teleport between 0 and 1, found {teleport}")


def _warn_of_cycles(d: Any) -> None:
    cycles = majority_cycles(d).group_by("measure", "cycle", maintain_order=True).agg("run")
    if cycles.height:
        found = "; ".join(f"{m}: {', '.join(runs)}" for m, _, runs in cycles.head(3).iter_rows())
        warnings.warn(
            f"majorities run in {cycles.height} cycles ({found}); majority_cycles lists them",
            LexiframeWarning,
            stacklevel=3,
        )
