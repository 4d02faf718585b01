"""Pairs of random rankings: `simulate_agreement`, `simulate_ties`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, resampling, typed
from lexiframe.core.pairwise import parse_measures, preferences
from lexiframe.study.theory.arguments import check_sizes, refuse_large
from lexiframe.study.theory.rankings import Groups, positions_of
from lexiframe.typing import MeasureLike

_RUNS = ("a", "b")
_LIKELY = 3
"""Rows are drawn again while two of their ranks are equal. If more than this many pairs of equal
ranks (m²/2n) are expected in a row, permutations are drawn instead."""
_CELLS = 1 << 24


@typed
def simulate_agreement(
    measures: MeasureLike | Iterable[MeasureLike],
    n: int,
    pairs: int = 10_000,
    seed: int = 0,
    *,
    m: int | tuple[int, int] = (5, 50),
) -> pl.DataFrame:
    """Estimate how often measures prefer the ranking with the better worst case in random pairs.

    Parameters
    ----------
    measures
        Metrics and preferences, or their notation.
    n
        The number of items of a ranking; up to 10⁶ and more, since only ranks are drawn.
    pairs
        How many pairs of rankings are drawn, each for a request of its own.
    seed
        The same seed gives the same pairs, whatever the measures.
    m
        The number of relevant items, or the least and the greatest; it is drawn uniformly.

    Returns
    -------
    polars.DataFrame
        Key ``measure``, sorted by it: ``n``, ``pairs``; ``tied``, the share of pairs that have the
        same worst case (the rank of the last relevant item); and ``agreement``, the share of the
        other pairs in which the measure prefers the ranking whose last relevant item comes sooner.
        A pair that the measure ties does not agree. ``random`` is the agreement of a coin that is
        tossed for each pair; its distance from 1/2 shows how far the simulation errs by chance.

    Raises
    ------
    LexiframeError
        When n, m, pairs or seed is out of its range.

    Notes
    -----
    Diaz, Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373, arXiv:2302.11370,
    section 4.3, table 2.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.theory.simulate_agreement(["TSE(AP)", "R@1000"], n=1000, pairs=100).select(
    ...     "measure", "agreement").rows()
    [('R@1000', 0.0), ('TSE(AP)', 1.0)]
    """
    asked = parse_measures(measures)
    groups = _random_pairs("simulate_agreement", n, pairs, seed, m)
    last = np.concatenate([ranks[:, :, -1] for _, ranks in groups])
    sign = pl.DataFrame(
        {
            "query_id": pl.Series(np.concatenate([requests for requests, _ in groups])),
            "worst_case": np.sign(last[:, 1] - last[:, 0]),
            "coin": 2 * np.random.default_rng([seed, 1]).integers(0, 2, len(last)) - 1,
        }
    ).cast({"query_id": pl.String})
    d = preferences(positions_of(groups, _RUNS, n), asked).join(sign, on="query_id")
    agrees, tosses = (pl.col(n).sign() == pl.col("worst_case") for n in ("preference", "coin"))
    return (
        d.group_by("measure")
        .agg(
            n=pl.lit(n, pl.Int64),
            pairs=pl.len().cast(pl.Int64),
            tied=(pl.col("worst_case") == 0).mean(),
            agreement=agrees.filter(pl.col("worst_case") != 0).mean(),
            random=tosses.filter(pl.col("worst_case") != 0).mean(),
        )
        .sort("measure")
    )


@typed
def simulate_ties(
    measures: MeasureLike | Iterable[MeasureLike],
    n: int,
    depths: Iterable[int],
    pairs: int = 10_000,
    seed: int = 0,
    *,
    m: int | tuple[int, int] = (5, 50),
) -> pl.DataFrame:
    """Estimate how often measures tie random rankings of which only the first items are retrieved.

    Parameters
    ----------
    measures, n, pairs, seed, m
        As for `simulate_agreement`.
    depths
        How many items are retrieved: each depth cuts the same rankings.

    Returns
    -------
    polars.DataFrame
        Key ``depth, measure``, sorted by it: ``pairs``, and the ``tie_rate`` among them.

    Raises
    ------
    LexiframeError
        As `simulate_agreement`; and for a depth below 1.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.theory.simulate_ties(["RR", "LR"], n=1000, depths=[10, 1000], pairs=100, m=10).select(
    ...     "depth", "measure", "tie_rate").rows()
    [(10, 'LR', 0.8), (10, 'RR', 0.8), (1000, 'LR', 0.0), (1000, 'RR', 0.01)]
    """
    asked, wanted = parse_measures(measures), sorted({*depths})
    if not wanted or wanted[0] < 1:
        raise LexiframeError(f"simulate_ties: expected depths from 1, found {wanted}")
    groups = _random_pairs("simulate_ties", n, pairs, seed, m)
    tables = [
        preferences(positions_of(groups, _RUNS, n, depth), asked)
        .group_by("measure")
        .agg(pairs=pl.len().cast(pl.Int64), tie_rate=(pl.col("preference") == 0).mean())
        .select(pl.lit(depth, pl.Int64).alias("depth"), pl.all())
        for depth in wanted
    ]
    return pl.concat(tables).sort("depth", "measure")


def _random_pairs(function: str, n: int, pairs: int, seed: int, m: int | tuple[int, int]) -> Groups:
    """Return pairs of random rankings, each of a request of its own, grouped by their m."""
    least, most = m if isinstance(m, tuple | list) else (m, m)
    check_sizes(function, n, least)
    check_sizes(function, n, most)
    refuse_large(function, pairs * most)
    resampling.check_draws(function, "pairs", pairs, seed)
    if least > most:
        raise LexiframeError(f"{function}: expected m as (least, greatest), found {m}")
    rng = np.random.default_rng(seed)
    sizes = rng.integers(least, most + 1, pairs)
    by_size = [np.flatnonzero(sizes == size) for size in range(least, most + 1)]
    return [
        (numbers, _draw_ranks(rng, 2 * len(numbers), size, n).reshape(len(numbers), 2, size))
        for size, numbers in enumerate(by_size, least)
        if len(numbers)
    ]


def _draw_ranks(rng: np.random.Generator, rows: int, m: int, n: int) -> np.ndarray:
    """Draw rows of m different ranks from 1 to n, each set of them being equally likely, sorted.

    Rows with a repeated rank are drawn again as a whole: the result is uniform over the sets.
    """
    if m * (m - 1) > 2 * n * _LIKELY:
        return _first_of_permutations(rng, rows, m, n)
    found = np.sort(rng.integers(1, n + 1, (rows, m)), axis=1)
    while (twice := np.flatnonzero((np.diff(found, axis=1) == 0).any(axis=1))).size:
        found[twice] = np.sort(rng.integers(1, n + 1, (len(twice), m)), axis=1)
    return found


def _first_of_permutations(rng: np.random.Generator, rows: int, m: int, n: int) -> np.ndarray:
    """Draw ranks as the first m of random permutations, some rows at a time."""
    step = max(1, _CELLS // n)
    parts: Sequence[np.ndarray] = [
        rng.permuted(np.tile(np.arange(1, n + 1), (min(step, rows - at), 1)), axis=1)[:, :m]
        for at in range(0, rows, step)
    ]
    return np.sort(np.concatenate(parts), axis=1)
