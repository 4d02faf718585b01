"""Do measures agree on pairs of rankings: `sign_agreement`, `tie_rates`."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.measures.ties import TIE
from lexiframe.preferences.cube import pair_cube
from lexiframe.schemas import SIGN_AGREEMENT, TIE_RATES


def tie_rates(d: Any) -> pl.DataFrame:
    """Give the share of pairs of rankings of one request that each measure ties.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.

    Returns
    -------
    polars.DataFrame
        Key ``measure``, sorted by it: ``n`` pairs of rankings, ``ties`` among them, ``tie_rate``
        in 0..1.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2"], "run_a": "a", "run_b": "b",
    ...                   "measure": "RR", "preference": [0.5, 0.0]})
    >>> lf.tie_rates(d).rows()
    [('RR', 2, 1, 0.5)]
    """
    rows = []
    for measure, pairs in pair_cube(d):
        n, ties = int(pairs.n.sum()), int((pairs.values == 0).sum())
        rows.append((measure, n, ties, ties / n))
    return pl.DataFrame(rows, schema=TIE_RATES.columns, orient="row")


def sign_agreement(d: Any) -> pl.DataFrame:
    """Say how often measures that see a difference see it in the same direction.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.

    Returns
    -------
    polars.DataFrame
        Key ``measure_a, measure_b`` (every ordered pair of different measures), sorted by it.
        Of the ``n`` pairs of rankings that measure_a tells apart, measure_b ``agree``s with so
        many, a tie of its being no agreement; ``agreement`` = agree / n. The same of pairs of
        runs by the sign of their mean preference: ``n_systems``, ``systems_agree``,
        ``system_agreement``.

    Notes
    -----
    Σ I(π ≻_a π′ and π ≻_b π′) / Σ I(π ≻_a π′), as in Diaz, Ekstrand & Mitra, ACM TORS 2025,
    doi:10.1145/3728373.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2"] * 2, "run_a": "a", "run_b": "b",
    ...                   "measure": ["LP", "LP", "RR", "RR"], "preference": [1.0, -1.0, 0.5, 0.0]})
    >>> lf.sign_agreement(d).select("measure_a", "measure_b", "n", "agreement").rows()
    [('LP', 'RR', 2, 0.5), ('RR', 'LP', 1, 1.0)]
    """
    cube = pair_cube(d)
    signs = np.sign(np.nan_to_num(cube.values))
    signs = signs.reshape(len(signs), int(np.prod(signs.shape[1:])))
    n_values = np.maximum((~np.isnan(cube.values)).sum(axis=1), 1)
    means = np.nansum(cube.values, axis=1) / n_values
    system_signs = np.sign(np.where(np.abs(means) <= TIE, 0.0, means))
    rankings, systems = _agreeing(signs), _agreeing(system_signs)
    rows = []
    for a, b in sorted((a, b) for a in range(len(signs)) for b in range(len(signs)) if a != b):
        n, agree = rankings[a, a], rankings[a, b]
        n_systems, systems_agree = systems[a, a], systems[a, b]
        of_rankings = (n, agree, _share(agree, n))
        of_systems = (n_systems, systems_agree, _share(systems_agree, n_systems))
        rows.append((cube.measures[a], cube.measures[b], *of_rankings, *of_systems))
    return pl.DataFrame(rows, schema=SIGN_AGREEMENT.columns, orient="row")


def _agreeing(signs: np.ndarray) -> np.ndarray:
    """Count, for every two rows, the columns in which both have the same sign, not 0."""
    up, down = (signs > 0).astype(np.float64), (signs < 0).astype(np.float64)
    counts: np.ndarray = (up @ up.T + down @ down.T).astype(np.int64)
    return counts


def _share(part: int, whole: int) -> float | None:
    return float(part / whole) if whole else None
