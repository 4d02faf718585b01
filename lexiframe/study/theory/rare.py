"""How rare a ranking is: its place among all rankings of n items, in a lexicographic order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import comb, log, log1p, log10
from typing import Literal, get_args

import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, typed
from lexiframe.core.projection import alone, impute, tied_orders
from lexiframe.study.theory.arguments import check_sizes
from lexiframe.typing import PositionsTable

Order = Literal["LR", "LP"]


@typed
def place(ranks: Sequence[int], n: int, order: Order = "LR") -> int:
    """Count the rankings of n items that are as good as this one or better, itself included.

    Parameters
    ----------
    ranks
        The ranks p_1 < p_2 < … of its m relevant items.
    n
        The number of items.
    order : {"LR", "LP"}
        Whether lexirecall or lexiprecision says which of two rankings is better.

    Returns
    -------
    int
        From 1, of the best ranking, to C(n, m), of the worst one; exact, however large.

    Raises
    ------
    LexiframeError
        For ranks that do not rise, or are not from 1 to n, and for another order.

    Notes
    -----
    Lexirecall: 1 + Σ_i C(p_i − 1, i), the place in the combinatorial number system. Lexiprecision
    counts from the other end: C(n, m) − Σ_i C(n − p_i, m + 1 − i). The papers have no such scale.

    Examples
    --------
    >>> import lexiframe as lf
    >>> [lf.theory.place(ranks, n=4) for ranks in ([1, 2], [1, 3], [2, 3], [1, 4])]
    [1, 2, 3, 4]
    >>> [lf.theory.place(ranks, 4, "LP") for ranks in ([1, 2], [1, 3], [1, 4], [2, 3])]
    [1, 2, 3, 4]
    """
    check_choice("place", order, get_args(Order), "order")
    check_sizes("place", n, len(ranks))
    if any(a >= b for a, b in pairwise([0, *ranks, n + 1])):
        raise LexiframeError(
            f"place: expected ranks that rise, from 1 to n = {n}, found {[*ranks]}"
        )
    return _rank_number([*ranks], n, order)


@lru_cache(maxsize=1 << 18)
def _choices(n: int, k: int) -> int:
    """Return C(n, k), which many rankings share."""
    return comb(n, k)


def _rank_number(ranks: list[int], n: int, order: str) -> int:
    if order == "LR":
        return 1 + sum(_choices(rank - 1, i) for i, rank in enumerate(ranks, 1))
    m = len(ranks)
    worse = sum(_choices(n - rank, m - i) for i, rank in enumerate(ranks))
    return _choices(n, m) - worse


@alone.each_collection
@typed
def rarity(
    p: PositionsTable, /, corpus_size: int | str, orders: Order | Iterable[Order] = ("LP", "LR")
) -> pl.DataFrame:
    """Compute how rare rankings are that are as good, by lexirecall or lexiprecision.

    The two preferences say which of two rankings is better, not by how much. The share of all
    rankings of n items that are as good or better is a number on an interval scale, whose
    differences may be averaged over requests.

    Parameters
    ----------
    p
        The table of `positions`.
    corpus_size
        n, or ``"pool"``, as for `impute`: relevant items that were not retrieved have the last
        places.
    orders
        ``"LR"``, ``"LP"``, or both.

    Returns
    -------
    polars.DataFrame
        As `scores`, with the measures ``rarity(LP)`` and ``rarity(LR)``: −log10 of the share, from
        0 of the worst ranking to log10 C(n, m) of the best one. A difference of 1 says that ten
        times fewer rankings are as good.

    Raises
    ------
    LexiframeError
        As `impute`; and for another order.

    Notes
    -----
    −log10(place / C(n, m)), see `place`. The places are exact; of rankings near the end of the
    order the shares may be the same double. The papers have no such scale.

    Examples
    --------
    >>> import lexiframe as lf
    >>> runs = {"a": {"q": {"x": 2, "u": 1}}, "b": {"q": {"u": 2, "x": 1}}}
    >>> p = lf.positions(runs, {"q": {"x": 1}})
    >>> lf.theory.rarity(p, 100, "LR").select("run", "value").rows()
    [('a', 2.0), ('b', 1.6989700043360187)]
    """
    asked = sorted({orders} if isinstance(orders, str) else {*orders})
    for order in asked:
        check_choice("rarity", order, get_args(Order), "order")
    whole = impute(p, corpus_size).filter(pl.col("level").is_not_null())
    if "tied_from" in whole.columns:
        raise tied_orders.no_closed_form("rarity")
    rankings = whole.group_by("run", "query_id").agg(
        pl.col("position").sort(), n=pl.col("corpus_size").first()
    )
    rows = [
        (run, query, f"rarity({order})", _log_rarity(ranks, n, order))
        for run, query, ranks, n in rankings.iter_rows()
        for order in asked
    ]
    names = ("run", "query_id", "measure")
    schema = {**dict.fromkeys(names, pl.String()), "value": pl.Float64()}
    table = pl.DataFrame(rows, schema=schema, orient="row").sort(names)
    return table.with_columns(smaller_is_better=pl.lit(value=False))


def _log_rarity(ranks: list[int], n: int, order: str) -> float:
    rankings, as_good = _choices(n, len(ranks)), _rank_number(ranks, n, order)
    if 2 * as_good > rankings:  # the logarithms would be alike, and their difference rounding
        return max(0.0, -log1p(-(rankings - as_good) / rankings) / log(10))
    return log10(rankings) - log10(as_good)
