"""Which pairs of runs to ask people about next: `next_pairs`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from scipy.special import expit, owens_t

from lexiframe.core.base import LexiframeError, progress, resampling, typed
from lexiframe.core.orderings.likeliest.existence import refuse_no_maximum
from lexiframe.core.orderings.likeliest.fitting import fit
from lexiframe.decide.votes.schemas import NEXT_PAIRS
from lexiframe.decide.votes.strengths.judged import Judged, judged_of
from lexiframe.typing import VotesLike

_CALLED = "next_pairs"
_MOST = 10_000
"""Beyond so many pairs chosen before any answer, answers would change what to ask."""


@typed
def next_pairs(
    judgments: VotesLike,
    n: int = 10,
    *,
    runs: str | Sequence[str] = (),
    prior: float = 1.0,
) -> pl.DataFrame:
    """Choose the pairs to ask about next: those after which the order is least uncertain.

    To ask about runs that are far apart, or were compared often, says little that is new. Each pair
    is chosen as if the answers to those before it were there already, so that one can ask about all
    of them at once.

    Parameters
    ----------
    judgments
        As for `bradley_terry`.
    n : int
        How many judgments to ask for. A pair can be chosen several times.
    runs : str or sequence of str
        Further runs, which have no judgments yet.
    prior : float
        As for `bradley_terry`; with 0, all runs need wins and losses already.

    Returns
    -------
    polars.DataFrame
        Key ``place``, from 1: ``run_a, run_b`` (run_a < run_b), their ``n_judgments`` so far,
        ``p_a_wins``, the probability that run_a wins, ``variance``, the expected variance of the
        order after this judgment and all before, and ``fall``, by how much this one lowers it.

    Raises
    ------
    LexiframeError
        As `bradley_terry` for the judgments; for an ``n`` below 1 or above 10,000.

    Notes
    -----
    The variance of the order is Σ q (1 − q) over the pairs, q the probability that run_a is the
    stronger one. Strengths are taken for normal around those of greatest likelihood, with the
    inverse information V (judgments for independent of one another) as covariance. What answers
    will say is not known; over all of them, the expected variance of a pair is
    2 T(z, v/√(2 s² − v²)) with z = (β_a − β_b)/s, s and v the standard errors before and after,
    and Owen's function T. A judgment of i and j lowers V by w V d dᵀ V/(1 + w dᵀ V d), w the
    variance of the answer, d = 1 at i and −1 at j. The pair with the greatest fall to first order
    in this is chosen.

    If judgments of a request are correlated, ask in as many requests as possible.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> votes = pl.DataFrame({"query_id": ["1", "2", "3", "4"], "run_a": ["x", "x", "x", "y"],
    ...                       "run_b": ["y", "y", "z", "z"], "winner": ["a", "b", "a", "a"]})
    >>> lf.next_pairs(votes, 3).select("run_a", "run_b").rows()
    [('x', 'y'), ('x', 'y'), ('x', 'z')]
    """
    resampling.check_draws(_CALLED, "n", n, 0)
    if n > _MOST:
        raise LexiframeError(
            f"{_CALLED}: expected n up to {_MOST:,}, found {n:,}; ask in several rounds, as "
            "answers change what is worth asking"
        )
    if not 0 <= prior < np.inf:
        raise LexiframeError(
            f"{_CALLED}: expected prior to be a number of comparisons from 0, found {prior}"
        )
    judged = _add_runs(judged_of(judgments, _CALLED), runs)
    counts = judged.counts()
    refuse_no_maximum(counts, judged.runs, prior=prior, function=_CALLED)
    fitted, s = fit(counts, prior=prior), len(judged.runs)
    asked = counts.wins + counts.losses + counts.ties
    chosen, variances = _choose_pairs(fitted.beta, fitted.bread[:s, :s], n)
    a, b = chosen.T
    table = pl.DataFrame(
        {
            "place": np.arange(1, n + 1),
            "run_a": [judged.runs[i] for i in a],
            "run_b": [judged.runs[i] for i in b],
            "n_judgments": np.rint(counts.square(asked, asked)[a, b]).astype(np.int64),
            "p_a_wins": expit(fitted.beta[a] - fitted.beta[b]),
            "fall": -np.diff(variances),
            "variance": variances[1:],
        }
    )
    return table.select(*NEXT_PAIRS.columns)


def _add_runs(judged: Judged, more: Any) -> Judged:
    """Return the judgments of more runs, in the order of names."""
    more = [more] if isinstance(more, str) else more
    for run in more:
        if not isinstance(run, str) or not run:
            raise LexiframeError(f"{_CALLED}: expected names of runs in runs, found {run!r}")
    runs = sorted({*judged.runs, *more})
    place = np.array([runs.index(run) for run in judged.runs])
    return replace(judged, runs=runs, a=place[judged.a], b=place[judged.b])


def _choose_pairs(
    beta: np.ndarray, covariance: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs, and the expected variance of the order before them and after each."""
    s = len(beta)
    difference = beta[:, None] - beta
    before = _difference_variances(covariance)
    np.fill_diagonal(before, 1.0)
    z, worth = difference / np.sqrt(before), expit(difference) * expit(-difference)
    upper = np.triu_indices(s, k=1)
    chosen, variances = [], [_variance(z[upper], np.ones(len(upper[0])))]
    for _ in progress(range(n), n, "choosing pairs"):
        after = _difference_variances(covariance)
        # Laplacian of what a fall of each pair's variance is worth: φ₂(z, z; ρ)/s².
        explained = 1 - after / before
        np.fill_diagonal(explained, 0.0)
        density = np.exp(-(z**2) / (1 + explained)) / np.sqrt(1 - explained**2)
        weight = density / before
        np.fill_diagonal(weight, 0.0)
        laplacian = np.diag(weight.sum(axis=1)) - weight
        fall = (
            worth * _difference_variances(covariance @ laplacian @ covariance) / (1 + worth * after)
        )
        place = np.argmax(fall[upper])
        i, j = upper[0][place], upper[1][place]
        column = covariance[:, i] - covariance[:, j]
        covariance = covariance - worth[i, j] * np.outer(column, column) / (
            1 + worth[i, j] * after[i, j]
        )
        chosen.append((i, j))
        variances.append(_variance(z[upper], (_difference_variances(covariance) / before)[upper]))
    return np.array(chosen), np.array(variances)


def _difference_variances(covariance: np.ndarray) -> np.ndarray:
    """Return the variance of the difference of each two."""
    own = np.diag(covariance)
    return np.asarray(own[:, None] + own - 2 * covariance)


def _variance(z: np.ndarray, left: np.ndarray) -> float:
    """Return Σ 2 T(z, √(left/(2 − left))), ``left`` the share of each variance that is left."""
    left = np.clip(left, 0, 1)
    return float(2 * owens_t(z, np.sqrt(left / (2 - left))).sum())
