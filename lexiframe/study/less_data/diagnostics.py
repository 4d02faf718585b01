"""Statistics of real rankings: ties, and the dependence of one recall level on the next.

All functions compare all pairs of runs within each request. δRR_i is the difference of their
reciprocal ranks at recall level i, 1/p_i − 1/p′_i, where an item that is not retrieved counts 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, memory_use, resampling, typed
from lexiframe.core.pairwise import pairs, preferences
from lexiframe.core.projection import alone, blocks
from lexiframe.typing import MeasureLike, PositionsTable

_LEVELS = 8
_MOST_LEVELS = 1000


@alone.each_collection
@typed
def tie_profile(p: PositionsTable, /, *, levels: int = 20) -> pl.DataFrame:
    """Count how often two rankings tie, by the first rank of one and by recall level.

    Parameters
    ----------
    p
        The table of `positions`.
    levels
        The greatest rank, and the greatest recall level, that is counted.

    Returns
    -------
    polars.DataFrame
        Key ``by, value``, sorted by it. ``by`` is ``"first_rank"``: of the rankings whose first
        relevant item is at rank ``value``, how many other rankings of the same request have theirs
        there as well; or ``"level"``: how many pairs of rankings, of requests with at least
        ``value`` relevant items, have the same rank at recall level ``value``. ``pairs`` are
        compared (each in both directions for ``"first_rank"``), ``ties`` among them, ``tie_rate`` =
        ties / pairs.

    Raises
    ------
    LexiframeError
        For fewer than two runs, and for levels below 1.

    Notes
    -----
    Diaz, "Best-Case Retrieval Evaluation", EVIA 2023, sections 2 and 3.6, figures 3 and 5,
    doi:10.20736/0002001353. Each request counts once, also where requests have
    weights.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> lf.tie_profile(p, levels=1).rows()
    [('first_rank', 1, 20, 12, 0.6), ('level', 1, 15, 6, 0.4)]
    """
    resampling.check_draws("tie_profile", "levels", levels, 0)
    memory_use.refuse_more_than_available(
        50 * levels, f"tie_profile: {levels:,} levels", "ask for fewer"
    )
    by_rank, by_level = np.zeros((2, levels), np.int64), np.zeros((2, levels), np.int64)
    for ranks in pairs.rankings_of("tie_profile", p):
        n_runs, m = ranks.shape
        first = ranks[:, 0]
        together = np.bincount(first[first <= levels], minlength=levels + 1)[1:]
        by_rank += np.stack([together * (n_runs - 1), together * (together - 1)])
        seen = min(m, levels)
        a, b = np.triu_indices(n_runs, k=1)
        by_level[0, :seen] += len(a)
        by_level[1, :seen] += (ranks[a, :seen] == ranks[b, :seen]).sum(axis=0)
    tables = [
        pl.DataFrame({"by": by, "value": np.arange(1, levels + 1), "pairs": n, "ties": ties})
        for by, (n, ties) in {"first_rank": by_rank, "level": by_level}.items()
    ]
    rate = pl.col("ties") / pl.col("pairs")
    return pl.concat(tables).filter(pl.col("pairs") > 0).with_columns(tie_rate=rate)


@alone.each_collection
@typed
def deciding_levels(
    p: PositionsTable, /, measures: MeasureLike | Iterable[MeasureLike] = ("LP", "LR")
) -> pl.DataFrame:
    """Count at which recall level lexicographic preferences are decided.

    Parameters
    ----------
    p
        The table of `positions`.
    measures
        Lexicographic preferences, or their notation.

    Returns
    -------
    polars.DataFrame
        Key ``measure, deciding_level``, sorted by it: the number of ``pairs`` of rankings that the
        level decides, their ``share`` of the pairs that do not tie, and the ``cumulative`` share of
        all levels up to it.

    Raises
    ------
    LexiframeError
        As `preferences`; and for a measure that no level decides.

    Notes
    -----
    Diaz, "Best-Case Retrieval Evaluation", EVIA 2023, section 3.6, figure 6,
    doi:10.20736/0002001353. Each request counts once, also where requests have
    weights.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> lf.deciding_levels(p, "LP").select("deciding_level", "pairs").head(2).rows()
    [(1, 9), (2, 2)]
    """
    d = preferences(p, measures, deciding_level=True)
    decided = d.filter(pl.col("preference") != 0)
    undecided = decided.filter(pl.col("deciding_level").is_null())
    if undecided.height:
        raise LexiframeError(
            f"deciding_levels: expected lexicographic preferences such as LP and LR, found "
            f"{undecided['measure'][0]}"
        )
    counted = decided.group_by("measure", "deciding_level").agg(pairs=pl.len().cast(pl.Int64))
    share = pl.col("pairs") / pl.col("pairs").sum().over("measure")
    return (
        counted.sort("measure", "deciding_level")
        .with_columns(share=share)
        .with_columns(cumulative=pl.col("share").cum_sum().over("measure"))
    )


@alone.each_collection
@typed
def level_correlations(p: PositionsTable, /, *, levels: int = _LEVELS) -> pl.DataFrame:
    """Correlate the differences of reciprocal ranks between recall levels.

    Parameters
    ----------
    p
        The table of `positions`.
    levels
        The recall levels that are compared, from 1 on.

    Returns
    -------
    polars.DataFrame
        Key ``level_a, level_b`` with level_a < level_b, sorted by it: Pearson's ``correlation`` of
        δRR at the two levels over the ``n`` pairs of rankings of requests that have both levels;
        null when one of them does not vary. A pair of runs counts in both directions, so that the
        result does not depend on their names: the mean difference is 0.

    Raises
    ------
    LexiframeError
        For fewer than two runs, and for levels below 2.

    Notes
    -----
    Diaz, "Best-Case Retrieval Evaluation", EVIA 2023, section 3.6, figure 7a,
    doi:10.20736/0002001353. Each request counts once, also where requests have
    weights.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> lf.level_correlations(p, levels=2).with_columns(pl.col("correlation").round(2)).rows()
    [(1, 2, 15, 0.85)]
    """
    delta = _rr_differences("level_correlations", p, levels, least=2)
    rows = []
    for a in range(levels - 1):
        for b in range(a + 1, levels):
            x, y = delta[~np.isnan(delta[:, b])][:, [a, b]].T
            scale = np.sqrt((x @ x) * (y @ y))
            rows.append((a + 1, b + 1, len(x), float(x @ y / scale) if scale else None))
    schema = {"level_a": pl.Int64, "level_b": pl.Int64, "n": pl.Int64, "correlation": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


@alone.each_collection
@typed
def level_regression(
    p: PositionsTable,
    /,
    *,
    levels: int = 4,
    following: int = 4,
    cascaded: bool = False,
    signs: bool = False,
) -> pl.DataFrame:
    """Regress the difference of reciprocal ranks at each recall level on the levels behind it.

    Parameters
    ----------
    p
        The table of `positions`.
    levels
        The recall levels that are explained, from 1 on.
    following
        How many of the next levels explain each of these.
    cascaded
        Whether only the pairs of rankings count that tie at all levels before the one that is
        explained: those for which lexiprecision looks at it.
    signs
        Whether the sign of δRR at the level is explained, instead of δRR. The predictors stay.

    Returns
    -------
    polars.DataFrame
        Key ``level, predictor``, sorted by it: of the least-squares regression of δRR at ``level``
        on the next levels the ``coefficient`` of each, its ``std_error``, ``statistic`` (t),
        ``p_value``, and the limits ``ci_low`` and ``ci_high`` of its 95 % interval; and of the
        whole regression ``r_squared`` and the number ``n`` of pairs of rankings, of requests that
        have all levels.
        There is no constant, because exchanging two runs changes the sign of all differences.

    Raises
    ------
    LexiframeError
        For fewer than two runs, levels below 1, and fewer pairs of rankings than predictors.

    Notes
    -----
    Diaz, "Best-Case Retrieval Evaluation", EVIA 2023, section 3.6, figure 7b,
    doi:10.20736/0002001353, which names the cascaded regression and that of the signs without
    figures. Standard errors take the pairs as independent, which pairs of one
    request are not: they are too small. Each request counts once, also where requests have weights.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> lf.level_regression(p, levels=1, following=2).select(
    ...     "level", "predictor", pl.col("coefficient").round(2), "n").rows()
    [(1, 2, 2.99, 15), (1, 3, -2.35, 15)]
    """
    from statsmodels.api import OLS

    resampling.check_draws("level_regression", "following", following, 0)
    delta = _rr_differences("level_regression", p, levels + following, least=following + 1)
    tables = []
    for level in range(levels):
        part = delta[:, level : level + following + 1]
        counts = ~np.isnan(part[:, -1])
        if cascaded:
            counts &= (delta[:, :level] == 0).all(axis=1)
        part = part[counts]
        if len(part) <= following:
            raise LexiframeError(
                f"level_regression: expected more than {following} pairs of rankings of requests "
                f"with {level + following + 1} relevant items"
                + (f" and a tie at all levels before {level + 1}" if cascaded else "")
                + f", found {len(part)}; ask for fewer"
            )
        explained = np.sign(part[:, 0]) if signs else part[:, 0]
        fit = OLS(explained, part[:, 1:]).fit()
        low, high = fit.conf_int().T
        tables.append(
            pl.DataFrame(
                {
                    "level": np.full(following, level + 1),
                    "predictor": level + 2 + np.arange(following),
                    "coefficient": fit.params,
                    "std_error": fit.bse,
                    "statistic": fit.tvalues,
                    "p_value": fit.pvalues,
                    "ci_low": low,
                    "ci_high": high,
                    "r_squared": np.full(following, fit.rsquared),
                    "n": np.full(following, len(part)),
                }
            )
        )
    return pl.concat(tables)


@alone.each_collection
@typed
def predict_first_level(p: PositionsTable, /) -> pl.DataFrame:
    """Count how often other recall levels predict which run has its first relevant item sooner.

    Parameters
    ----------
    p
        The table of `positions`; with its ``rel=2`` only items of grade 2 and more count.

    Returns
    -------
    polars.DataFrame
        Key ``predictor``: ``"RR(level=2)"``, the sign of δRR at recall level 2, and ``"sgnLP"``,
        lexiprecision on the levels from 2 on. ``n`` pairs of rankings have different first ranks
        and at least two relevant items; for ``correct`` of them the predictor has the sign of
        δRR_1, a tie being wrong; ``accuracy`` = correct / n.

    Raises
    ------
    LexiframeError
        For fewer than two runs.

    Notes
    -----
    Diaz, "Best-Case Retrieval Evaluation", EVIA 2023, section 5.1, table 2,
    doi:10.20736/0002001353. Each request counts once, also where requests have
    weights.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> lf.predict_first_level(p).rows()
    [('RR(level=2)', 9, 9, 1.0), ('sgnLP', 9, 9, 1.0)]
    """
    n = by_second = by_rest = 0
    for ranks in pairs.rankings_of("predict_first_level", p):
        if ranks.shape[1] < 2:
            continue
        a, b = np.triu_indices(len(ranks), k=1)
        sign = np.sign(ranks[b].astype(np.int64) - ranks[a])
        sign = sign[sign[:, 0] != 0]
        deciding = (sign[:, 1:] != 0).argmax(axis=1)  # 0 for a tie, whose sign is 0 there too
        rest_sign = np.take_along_axis(sign[:, 1:], deciding[:, None], axis=1)[:, 0]
        n += len(sign)
        by_second += int((sign[:, 1] == sign[:, 0]).sum())
        by_rest += int((rest_sign == sign[:, 0]).sum())
    schema = {"predictor": pl.String, "n": pl.Int64, "correct": pl.Int64}
    rows = [("RR(level=2)", n, by_second), ("sgnLP", n, by_rest)]
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return table.with_columns(accuracy=pl.col("correct") / pl.col("n"))


def _rr_differences(function: str, p: Any, levels: int, *, least: int) -> np.ndarray:
    """Return δRR of all pairs of rankings: pairs × levels, NaN where a request has fewer."""
    if not least <= levels <= _MOST_LEVELS:
        raise LexiframeError(
            f"{function}: expected {least} to {_MOST_LEVELS} levels, found {levels}"
        )
    parts = [np.empty((0, levels))]
    for ranks in pairs.rankings_of(function, p):
        seen = ranks[:, :levels]
        reciprocal = np.where(seen == blocks.missing(seen), 0.0, 1.0 / seen)
        a, b = np.triu_indices(len(ranks), k=1)
        part = np.full((len(a), levels), np.nan)
        part[:, : seen.shape[1]] = reciprocal[a] - reciprocal[b]
        parts.append(part)
    return np.concatenate(parts)
