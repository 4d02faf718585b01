"""Runs that lack requests: their order is refused, unless missing values have a meaning."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, to_polars
from lexiframe.core.metrics import derived
from lexiframe.core.pairwise import PairCube, arrays
from lexiframe.core.projection import answers

Missing = Literal["zero", "common", "own"]
"""What a run that lacks requests gets: 0 for them, a mean over the requests that all runs have,
or one over those that it has itself."""

_ADVICE = (
    "say what that means: missing='common' (only the requests that all of them have), "
    "missing='zero' (they found nothing there) or missing='own' (each run by what it has)"
)


def check_missing(called: str, missing: object) -> None:
    """Raise unless ``missing`` is None or one of `Missing`."""
    if missing is not None:
        check_choice(called, missing, get_args(Missing), "missing")


def settle(d: Any, missing: Missing | None) -> tuple[Any, set[str]]:
    """Apply ``missing`` to a table of scores or preferences; return also the measures affected.

    These are the measures whose runs lack requests. None and "own" change nothing. "zero" leaves
    counts alone, as they order no runs.

    Examples
    --------
    >>> s = pl.DataFrame({"run": ["a", "a", "b"], "query_id": ["q1", "q2", "q1"],
    ...                   "measure": "AP", "value": [0.5, 0.75, 0.25]})
    >>> settle(s, "zero")[0].rows()[-1]  # a ranking that is missing
    ('b', 'q2', 'AP', 0.0, False)
    >>> settle(s, "common")[0]["query_id"].to_list(), settle(s, "common")[1]
    (['q1', 'q1'], {'AP'})
    """
    if isinstance(d, arrays.Reduced):
        return d, {measure for measure, found in d if missing is not None and found.lacking.any()}
    if missing is None or isinstance(d, arrays.ScoreCube | PairCube):
        return d, set()
    table = to_polars(d)
    cube: Any = arrays.score_cube(table) if arrays.is_scores(table) else arrays.pair_cube(table)
    there = ~np.isnan(cube.values)
    # A run (or a pair) without any value of a measure is not among its runs.
    asked = there.any(axis=2, keepdims=True) & there.any(axis=1, keepdims=True)
    holes = asked & ~there
    is_changed = holes.any(axis=(1, 2))
    changed = set(cube.measures.filter(pl.Series(is_changed)))
    if missing == "own" or not changed:
        return table, changed
    filled = _fill_zeros(cube, holes) if missing == "zero" else _only_common(cube, holes)
    if isinstance(filled, PairCube):
        return filled, changed
    s, key = _cube_table(filled, table), ["run", "query_id", "measure"]
    new = s.join(table, on=key, how="anti").select(*key, answered=pl.lit(value=False))
    marks = pl.concat([answers.unanswered_in(table), new], how="diagonal")
    return answers.say_answered(s, marks), changed


def _fill_zeros(cube: arrays.ScoreCube | PairCube, holes: np.ndarray) -> arrays.ScoreCube:
    """Return the scores with 0 in the holes; raise where 0 does not say that nothing was found."""
    if isinstance(cube, PairCube):
        raise LexiframeError(
            "missing='zero': expected scores, found preferences, in which a run that found nothing "
            "has no 0; give the scores"
        )
    for n, measure in enumerate(cube.measures):
        metric = derived.known_metric(measure)
        if not holes[n].any():
            continue
        if metric is not None and metric.aggregate == "sum":
            holes[n] = False
        elif cube.smaller_is_better[n] or (metric is not None and metric.aggregate != "mean"):
            raise LexiframeError(
                "missing='zero': expected measures of which 0 is the worst value, found "
                f"{measure}, of which 0 is the best; use missing='common', or leave it out"
            )
    return cube.of_cells(lambda cells: np.where(holes, 0.0, cells))


def _only_common(
    cube: arrays.ScoreCube | PairCube, holes: np.ndarray
) -> arrays.ScoreCube | PairCube:
    """Return the values of the requests without a hole; raise where a measure has none."""
    values = np.where(holes.any(axis=2, keepdims=True), np.nan, cube.values)
    is_empty = np.isnan(values).all(axis=(1, 2)) & ~np.isnan(cube.values).all(axis=(1, 2))
    if is_empty.any():
        n = int(np.argmax(is_empty))
        lacking = holes[n].sum(axis=0)
        who = "runs" if isinstance(cube, arrays.ScoreCube) else "pairs of runs"
        least = f" ({cube.runs[int(lacking.argmax())]!r} lacks most)" if who == "runs" else ""
        raise LexiframeError(
            f"missing='common': expected requests that all {who} have, found none by "
            f"{cube.measures[n]}{least}; leave out those that lack most, or use another missing="
        )
    return replace(cube, values=values)


def _cube_table(cube: arrays.ScoreCube, like: pl.DataFrame) -> pl.DataFrame:
    """Return scores as a table, sorted by run, request and measure."""
    run, query, measure = np.nonzero(~np.isnan(cube.values.T))
    table = pl.DataFrame(
        {
            "run": cube.runs[run],
            "query_id": cube.queries[query],
            "measure": cube.measures[measure],
            "value": cube.values[measure, query, run],
            "smaller_is_better": cube.smaller_is_better[measure],
        }
    )
    if cube.ties_sd is not None:
        sd = pl.Series("ties_sd", cube.ties_sd[measure, query, run], nan_to_null=True)
        table = table.with_columns(sd)
    return table.select(name for name in table.columns if name in like.columns)


def lacking_requests(s: Any) -> dict[str, dict[str, Any]]:
    """Return, by measure whose runs lack requests, their number and the number of each such run."""
    found = {}
    for measure, table in (
        s.scores.items() if isinstance(s, arrays.Reduced) else arrays.score_cube(s)
    ):
        of, lacking = table.n_requests, table.lacking
        runs = {table.runs[int(n)]: of - int(lacking[n]) for n in np.flatnonzero(lacking)}
        if runs:
            found[measure] = {"requests": of, "runs": runs}
    return found


def refuse_lacking(measure: str, table: Any, missing: Missing | None) -> None:
    """Raise where runs lack requests of a measure, unless each run may keep its own requests.

    A mean over different requests is no ranking: a run with one easy request would come first.
    """
    lacking = table.lacking
    if missing is not None or not lacking.any():
        return
    most = np.argsort(-lacking, kind="stable")[: min(3, np.count_nonzero(lacking))]
    named = ", ".join(f"{table.runs[int(run)]!r} lacks {lacking[run]}" for run in most)
    n = int((lacking > 0).sum())
    raise LexiframeError(
        f"order_runs: expected values of {measure} for the same requests of all runs, found {n} of "
        f"{len(lacking)} runs that lack some of the {table.n_requests} requests "
        f"({named}{', ...' if n > 3 else ''}); {_ADVICE}"
    )
