"""Whether judges prefer the answer that is shown first: the bias of position."""

from __future__ import annotations

import numpy as np
import polars as pl

from lexiframe.base import schemas, sums

LEVEL = 0.95
_PAIR = ("run_a", "run_b")


def position_bias(judgments: pl.DataFrame) -> pl.DataFrame:
    """Count what the run that was shown first won, of all judges together and of each judge.

    ``win_rate`` is the share of the judgments that it won, ties half. Where better runs are shown
    first more often, that says nothing about position, so ``win_rate_both_orders`` compares the
    orders within pairs: ½ + ½ (P(a wins | a first) − P(a wins | b first)), least squares with a
    level for each pair. Intervals take the judgments of a request together.

    Examples
    --------
    >>> import lexiframe as lf
    >>> rows = {"q": ["1", "1", "2", "2"], "left": ["x", "y", "x", "y"],
    ...         "right": ["y", "x", "y", "x"], "winner": ["left", "left", "right", "left"]}
    >>> v = lf.read_preferences(pl.DataFrame(rows), columns={"query_id": "q"})
    >>> position_bias(v.judgments).select("wins", "losses", "win_rate_both_orders").rows()
    [(3, 1, 0.75)]
    """
    known = judgments.filter(pl.col("first").is_not_null()).select(
        "judge", "query_id", *_PAIR, a=pl.col("winner").replace_strict(_SHARE, return_dtype=_F),
        z=(pl.col("first") == "a").cast(_F),
    )  # fmt: skip
    together = known.with_columns(judge=pl.lit(None, pl.String))
    rows = pl.concat([together, known.filter(pl.col("judge").is_not_null())])
    rows = rows.with_columns(x=pl.when(pl.col("z") == 1).then("a").otherwise(1 - pl.col("a")))
    rows = rows.with_columns(
        pl.col("a", "z") - pl.col("a", "z").mean().over("judge", *_PAIR),
        rate=pl.col("x").mean().over("judge"),
    ).with_columns(slope=(pl.col("a") * pl.col("z")).sum().over("judge") / _OF_Z.over("judge"))
    residual = pl.col("a") - pl.col("slope") * pl.col("z")
    by_request = rows.group_by("judge", "query_id").agg(
        u=(pl.col("x") - pl.col("rate")).sum(),
        v=(pl.col("z") * residual).sum(),
        both=(pl.col("z") != 0).any(),
    )
    spread = by_request.group_by("judge").agg(
        n_requests=pl.len(), k=pl.col("both").sum(),
        u=(pl.col("u") ** 2).sum(), v=(pl.col("v") ** 2).sum(),
    )  # fmt: skip
    table = _counted(rows).join(spread, on="judge", nulls_equal=True)
    return schemas.POSITION_BIAS.arranged(_with_intervals(table))


_F = pl.Float64()
_SHARE = {"a": 1.0, "tie": 0.5, "b": 0.0}
_OF_Z = (pl.col("z") ** 2).sum()


def _counted(rows: pl.DataFrame) -> pl.DataFrame:
    won = {"wins": 1.0, "ties": 0.5, "losses": 0.0}
    return rows.group_by("judge").agg(
        n=pl.len().cast(pl.Int64),
        **{name: (pl.col("x") == share).sum().cast(pl.Int64) for name, share in won.items()},
        win_rate=pl.col("x").mean(),
        n_both_orders=(pl.col("z") != 0).sum().cast(pl.Int64),
        win_rate_both_orders=0.5 + pl.col("slope").fill_nan(None).first() / 2,
        of_z=_OF_Z,
    )


def _with_intervals(table: pl.DataFrame) -> pl.DataFrame:
    raw = _half_width(table["n_requests"], table["u"], table["n"])
    within = _half_width(table["k"], table["v"], table["of_z"]) / 2
    ends = {
        "ci_low": table["win_rate"] - raw, "ci_high": table["win_rate"] + raw,
        "both_orders_low": table["win_rate_both_orders"] - within,
        "both_orders_high": table["win_rate_both_orders"] + within,
    }  # fmt: skip
    return table.with_columns(
        pl.col("n_requests").cast(pl.Int64),
        **{name: end.fill_nan(None).clip(0, 1) for name, end in ends.items()},
    )


def _half_width(groups: pl.Series, squares: pl.Series, weight: pl.Series) -> pl.Series:
    """Return t(K − 1) √(K/(K − 1)) √Σu² / weight for K groups; NaN where no two of them differ."""
    from scipy.stats import t

    k = groups.to_numpy().astype(float)
    df = np.where(k > 1, k - 1, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        se = np.sqrt(squares.to_numpy() * k / df) / weight.to_numpy()
        return pl.Series(t.ppf((1 + LEVEL) / 2, df) * np.where(se > sums.TIE, se, np.nan))
