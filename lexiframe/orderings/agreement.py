"""Do measures agree: `rank_correlations`, `sign_agreement`, `tie_rates`."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeError, SchemaError
from lexiframe.measures.ties import TIE
from lexiframe.preferences.cube import pair_cube
from lexiframe.preferences.groups import By, in_groups
from lexiframe.schemas import (
    CORRELATIONS,
    ORDERINGS,
    SIGN_AGREEMENT,
    TIE_RATES,
    check,
)


def rank_correlations(
    o: Any, method: Literal["kendall"] = "kendall", *, by: By = None
) -> pl.DataFrame:
    """Correlate every two orderings of the runs.

    Parameters
    ----------
    o
        The table of `order_runs`, or several of them concatenated.
    method : {"kendall"}
        Kendall's τ-b, which honours ties.
    by
        Columns of ``o`` that name groups of requests: orderings of one group are correlated.

    Returns
    -------
    polars.DataFrame
        Key ``method, ordering_a, ordering_b`` with ordering_a < ordering_b, sorted by it.
        An ordering is called by its measure, and by measure and method (``"RPP borda"``) when a
        measure is ordered by several. ``correlation`` in −1..1 (null when an ordering has all runs
        tied), ``p_value`` of the two-sided test of independence, ``n`` runs in both.

    Notes
    -----
    `scipy.stats.kendalltau`. Kendall, "The treatment of ties in ranking problems", Biometrika
    1945, doi:10.1093/biomet/33.3.239.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> o = pl.DataFrame({"measure": ["AP"] * 3 + ["RR"] * 3, "method": "mean",
    ...                   "run": ["a", "b", "c"] * 2, "value": 0.0,
    ...                   "rank": [1.0, 2.0, 3.0, 1.0, 3.0, 2.0]})
    >>> lf.rank_correlations(o)["correlation"].round(3).to_list()
    [0.333]
    """
    from scipy.stats import kendalltau

    if by is not None:
        return in_groups(partial(rank_correlations, method=method), o, None, by)
    if method != "kendall":
        raise LexiframeError(f"rank_correlations: expected method='kendall', found {method!r}")
    orderings = check(o, ORDERINGS)
    several = (
        orderings.select("measure", "method").unique().height > orderings["measure"].n_unique()
    )
    name = pl.concat_str("measure", "method", separator=" ") if several else pl.col("measure")
    if orderings.select(ORDERINGS.key).is_duplicated().any():
        raise SchemaError(
            f"orderings: expected one row for each {', '.join(ORDERINGS.key)}, found several"
        )
    named = orderings.select(pl.col("run", "rank"), ordering=name)
    by_name = {key[0]: rows for key, rows in named.partition_by("ordering", as_dict=True).items()}
    rows = []
    for a, b in combinations(sorted(by_name), 2):
        both = by_name[a].join(by_name[b], on="run", suffix="_b")
        tau, p_value = np.nan, np.nan
        if both.height > 1:
            tau, p_value = kendalltau(both["rank"].to_numpy(), both["rank_b"].to_numpy())
        rows.append((method, a, b, _or_none(tau), _or_none(p_value), both.height))
    return pl.DataFrame(rows, schema=CORRELATIONS.columns, orient="row")


def tie_rates(d: Any, *, requests: Any = None, by: By = None) -> pl.DataFrame:
    """Give the share of pairs of rankings of one request that each measure ties.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.
    requests, by
        A frame ``query_id`` → attributes, and which of them make groups of requests: the table is
        made within each group, and the attributes are its first columns.

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
    if by is not None or requests is not None:
        return in_groups(tie_rates, d, requests, by)
    rows = []
    for measure, pairs in pair_cube(d):
        n, ties = int(pairs.n.sum()), int((pairs.values == 0).sum())
        rows.append((measure, n, ties, ties / n))
    return pl.DataFrame(rows, schema=TIE_RATES.columns, orient="row")


def sign_agreement(d: Any, *, requests: Any = None, by: By = None) -> pl.DataFrame:
    """Say how often measures that see a difference see it in the same direction.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.
    requests, by
        A frame ``query_id`` → attributes, and which of them make groups of requests: the table is
        made within each group, and the attributes are its first columns.

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
    if by is not None or requests is not None:
        return in_groups(sign_agreement, d, requests, by)
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


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
