"""Runs that lack requests: their order is refused, unless missing values have a meaning."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, to_polars
from lexiframe.core.pairwise import PairCube, arrays

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
    from lexiframe.core.orderings.filled_requests import filled

    return filled(table, cube, holes, missing), changed


def lacking_requests(s: Any) -> dict[str, dict[str, Any]]:
    """Return, by measure whose runs lack requests, their number and the number of each such run."""
    found = {}
    each = s if isinstance(s, arrays.Reduced | arrays.ScoreCube) else arrays.score_cube(s)
    for measure, table in each.scores.items() if isinstance(each, arrays.Reduced) else each:
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
