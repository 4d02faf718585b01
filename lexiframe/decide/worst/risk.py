"""The risk of replacing a baseline: who gains, and who loses how much: `risk`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, resampling, sums, typed, unknown_name
from lexiframe.core.pairwise import By
from lexiframe.core.projection import alone
from lexiframe.decide.worst.asked import Measured, ValuesLike, decided, measured
from lexiframe.decide.worst.schemas import RISK
from lexiframe.decide.worst.tails import Tails
from lexiframe.typing import RequestsLike, SharesLike, WeightsLike

_SHARE = 0.1
"""The share of the requests that lose most."""


@alone.each_collection
@typed
def risk(
    s: ValuesLike, /, baseline: str, *, risk_alpha: float = 1.0,
    margin: float | Mapping[str, float] = 0.1, alpha: float = 0.05, unit: str | None = None,
    weights: WeightsLike = None, strata: str | None = None, shares: SharesLike = None,
    requests: RequestsLike = None, by: By = None,
) -> pl.DataFrame:  # fmt: skip
    """Say for each run which requests gain and lose against a baseline, and how risky that is.

    Parameters
    ----------
    s
        The table of `scores`, or an `Evaluation`, of which the metrics count.
    baseline : str
        The run that is in use.
    risk_alpha : float
        How much more a loss counts than a gain of its size: a from 0; losses count 1 + a times.
    margin : float or dict
        A loss of more than this, in the measure's unit, is a large one; or a margin by measure.
    alpha : float
        The level of the tests; intervals have level 1 − alpha.
    unit, weights, strata, shares, requests, by
        As for `worst_served`.

    Returns
    -------
    polars.DataFrame
        Key ``measure, run``, sorted by it. δ is a request's difference from the baseline, positive
        where the run is better. Of the ``n`` requests that both have, ``wins``, ``ties`` and
        ``losses`` are counted, and ``large_losses`` below −margin, of whose share in n
        ``large_low, large_high`` are the limits by Clopper and Pearson. ``mean_difference`` is the
        mean of δ. ``urisk`` is the mean of δ⁺ − (1 + a) δ⁻ with its interval ``ci_low, ci_high``;
        ``trisk`` is its t with n − 1 degrees of freedom, ``p_value`` is two-sided, corrected by
        Holm to ``p_adjusted`` over the runs of a measure, and ``reject`` says whether that is below
        alpha. ``worst_change``, with an interval, is the mean δ of the tenth of the requests that
        lose most. ``georisk``, with an interval, weighs the mean against the risk beside all runs.
        The baseline's own row has ``georisk`` alone.

    Raises
    ------
    UnknownNameError
        With near matches, for a baseline that is no run.
    LexiframeError
        For preferences, places within requests (``LR.rank``), a negative risk_alpha or margin, and
        a measure without a margin.

    Notes
    -----
    URisk and TRisk: Dinçer, Macdonald & Ounis, "Hypothesis testing for the risk-sensitive
    evaluation of retrieval systems", SIGIR 2014, doi:10.1145/2600428.2609625, who divide by n in
    the variance: their TRisk is √(n/(n − 1)) times this one. GeoRisk: Dinçer, Macdonald & Ounis,
    "Risk-sensitive evaluation and learning to rank using multiple baselines", SIGIR 2016,
    doi:10.1145/2911451.2911511: √(x̄ Φ(Z/n)), with Z the sum of z = (x − e)/√e, of which negative
    ones count 1 + a times, and e = S_run T_q/N expected from the sums over all runs. Its interval
    is that of the jackknife over the requests that all runs have. It is null where values are below
    0, or smaller ones better. Where nothing varies, p is 1, and there are no limits.

    By weights of requests means and limits are those of `compare`; ``wins``, ``ties``, ``losses``
    and ``large_losses`` stay counts, and the limits of large losses are of their share of the
    weight. GeoRisk sums by weight, with the jackknife around it; with strata it has no limits.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> s = pl.DataFrame({"run": ["a"] * 4 + ["b"] * 4, "query_id": [*"1234"] * 2, "measure": "AP",
    ...                   "value": [0.5, 0.5, 0.2, 0.9, 0.4, 0.6, 0.5, 0.9]})
    >>> found = lf.risk(s, "b", margin=0.2).filter(run="a")
    >>> found.select("wins", "ties", "losses", "large_losses").row(0)
    (1, 1, 2, 1)
    >>> found.select(pl.col("urisk", "trisk").round(3)).row(0)
    (-0.175, -1.131)
    """
    if not 0 <= risk_alpha < math.inf:
        raise LexiframeError(f"risk: expected risk_alpha from 0, found {risk_alpha}")
    resampling.check_share("risk", "alpha", alpha)
    found = []
    for m in measured("risk", s, requests, by, unit, (weights, strata, shares)):
        name = m.group["measure"]
        size = margin.get(name) if isinstance(margin, Mapping) else margin
        if size is None or not size >= 0:
            raise LexiframeError(f"risk: expected a margin from 0 for {name}, found {size}")
        if baseline not in m.runs:
            raise unknown_name("run", baseline, m.runs)
        found.append(_risk_rows(m, m.runs.index_of(baseline), risk_alpha, size, alpha))
    if not found:
        raise LexiframeError("risk: expected scores of runs, found none")
    table = pl.concat(found, how="diagonal_relaxed")
    return RISK.arranged(table, table.columns[: table.columns.index("measure")])


def _risk_rows(m: Measured, base: Any, a: float, margin: float, alpha: float) -> pl.DataFrame:
    values = m.tails.values
    delta, weighing = sums.difference(values, values[:, [base]]), m.tails.weighing
    n = (~np.isnan(delta)).sum(axis=0)
    wins, losses, large = (of.sum(axis=0) for of in (delta > 0, delta < 0, delta < -margin))
    u = np.where(delta < 0, (1 + a) * delta, delta)
    rough = sums.rounding(values)
    moments = sums.add_up(u, rough * (1 + a), weighing)
    e = replace(sums.Estimates.of_values(moments), n=np.maximum(moments.n_effective, 1))
    low, high = e.ends(alpha / 2)
    is_tested = np.arange(len(n)) != base
    hits = sums.add_up(np.where(np.isnan(delta), np.nan, delta < -margin), rough, weighing)
    large_low, large_high = sums.bounded_means.hits_ends(hits.won, hits.n_effective, alpha / 2)
    change = Tails(delta, weighing).estimates(_SHARE)
    change_low, change_high = change.ends(alpha / 2)
    geo, geo_low, geo_high = (
        _georisk(m.tails, a, alpha) if m.sign > 0 else np.full((3, len(n)), None)
    )
    rows = m.rows_of(
        RISK, len(n), run=m.runs, n=n, wins=wins, ties=n - wins - losses, losses=losses,
        large_losses=large, large_low=large_low, large_high=large_high,
        mean_difference=Tails(delta, weighing).means, urisk=e.mean, ci_low=low,
        ci_high=high, trisk=e.beyond(0.0),
        **decided(np.where(is_tested & moments.has_spread, e.apart(), np.nan), "holm", alpha),
        worst_change=change.mean, worst_change_low=change_low, worst_change_high=change_high,
        georisk=geo, georisk_low=geo_low, georisk_high=geo_high,
    )  # fmt: skip
    own = [name for name in RISK.columns if name not in RISK.key and "georisk" not in name]
    return rows.with_columns(pl.when(pl.Series(is_tested)).then(pl.col(own)))


def _georisk(tails: Tails, a: float, alpha: float) -> np.ndarray:
    """Return GeoRisk of each run and its limits, by the requests that all runs have.

    z depends on ρ = S_run/N, and without a request on another ρ: z = A/√ρ − √ρ B with A = x/√T and
    B = √T, below 0 where x/T < ρ. Sums over requests sorted by x/T then have all requests left out.
    With weights all sums are by them, and the jackknife is around the value itself; strata have no
    limits.
    """
    from scipy.special import ndtr

    all_have = np.flatnonzero(~np.isnan(tails.values).any(axis=1))
    tails = tails.part(all_have, np.arange(tails.values.shape[1]))
    x, n, has_weights = tails.values, len(all_have), tails.weighing is not None
    if not n or x.min() < 0:
        return np.full((3, x.shape[1]), np.nan)
    w, n_effective = tails.weight[:, :1], tails.n_effective
    t = x.sum(axis=1, keepdims=True)
    root = np.sqrt(t)
    part, share = (np.divide(x, by, out=np.zeros_like(x), where=t > 0) for by in (root, t))
    order = np.argsort(share, axis=0)
    below = [
        np.vstack(
            [np.zeros((1, x.shape[1])), np.cumsum(np.take_along_axis(of, order, axis=0), axis=0)]
        )
        for of in (w * part, np.broadcast_to(w * root, x.shape))
    ]
    rising = np.take_along_axis(share, order, axis=0)

    def z_sums(rho: np.ndarray) -> np.ndarray:
        """Return Σ z of each run for several ρ: numbers × runs; 0 where ρ is."""
        place = np.stack(
            [np.searchsorted(*both) for both in zip(rising.T, rho.T, strict=True)], axis=1
        )
        of_part, of_root = (of[-1] + a * np.take_along_axis(of, place, axis=0) for of in below)
        safe = np.sqrt(np.where(rho > 0, rho, 1.0))
        return np.where(rho > 0, of_part / safe - safe * of_root, 0.0)

    def georisk(rho: np.ndarray, own: Any, mean: np.ndarray, size: Any) -> np.ndarray:
        return np.asarray(np.sqrt(mean * ndtr((z_sums(rho) - own) / size)))

    total, every = (w * x).sum(axis=0), (w * t).sum()
    rho = (total / every if every else 0 * total)[None]
    (value,) = georisk(rho, 0.0, total[None] / n, n)
    if n_effective[0] < 2 * (1 - sums.TIE) or (has_weights and tails.strata):
        return np.stack([value, *np.full((2, len(value)), np.nan)])
    rest = every - w * t
    without = np.divide(total - w * x, rest, out=np.zeros_like(x), where=rest > 0)
    safe = np.sqrt(np.where(without > 0, without, 1.0))
    own = np.where(without > 0, part / safe - safe * root, 0.0)
    own *= w * np.where(share < without, 1 + a, 1.0)
    left = georisk(without, own, (total - w * x) / (n - w), n - w)
    around = value if has_weights else left.mean(axis=0)
    error = np.sqrt((n - 1) / n * ((left - around) ** 2).sum(axis=0))
    e = sums.Estimates(value, np.where(error > sums.TIE, error, 0.0), n_effective - 1.0)
    return np.stack([value, *e.ends(alpha / 2)])
