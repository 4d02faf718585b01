"""The order of all rankings under a measure, as its covering pairs: `order`."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, typed
from lexiframe.core.pairwise import Measure, parse_measures, preferences
from lexiframe.study.theory.arguments import check_few
from lexiframe.study.theory.rankings import positions_of
from lexiframe.typing import MeasureLike


@typed
def order(method: MeasureLike, n: int, m: int) -> pl.DataFrame:
    """List which rankings come directly above which, under a measure: the edges of its diagram.

    Parameters
    ----------
    method
        A metric or preference, or its notation: ``"RR"``, ``"TSE(AP)"``, ``"LP"``, ``"LR"``.
    n
        The number of items of a ranking.
    m
        The number of relevant items. There are C(n, m) rankings, and at most 1,000 are taken.

    Returns
    -------
    polars.DataFrame
        Key ``better, worse``, sorted by it: the ranks of the relevant items of two rankings, of
        which the first is preferred and none stands between them (Hasse diagram). Two rankings
        that tie have the same neighbours, and the table has no row of the two.

    Raises
    ------
    LexiframeError
        Unless 1 ≤ m ≤ n; when there are more than 1,000 rankings; or when the preference is no
        order: a over b and b over c, but not a over c.

    Notes
    -----
    Diaz, "Best-Case Retrieval Evaluation", EVIA 2023, section 1, figure 1,
    doi:10.20736/0002001353; Diaz, Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373,
    arXiv:2302.11370, section 5.2.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.theory.order("LP", n=3, m=2).rows()
    [([1, 2], [1, 3]), ([1, 3], [2, 3])]
    """
    check_few("order", n, m)
    measure = parse_measures(method)[0]
    ranks, delta = ranks_and_preferences(measure, n, m)
    above = delta > 0
    between = _has_one_between(above)
    if (between & ~above).any():
        a, c = np.argwhere(between & ~above)[0]
        raise LexiframeError(
            f"order: {measure} is no order: it prefers {ranks[a]} to a ranking that it prefers to "
            f"{ranks[c]}, but not {ranks[a]} to {ranks[c]}"
        )
    return covering_pairs(ranks.tolist(), above)


def _has_one_between(above: np.ndarray) -> np.ndarray:
    """Return whether some third one stands between the two."""
    return np.asarray((above.astype(np.int64) @ above) > 0)


def covering_pairs(named: list[list[int]], above: np.ndarray) -> pl.DataFrame:
    """Return the pairs in which one is above the other, with none between the two.

    ``named`` is sorted; ``above`` is true where the row is above the column.
    """
    better, worse = np.nonzero(above & ~_has_one_between(above))
    lists = pl.List(pl.Int64)
    return pl.DataFrame(
        {
            "better": pl.Series([named[at] for at in better], dtype=lists),
            "worse": pl.Series([named[at] for at in worse], dtype=lists),
        }
    )


def ranks_and_preferences(measure: Measure, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranks of the relevant items in all rankings, and the preferences between them.

    The rankings are in the order of `itertools.combinations`; the preferences are rankings ×
    rankings, positive where the row is preferred.
    """
    ranks = np.array([*combinations(range(1, n + 1), m)])
    delta = np.zeros((len(ranks), len(ranks)))
    if len(ranks) > 1:
        runs = [f"{number:06}" for number in range(len(ranks))]  # sorted as the rankings are
        d = preferences(positions_of([(np.zeros(1, int), ranks[None])], runs, n), measure)
        a, b = (d[name].cast(pl.Int64).to_numpy() for name in ("run_a", "run_b"))
        delta[a, b] = d["preference"].to_numpy()
        delta[b, a] = -delta[a, b]
    return ranks, delta
