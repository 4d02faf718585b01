"""Whether judges prefer the answer that is shown first: the bias of position."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from lexiframe.core.base import coded, schemas, sums

LEVEL = 0.95
_SHARE = {"a": 1.0, "tie": 0.5, "b": 0.0}
_WON = {"wins": 1.0, "ties": 0.5, "losses": 0.0}


def position_bias(judgments: pl.DataFrame) -> pl.DataFrame:
    """Count the wins of the run that was shown first, for all judges together and for each.

    ``win_rate`` is the share of the judgments that it won, ties half. Where better runs are shown
    first more often, that does not show an effect of position, so ``win_rate_both_orders`` compares
    the orders within pairs: ½ + ½ (P(a wins | a first) − P(a wins | b first)), least squares with a
    level for each pair. Intervals take the judgments of a request together.
    """
    known = judgments.filter(pl.col("first").is_not_null())
    if not known.height:
        return pl.DataFrame(schema=schemas.POSITION_BIAS.columns)
    shown = _shown_by_judge(known)
    raw, within = _first_run_wins(shown), _both_orders(shown)
    table = schemas.table_of(
        schemas.POSITION_BIAS.columns, len(shown.judges), {"judge": shown.judges, **raw, **within}
    )
    return schemas.POSITION_BIAS.arranged(table)


@dataclass(frozen=True)
class _Shown:
    """Judgments as arrays, twice: of all judges together (number 0), and of each who is named.

    ``a`` is what run_a won of a judgment, ``z`` 1 where it was shown first; ``judge``, ``request``
    and ``pair`` are numbers.
    """

    judges: list[str | None]
    a: np.ndarray
    z: np.ndarray
    judge: np.ndarray
    request: np.ndarray
    pair: np.ndarray

    def sums(self, values: np.ndarray | None = None) -> np.ndarray:
        """Add up values, or count rows, by judge."""
        return np.bincount(self.judge, values, len(self.judges))

    def half_width(
        self, score: np.ndarray, rows: np.ndarray, weight: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return t(K − 1) √(K/(K − 1)) √Σu² / weight for the K requests of each judge, and K.

        u is the sum of the scores of a request over some rows; NaN where no two requests differ.
        """
        each = int(self.request.max()) + 1
        known, cell = np.unique((self.judge * each + self.request)[rows], return_inverse=True)
        k = np.bincount(known // each, minlength=len(self.judges))
        squares = np.bincount(known // each, np.bincount(cell, score[rows]) ** 2, len(k))
        with np.errstate(divide="ignore", invalid="ignore"):
            se = np.sqrt(squares * k / (k - 1)) / weight
        error = np.where(se > sums.TIE, se, 0.0)
        return sums.Estimates(np.zeros(len(k)), error, k - 1).half((1 - LEVEL) / 2), k


def _shown_by_judge(known: pl.DataFrame) -> _Shown:
    is_named = known["judge"].is_not_null().to_numpy()
    judges, judge = coded.encode(known["judge"].drop_nulls())
    rows = np.concatenate([np.arange(known.height), np.flatnonzero(is_named)])
    run_a, run_b = (coded.encode(known[name])[1] for name in ("run_a", "run_b"))
    return _Shown(
        [None, *judges],
        known["winner"].replace_strict(_SHARE, return_dtype=pl.Float64).to_numpy()[rows],
        (known["first"] == "a").to_numpy().astype(float)[rows],
        np.concatenate([np.zeros(known.height, np.int64), judge + 1]),
        coded.encode(known["query_id"])[1][rows],
        (run_a * (int(run_b.max()) + 1) + run_b)[rows],
    )


def _first_run_wins(shown: _Shown) -> dict[str, np.ndarray]:
    """Return the wins of the first run, with intervals, for each judge."""
    x = np.where(shown.z == 1, shown.a, 1 - shown.a)
    n = shown.sums()
    rate = shown.sums(x) / n
    half, requests = shown.half_width(x - rate[shown.judge], np.arange(len(x)), n)
    won = {name: shown.sums(x == s).astype(int) for name, s in _WON.items()}
    return {
        "n": n, "n_requests": requests, **won, "win_rate": rate,
        "ci_low": np.maximum(rate - half, 0), "ci_high": np.minimum(rate + half, 1),
    }  # fmt: skip


def _both_orders(shown: _Shown) -> dict[str, np.ndarray]:
    """Compare the two orders of the same pair of runs, for each judge."""
    each = int(shown.pair.max()) + 1
    cell = np.unique(shown.judge * each + shown.pair, return_inverse=True)[1]
    size = np.bincount(cell)
    y, z = (x - (np.bincount(cell, x) / size)[cell] for x in (shown.a, shown.z))
    weight = shown.sums(z**2)
    slope = sums.ratio(shown.sums(z * y), np.where(weight > 0, weight, np.nan))
    score = z * (y - slope[shown.judge] * z)
    half, _ = shown.half_width(score, np.flatnonzero(z), weight)
    rate = 0.5 + slope / 2
    return {
        "n_both_orders": shown.sums(z != 0).astype(int), "win_rate_both_orders": rate,
        "both_orders_low": np.maximum(rate - half / 2, 0),
        "both_orders_high": np.minimum(rate + half / 2, 1),
    }  # fmt: skip
