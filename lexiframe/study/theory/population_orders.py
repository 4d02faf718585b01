"""Who is served better by every ranking, and ranks that go together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, typed
from lexiframe.study.theory.arguments import check_sizes, refuse_large, sizes_of
from lexiframe.study.theory.enumerated import subsets
from lexiframe.study.theory.orders import covering_pairs

Population = Literal["users", "providers"]
_MOST_LEVELS = 8
"""8 relevant items have 255 non-empty subsets."""


@typed
def population_order(m: int, population: Population = "users") -> pl.DataFrame:
    """List which users, or providers, every ranking serves at least as well as which others.

    Each member of the population needs, or owns, some of the m relevant items. It is named by the
    recall levels of these items: ``[1, 3]`` has the first and the third that the ranking shows.

    Parameters
    ----------
    m
        The number of relevant items, at most 8.
    population : {"users", "providers"}
        Users have the value of a top-heavy metric for their items as the relevant ones, providers
        the sum of the exposures of theirs.

    Returns
    -------
    polars.DataFrame
        Key ``better, worse``, sorted by it: the recall levels of two members, of whom the first is
        served at least as well by every ranking, and none stands between the two (Hasse diagram).

    Raises
    ------
    LexiframeError
        Unless 1 ≤ m ≤ 8, and for another population.

    Notes
    -----
    For users the definition of top-heavy metrics says: who needs the items behind the first j alone
    is served no better; and by falling exposure nobody is who needs as many items that come later.
    So u stands above v if |u| ≥ |v| and the last |v| levels of u are none behind those of v, each
    in turn. For providers the same holds of the first |v| levels of u. Diaz, Ekstrand & Mitra, ACM
    TORS 2025, doi:10.1145/3728373, arXiv:2302.11370, appendix B, figure 15.

    Examples
    --------
    The user who needs the last item alone is served worst:

    >>> import lexiframe as lf
    >>> lf.theory.population_order(2).rows()
    [([1], [2]), ([1, 2], [2])]
    >>> lf.theory.population_order(2, "providers").rows()
    [([1], [2]), ([1, 2], [1])]
    """
    check_choice("population_order", population, get_args(Population), "population")
    check_sizes("population_order", m, m)
    if m > _MOST_LEVELS:
        raise LexiframeError(
            f"population_order: expected at most {_MOST_LEVELS} relevant items, found {m}"
        )
    members = sorted(subsets(tuple(range(1, m + 1))))
    above = np.array(
        [[u != v and _is_served_as_well(u, v, population) for v in members] for u in members]
    )
    return covering_pairs([[*member] for member in members], above)


def _is_served_as_well(u: tuple[int, ...], v: tuple[int, ...], population: Population) -> bool:
    if len(u) < len(v):
        return False
    compared = u[-len(v) :] if population == "users" else u[: len(v)]
    return all(mine <= other for mine, other in zip(compared, v, strict=True))


@typed
def first_and_last(n: int, m: int | Iterable[int]) -> pl.DataFrame:
    """List which ranks the last relevant item can have, by the rank of the first one.

    Parameters
    ----------
    n
        The number of items of a ranking.
    m
        The number of relevant items, one or several.

    Returns
    -------
    polars.DataFrame
        Key ``m, first``, sorted by it: for each rank p_1 that the ``first`` relevant item can have,
        the ``least_last`` and the ``greatest_last`` rank p_m of the last one.

    Raises
    ------
    LexiframeError
        Unless 1 ≤ m ≤ n.

    Notes
    -----
    p_1 + m − 1 ≤ p_m ≤ n; a single relevant item is the first and the last. Diaz, Ekstrand & Mitra,
    ACM TORS 2025, doi:10.1145/3728373, arXiv:2302.11370, figure 5.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.theory.first_and_last(n=4, m=3).rows()
    [(3, 1, 3, 4), (3, 2, 4, 4)]
    """
    tables = []
    for size in sizes_of(m):
        check_sizes("first_and_last", n, size)
        refuse_large("first_and_last", n - size + 1)
        first = pl.int_range(1, n - size + 2, eager=True)
        greatest = first if size == 1 else pl.repeat(n, len(first), dtype=pl.Int64, eager=True)
        columns = {"first": first, "least_last": first + size - 1, "greatest_last": greatest}
        tables.append(pl.DataFrame(columns).select(pl.lit(size, pl.Int64).alias("m"), pl.all()))
    return pl.concat(tables)
