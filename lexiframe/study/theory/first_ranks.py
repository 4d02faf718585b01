"""How often the first relevant items of two random rankings have the same rank."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, typed
from lexiframe.study.theory.arguments import check_sizes, refuse_large, sizes_of

_POINTS = 100


@typed
def first_rank_ties(
    n: int, m: int | Iterable[int], ranks: Iterable[int] | None = None
) -> pl.DataFrame:
    """Compute how probable a tie of reciprocal rank is, by the rank of the first relevant item.

    One ranking has its first relevant item at a rank; another one is drawn, each order of the n
    items being equally likely. It ties when its first relevant item has the same rank.

    Parameters
    ----------
    n
        The number of items.
    m
        One or several numbers of relevant items.
    ranks
        The ranks of the first relevant item. Default: about a hundred from 1 to n, the same number
        between 1 and 10 as between 10 and 100.

    Returns
    -------
    polars.DataFrame
        Key ``m, first``, sorted by it: the ``probability``, for the ranks up to n − m + 1, behind
        which the first relevant item cannot be.

    Raises
    ------
    LexiframeError
        Unless 1 ≤ m ≤ n, and when a rank is below 1.

    Notes
    -----
    C(n − p_1, m − 1)/C(n, m): Diaz, EVIA 2023, doi:10.20736/0002001353, section 2, figure 2.
    `tie_probability` with ``first`` gives one of them.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.theory.first_rank_ties(10, [1, 5], [1, 2]).rows()
    [(1, 1, 0.1), (1, 2, 0.1), (5, 1, 0.5), (5, 2, 0.2777777777777778)]
    """
    sizes = sizes_of(m)
    for size in (sizes[0], sizes[-1]):
        check_sizes("first_rank_ties", n, size)
    refuse_large("first_rank_ties", n)
    spaced = np.geomspace(1, n, _POINTS).round()
    wanted = sorted({int(rank) for rank in (spaced if ranks is None else ranks)})
    if wanted and wanted[0] < 1:
        raise LexiframeError(f"first_rank_ties: expected ranks from 1, found {wanted[0]}")
    return pl.concat(_first_rank_table(n, size, wanted) for size in sizes)


def _first_rank_table(n: int, m: int, wanted: list[int]) -> pl.DataFrame:
    """P(p_1 = 1) = m/n, and P(p_1 = p + 1)/P(p_1 = p) = (n − p − m + 1)/(n − p)."""
    p = np.arange(1.0, n - m + 1)
    probability = m / n * np.cumprod(np.append(1.0, (n - p - m + 1) / (n - p)))
    ranks = np.array([rank for rank in wanted if rank <= n - m + 1], np.int64)
    return pl.DataFrame(
        {"m": m, "first": ranks, "probability": probability[ranks - 1]},
        schema_overrides={"m": pl.Int64},
    )
