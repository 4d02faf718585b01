"""Which users a judge has in mind: the weights of recall levels that explain stated preferences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from scipy.optimize import minimize
from scipy.special import expit, log_expit, ndtri

from lexiframe.core.base import LexiframeError, check_choice, resampling, to_polars, typed
from lexiframe.core.projection import alone, matrices, tied_orders
from lexiframe.typing import Frame, PositionsTable

Users = Literal["uniform", "dcg", "inverse", "free"]
_LEVELS = 10
_MOST_LEVELS = 100
_MOST_SMOOTH = 1e6
_KNOWN: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "uniform": lambda i: np.ones(len(i)),
    "dcg": lambda i: 1 / np.log2(i + 1),
    "inverse": lambda i: 1 / i,
}


@alone.each_collection
@typed
def fit_users(
    p: PositionsTable,
    /,
    labels: Frame,
    users: Users | Iterable[Users] = ("uniform", "dcg", "inverse", "free"),
    *,
    levels: int = _LEVELS,
    smoothness: float = 1.0,
    alpha: float = 0.05,
) -> pl.DataFrame:
    """Find for which users judges decide who say which of two rankings is better.

    A recall-paired preference is Δ = Σ_i p(i) s_i, where p(i) is the share of users who want i
    relevant items, and s_i says which ranking they prefer. A judge who has these users in mind
    prefers the first ranking with the probability 1/(1 + exp(−β Δ)).

    Parameters
    ----------
    p
        The table of `positions`.
    labels
        Stated preferences, with the columns ``query_id``, ``run_a``, ``run_b`` and ``preference``,
        of which the sign counts: above 0 the first run was preferred, and 0 is half a vote for
        each. A row may be repeated.
    users : {"uniform", "dcg", "inverse", "free"}
        One or several kinds: p(i) ∝ 1, 1/log2(i + 1), 1/i, with β alone to be found; or any
        weights, of which those of neighbouring levels are alike.
    levels
        The first recall levels, which have weights of their own when these are free; from the last
        one on all levels have the same.
    smoothness
        For free weights, the penalty Σ (log p(i − 1) − 2 log p(i) + log p(i + 1))² is multiplied by
        it; from 0 to 1e6, larger is smoother.
    alpha
        The intervals are those at level 1 − alpha.

    Returns
    -------
    polars.DataFrame
        Key ``users, level``, sorted by it: the ``weight`` p(i) of a request with as many items as
        there are levels, and the limits ``ci_low`` and ``ci_high`` of its interval (null for known
        weights). Of all levels: β as ``scale`` with ``scale_low`` and ``scale_high``, the
        ``log_likelihood`` without the penalty, ``aic`` with the number of weights and β as that of
        parameters, and the number ``n`` of labels whose rankings differ.

    Raises
    ------
    LexiframeError
        For labels of unknown runs or requests, or without any whose rankings differ; for labels of
        which the likelihood has no maximum; and for options out of their range.

    Notes
    -----
    Maximum likelihood of log p(i) and β, penalised for free weights. The covariance is the sandwich
    over requests, because labels of one request are correlated; intervals are those of the normal
    distribution on the scale of log(p/(1 − p)). The papers ask for this (Diaz & Ferraro, SIGIR
    2022, section 7, doi:10.1145/3477495.3532033) and do not do it.

    Examples
    --------
    A judge who looks at the first item alone:

    >>> import lexiframe as lf
    >>> folder = lf.bundled("digits")
    >>> p = lf.positions(folder / "runs", folder / "qrels.parquet")
    >>> first = lf.LevelPreference("first", weight=lambda i, m: i == 1)
    >>> table = lf.theory.fit_users(p, lf.preferences(p, first), ["uniform", "inverse"])
    >>> best = table.sort("log_likelihood")["users"].last()
    >>> best
    'inverse'
    """
    kinds = sorted({users} if isinstance(users, str) else {*users})
    for kind in kinds:
        check_choice("fit_users", kind, get_args(Users), "users")
    if not kinds:
        raise LexiframeError("fit_users: expected at least one kind of users, found none")
    resampling.check_draws("fit_users", "levels", levels, 0)
    resampling.check_share("fit_users", "alpha", alpha)
    if levels > _MOST_LEVELS or not 0 <= smoothness <= _MOST_SMOOTH:
        raise LexiframeError(
            f"fit_users: expected at most {_MOST_LEVELS} levels, smoothness from 0 to 1e6, found "
            f"{levels} and {smoothness}"
        )
    votes = _votes(p, labels, levels)
    tables = [_fitted(votes, kind, smoothness, alpha) for kind in kinds]
    return pl.concat(tables)


@dataclass(frozen=True)
class _Votes:
    """Labels of pairs of rankings that differ.

    Attributes
    ----------
    signs, counts
        labels × levels: Σ s_i, and how many recall levels there are. The last has all later ones.
    wins
        1 where the first ranking is preferred, 0 where the second is, ½ for a tie.
    request
        The number of the request.
    """

    signs: np.ndarray
    counts: np.ndarray
    wins: np.ndarray
    request: np.ndarray


def _votes(p: PositionsTable, labels: Frame, levels: int) -> _Votes:
    requests = matrices.requests_of(p)
    if requests.tied is not None:
        raise tied_orders.no_closed_form("fit_users")
    stated = to_polars(labels)
    missing = {"query_id", "run_a", "run_b", "preference"} - {*stated.columns}
    if missing:
        raise LexiframeError(f"fit_users: labels lack the columns {', '.join(sorted(missing))}")
    if "measure" in stated.columns and stated["measure"].n_unique() > 1:
        raise LexiframeError("fit_users: expected labels of one measure, found several; choose one")
    query, a, b = (
        _known_numbers(name, stated[name], known)
        for name, known in (
            ("query_id", requests.queries),
            ("run_a", requests.runs),
            ("run_b", requests.runs),
        )
    )
    ends = np.cumsum(requests.n_relevant)
    signs, counts = np.zeros((2, stated.height, levels))
    for one in np.unique(query):
        m = int(requests.n_relevant[one])
        ranks = requests.positions[:, ends[one] - m : ends[one]].astype(np.int64)
        rows = np.flatnonzero(query == one)
        place = np.minimum(np.arange(m), levels - 1)
        counts[rows] = np.bincount(place, minlength=levels)
        of_each = np.sign(ranks[b[rows]] - ranks[a[rows]])
        for level in range(m):
            signs[rows, place[level]] += of_each[:, level]
    wins = (np.sign(stated["preference"].to_numpy()) + 1) / 2
    differ = (signs != 0).any(axis=1) & ~np.isnan(wins)
    if not differ.any():
        raise LexiframeError("fit_users: expected labels of rankings that differ, found none")
    return _Votes(signs[differ], counts[differ], wins[differ], query[differ])


def _known_numbers(name: str, values: pl.Series, known: pl.Series) -> np.ndarray:
    numbered = pl.DataFrame({name: known, "number": np.arange(len(known))})
    found = values.to_frame(name).join(numbered, on=name, how="left", maintain_order="left")
    unknown = found.filter(pl.col("number").is_null())
    if unknown.height:
        raise LexiframeError(
            f"fit_users: expected labels of what the positions have, found {name} "
            f"{unknown[name][0]!r}"
        )
    return found["number"].to_numpy()


def _gradients(votes: _Votes, weights: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the log-likelihood of each label, and its derivatives by β and each log weight."""
    total = votes.counts @ weights
    delta = votes.signs @ weights / total
    likelihood = votes.wins * log_expit(scale * delta)
    likelihood += (1 - votes.wins) * log_expit(-scale * delta)
    rest = votes.wins - expit(scale * delta)
    by_weight = weights * (votes.signs - delta[:, None] * votes.counts) / total[:, None]
    return likelihood, np.column_stack([rest * delta, (rest * scale)[:, None] * by_weight])


