"""Intervals of a mean difference while requests come in: `confidence_sequence`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, progress, resampling, typed
from lexiframe.core.pairwise import PairsLike, arrays
from lexiframe.core.projection import alone
from lexiframe.core.significance.bets import Bets, BoundsLike
from lexiframe.core.significance.betting_on_means import intervals_after
from lexiframe.core.significance.differences import cube_of
from lexiframe.decide.gates.gate_tables import margins_by_name, rows_of_two_runs
from lexiframe.decide.gates.schemas import CONFIDENCE_SEQUENCES


@alone.each_collection
@typed
def confidence_sequence(
    d: PairsLike,
    /,
    *,
    baseline: str,
    candidate: str,
    n_planned: int,
    every: int = 10,
    alpha: float = 0.05,
    bounds: BoundsLike | None = None,
) -> pl.DataFrame:
    """Return intervals of the mean difference of two runs that hold at all looks together.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken, with the requests
        in the order in which they came: that of their first rows.
    baseline, candidate : str
        The two runs.
    n_planned : int
        The number of requests that there will be in the end.
    every : int
        After how many more requests there is another interval; the last is that of all requests.
    alpha : float
        The sequence has level 1 − alpha.
    bounds
        The bounds of measures that have none by their names, as for `compare`.

    Returns
    -------
    polars.DataFrame
        Key ``measure, n_requests``, sorted by it: the first ``n_requests`` requests in order that
        both runs have. ``mean_difference`` is that over them, the candidate's mean minus the
        baseline's, positive when the candidate is better, in the unit of the measure, with the
        interval ``ci_low, ci_high``; ``alpha`` and ``n_planned`` are those given.

    Raises
    ------
    LexiframeError
        For an unknown run, a measure without bounds, more requests than are planned, none that both
        runs have, an alpha outside 0..1, ``every`` below 1, and an order of requests in which no
        limit is left, which a random one hardly ever is.

    Notes
    -----
    If requests come in random order, the true mean difference is inside all intervals at once with
    a probability of at least 1 − alpha, whatever the distribution: one may look at any of them, and
    stop when one likes. An interval has the limits that the sequential test rejects on neither side
    at alpha / 2 (see `compare`, ``test="betting"``), on a grid of 1,000 steps; a limit that was
    rejected once stays so, and therefore no interval is wider than one before it.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("digits")
    >>> s = lf.scores(lf.positions(folder / "runs", folder / "qrels.parquet"), ["nDCG@10"])
    >>> two = {"baseline": "pixels_euclidean", "candidate": "pca8_euclidean"}
    >>> c = lf.significance.confidence_sequence(s, **two, n_planned=60, every=20)
    >>> c.select("n_requests", pl.col("mean_difference", "ci_low", "ci_high").round(3)).rows()
    [(20, -0.046, -0.356, 0.262), (40, -0.042, -0.148, 0.074), (60, -0.038, -0.11, 0.036)]
    """
    resampling.check_share("confidence_sequence", "alpha", alpha)
    arrays.refuse_weights("confidence_sequence", d, "compare(test='t') has an interval by weight")
    if every < 1:
        raise LexiframeError(
            f"confidence_sequence: expected every to be 1 or more, found {every}; it is the number "
            "of requests between two intervals"
        )
    bets = Bets.check("confidence_sequence", d, bounds, "given", n_planned)
    rows = []
    cube = cube_of(rows_of_two_runs(d, baseline, candidate), baseline)
    _, names = margins_by_name(1.0, d)
    lacking = [name for name in names if name not in [measure for measure, _ in cube]]
    if lacking:
        raise LexiframeError(
            f"confidence_sequence: expected requests of both runs for {', '.join(lacking)}, found "
            "none; leave the measure out, or give both runs its values"
        )
    for measure, pairs in progress(cube, len(cube.measures), "confidence_sequence"):
        x = pairs.values[:, np.flatnonzero(pairs.runs.gather(pairs.a) == candidate)[0]]
        known = ~np.isnan(x)
        x, queries = x[known], pairs.queries.filter(pl.Series(known))
        x = x[bets.sequence("confidence_sequence", len(x), queries, 0)]
        looks = [*range(every, len(x), every), len(x)]
        of_measure = replace(bets.bound_measure(measure, pairs, alpha), level=alpha / 2)
        low, high = intervals_after(x, looks, of_measure)
        means = np.cumsum(x)[np.array(looks) - 1] / looks
        rows.append(
            pl.DataFrame({"n_requests": looks, "mean_difference": means, "ci_low": low,
                          "ci_high": high}).with_columns(measure=pl.lit(str(measure)))
        )  # fmt: skip
    table = pl.concat(rows).with_columns(alpha=pl.lit(alpha), n_planned=pl.lit(n_planned, pl.Int64))
    return CONFIDENCE_SEQUENCES.arranged(table)
