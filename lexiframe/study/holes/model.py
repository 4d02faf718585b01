"""How likely each hole is relevant: a logistic model of the judged documents, and draws from it.

The documents are those in the top of some run. The log-odds that one is relevant is a sum of
coefficients times what is known of it (see `Evidence`), of an effect of its request, and, for a
document that one run alone found, of an effect of that run. The effects are shrunk towards 0 by
their variances, which are estimated from the data (penalised quasi-likelihood: Newton steps for the
coefficients and effects in turn with expectation steps for the variances).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lexiframe.core.base import coded
from lexiframe.study.holes.items import Pool

_FUSED = 60
"""The constant of reciprocal rank fusion."""
_FEW = 5.0
"""A run's rate counts as many documents at the rate of all runs besides its own."""
_FEW_OF_REQUEST = 2.0
"""A run's rate in a request counts as many documents at its own rate besides."""
_RIDGE = 0.1
"""The precision of the prior of the coefficients, of standardised columns."""
_WEIGHT, _VARIANCE = 4.0, 1.0
"""Before any run is seen, its own finds' odds vary by e either way; worth as much as four runs."""
_ROUNDS, _STEPS = 25, 4
_EDGE = 1e-6


@dataclass(frozen=True)
class Evidence:
    """The facts about each document in the top of some run.

    Attributes
    ----------
    item
        The number of the document among the items of the pool.
    known
        Documents × columns: log of the best position; log of the number of runs that have it in
        their top; log of the sum of 1 / (60 + rank) over all runs but the one that ranks it best;
        and, as mean over the runs that have it in their top, the log-odds that a judged document of
        such a run is relevant, in all requests and in this one. A document does not count in the
        rates that are used for itself. What a run alone found does not count in its rates, unless
        there is one run only: what is judged of it may be everything or nothing.
    alone
        The run that alone has it in its top, or −1.
    query
        The number of the request.
    is_relevant, is_judged
        What the judgments say.
    """

    item: np.ndarray
    known: np.ndarray
    alone: np.ndarray
    query: np.ndarray
    is_relevant: np.ndarray
    is_judged: np.ndarray
    n_runs: int
    n_queries: int

    @classmethod
    def collect(cls, pool: Pool, is_judged: np.ndarray) -> Evidence:
        """Collect it, where the grades of the items ``is_judged`` are known."""
        count = pool.is_in_top.sum(axis=0)
        item = np.flatnonzero(count)
        in_top, rank, count = pool.is_in_top[:, item], pool.rank[:, item], count[item]
        judged = is_judged[item]
        relevant = judged & pool.are_relevant(pool.grade[item])
        query = pool.query[item]
        counted = in_top & judged & ((count > 1) | (len(in_top) == 1))
        n_queries = len(pool.queries)
        rates = _rates(counted, relevant, query, n_queries)
        columns = [np.log(np.where(in_top, rank, np.iinfo(np.int32).max).min(axis=0))]
        columns += [np.log(count), _fused(rank)]
        columns += [(rate * in_top).sum(axis=0) / count for rate in rates]
        alone = np.where(count == 1, in_top.argmax(axis=0), -1)
        known = np.stack(columns, axis=1)
        return cls(item, known, alone, query, relevant, judged, len(in_top), n_queries)

    def only(self, chosen: np.ndarray) -> Evidence:
        """Return the evidence of some of the documents."""
        of_each = ("item", "known", "alone", "query", "is_relevant", "is_judged")
        return replace(self, **{name: getattr(self, name)[chosen] for name in of_each})


def _fused(rank: np.ndarray) -> np.ndarray:
    """Return the log of the sum of 1 / (60 + rank) over the runs, without the best-ranking one."""
    parts = np.where(rank > 0, 1 / (_FUSED + np.maximum(rank, 1)), 0.0)
    return np.asarray(np.log(parts.sum(axis=0) - parts.max(axis=0) + 1 / (_FUSED + 1000)))


