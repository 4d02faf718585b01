"""People judge some requests, a model judges all: `prediction_powered`, `how_many_judgments`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    check_choice,
    n_and_first,
    resampling,
    schemas,
    sums,
    to_polars,
    typed,
    warn,
)
from lexiframe.core.significance.powered_means import (
    LEAST,
    PoweredMeans,
    powered_means,
    weighted_means,
)
from lexiframe.decide.judges.two_judges import Of, SideBySide, side_by_side
from lexiframe.typing import Frame, TablesLike

_UNLIKELY = 0.001
"""Below this p the requests of people are said not to look like drawn at random."""


@typed
def prediction_powered(
    human: Frame,
    model: Frame,
    of: Of | None = None,
    *,
    alpha: float = 0.05,
    baseline: str | None = None,
    inclusion: Frame | None = None,
) -> pl.DataFrame:
    """Estimate means from a few requests that people judged and many that a model judged.

    Parameters
    ----------
    human, model
        Two tables of `scores`, or of `preferences`, of the same runs and measures: by the judgments
        of people, in requests that were drawn at random, and by those of a model, in these requests
        and in others.
    of : {"means", "differences", "win_rates"}, optional
        What is estimated: the means of the runs (of scores; the default), the mean differences of
        pairs of runs (of preferences, or of scores; the default for preferences), or the shares of
        requests that run_a wins, ties half.
    alpha : float
        The intervals have level 1 − alpha.
    baseline : str, optional
        Of pairs, those of the other runs with this one, which is ``run_b``.
    inclusion : frame, optional
        ``query_id`` and ``probability``, above 0 and at most 1: how probable it was that people
        would judge this request, for each that they judged. To be given where requests were drawn
        with unequal probabilities. For requests that people chose because something about them
        looked odd no interval is right.

    Returns
    -------
    polars.DataFrame
        Key ``run, measure``, or ``run_a, run_b, measure``, sorted by it. ``mean`` is in the unit of
        the measure, with the interval ``ci_low, ci_high``. ``weight`` is λ, how far the model is
        believed, 0 to 1. ``n`` requests were judged by people, ``n_model`` others by the model
        alone. ``effective_n`` is how many requests people alone would have to judge to be as sure.
        ``people_mean`` with ``people_low, people_high`` is what people alone say; ``model_mean``
        what the model alone says over all requests, biased as it is.

    Raises
    ------
    LexiframeError
        When people's runs or measures, or all of their requests, are not the model's; for a table
        of scores beside one of preferences; for an unknown ``of``, an alpha outside 0..1, and
        probabilities that lack a request or are outside 0..1.

    Warns
    -----
    LexiframeWarning
        For requests of people that the model lacks, which are left out; where the model's values of
        people's requests are so unlike those of the others (p < 0.001) that the requests were
        hardly drawn at random; and where intervals may cover less than they say: with fewer than 20
        requests of people, and where their values are so skewed that n is below 25 · skewness².

    Notes
    -----
    The estimate is that of people, plus λ times the difference between the model's mean over the
    other requests and over people's. It is unbiased for every λ, and λ is chosen to make its
    variance least: Angelopoulos, Duchi & Zrnic, PPI++: Efficient Prediction-Powered Inference,
    arXiv:2311.01453. Here (co)variances have n − 1 and quantiles are Student's, with n − 2 degrees
    of freedom (n − 1 when λ is 0), because with 20 requests normal quantiles cover .91 to .93 of
    the 95 % of their level. With few positive values neither these intervals nor the classical ones
    reach their level: where 7 % of the values are 1, they cover .75 to .76, .86, .90, .92 and .94
    with 20, 50, 100, 200 and 400 requests; 20 % of ones: .92 and .94 with 20 and 50. Cochran's rule
    ("Sampling Techniques", 1977: n of at least 25 · skewness²) tells most such samples: of those
    that it passes, with 7 and 20 % of ones at 50 and 10 % at 200 requests, more than .93 are
    covered; samples of which all values are equal have no interval.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> q = [f"q{n}" for n in range(100)]
    >>> value = pl.Series([(n * 37 % 100) / 100 for n in range(100)])
    >>> model = pl.DataFrame({"run": "a", "query_id": q, "measure": "AP", "value": value})
    >>> human = model.head(25).with_columns(pl.col("value") ** 2)
    >>> found = lf.significance.prediction_powered(human, model)
    >>> found.select(pl.col("mean", "people_mean", "weight", "effective_n").round(3)).rows()
    [(0.333, 0.317, 0.769, 85.446)]
    """
    _check_arguments("prediction_powered", of, alpha)
    frames, doubtful = [], 0
    for one in side_by_side("prediction_powered", human, model, of, baseline):
        found = _powered_means(one, inclusion)
        if inclusion is None:
            warn_of_odd_requests("prediction_powered", one)
        frames.append(_estimate_rows(one, found, alpha))
        doubtful += int(((found.n < 20) | _are_skewed(one.people)).sum())
    table = pl.concat(frames)
    if doubtful:
        warn(
            f"prediction_powered: with {table['n'].to_numpy().min()} requests that people judged, "
            f"{doubtful:,} of {table.height:,} intervals may cover less than they say: these "
            "requests are fewer than 20, or few of their values are unlike the others; let people "
            "judge more"
        )
    schema = schemas.POWERED_MEANS if "run" in table.columns else schemas.POWERED_DIFFERENCES
    return schema.arranged(table)


def _are_skewed(values: np.ndarray) -> np.ndarray:
    """Return whether n is below 25 · skewness² of the values of each column."""
    n = np.maximum((~np.isnan(values)).sum(axis=0), 1)
    around = values - np.nansum(values, axis=0) / n
    squares, cubes = np.nansum(around**2, axis=0), np.nansum(around**3, axis=0)
    return np.asarray(squares**3 < 25 * cubes**2)


def _check_arguments(called: str, of: str | None, alpha: float) -> None:
    resampling.check_share(called, "alpha", alpha)
    if of is not None:
        check_choice(called, of, get_args(Of), "of")


def _powered_means(one: SideBySide, inclusion: Frame | None) -> PoweredMeans:
    if inclusion is None:
        return powered_means(one.people, one.model, one.others)
    gaps = sum(int(np.isnan(values).sum()) for values in (one.people, one.model, one.others))
    if gaps:
        raise LexiframeError(
            f"prediction_powered: expected values of all runs in all requests with inclusion, "
            f"found {gaps:,} missing for {one.measure}; leave out the requests that lack some"
        )
    chances = _probabilities(inclusion, one.queries)
    return weighted_means(one.people, one.model, one.others, chances)


def _probabilities(inclusion: Frame, queries: pl.Series) -> np.ndarray:
    given = schemas.check(to_polars(inclusion), schemas.INCLUSION, "inclusion")
    found = queries.alias("query_id").to_frame().join(
        given.unique("query_id"), on="query_id", how="left", maintain_order="left"
    )  # fmt: skip
    bad = found.filter(~pl.col("probability").is_between(0, 1, closed="right").fill_null(False))
    if bad.height:
        raise LexiframeError(
            "prediction_powered: expected in inclusion a probability above 0 and at most 1 for "
            f"each request that people judged, found none for {n_and_first(bad['query_id'])}"
        )
    return found["probability"].to_numpy()


def _estimate_rows(one: SideBySide, found: PoweredMeans, alpha: float) -> pl.DataFrame:
    low, high = found.estimates.ends(alpha / 2)
    people_low, people_high = found.people.ends(alpha / 2)
    is_of_runs = "run" in one.columns.columns
    schema = schemas.POWERED_MEANS if is_of_runs else schemas.POWERED_DIFFERENCES
    names = {name: one.columns[name] for name in one.columns.columns}
    return schemas.table_of(
        schema.columns, one.columns.height,
        {
            **names, "measure": one.measure, "mean": found.estimates.mean, "weight": found.weight,
            "ci_low": low, "ci_high": high, "n": found.n,
            "n_model": found.n_model, "effective_n": found.effective_n,
            "people_mean": found.people.mean, "people_low": people_low,
            "people_high": people_high, "model_mean": found.model,
        },
    )  # fmt: skip


def warn_of_odd_requests(called: str, one: SideBySide) -> None:
    """Warn where the requests that people judged differ from the remaining ones."""
    if len(one.model) < 2 or len(one.others) < 2:
        return
    from scipy import stats

    theirs, rest = (np.nanmean(x, axis=1) for x in (one.model, one.others) if np.isfinite(x).any())
    p = stats.ttest_ind(theirs, rest, equal_var=False).pvalue if np.ptp(rest) else math.nan
    if p < _UNLIKELY:
        warn(
            f"{called}: {one.measure} by the model has the mean {theirs.mean():.3g} in "
            f"the requests that people judged and {rest.mean():.3g} in the others (p = {p:.1g}): "
            "they do not look drawn at random; draw them so, or say how probable each was "
            "(inclusion= of prediction_powered)"
        )


@typed
def how_many_judgments(
    human: Frame,
    model: TablesLike,
    half_width: float,
    of: Of | None = None,
    *,
    total: int | None = None,
    alpha: float = 0.05,
    baseline: str | None = None,
) -> pl.DataFrame:
    """Say how many requests people must judge for a wanted precision, and which model helps most.

    Parameters
    ----------
    human
        Scores or preferences by people's judgments, in requests drawn at random: a first few.
    model : table, or tables by names
        The same by the judgments of a model, or of several models to choose from.
    half_width : float
        Half the width that an interval may have, above 0, in the unit of the measure.
    of, baseline, alpha
        As for `prediction_powered`.
    total : int, optional
        T, the number of requests that the model judges in all. Default: as many as it did.

    Returns
    -------
    polars.DataFrame
        Key ``run, measure, judge``, or ``run_a, run_b, measure, judge``, sorted by it; ``judge`` is
        the name of the model, or "model". ``correlation`` of people and model over the ``n``
        requests that both judged, and ``sd``, the standard deviation of people's values, are those
        observed. ``n_requests`` is the least number of requests that people must judge with this
        model, ``people_alone`` that without it: null where all requests would not do.

    Raises
    ------
    LexiframeError
        As `prediction_powered`; for a half width that is not above 0, and where people judged fewer
        than four requests.

    Notes
    -----
    The least n with t · sd · √((1 − ρ² (T − n) / T) / n) ≤ half width, where t is the quantile with
    n − 2 degrees of freedom, n − 1 without the model, and ρ counts as 0 when it is negative. It
    rests on the ρ and sd of few requests, which are estimates themselves.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> q = [f"q{n}" for n in range(200)]
    >>> value = pl.Series([(n * 37 % 100) / 100 for n in range(200)])
    >>> model = pl.DataFrame({"run": "a", "query_id": q, "measure": "AP", "value": value})
    >>> human = model.head(30).with_columns(pl.col("value") ** 2)
    >>> needed = lf.significance.how_many_judgments(human, model, 0.06)
    >>> needed.select("n_requests", "people_alone").rows()
    [(18, 102)]
    """
    _check_arguments("how_many_judgments", of, alpha)
    if not half_width > 0:
        raise LexiframeError(
            f"how_many_judgments: expected half_width to be above 0, found {half_width}"
        )
    models = dict(model) if isinstance(model, Mapping) else {"model": model}
    frames = [
        _needed(one, judge, half_width, total, alpha)
        for judge, table in models.items()
        for one in side_by_side("how_many_judgments", human, table, of, baseline)
    ]
    table = pl.concat(frames)
    ends = ["run"] if "run" in table.columns else ["run_a", "run_b"]
    return table.sort(*ends, "measure", "judge")


def _needed(
    one: SideBySide, judge: str, half_width: float, total: int | None, alpha: float
) -> pl.DataFrame:
    found = powered_means(one.people, one.model, one.others)
    if (found.n < LEAST).any():
        raise LexiframeError(
            f"how_many_judgments: expected {LEAST} or more requests that people and {judge} "
            f"judged, found {found.n.min()} for {one.measure}; a spread is not known from so few"
        )
    sd = found.people.error * np.sqrt(found.n)
    every = int(total or (found.n + found.n_model).max())
    believed = np.clip(np.nan_to_num(found.correlation), 0, 1)
    of_runs = "run" in one.columns.columns
    schema = schemas.JUDGMENTS_NEEDED if of_runs else schemas.JUDGMENTS_NEEDED_OF_PAIRS
    names: dict[str, Any] = {name: one.columns[name] for name in one.columns.columns}
    return schemas.table_of(
        schema.columns, one.columns.height,
        {
            **names, "measure": one.measure, "judge": judge, "correlation": found.correlation,
            "sd": sd, "n": found.n,
            "n_requests": _least_n(believed, sd, half_width, every, alpha),
            "people_alone": _least_n(0 * believed, sd, half_width, every, alpha),
        },
    )  # fmt: skip


def _least_n(
    rho: np.ndarray, sd: np.ndarray, half_width: float, total: int, alpha: float
) -> pl.Series:
    """Return the least n whose interval is narrow enough, null where none up to the total is."""
    n = np.arange(2, total + 1)[:, None]
    df = n - 1 - (rho > 0)
    with np.errstate(invalid="ignore"):
        shrunk = np.sqrt((1 - rho**2 * (total - n) / total) / n)
        width = np.where(df > 0, sums.t_reach(np.maximum(df, 1), alpha / 2), np.inf) * sd * shrunk
    enough = width <= half_width
    least = np.where(enough.any(axis=0), n[enough.argmax(axis=0), 0], -1)
    return pl.Series(least).replace(-1, None)
