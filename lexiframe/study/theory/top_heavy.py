"""Whether metrics are top-heavy, by looking at all rankings of a few items: `top_heaviness`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from lexiframe.core.base import sums, typed
from lexiframe.study.theory.arguments import sizes_of
from lexiframe.study.theory.enumerated import checked_metrics, values_by_ranks
from lexiframe.study.theory.properties import Case, judged
from lexiframe.typing import MeasureLike


@typed
def top_heaviness(
    measures: MeasureLike | Iterable[MeasureLike], n: int, m: int | Iterable[int]
) -> pl.DataFrame:
    """Find which metrics are top-heavy, with a counterexample for those that are not.

    A metric is top-heavy when its value does not fall as relevant items are found above all the
    others: if only the last m − j of m relevant items had been judged, it would not be greater.

    Parameters
    ----------
    measures
        Recall-level and graded metrics, their notation, and metrics of your own, one or several.
    n
        The number of items of a ranking.
    m
        The number of relevant items, one or several. At most 1,000 rankings, C(n, m), are taken,
        of at most 12 relevant items.

    Returns
    -------
    polars.DataFrame
        Key ``measure, m``, sorted by it: whether the definition ``holds`` for all ranks p of the m
        items up to n and all j, the number of these ``cases``, and the ``counterexample`` in words,
        null where it holds. One relevant item has no case, and then ``holds`` is null and the
        counterexample ``"no case"``.

    Raises
    ------
    LexiframeError
        Unless 1 ≤ m ≤ n; when there are too many rankings; and for other kinds of measures.

    Notes
    -----
    Σ_{i≥1} e(p_i) z(i, m) ≥ Σ_{i>j} e(p_i) z(i − j, m − j) for 0 < j < m. The right side is the
    value for the items behind the first j. A difference of 1e-12 or less is none. Diaz, Ekstrand &
    Mitra, ACM TORS 2025, doi:10.1145/3728373, arXiv:2302.11370, definition 2.2.

    Examples
    --------
    A mean that is divided by the number of relevant items once more is not top-heavy:

    >>> import lexiframe as lf
    >>> strict = lf.RecallLevelMetric("strict", exposure=lambda p: 1 / p,
    ...                               weight=lambda i, m: 1 / m**2)
    >>> table = lf.theory.top_heaviness(["AP", strict], n=5, m=2)
    >>> table.select("measure", "holds", "counterexample").rows()
    [('AP', True, None), ('strict', False, '[1, 2] has 0.375, [2] alone 0.5')]
    """
    sizes = sizes_of(m)
    for size in sizes:
        metrics = checked_metrics("top_heaviness", measures, n, size)
    rows = []
    for metric in metrics:
        values = values_by_ranks(metric, n, sizes[-1])
        for size in sizes:
            cases = [*_cases(values, size)]
            rows.append((str(metric), size, len(cases), *judged(iter(cases))))
    schema = {
        "measure": pl.String,
        "m": pl.Int64,
        "cases": pl.Int64,
        "holds": pl.Boolean,
        "counterexample": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").sort("measure", "m")


def _cases(values: dict[tuple[int, ...], float], m: int) -> Iterator[Case]:
    """Compare each ranking with itself without its first j relevant items."""
    for ranks in (ranks for ranks in values if len(ranks) == m):
        for j in range(1, m):
            whole, rest = values[ranks], values[ranks[j:]]
            words = f"{[*ranks]} has {whole:.4g}, {[*ranks[j:]]} alone {rest:.4g}"
            yield whole >= rest - sums.TIE, words
