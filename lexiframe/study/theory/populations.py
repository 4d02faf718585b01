"""The worst and the best case over users and providers, and the orders they give."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import polars as pl

from lexiframe.core.base import sums, typed
from lexiframe.study.theory.enumerated import checked_metrics, exposure_of, subsets, values_by_ranks
from lexiframe.typing import MeasureLike

Ranks = tuple[int, ...]
Values = dict[Ranks, float]


@typed
def worst_and_best(measures: MeasureLike | Iterable[MeasureLike], n: int, m: int) -> pl.DataFrame:
    """Check that lexirecall and lexiprecision are leximin and leximax over users and providers.

    All rankings of n items are compared, each by what it gives to every member of a population: to
    users who want a number of relevant items (``requirements``), to users who each need another
    part of them (``users``), or to providers who each own another part (``providers``). The theory
    says that only ranks count: the worst case is the exposure of the last relevant item, and when
    two rankings tie there and the next worst cases are compared (leximin), they come in the order
    of lexirecall. From the best case on (leximax) the order of users who want one item is that of
    lexiprecision.

    Parameters
    ----------
    measures
        Recall-level and graded metrics with an exposure, their notation, and metrics of your own,
        one or several: the value for a user. Providers have the sum of its exposures.
    n
        The number of items of a ranking.
    m
        The number of relevant items, at most 12; there are at most 1,000 rankings, C(n, m).

    Returns
    -------
    polars.DataFrame
        Key ``measure, case, population``: ``case`` is ``"worst"`` or ``"best"`` (which no theorem
        has for providers). ``members`` of the population; ``value_holds``: in all rankings the
        worst case is the exposure of the last relevant item, or the best that of the first one;
        ``order_holds``: leximin prefers all pairs of rankings as lexirecall does, or leximax as
        lexiprecision does; and a ``counterexample`` in words where one of the two fails.

    Raises
    ------
    LexiframeError
        Unless 1 ≤ m ≤ n; when there are too many rankings; and for other kinds of measures.

    Notes
    -----
    min_u μ(π, u) = e(p_m) and, with ϱ the values of all users in descending order, π ≻ π′ by the
    last place in which ϱ and ϱ′ differ; the same for providers with η(π, v) = Σ_{i ∈ v} e(p_i):
    Diaz, Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373, arXiv:2302.11370, equations 4 to 6,
    9 and 10, theorems B.1, B.2, B.4, B.5 and B.6, for top-heavy metrics with z(1, 1) = 1. The best
    case, max_u μ(π, u) = e(p_1), by the first place: Diaz, EVIA 2023, sections 3.1 and 3.4,
    doi:10.20736/0002001353, for metrics of the first relevant item, such as RR. For others it
    fails: a part of the items may have a greater AP than the first one alone. A relative difference
    of 1e-12 or less is none.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.theory.worst_and_best("RR", n=6, m=3).drop("counterexample").rows()[:2]
    [('RR', 'best', 'requirements', 3, True, True), ('RR', 'best', 'users', 7, True, True)]
    >>> lf.theory.worst_and_best("AP", n=6, m=3).filter(case="best")["counterexample"].to_list()
    [None, 'best of [2, 3, 4] is 0.6389, not 0.5']
    """
    rows = []
    for metric in checked_metrics("worst_and_best", measures, n, m):
        served, exposed = values_by_ranks(metric, n, m), values_by_ranks(exposure_of(metric), n, m)
        rankings = [*combinations(range(1, n + 1), m)]
        populations = {
            "requirements": [[exposed[(rank,)] for rank in ranks] for ranks in rankings],
            "users": [[served[u] for u in subsets(ranks)] for ranks in rankings],
            "providers": [[exposed[v] for v in subsets(ranks)] for ranks in rankings],
        }
        for population, of_members in populations.items():
            values = np.sort(of_members, axis=1)
            cases = {"worst": values, "best": values[:, ::-1]}
            for case in ("worst",) if population == "providers" else ("best", "worst"):
                found = _check_case(case, cases[case], rankings, exposed)
                rows.append((str(metric), case, population, values.shape[1], *found))
    schema = {
        "measure": pl.String,
        "case": pl.String,
        "population": pl.String,
        "members": pl.Int64,
        "value_holds": pl.Boolean,
        "order_holds": pl.Boolean,
        "counterexample": pl.String,
    }
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return table.sort("measure", "case", "population")


def _check_case(
    case: str, values: np.ndarray, rankings: list[Ranks], exposed: Values
) -> tuple[bool, bool, str | None]:
    """Return whether the ranks give value and order of a case, and a counterexample.

    ``values`` is rankings × members, the case first.
    """
    decides = -1 if case == "worst" else 0
    expected = np.array([exposed[(ranks[decides],)] for ranks in rankings])
    other = np.flatnonzero(sums.difference(values[:, 0], expected))
    pair = _other_order(case, values, np.array(rankings))
    words = None
    if len(other):
        at = other[0]
        words = f"{case} of {[*rankings[at]]} is {values[at, 0]:.4g}, not {expected[at]:.4g}"
    elif pair is not None:
        a, b = (rankings[number] for number in pair)
        words = f"{[*a]} and {[*b]} are in another order"
    return not len(other), pair is None, words


def _other_order(case: str, values: np.ndarray, ranks: np.ndarray) -> tuple[int, int] | None:
    """Return two rankings whose order by values is not that by ranks; None if there are none."""
    levels = ranks[:, ::-1] if case == "worst" else ranks
    for a in range(len(ranks) - 1):
        by_value = _first_sign(sums.difference(values[a], values[a + 1 :]))
        by_rank = _first_sign(levels[a + 1 :] - levels[a])
        if (by_value != by_rank).any():
            return a, a + 1 + int((by_value != by_rank).argmax())
    return None


def _first_sign(differences: np.ndarray) -> np.ndarray:
    """Return the sign of the first difference in each row that is not 0, or else 0."""
    first = (differences != 0).argmax(axis=1)
    return np.asarray(np.sign(np.take_along_axis(differences, first[:, None], axis=1)[:, 0]))