def _fitted(votes: _Votes, kind: Users, smoothness: float, alpha: float) -> pl.DataFrame:
    """Fit β, and the weights if they are free, in units of the first weight."""
    n_levels = votes.signs.shape[1]
    is_free = kind == "free" and n_levels > 1
    known = _KNOWN.get(kind, _KNOWN["uniform"])(np.arange(1.0, n_levels + 1))
    bends = np.diff(np.eye(n_levels), 2, axis=0) if is_free else np.zeros((0, n_levels))
    chosen = [0, *range(2, n_levels + 1)] if is_free else [0]

    def weights_of(found: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(np.append(0.0, found[1:]))) if is_free else known

    def loss(found: np.ndarray) -> tuple[float, np.ndarray]:
        weights = weights_of(found)
        likelihood, gradients = _gradients(votes, weights, found[0])
        bent = bends @ np.log(weights)
        slope = -gradients.sum(axis=0)
        slope[1:] += 2 * smoothness * bends.T @ bent
        return float(smoothness * bent @ bent - likelihood.sum()), slope[chosen]

    start = np.append(1.0, np.zeros(len(chosen) - 1))
    best = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-6 * len(votes.wins)})
    likelihood, gradients = _gradients(votes, weights_of(best.x), best.x[0])
    decided = (votes.wins != 0.5) & ~np.isclose(likelihood, np.log(0.5))
    are_certain = decided.any() and likelihood[decided].min() > np.log(_CERTAIN)
    if are_certain or not np.isfinite(best.fun) or np.abs(best.x).max() > _LARGEST:
        raise LexiframeError(
            f"fit_users: the likelihood of {kind} users has no maximum: some weights explain every "
            "label; give more labels, or for free users a greater smoothness or fewer levels"
        )
    covariance = _sandwich(best.x, loss, gradients[:, chosen], votes.request)
    columns = _weight_columns(weights_of(best.x), best.x[0], covariance, alpha, is_free=is_free)
    columns |= {
        "log_likelihood": float(likelihood.sum()),
        "aic": 2.0 * len(chosen) - 2.0 * float(likelihood.sum()),
        "n": len(votes.wins),
    }
    table = pl.DataFrame({"level": np.arange(1, n_levels + 1)}).with_columns(
        pl.lit(kind).alias("users"),
        *(
            pl.Series(name, value) if isinstance(value, np.ndarray) else pl.lit(value).alias(name)
            for name, value in columns.items()
        ),
    )
    floats = dict.fromkeys(columns, pl.Float64()) | {"n": pl.Int64()}
    return table.select("users", "level", *columns).cast(pl.Schema(floats))


