"""The statistics that two collections are compared by: spread, ties and agreement of measures."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, errors, resampling, typed
from lexiframe.core.metrics import scores
from lexiframe.core.orderings import kendall_of_all
from lexiframe.core.pairwise import arrays
from lexiframe.core.projection import positions
from lexiframe.typing import CollectionLike, Evaluated

MEASURES = ("AP", "nDCG@10", "RR", "Judged@10")
_MOST = 400
"""Kendall's τ is computed over at most this many requests; time grows with their square."""


@typed
def collection_distances(
    real: CollectionLike | Evaluated,
    other: CollectionLike | Evaluated,
    *,
    rel: float | None = None,
    splits: int = 20,
    seed: int = 0,
) -> pl.DataFrame:
    """Compare two collections, for example a real one and one that was simulated to be like it.

    Parameters
    ----------
    real, other
        Runs and judgments of each collection, as `positions` takes them; or an `Evaluation`, whose
        runs and judgments are used.
    rel
        The least grade that is relevant, as for `positions`, in both collections. Default: any
        positive grade, or for an evaluation its own.
    splits
        How often the requests of the real collection are split at random into two halves.
    seed
        The same seed gives the same splits.

    Returns
    -------
    polars.DataFrame
        Key ``statistic``: means of AP and nDCG@10, their standard deviations over requests (of the
        mean over runs) and over runs (of the mean over requests); the mean over pairs of runs of
        Kendall's τ between their AP by request; the share of judged items in the top 10; the share
        of pairs of rankings of a request whose RR ties; and the correlation of AP with RR over all
        rankings. Columns ``real``, ``other``, ``distance`` (|other − real|), and
        ``half_distance``, the mean distance between two random halves of the real collection:
        two samples of half its size are as far apart by chance alone.

        A statistic that a collection does not have is null, and so is its distance. τ needs a pair
        of runs whose AP differs between requests, and the mean is over such pairs; the correlation
        needs AP and RR that are not the same for all rankings. ``half_distance`` is the mean over
        those splits in which both halves have the statistic, and null if there are none.

    Raises
    ------
    LexiframeError
        As `positions`; for fewer than two runs or four requests; and for splits or a seed that does
        not fit.
    TypeError
        For a collection that is neither a pair of runs and judgments nor an evaluation.

    Examples
    --------
    >>> import lexiframe as lf
    >>> a, b = lf.simulate_collection(requests=20, runs=4, seed=1), lf.simulate_collection(
    ...     requests=20, runs=4, seed=2)
    >>> lf.collection_distances(a, b)["statistic"][0]
    'AP, mean'
    """
    resampling.check_draws("collection_distances", "splits", splits, seed)
    mine, theirs = (_values_of_collection(one, rel) for one in (real, other))
    found, half = statistics(theirs), half_distances(mine, splits, seed)
    rows = [
        (name, value, found[name], abs(found[name] - value), half[name])
        for name, value in statistics(mine).items()
    ]
    names = ["statistic", "real", "other", "distance", "half_distance"]
    table = pl.DataFrame(rows, names, orient="row")
    return table.with_columns(pl.col(pl.Float64).fill_nan(None))


def _values_of_collection(
    collection: CollectionLike | Evaluated, rel: float | None
) -> dict[str, np.ndarray]:
    (runs, qrels), rel = collection_of("collection_distances", "", collection, rel)
    return values_of(positions(runs, qrels, rel=rel, judged=True))


def collection_of(
    function: str, argument: str, given: CollectionLike | Evaluated, rel: float | None
) -> tuple[CollectionLike, float | None]:
    """Return the given runs and judgments, and the least grade that is relevant in them."""
    if isinstance(given, tuple | list) and len(given) == 2:
        return (given[0], given[1]), rel
    if not (hasattr(given, "collection") and hasattr(given, "provenance")):
        n = f" of {len(given)}" if isinstance(given, tuple | list) else ""
        raise TypeError(
            f"{function}: expected runs and judgments as {argument}(runs, qrels), or an "
            f"Evaluation, found {type(given).__name__}{n}"
        )
    collection = given.collection  # first: it says so if there are no rankings
    return collection, given.provenance["policies"]["rel"] if rel is None else rel


def values_of(p: pl.DataFrame) -> dict[str, np.ndarray]:
    """Score positions of judged items: for each measure an array of requests × runs.

    Fewer than two runs or four requests are an error.
    """
    with warnings.catch_warnings():
        # The statistics are of the grades that are relevant: nobody asked for an nDCG of others.
        warnings.filterwarnings(
            "ignore", ".*positive grades.* have no gain", errors.LexiframeWarning
        )
        cube = arrays.score_cube(scores(p, MEASURES))
    n_requests, n_runs = cube.values.shape[1:]
    if n_requests < 4 or n_runs < 2:
        raise LexiframeError(
            "expected a collection of at least two runs and four requests with relevant items, "
            f"found {n_runs} and {n_requests}"
        )
    return dict(zip(cube.measures, cube.values, strict=True))


def statistics(values: dict[str, np.ndarray]) -> dict[str, float]:
    """Compute the statistics of `collection_distances`; Judged@10 only if it is given.

    A statistic that these values do not have is NaN.
    """
    found = {}
    for name in ("AP", "nDCG@10"):
        found[f"{name}, mean"] = values[name].mean()
        found[f"{name}, sd over requests"] = values[name].mean(axis=1).std(ddof=1)
        found[f"{name}, sd over runs"] = values[name].mean(axis=0).std(ddof=1)
    ap, rr = values["AP"], values["RR"]
    first, second = np.triu_indices(ap.shape[1], k=1)
    taus = kendall_of_all(ap[:_MOST].T)[first, second]
    known = taus[np.isfinite(taus)]
    found["AP, τ between runs"] = known.mean() if len(known) else np.nan
    found["RR, share of ties"] = (rr[:, first] == rr[:, second]).mean()
    # Values that differ by rounding alone would get a correlation, of their rounding errors.
    vary = min(np.ptp(ap), np.ptp(rr)) > 1e-12
    found["AP and RR, correlation"] = np.corrcoef(ap.ravel(), rr.ravel())[0, 1] if vary else np.nan
    if "Judged@10" in values:
        found["Judged@10, mean"] = values["Judged@10"].mean()
    return {name: float(value) for name, value in found.items()}


def half_distances(values: dict[str, np.ndarray], splits: int, seed: int) -> dict[str, float]:
    """Compute the mean distance between the statistics of two random halves of the requests.

    The mean is over the splits in which both halves have the statistic; NaN if there are none.
    """
    n = len(values["AP"])
    found: list[list[float]] = []
    for firsts, seconds in resampling.halves(n, splits, seed, block=1):
        one, other = (
            statistics({name: table[half[0] > 0] for name, table in values.items()})
            for half in (firsts, seconds)
        )
        found.append([abs(value - other[name]) for name, value in one.items()])
    each = (distances[np.isfinite(distances)] for distances in np.array(found).T)
    means = (float(known.mean()) if len(known) else np.nan for known in each)
    return dict(zip(one, means, strict=True))
