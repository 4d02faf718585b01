"""Correlation coefficients between two orderings of the same runs, for many samples at once.

Each function takes the ranks x and y as samples × runs, where tied runs share the mean of their
ranks, and returns a coefficient for each sample: NaN where an ordering ties all runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import permutations
from typing import Literal

import numpy as np

from lexiframe.core.base import LexiframeError, check_choice, sums
from lexiframe.core.metrics import notation

Coefficient = Callable[[np.ndarray, np.ndarray], np.ndarray]
CorrelationMethod = Literal["kendall", "tau_ap", "tau_ap_symmetric", "rbo", "spearman"]
PERSISTENCE = 0.9
FEW = 33
"""The number of runs up to which p of Kendall's τ without ties is exact."""
ALL_ORDERS = 8
"""The number of runs up to which p is exact with ties too: 8! = 40,320 orders are looked at."""
BLOCK = 2**22
"""The number of cells (samples × runs × runs) that are computed at once."""


def kendall(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """τ-b = (concordant − discordant) / √(pairs untied in x · pairs untied in y).

    ``y`` may be one row, with which each row of ``x`` is compared.

    Examples
    --------
    >>> kendall(np.array([[1, 2, 3], [2, 1, 3]]), np.array([[1, 3, 2]])).round(3).tolist()
    [0.333, -0.333]
    """
    a, b = np.triu_indices(x.shape[1], k=1)
    size, found = max(1, BLOCK // max(1, len(a))), np.empty(len(x))
    for first in range(0, len(x), size):
        rows = slice(first, first + size)
        in_x, in_y = (
            np.sign(of[:, a] - of[:, b]) for of in (x[rows], y if len(y) == 1 else y[rows])
        )
        untied = np.abs(in_x).sum(axis=1) * np.abs(in_y).sum(axis=1)
        found[rows] = sums.ratio((in_x * in_y).sum(axis=1), np.sqrt(untied))
    return found


def kendall_of_few(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return τ-b of two orderings, and p that it is 0: of at most `FEW` runs, and not all tied.

    They are bit for bit `scipy.stats.kendalltau`, which takes longer to import than an evaluation
    of few runs. Without ties p is exact: the share of the orderings that have at most as many, or
    as few, discordant pairs. With ties it is `share_as_strong`, above `ALL_ORDERS` runs p of a
    normal distribution.
    """
    from scipy.special import ndtr

    n, (a, b) = len(x), np.triu_indices(len(x), k=1)
    in_x, in_y = np.sign(x[a] - x[b]), np.sign(y[a] - y[b])
    lead, total = int((in_x * in_y).sum()), len(a)
    of_x, of_y = (int(np.count_nonzero(one)) for one in (in_x, in_y))
    tau = float(np.clip(lead / np.sqrt(of_x) / np.sqrt(of_y), -1, 1))
    if of_x == of_y == total:
        return tau, _share_of_orderings(n, (total - abs(lead)) // 2)
    if n <= ALL_ORDERS:
        return tau, share_as_strong(x, y, "kendall")
    (x0, x1), (y0, y1) = (_tied_runs(ranks) for ranks in (x, y))
    ordered = n * (n - 1.0)
    variance = (ordered * (2 * n + 5) - x1 - y1) / 18
    variance += (2 * (total - of_x) * (total - of_y)) / ordered
    variance += x0 * y0 / (9 * ordered * (n - 2))
    return tau, float(2 * ndtr(-abs(lead / np.sqrt(variance))))


def share_as_strong(x: np.ndarray, y: np.ndarray, method: CorrelationMethod) -> float:
    """Return the share of all orders of y that correlate with x as strongly: p, two-sided.

    It is for τ and ρ of at most `ALL_ORDERS` runs, with their ties.

    Examples
    --------
    >>> share_as_strong(np.array([1, 2, 3.5, 3.5]), np.array([1, 2, 3, 4]), "kendall")
    0.16666666666666666
    """
    x, y = (sums.mid_ranks(-ranks) for ranks in (x, y))  # of only those runs that both have
    observed = abs(int(_terms(x, method) @ _terms(y, method)))
    counts = _strengths(tuple(sorted(x)), tuple(sorted(y)), method)
    return float(counts[observed:].sum() / counts.sum())


def _terms(ranks: np.ndarray, method: CorrelationMethod) -> np.ndarray:
    """Return whole numbers; τ or ρ grows with the sum of products of two orderings' numbers."""
    if method == "spearman":
        return np.asarray(2 * ranks - ranks.shape[-1] - 1, np.int64)
    a, b = np.triu_indices(ranks.shape[-1], k=1)
    return np.asarray(np.sign(ranks[..., a] - ranks[..., b]), np.int64)


@lru_cache(maxsize=1000)
def _strengths(x: tuple[float, ...], y: tuple[float, ...], method: CorrelationMethod) -> np.ndarray:
    """Count the orders of y by the size of their sum with x: once for the same groups of ties."""
    orders = np.array(y)[_orders(len(y))]
    return np.bincount(np.abs(_terms(orders, method) @ _terms(np.array(x), method)))


@lru_cache(maxsize=1)
def _orders(n: int) -> np.ndarray:
    """Return all orders of n runs: n! × n."""
    return np.array([*permutations(range(n))])


def _tied_runs(ranks: np.ndarray) -> tuple[int, int]:
    """Return Σ t (t − 1) (t − 2) and Σ t (t − 1) (2t + 5) over the groups of t tied runs."""
    t = np.unique(ranks, return_counts=True)[1]
    return int((t * (t - 1) * (t - 2)).sum()), int((t * (t - 1) * (2 * t + 5)).sum())


def _share_of_orderings(n: int, discordant: int) -> float:
    """Return twice the share of all orderings of n runs with at most so many discordant pairs."""
    if 4 * discordant == n * (n - 1):
        return 1.0
    if discordant == 1:
        return 2.0 / math.factorial(n - 1)
    counts = np.zeros(discordant + 1)
    counts[:2] = 1
    for place in range(3, n + 1):  # each new run has from 0 to place − 1 discordant pairs
        counts = np.cumsum(counts)
        counts[place:] -= counts[: max(discordant + 1 - place, 0)].copy()
    return float(np.clip(2.0 * counts.sum() / math.factorial(n), 0, 1))


def spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """ρ = Pearson's correlation of the mid-ranks.

    The runs that both orderings have may be only some of the runs, so they are ranked anew.
    """
    x, y = (sums.mid_ranks(-ranks) for ranks in (x, y))
    x, y = (ranks - ranks.mean(axis=1, keepdims=True) for ranks in (x, y))
    spread = (x**2).sum(axis=1) * (y**2).sum(axis=1)
    return sums.ratio((x * y).sum(axis=1), np.sqrt(spread))


def tau_ap(truth: np.ndarray, y: np.ndarray) -> np.ndarray:
    """τ_AP,b = 2 · mean of C / (p − 1) over the runs that are not first in y, − 1.

    p is the first rank of the run's group of ties in y, so that p − 1 runs are above it; C counts
    the runs that are above it in both. Runs tied with it do not count (Urbano & Marrero 2017).
    """
    above = y[:, None, :] < y[:, :, None]
    right = above & (truth[:, None, :] < truth[:, :, None])
    n_above, n_right = above.sum(axis=2), right.sum(axis=2)
    mean = sums.ratio((n_right / np.maximum(n_above, 1)).sum(axis=1), (n_above > 0).sum(axis=1))
    # A truth that ties all runs makes every C 0; the coefficient is then undefined, not −1.
    return np.asarray(np.where(np.ptp(truth, axis=1) == 0, np.nan, 2 * mean - 1))


def tau_ap_symmetric(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the mean of τ_AP with x and with y as the truth."""
    return np.asarray((tau_ap(x, y) + tau_ap(y, x)) / 2)


def rbo(x: np.ndarray, y: np.ndarray, p: float) -> np.ndarray:
    """RBO_ext = A_n p^n + (1 − p)/p Σ_{d=1}^n A_d p^d, for n runs.

    A_d = 2 |X ∩ Y| / (|X| + |Y|), where X and Y are the runs whose group of ties begins at rank d
    or before. Without ties |X| = |Y| = d, and A_d is the usual overlap divided by d.
    """
    first_x, first_y = _first_ranks(x), _first_ranks(y)
    total = np.zeros(len(x))
    n = x.shape[1]
    for d in range(1, n + 1):
        in_x, in_y = first_x <= d, first_y <= d
        agreement = 2 * (in_x & in_y).sum(axis=1) / (in_x.sum(axis=1) + in_y.sum(axis=1))
        total += (1 - p) * p ** (d - 1) * agreement
    return np.asarray(total + p**n)  # A_n = 1, as both orderings have the same n runs


def coefficient(function: str, method: str, p: float) -> tuple[str, Coefficient]:
    """Return the method's name with its options, and the function that computes its coefficient."""
    check_choice(function, method, COEFFICIENTS, "method")
    if method != "rbo" and p != PERSISTENCE:
        raise LexiframeError(f"{function}: p belongs to method='rbo', found method={method!r}")
    if not 0 < p < 1:
        raise LexiframeError(f"{function}: expected p of method='rbo' between 0 and 1, found {p}")
    name = notation.write(method, None, {} if p == PERSISTENCE else {"p": p}, None)
    correlate = partial(rbo, p=p) if method == "rbo" else COEFFICIENTS[method]
    return name, partial(_correlate_blocks, correlate)


def _correlate_blocks(correlate: Coefficient, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Compute the coefficient in blocks of samples; fewer than two runs have none (NaN)."""
    if x.shape[1] < 2:
        return np.full(len(x), np.nan)
    size = max(1, BLOCK // x.shape[1] ** 2)
    starts = range(0, len(x), size)
    return np.concatenate([correlate(x[s : s + size], y[s : s + size]) for s in starts])


def _first_ranks(ranks: np.ndarray) -> np.ndarray:
    """Return the first rank of each run's group of ties."""
    return np.asarray(1 + (ranks[:, None, :] < ranks[:, :, None]).sum(axis=2))


COEFFICIENTS: dict[str, Callable[..., np.ndarray]] = {
    "kendall": kendall,
    "tau_ap": tau_ap,
    "tau_ap_symmetric": tau_ap_symmetric,
    "rbo": rbo,
    "spearman": spearman,
}
