"""Means of values whose requests have weights, or lie in strata: `Weighed`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, reduce
from operator import add
from typing import Any, cast

import numpy as np

from lexiframe.core.base.sums.estimates import Estimates
from lexiframe.core.base.sums.moments import Moments
from lexiframe.core.base.sums.ranking import ratio
from lexiframe.core.base.sums.tolerance import TIE

_ROWS, _COLUMNS = 2**6, 2**11
"""The rows and columns that are added up at once, so that they stay in the cache."""
_NEARLY = 1e-9
"""By how much n* may be below a number because of rounding."""


@dataclass(frozen=True)
class Weighing:
    """The weights of the rows of a matrix; only their ratios count.

    Attributes
    ----------
    weight
        The weight of each row; with strata the share of its stratum.
    stratum
        The number of each row's stratum; None without strata.
    """

    weight: np.ndarray
    stratum: np.ndarray | None = None

    def some(self, rows: np.ndarray) -> Weighing:
        """Return the weights of some rows, which are indices or flags."""
        stratum = None if self.stratum is None else self.stratum[rows]
        return Weighing(self.weight[rows], stratum)

    def joined(self, other: Weighing) -> Weighing:
        """Return the weights of these rows and of the rows of another matrix."""
        of_strata = [of for of in (self.stratum, other.stratum) if of is not None]
        stratum = np.concatenate(of_strata) if of_strata else None
        return Weighing(np.concatenate([self.weight, other.weight]), stratum)

    @property
    def are_equal(self) -> bool:
        """Whether all rows count alike."""
        w = self.weight
        return self.stratum is None and (not len(w) or bool(w.min() == w.max()))

    @cached_property
    def factors(self) -> np.ndarray:
        """The weight of each row, with the mean 1; in strata each row has its part of the share."""
        w = self.weight
        if self.stratum is not None:
            w = w / np.bincount(self.stratum)[self.stratum]
        return np.asarray(w * (len(w) / w.sum()))

    @property
    def n_effective(self) -> float:
        """n* = (Σw)²/Σw², the number of equal weights that tell as much."""
        return float(len(self.factors) ** 2 / (self.factors**2).sum())


@dataclass(frozen=True)
class Spread:
    """Means of columns by weights, and how sure they are.

    Attributes
    ----------
    mean, rounding
        x̄ = Σwx/W, and the rounding error that it may have.
    error, df
        The standard error, and the degrees of freedom of its t; NaN and 0 where nothing is known.
    n
        n* = W²/Σw².
    won, lost
        The shares of W with a positive and with a negative value, times n*.
    bounded
        Σu², Σu²x and Σu²x² with u = w/(W′ − w), W′ = W + 2W/n*: by them one more value at each
        bound is added. None in strata.
    """

    mean: np.ndarray
    rounding: np.ndarray
    error: np.ndarray
    df: np.ndarray
    n: np.ndarray
    won: np.ndarray
    lost: np.ndarray
    bounded: np.ndarray | None = None

    def some(self, columns: Any) -> Spread:
        """Return some of the columns."""
        found: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        found = {name: None if of is None else of[..., columns] for name, of in found.items()}
        return Spread(**found)

    def turned(self, columns: np.ndarray) -> Spread:
        """Return the means with the other sign where ``columns`` is true."""
        sign, bounded = np.where(columns, -1, 1), self.bounded
        return replace(
            self,
            mean=sign * self.mean,
            won=np.where(columns, self.lost, self.won),
            lost=np.where(columns, self.won, self.lost),
            bounded=bounded
            if bounded is None
            else np.stack([bounded[0], sign * bounded[1], bounded[2]]),
        )

    @classmethod
    def weighed(cls, values: np.ndarray, rounding: np.ndarray, weight: np.ndarray) -> Spread:
        """Return the means of columns: se² = (Q − 1)/Q Σ(w(x − x̄)/(W − w))², n* − 1 degrees.

        Rows are added one after the other, so that equal columns have equal sums.
        """
        known = ~np.isnan(values)
        if known.all() and len(values):
            return cls._complete(values, rounding, weight)
        v = weight[:, None]
        v, values = np.where(known, v, 0.0), np.where(known, values, 0.0)
        n = known.sum(axis=0)
        v = v * ratio(n, np.broadcast_to(v, known.shape).sum(axis=0)) if len(v) else v
        mean = ratio((v * values).sum(axis=0), n)
        rough = ratio((v * rounding).sum(axis=0), n) + np.zeros(len(n))
        squares = np.broadcast_to(v**2, known.shape).sum(axis=0)
        n_effective = ratio(n**2, squares)
        with np.errstate(divide="ignore", invalid="ignore"):
            around = (v / (n - v) * (values - mean)) ** 2
            error = np.sqrt((n - 1) / n * around.sum(axis=0))
            u = (v / (n * (1 + 2 / n_effective) - v)) ** 2
        u = np.broadcast_to(u, known.shape)
        bounded = np.stack([u.sum(axis=0), (u * values).sum(axis=0), (u * values**2).sum(axis=0)])
        scale = ratio(n_effective, n)
        won, lost = (np.where(of, v, 0.0).sum(axis=0) * scale for of in (values > 0, values < 0))
        return cls(mean, rough, *_known_error(error, n_effective, n_effective - 1), n_effective,
                   won, lost, bounded)  # fmt: skip

    @classmethod
    def _complete(cls, values: np.ndarray, rounding: np.ndarray, weight: np.ndarray) -> Spread:
        """Return the means of columns that lack no value, some rows and columns at a time."""
        n, n_columns = values.shape
        if n_columns > _COLUMNS:
            wide = [slice(first, first + _COLUMNS) for first in range(0, n_columns, _COLUMNS)]
            rough = np.broadcast_to(rounding, (len(rounding), n_columns))
            parts = [cls._complete(values[:, some], rough[:, some], weight) for some in wide]
            named = ([getattr(part, field.name) for part in parts] for field in fields(cls))
            return cls(*(np.concatenate(of, axis=-1) for of in named))
        v = (weight * (n / weight.sum()))[:, None]
        n_effective = n**2 / (v**2).sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            u, c = (v / (n * (1 + 2 / n_effective) - v)) ** 2, v / (n - v)
            total, won, lost, x, squares, around = np.zeros((6, n_columns))
            room = np.empty((_ROWS, n_columns))
            blocks = [slice(first, first + _ROWS) for first in range(0, n, _ROWS)]
            for some in blocks:
                block, own = values[some], room[: len(v[some])]
                total += np.multiply(block, v[some], out=own).sum(axis=0)
                won += np.multiply(block > 0, v[some], out=own).sum(axis=0)
                lost += np.multiply(block < 0, v[some], out=own).sum(axis=0)
                x += np.multiply(block, u[some], out=own).sum(axis=0)
                squares += np.multiply(own, block, out=own).sum(axis=0)
            mean = total / n
            for some in blocks:
                own = np.subtract(values[some], mean, out=room[: len(v[some])])
                own *= c[some]
                around += np.multiply(own, own, out=own).sum(axis=0)
            error = np.sqrt((n - 1) / n * around)
        of_all = np.full(n_columns, n_effective)
        rough = (v * rounding).sum(axis=0) / n + np.zeros(n_columns)
        bounded = np.stack([np.full(n_columns, u.sum()), x, squares])
        won, lost = (of * (n_effective / n) for of in (won, lost))
        return cls(mean, rough, *_known_error(error, of_all, of_all - 1), of_all,
                   won, lost, bounded)  # fmt: skip

    @classmethod
    def stratified(cls, parts: Sequence[Moments], shares: Sequence[float]) -> Spread:
        """Return ΣP x̄ of strata with shares P: se² = ΣP²s²/n, degrees by Welch and Satterthwaite.

        A stratum of which a column has no request is left out, and one request has no variance.
        """
        n = np.stack([part.n for part in parts])
        p = np.where(n > 0, np.array(shares)[:, None], 0.0)
        p = ratio(p, p.sum(axis=0)) + np.zeros_like(n)

        def strata_mean(of: list[np.ndarray]) -> np.ndarray:
            return np.asarray(np.where(n > 0, p * np.stack(of), 0.0).sum(axis=0))

        terms = ratio(p**2 * np.stack([part.deviation for part in parts]) ** 2, n)
        terms = np.where(n > 1, terms, np.where(p > 0, np.nan, 0.0))
        variance = terms.sum(axis=0)
        df = ratio(variance**2, (terms**2 / np.maximum(n - 1, 1)).sum(axis=0))
        n_effective = ratio(np.ones(n.shape[1]), ratio(p**2, np.maximum(n, 1)).sum(axis=0))
        won, lost = (
            n_effective * strata_mean([ratio(getattr(part, name), part.n) for part in parts])
            for name in ("wins", "losses")
        )
        mean = np.where(n.sum(axis=0) > 0, strata_mean([part.mean for part in parts]), np.nan)
        error = np.where(variance > 0, np.sqrt(variance), np.nan)
        of_means = strata_mean([part.mean_rounding for part in parts])
        return cls(mean, of_means, *_known_error(error, n_effective, df), n_effective, won, lost)


@dataclass(frozen=True)
class Weighed(Moments):
    """Moments whose means are by weight; counts (n, wins, losses) stay counts.

    Examples
    --------
    >>> d, w = np.array([[0.5], [-0.5], [1.0], [0.0]]), np.array([4.0, 2.0, 1.0, 1.0])
    >>> found = add_weighed(d, np.array([[TIE]]), Weighing(w))
    >>> found.mean.round(4).item(), found.n_effective.round(4).item(), found.wins.item()
    (0.25, 2.9091, 2)
    >>> low, high = Estimates.of_values(found).ends(0.025)
    >>> low.round(4).item(), high.round(4).item()
    (-1.1981, 1.6981)
    """

    spread: Spread

    def __getitem__(self, columns: np.ndarray | slice) -> Weighed:
        """Return the moments of some columns."""
        plain = {field.name: getattr(self, field.name)[columns] for field in fields(Moments)}
        return Weighed(**plain, spread=self.spread.some(columns))

    def turned(self, columns: np.ndarray) -> Weighed:
        """Return the moments with the other sign where ``columns`` is true."""
        return replace(cast(Weighed, super().turned(columns)), spread=self.spread.turned(columns))

    @property
    def unweighed(self) -> Moments:
        """The moments without weights."""
        return Moments(*(getattr(self, field.name) for field in fields(Moments)))

    def __add__(self, other: Moments) -> Moments:
        """Raise: means by weights do not follow from means of parts."""
        raise TypeError("weighed moments of parts cannot be added; weigh all requests at once")

    @cached_property
    def mean(self) -> np.ndarray:
        """The mean of each column by weights."""
        return self.spread.mean

    @cached_property
    def mean_rounding(self) -> np.ndarray:
        """The rounding error that each mean may have."""
        return self.spread.rounding

    @cached_property
    def deviation(self) -> np.ndarray:
        """The standard error times √n*; 0 where all values are equal, NaN where it is not known."""
        return np.where(self.are_equal, 0.0, self.spread.error * np.sqrt(self.n_effective))

    @property
    def has_weights(self) -> bool:
        """That requests have weights."""
        return True

    @property
    def n_effective(self) -> np.ndarray:
        """n* of each column."""
        return self.spread.n

    @property
    def df(self) -> np.ndarray:
        """The degrees of freedom of t."""
        return self.spread.df

    @property
    def won(self) -> np.ndarray:
        """The share of the weight that is won, times n*."""
        return self.spread.won

    @property
    def lost(self) -> np.ndarray:
        """The share of the weight that is lost, times n*."""
        return self.spread.lost

    @property
    def lead(self) -> np.ndarray:
        """The share of the weight that is won, less the lost one, times n*; 0 within rounding."""
        lead = self.won - self.lost
        return np.where(np.abs(lead) <= TIE * self.n_effective, 0.0, lead)

    def add_bounds(self, least: float, most: float) -> Estimates:
        """Return the means of the values and one more at each bound, of the weight W/n*.

        In strata nothing is added.
        """
        if self.spread.bounded is None:
            return Estimates.of_values(self)
        n, n_effective = self.n, self.n_effective
        b = ratio(n, n_effective)
        total = n + 2 * b
        mean = ratio(n * self.mean + b * (least + most), total)
        none, x, squares = self.spread.bounded
        around = squares - 2 * mean * x + mean**2 * none
        around += (b / (total - b)) ** 2 * ((least - mean) ** 2 + (most - mean) ** 2)
        error = np.sqrt(np.maximum((n + 1) / (n + 2) * around, 0.0))
        of_both = ratio(total**2, ratio(n**2, n_effective) + 2 * b**2)
        return Estimates(mean, error * np.sqrt(of_both), of_both - 1, of_both)


def add_weighed(values: np.ndarray, rounding: np.ndarray, weighing: Weighing) -> Weighed:
    """Add up values, requests × columns, by weights: see `add_up`."""
    stratum, weight = weighing.stratum, weighing.weight
    if stratum is None:
        found = Moments.add_up(values, rounding)
        spread = Spread.weighed(values, rounding, weight)
    else:
        rows = [np.flatnonzero(stratum == name) for name in np.unique(stratum)]
        rough = [rounding if len(rounding) == 1 else rounding[some] for some in rows]
        parts = [Moments.add_up(values[of], error) for of, error in zip(rows, rough, strict=True)]
        found = reduce(add, parts)
        spread = Spread.stratified(parts, [float(weight[some[0]]) for some in rows])
    plain = {field.name: getattr(found, field.name) for field in fields(Moments)}
    return Weighed(**plain, spread=spread)


def _known_error(
    error: np.ndarray, n_effective: np.ndarray, df: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return errors and degrees of freedom, NaN and 0 for fewer than two effective requests."""
    has = np.isfinite(error) & (n_effective >= 2 - _NEARLY)
    return np.where(has, error, np.nan), np.where(has, df, 0.0)
