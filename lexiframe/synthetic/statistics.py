"""What is compared between two collections: how measures spread, tie and agree."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeError, LexiframeWarning
from lexiframe.layouts.cube import score_cube
from lexiframe.metrics.scores import scores
from lexiframe.projection.positions import positions
from lexiframe.resampling import check_draws, halves
from lexiframe.typing import CollectionLike

MEASURES = ("AP", "nDCG@10", "RR", "Judged@10")
_MOST = 400
"""Kendall's τ is computed over at most this many requests; time grows with their square."""


def collection_distances(
    real: CollectionLike,
    other: CollectionLike,
    /,
    *,
    rel: float | None = None,
    splits: int = 20,
    seed: int = 0,
) -> pl.DataFrame:
    """Compare two collections, for example a real one and one that was simulated to be like it.

    Parameters
    ----------
    real, other
        Runs and judgments of each collection, as `positions` takes them.
    rel
        The least grade that is relevant, as for `positions`, in both collections.
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

    Raises
    ------
    LexiframeError
        As `positions`; for fewer than two runs or four requests; and for splits or a seed that does
        not fit.

    Examples
    --------
    >>> import lexiframe as lf
    >>> a, b = lf.simulate_collection(requests=20, runs=4, seed=1), lf.simulate_collection(
    ...     requests=20, runs=4, seed=2)
    >>> lf.collection_distances(a, b)["statistic"][0]
    'AP, mean'
    """
    check_draws("collection_distances", "splits", splits, seed)
    mine, theirs = (
        values_of(positions(*collection, rel=rel, judged=True)) for collection in (real, other)
    )
    found, half = statistics(theirs), half_distances(mine, splits, seed)
    rows = [
        (name, value, found[name], abs(found[name] - value), half[name])
        for name, value in statistics(mine).items()
    ]
    names = ["statistic", "real", "other", "distance", "half_distance"]
    return pl.DataFrame(rows, names, orient="row")


def values_of(p: pl.DataFrame) -> dict[str, np.ndarray]:
    """Score positions of judged items: for each measure an array of requests × runs.

    Raises
    ------
    LexiframeError
        For fewer than two runs or four requests.
    """
    with warnings.catch_warnings():
        # The statistics are of the grades that are relevant: nobody asked for an nDCG of others.
        warnings.filterwarnings("ignore", ".*positive grades.* add nothing", LexiframeWarning)
        cube = score_cube(scores(p, MEASURES))
    n_requests, n_runs = cube.values.shape[1:]
    if n_requests < 4 or n_runs < 2:
        raise LexiframeError(
            "expected a collection of at least two runs and four requests with relevant items, "
            f"found {n_runs} and {n_requests}"
        )
    return dict(zip(cube.measures, cube.values, strict=True))


def statistics(values: dict[str, np.ndarray]) -> dict[str, float]:
    """Compute the statistics of `collection_distances`; that of Judged@10 only if it is given."""
    found = {}
    for name in ("AP", "nDCG@10"):
        found[f"{name}, mean"] = values[name].mean()
        found[f"{name}, sd over requests"] = values[name].mean(axis=1).std(ddof=1)
        found[f"{name}, sd over runs"] = values[name].mean(axis=0).std(ddof=1)
    ap, rr = values["AP"], values["RR"]
    first, second = np.triu_indices(ap.shape[1], k=1)
    found["AP, τ between runs"] = np.nanmean(_taus(ap)[first, second])
    found["RR, share of ties"] = (rr[:, first] == rr[:, second]).mean()
    found["AP and RR, correlation"] = np.corrcoef(ap.ravel(), rr.ravel())[0, 1]
    if "Judged@10" in values:
        found["Judged@10, mean"] = values["Judged@10"].mean()
    return {name: float(value) for name, value in found.items()}


def _taus(values: np.ndarray) -> np.ndarray:
    """Compute Kendall's τ-b over requests between every two columns of requests × runs."""
    first, second = np.triu_indices(min(len(values), _MOST), k=1)
    signs = np.sign(values[first] - values[second])
    agreeing = signs.T @ signs
    untied = np.sqrt(np.diag(agreeing))
    with np.errstate(invalid="ignore"):  # a run that ties all requests has no τ
        return np.asarray(agreeing / np.outer(untied, untied))


def half_distances(values: dict[str, np.ndarray], splits: int, seed: int) -> dict[str, float]:
    """Compute the mean distance between the statistics of two random halves of the requests."""
    n = len(values["AP"])
    sums: dict[str, float] = {}
    for firsts, seconds in halves(n, splits, seed, block=1):
        one, other = (
            statistics({name: table[half[0] > 0] for name, table in values.items()})
            for half in (firsts, seconds)
        )
        for name, value in one.items():
            sums[name] = sums.get(name, 0.0) + abs(value - other[name]) / splits
    return sums