_LARGEST = 1e3
_CERTAIN = 0.999
"""When all labels are as probable as this, larger weights or β would make them more so."""
_STEP = 1e-5


def _sandwich(found: np.ndarray, loss: Any, of_labels: np.ndarray, request: np.ndarray) -> Any:
    """Return the covariance of the estimates, with labels of one request taken together."""
    steps = _STEP * np.eye(len(found))
    bend = np.array([(loss(found + s)[1] - loss(found - s)[1]) / (2 * _STEP) for s in steps])
    _, number = np.unique(request, return_inverse=True)
    of_requests = np.zeros((number.max() + 1, len(found)))
    np.add.at(of_requests, number, of_labels)
    inverse = np.linalg.pinv((bend + bend.T) / 2)
    n_requests = len(of_requests)
    spread = of_requests.T @ of_requests * (n_requests / max(n_requests - 1, 1))
    return inverse @ spread @ inverse


def _weight_columns(
    weights: np.ndarray, scale: float, covariance: np.ndarray, alpha: float, *, is_free: bool
) -> dict[str, Any]:
    """Return weights that sum to 1 and β, with their intervals."""
    z = ndtri(1 - alpha / 2)
    share = weights / weights.sum()
    half = z * np.sqrt(covariance[0, 0])
    columns: dict[str, Any] = {"weight": share, "ci_low": None, "ci_high": None}
    if is_free:
        # log(p_l/(1 − p_l)) has the derivatives [l = k] − (1 − [l = k]) p_k/(1 − p_l) by log p_k
        slopes = -share[None, :] / (1 - share[:, None])
        np.fill_diagonal(slopes, 1.0)
        slopes = slopes[:, 1:]
        error = np.sqrt(np.einsum("lk,kj,lj->l", slopes, covariance[1:, 1:], slopes))
        logit = np.log(share / (1 - share))
        columns |= {"ci_low": expit(logit - z * error), "ci_high": expit(logit + z * error)}
    return columns | {"scale": scale, "scale_low": scale - half, "scale_high": scale + half}
