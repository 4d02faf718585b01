"""Means from a few requests that people judged and many that a model judged: `powered_means`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexiframe.core.base import sums

LEAST = 4
"""The least number of requests that both judged from which the weight of the model is estimated."""


@dataclass(frozen=True)
class PoweredMeans:
    """Estimates of the mean of each column by people, corrected by a model.

    Attributes
    ----------
    estimates
        The estimates, with their standard errors.
    weight
        λ, how far the model is believed: 0 (not at all) to 1.
    n, n_model
        How many requests people judged, and how many others the model did.
    people
        The means by people alone.
    model
        The mean by the model alone, over all requests.
    correlation
        The correlation of people and model over the requests that both judged.
    """

    estimates: sums.Estimates
    weight: np.ndarray
    n: np.ndarray
    n_model: np.ndarray
    people: sums.Estimates
    model: np.ndarray
    correlation: np.ndarray

    @property
    def effective_n(self) -> np.ndarray:
        """How many requests people alone would have to judge for the same standard error."""
        return np.asarray(self.n * sums.ratio(self.people.error**2, self.estimates.error**2))


def powered_means(h: np.ndarray, g: np.ndarray, others: np.ndarray) -> PoweredMeans:
    """Correct the means by people with a model's values: power-tuned prediction-powered inference.

    ``h`` and ``g`` are requests × columns in the judged requests, NaN in both or in none;
    ``others`` are the model's in the other requests. λ = Cov(h, g) / ((1 + n/N) Var(g)), kept
    within 0 and 1, Var(g) over all n + N requests; 0 where that is 0, N is 0 or n below 4. The
    estimate is λ · mean of ``others`` + the mean of r = h − λ g; its squared error λ² Var(g)/N + Σ
    (r − r̄)² / (f n) with f = n − 2, or n − 1 when λ is 0.
    """
    n, n_other = (~np.isnan(h)).sum(axis=0), (~np.isnan(others)).sum(axis=0)
    every = np.concatenate([g, others])
    spread = _moment(every, every)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = _moment(h, g) / ((1 + n / n_other) * spread)
    weight = np.where((n_other > 0) & (n >= LEAST) & (spread > 0), np.clip(weight, 0, 1), 0.0)
    rest = h - weight * g
    df = n - 1 - (weight > 0)
    of_others = np.where(weight > 0, weight**2 * sums.ratio(_moment(others, others), n_other), 0.0)
    of_people = sums.ratio(_moment(rest, rest) * (n - 1), df * n)
    shift = np.where(weight > 0, weight * _column_means(others), 0.0)
    correlation = sums.ratio(_moment(h, g), np.sqrt(_moment(h, h) * _moment(g, g)))
    corrected = sums.Estimates(shift + _column_means(rest), np.sqrt(of_others + of_people), df)
    people = sums.Estimates(_column_means(h), np.sqrt(sums.ratio(_moment(h, h), n)), n - 1)
    return PoweredMeans(corrected, weight, n, n_other, people, _column_means(every), correlation)


def weighted_means(
    h: np.ndarray, g: np.ndarray, others: np.ndarray, probability: np.ndarray
) -> PoweredMeans:
    """Estimate like `powered_means`, for requests drawn with unequal, known probabilities.

    ``probability`` belongs to the judged requests; ``h``, ``g`` and ``others`` have no gaps. With w
    = 1/π, W = Σ w and T requests in all, the estimate is h_w + λ (mean of g over all − g_w), where
    h_w and g_w are means weighted by w. Its squared error is Σ ψ² / T² · n / (n − 2), with ψ =
    (T/W) I w (h − h_w − λ (g − g_w)) + λ (g − mean of g), I = 1 for judged requests; λ makes it
    least, within 0 and 1.
    """
    n, n_other = len(h), len(others)
    total, inverse = n + n_other, 1 / probability[:, None]
    share = inverse / inverse.sum()
    h_mean, g_mean = (share * h).sum(axis=0), (share * g).sum(axis=0)
    every = np.concatenate([g, others])
    model = every.mean(axis=0)
    none = np.zeros_like(others)
    of_people = np.concatenate([total * share * (h - h_mean), none])
    of_model = np.concatenate([total * share * (g - g_mean), none]) - (every - model)
    weight = sums.ratio((of_people * of_model).sum(axis=0), (of_model**2).sum(axis=0))
    weight = np.where((n_other > 0) & (n >= LEAST), np.clip(np.nan_to_num(weight), 0, 1), 0.0)
    df = np.full(len(weight), n) - 1 - (weight > 0)

    def error(lam: np.ndarray, freedom: np.ndarray) -> np.ndarray:
        squares = ((of_people - lam * of_model) ** 2).sum(axis=0) / total**2
        return np.asarray(np.sqrt(sums.ratio(squares * n, freedom)))

    correlation = sums.ratio(_moment(h, g), np.sqrt(_moment(h, h) * _moment(g, g)))
    counts = np.full(len(weight), n), np.full(len(weight), n_other)
    corrected = sums.Estimates(h_mean + weight * (model - g_mean), error(weight, df), df)
    people = sums.Estimates(h_mean, error(0 * weight, counts[0] - 1), counts[0] - 1)
    return PoweredMeans(corrected, weight, *counts, people, model, correlation)


def _column_means(x: np.ndarray) -> np.ndarray:
    """Return the mean of each column over the cells that are known; NaN for none."""
    return np.asarray(sums.ratio(np.nansum(x, axis=0), (~np.isnan(x)).sum(axis=0)))


def _moment(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the covariance of two columns, with n − 1; 0 up to rounding where one is constant."""
    n = (~np.isnan(x)).sum(axis=0)
    products = np.nansum((x - _column_means(x)) * (y - _column_means(y)), axis=0)
    flat = [np.nanmax(z, axis=0, initial=-np.inf) == np.nanmin(z, axis=0, initial=np.inf)
            for z in (x, y)]  # fmt: skip
    return np.asarray(np.where(flat[0] | flat[1], 0.0, products) / np.maximum(n - 1, 1))