def _rates(
    counted: np.ndarray, relevant: np.ndarray, query: np.ndarray, n_queries: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the log-odds of each run's rate, of all requests and of one: runs × documents.

    A document is left out of its own rates. Rates of few documents are drawn towards the common
    one.
    """
    hits = counted & relevant
    n, n_hits = counted.sum(axis=1), hits.sum(axis=1)
    common = (n_hits.sum() + 1) / (n.sum() + 2)
    without_own = (n_hits[:, None] - hits + _FEW * common) / (n[:, None] - counted + _FEW)
    of_run = (n_hits + _FEW * common) / (n + _FEW)
    here, hits_here = (
        _request_counts(each, query, n_queries)[:, query] for each in (counted, hits)
    )
    nearby = hits_here - hits + _FEW_OF_REQUEST * of_run[:, None]
    return _log_odds(without_own), _log_odds(nearby / (here - counted + _FEW_OF_REQUEST))


def _request_counts(flags: np.ndarray, query: np.ndarray, n_queries: int) -> np.ndarray:
    """Count the documents of each run and request."""
    run, document = np.nonzero(flags)
    cell = run * n_queries + query[document]
    return np.bincount(cell, minlength=len(flags) * n_queries).reshape(len(flags), n_queries)


def _log_odds(share: np.ndarray) -> np.ndarray:
    share = np.clip(share, _EDGE, 1 - _EDGE)
    return np.asarray(np.log(share / (1 - share)))


@dataclass(frozen=True)
class Fit:
    """The model: coefficients and effects of runs, and effects of requests, with their precision.

    ``covariance`` is that of coefficients and effects of runs. Given these, the effects of the
    requests are independent, with the precisions ``of_request``, and move by −``link`` /
    ``of_request`` with them. ``variances`` are those of requests and of runs.
    """

    centre: np.ndarray
    scale: np.ndarray
    coefficients: np.ndarray
    requests: np.ndarray
    covariance: np.ndarray
    of_request: np.ndarray
    link: np.ndarray
    variances: tuple[float, float]

    def columns(self, evidence: Evidence) -> np.ndarray:
        """Return the design: a constant, the standardised columns, and a column for each run."""
        return np.hstack(
            [
                np.ones((len(evidence.item), 1)),
                (evidence.known - self.centre) / self.scale,
                evidence.alone[:, None] == np.arange(evidence.n_runs),
            ]
        )

    def draw(self, evidence: Evidence, samples: int, rng: np.random.Generator) -> np.ndarray:
        """Draw the probability that each document is relevant: samples × documents.

        Coefficients and effects come from the Gaussian approximation. The effects of runs are
        spread by √(ν / χ²), as their variance is estimated from ν runs and a prior assumption.
        """
        n_runs = evidence.n_runs
        errors = rng.standard_normal((samples, len(self.coefficients)))
        errors = errors @ np.linalg.cholesky(self.covariance).T
        freedom = n_runs + _WEIGHT
        spread = np.sqrt(freedom / rng.chisquare(freedom, samples))
        errors[:, len(self.coefficients) - n_runs :] *= spread[:, None]
        noise = rng.standard_normal((samples, len(self.requests))) / np.sqrt(self.of_request)
        requests = self.requests + noise - errors @ (self.link / self.of_request[:, None]).T
        log_odds = (self.coefficients + errors) @ self.columns(evidence).T
        return _inverse_logit(log_odds + requests[:, evidence.query])


def fit(evidence: Evidence, start: Fit | None = None) -> Fit:
    """Fit the model to the judged documents; ``start`` is a fit of nearly the same ones."""
    judged = evidence.only(evidence.is_judged)
    centre, scale = _spread_of(judged.known)
    n_fixed = 1 + judged.known.shape[1]
    size, n_queries = n_fixed + judged.n_runs, judged.n_queries
    found = Fit(
        centre, scale,
        np.zeros(size) if start is None else start.coefficients,
        np.zeros(n_queries) if start is None else start.requests,
        np.eye(size), np.ones(n_queries), np.zeros((n_queries, size)),
        (1.0, _VARIANCE) if start is None else start.variances,
    )  # fmt: skip
    design, y = found.columns(judged), judged.is_relevant.astype(np.float64)
    for _ in range(_ROUNDS):
        before = np.array(found.variances)
        for _ in range(_STEPS):
            found = _stepped(found, design, y, judged.query)
        found = _estimate_variances(found, n_fixed)
        if np.all(np.abs(found.variances - before) < 1e-2 * before):
            break
    return found


def _spread_of(known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation of each column; 1 for a column that does not vary."""
    if not len(known):
        return np.zeros(known.shape[1]), np.ones(known.shape[1])
    scale = known.std(axis=0)
    return known.mean(axis=0), np.where(scale > _EDGE, scale, 1.0)


def _stepped(found: Fit, design: np.ndarray, y: np.ndarray, query: np.ndarray) -> Fit:
    """Return the fit after one Newton step of coefficients and effects."""
    n_queries, n_runs = len(found.requests), design.shape[1] - 1 - len(found.centre)
    of_requests, of_runs = found.variances
    prior = np.repeat([_EDGE, _RIDGE, 1 / of_runs], [1, len(found.centre), n_runs])
    share = _inverse_logit(design @ found.coefficients + found.requests[query])
    weight, rest = np.maximum(share * (1 - share), _EDGE), y - share
    weighted = weight[:, None] * design
    link = np.zeros((n_queries, design.shape[1]))
    starts = np.flatnonzero(coded.begins(query))  # documents are sorted by request
    if len(starts):
        link[query[starts]] = np.add.reduceat(weighted, starts, axis=0)
    precision = np.bincount(query, weight, n_queries) + 1 / of_requests
    slope = design.T @ rest - prior * found.coefficients
    slope_q = np.bincount(query, rest, n_queries) - found.requests / of_requests
    inner = design.T @ weighted + np.diag(prior) - link.T @ (link / precision[:, None])
    covariance = np.linalg.inv(inner)
    step = covariance @ (slope - link.T @ (slope_q / precision))
    step_q = (slope_q - link @ step) / precision
    most = max(np.abs(step).max(), np.abs(step_q).max(), _EDGE)
    part = min(1.0, 3.0 / most)  # long steps overshoot where a request has relevant documents only
    return replace(
        found, coefficients=found.coefficients + part * step, link=link, covariance=covariance,
        requests=found.requests + part * step_q, of_request=precision,
    )  # fmt: skip


def _estimate_variances(found: Fit, n_fixed: int) -> Fit:
    """Return the fit with the variances that its effects and their uncertainty suggest."""
    ratio = found.link / found.of_request[:, None]
    uncertain = 1 / found.of_request + np.einsum("ij,jk,ik->i", ratio, found.covariance, ratio)
    of_requests = ((found.requests**2 + uncertain).sum() + 1) / (len(found.requests) + 1)
    runs = found.coefficients[n_fixed:] ** 2 + np.diag(found.covariance)[n_fixed:]
    of_runs = (runs.sum() + _WEIGHT * _VARIANCE) / (len(runs) + _WEIGHT)
    return replace(found, variances=(float(of_requests), float(of_runs)))


def _inverse_logit(log_odds: np.ndarray) -> np.ndarray:
    from scipy.special import expit

    return np.asarray(expit(log_odds))


def drawn_grades(
    pool: Pool, probability: np.ndarray, items: np.ndarray, is_judged: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:  # fmt: skip
    """Draw the grades of items, samples × items, given the probabilities that they are relevant.

    A document that is not relevant has grade 0. A relevant one has a grade of the relevant
    documents of its request, drawn towards the grades of all requests as if two more were known.
    """
    known = is_judged & pool.are_relevant(pool.grade)
    if not known.any():
        return np.where(rng.random(probability.shape) < probability, pool.rel or 1.0, 0.0)
    grades, grade = np.unique(pool.grade[known], return_inverse=True)
    cell = pool.query[known] * len(grades) + grade
    n = np.bincount(cell, minlength=len(pool.queries) * len(grades)).reshape(-1, len(grades))
    share = n + _FEW_OF_REQUEST * n.sum(axis=0) / n.sum()
    upto = np.cumsum(share / share.sum(axis=1, keepdims=True), axis=1)[pool.query[items]]
    is_relevant = rng.random(probability.shape) < probability
    chance = rng.random(probability.shape)
    which = np.zeros(probability.shape, np.int64)
    for edge in upto.T[:-1]:
        which += chance >= edge
    return np.where(is_relevant, grades[which], 0.0)
