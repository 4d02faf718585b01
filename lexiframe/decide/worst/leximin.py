"""Runs compared by their values from the worst on: `leximin`."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, coded, sums, typed
from lexiframe.core.pairwise import Pairs, arrays
from lexiframe.core.projection import alone
from lexiframe.decide.worst.asked import Measured, ValuesLike, measured, pairs_of, refused
from lexiframe.decide.worst.schemas import LEXIMIN
from lexiframe.typing import RequestsLike


@alone.each_collection
@typed
def leximin(
    s: ValuesLike, /, *, unit: str | None = None, requests: RequestsLike = None
) -> pl.DataFrame:
    """Compare all pairs of runs by their values sorted from the worst: the first that differs.

    Parameters
    ----------
    s
        The table of `scores`, or an `Evaluation`, of which the metrics count.
    unit : str, optional
        An attribute such as ``user``: the means of users are compared, not requests.
    requests
        A frame or file with ``query_id`` and the attribute ``unit``.

    Returns
    -------
    polars.DataFrame
        Key ``measure, run_a, run_b`` with run_a < run_b, sorted by it. ``preference`` is 1 where
        run_a is better, −1 where run_b is, and 0 where all ``n`` values that both have are equal.
        ``decided_at`` is the place from the worst, from 1, of the first values that differ,
        ``value_a`` and ``value_b``; all three are null in a tie.

    Raises
    ------
    LexiframeError
        For preferences, and for places within requests (``LR.rank``).

    See Also
    --------
    order_runs : ``method="leximin"`` orders all runs by it.

    Notes
    -----
    Lexirecall (LR) is leximin over the relevant items of a request, with the reciprocal rank of
    each. Values that differ by 1e-12, or by that share of them above 1, tie. Zeros come first, so
    that failures are counted before anything else. There is no interval, and ranks in bootstrap
    samples flatter it. Diaz, "Pessimistic evaluation", SIGIR-AP 2024, doi:10.1145/3673791.3698428.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> s = pl.DataFrame({"run": ["a"] * 4 + ["b"] * 4, "query_id": [*"1234"] * 2, "measure": "AP",
    ...                   "value": [0.9, 0.2, 0.5, 0.0, 0.0, 0.2, 0.4, 1.0]})
    >>> lf.leximin(s).select("preference", "decided_at", "value_a", "value_b").rows()
    [(1.0, 3, 0.5, 0.4)]
    """
    arrays.refuse_weights("leximin", s, "worst_served compares the worst share by weight")
    found = [_pair_rows(m) for m in measured("leximin", s, requests, unit=unit)]
    return LEXIMIN.arranged(pl.concat([pl.DataFrame(schema=LEXIMIN.columns), *found]))


def _pair_rows(m: Measured) -> pl.DataFrame:
    a, b = np.triu_indices(len(m.runs), k=1)
    place, n = np.zeros(len(a), np.int64), np.zeros(len(a), np.int64)
    values = np.full((2, len(a)), np.nan)
    for pair, (tails, of_a, of_b) in pairs_of(m.tails, a, b):
        n[pair] = tails.n[0]
        place[pair], values[:, pair] = _first_difference(tails.sorted, of_a, of_b)
    rows = m.rows_of(
        LEXIMIN, len(a), run_a=coded.decode(m.runs, a), run_b=coded.decode(m.runs, b),
        preference=np.nan_to_num(np.sign(values[0] - values[1])), decided_at=place,
        value_a=m.turned(values[0]), value_b=m.turned(values[1]), n=n,
    )  # fmt: skip
    return rows.with_columns(pl.col("decided_at").replace(0, None)).filter(pl.col("n") > 0)


def _first_difference(
    values: np.ndarray, a: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the first place from 1 where runs differ, 0 for none, and the two values there."""
    place, found = np.zeros(len(a), np.int64), np.full((2, len(a)), np.nan)
    left = np.arange(len(a))
    for at, of in enumerate(values, 1):
        differ = sums.difference(of[a[left]], of[b[left]]) != 0
        which, left = left[differ], left[~differ]
        place[which], found[:, which] = at, (of[a[which]], of[b[which]])
        if not len(left):
            break
    return place, found


def leximin_ranks(table: Any, counts: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return S − mid-rank and the mid-ranks of runs in samples, samples × runs.

    ``counts``, samples × units, are how often a sample has each unit; None is each once.
    """
    if isinstance(table, Pairs | arrays.PairSums):
        raise refused("leximin")
    if isinstance(table, arrays.RunSums):
        raise LexiframeError(
            "leximin: expected the values of each request, found their sums; evaluate with "
            "keep='scores', or take another rule"
        )
    values = -table.values if getattr(table, "smaller_is_better", False) else table.values
    samples = np.ones((1, len(values)), np.int64) if counts is None else np.rint(counts)
    if counts is not None and np.abs(counts - samples).max() > sums.TIE * len(values):
        raise LexiframeError(
            "leximin: expected units of equal weight, as leximin has no weights, found different "
            "ones; give weights='equal', or take another rule"
        )
    of_samples = (np.repeat(values, sample.astype(np.int64), axis=0) for sample in samples)
    groups = np.stack([_leximin_places(np.sort(sample, axis=0)) for sample in of_samples])
    ranks = sums.mid_ranks_of(groups)
    return values.shape[1] - ranks, ranks


def _leximin_places(values: np.ndarray) -> np.ndarray:
    """Number the runs, 0 for the best: sorted at the worst place, then within each part."""
    group = np.zeros(values.shape[1], np.int64)
    for place in values:
        order = np.lexsort((-place, group))
        falling, part = place[order], group[order]
        apart = (sums.difference(falling[:-1], falling[1:]) != 0) | (part[1:] > part[:-1])
        group[order[1:]] = np.cumsum(apart)
        group[order[:1]] = 0
        if apart.all():
            break
    return group
