"""Offline interleaving: which of two rankings a simulated user's clicks prefer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Literal, get_args

import numpy as np
import polars as pl

from lexiframe.base import check_choice, in_threads, sums, typed
from lexiframe.io import problems
from lexiframe.pairwise.arrays.size import refuse_too_many
from lexiframe.pairwise.pairs import preferences_table, refuse_one_run
from lexiframe.projection import (
    NoRelevant,
    Policies,
    ScoreType,
    Ties,
    Unjudged,
    answers,
    judgments,
    rank_runs,
    whole_rankings,
)
from lexiframe.typing import QrelsLike, RunsLike

User = Literal["uniform", "dcg"]
_CELLS = 1 << 21  # pairs × ranks in the arrays of one step, which bounds the memory in use
_RANKS = 1 << 24  # runs × documents of which the ranks are known at once: 64 MB


@typed
def interleaving(
    runs: RunsLike,
    qrels: QrelsLike,
    /,
    user: User = "uniform",
    *,
    rel: float | None = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    no_relevant: NoRelevant = "drop",
    duplicates: problems.Duplicates = "error",
    unjudged: Unjudged = "keep",
) -> pl.DataFrame:
    """Compute which run the clicks of a simulated user prefer, by request and pair of runs.

    A simulated user sees the two rankings as one list, reads it from the top down to some rank,
    and clicks every relevant item on the way. The ranking that holds more of the clicked items is
    preferred. The result is an exact expectation: no user is simulated by random numbers.

    Parameters
    ----------
    runs, qrels
        As for `positions`. All documents of the rankings count here, also the unjudged ones.
    user : {"uniform", "dcg"}
        The probability that the user stops at rank c of the interleaved list: the same for every
        rank, or proportional to 1 / log2(c + 1).
    rel, ties, score_type, duplicates, unjudged
        As for `positions`.
    no_relevant : {"drop", "zero"}
        Whether requests without a relevant item have no rows, or rows with 0 (ties).

    Returns
    -------
    polars.DataFrame
        Key ``query_id, run_a, run_b, measure`` with run_a < run_b, sorted by it, as in the table of
        `preferences`. The measure is ``OI`` or ``OI(user=dcg)``. ``preference``, from −1 to 1, is
        positive when run_a is preferred, negative when run_b is, and exactly 0 for a tie.

    Raises
    ------
    LexiframeError
        As `positions`, and for fewer than two runs. For a user or a policy that does not exist it
        is raised before anything is read.

    Warns
    -----
    LexiframeWarning
        As `positions`: it counts what was dropped or filled.

    Notes
    -----
    Δ(π, π′) = E_c[sgn(hits(π, k_c) − hits(π′, k_c))]. Balanced interleaving can make two lists, as
    π or π′ goes first, and Δ is the mean over both; a list ends when π or π′ is exhausted. c is the
    rank that the user reads down to, k_c the smallest k such that the last click is at rank k of π
    or of π′, and hits(π, k) counts the clicked items in π's top k. Without a click the preference
    is 0. This includes the case that π or π′ is empty, because then the interleaved list is empty
    too. Hence a run that did not answer a request loses nothing by it.

    With ``user="uniform"`` Δ is computed as a ratio of whole numbers, so that ties are exact. With
    ``"dcg"`` a Δ of 1e-12 or less is a tie.

    Diaz & Ferraro, "Offline Retrieval Evaluation Without Evaluation Metrics", SIGIR 2022, equation
    2 and section 5.3, doi:10.1145/3477495.3532033. The paper only sketches the computation; its
    details are defined here. Balanced interleaving and k are those of Joachims, "Evaluating
    Retrieval Performance Using Clickthrough Data", in Text Mining, 2003, and Chapelle, Joachims,
    Radlinski & Yue, "Large-Scale Validation and Analysis of Interleaved Search Evaluation", ACM
    TOIS 30(1), 2012, doi:10.1145/2094072.2094078.

    Time grows with requests × pairs × (documents retrieved + relevant items).

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> runs = pl.DataFrame({"run": [*"XXXXYYYY"], "query_id": "q", "doc_id": [*"abcdbeaf"],
    ...                      "score": [4, 3, 2, 1] * 2})
    >>> qrels = pl.DataFrame({"query_id": "q", "doc_id": ["a", "e"], "relevance": 1})
    >>> lf.interleaving(runs, qrels).rows()
    [('q', 'X', 'Y', 'OI', 0.3)]
    >>> d = lf.interleaving(runs, qrels, user="dcg")
    >>> d["measure"].item(), round(d["preference"].item(), 6)
    ('OI(user=dcg)', 0.383566)
    """
    check_choice("interleaving", user, get_args(User), "user")
    policies = Policies(rel, ties, score_type, no_relevant, duplicates, unjudged)
    least = 1 if no_relevant == "drop" else 0

    def foresee(n_runs: int, judged: judgments.JudgedItems) -> None:
        refuse_too_many("interleaving", n_runs, int((judged.n_relevant >= least).sum()), 1)

    ranked = rank_runs(runs, qrels, policies, documents=True, foresee=foresee)
    names = [run.name for run in ranked.runs]
    refuse_one_run("interleaving", names)
    answers.warn_of_gaps(ranked)
    queries = np.flatnonzero(ranked.judged.n_relevant >= least)
    foresee(len(names), ranked.judged)  # again: a source counted as one run may have had several
    rankings = whole_rankings.rankings_of(ranked)
    longest = max(int(run.retrieved.max()) for run in ranked.runs)
    mass = _mass(user, 2 * longest)
    tiles = [*tiles_of(len(names), longest)]

    def of_request(query: int) -> np.ndarray:
        delta = np.empty(len(names) * (len(names) - 1) // 2)
        for runs, a, b in tiles:
            pair = number_of(runs[a], runs[b], len(names))
            delta[pair] = _preferences(rankings(query, runs), a, b, mass)
        return delta

    values = in_threads(of_request, queries.tolist(), "interleaving")
    return preferences_table(
        ranked.judged.queries.gather(queries),
        pl.Series(names),
        ["OI" if user == "uniform" else f"OI(user={user})"],
        np.array([*values])[:, :, None],
    )


def _mass(user: User, longest: int) -> np.ndarray:
    """Return the user model's weight of the ranks 1..c, up to a factor, for c = 0..longest."""
    if user == "uniform":
        return np.arange(longest + 1)  # whole numbers, so that ties are exact
    c = np.arange(1, longest + 1)
    return np.concatenate([[0], np.cumsum(1 / np.log2(c + 1))])


def tiles_of(n_runs: int, longest: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield runs to look at together, and the pairs of them: indices a and b, a ascending.

    Runs may share no document, so that there are at most runs × ``longest`` documents. Where these
    are too many, the pairs are those within a part of the runs, or between two parts.
    """
    most = max(2, math.isqrt(_RANKS // max(longest, 1)))
    size = n_runs if n_runs <= most else most // 2
    parts = [np.arange(n, min(n + size, n_runs)) for n in range(0, n_runs, size)]
    for part in parts:
        yield part, *np.triu_indices(len(part), k=1)
    for first, second in combinations(parts, 2):
        a, b = np.indices((len(first), len(second))).reshape(2, -1)
        yield np.concatenate([first, second]), a, b + len(first)


def number_of(a: np.ndarray, b: np.ndarray, n_runs: int) -> np.ndarray:
    """Return the number of each pair of runs, in the order of the table's key."""
    return np.asarray(a * (2 * n_runs - a - 1) // 2 + b - a - 1)


def _preferences(
    request: whole_rankings.WholeRankings, a: np.ndarray, b: np.ndarray, mass: np.ndarray
) -> np.ndarray:
    """Return Δ of pairs of runs; ``a`` is ascending."""
    step = max(1, _CELLS // len(request.document))
    blocks = (slice(first, first + step) for first in range(0, len(a), step))
    of_blocks = (_of_pairs(request, a[some], b[some], mass) for some in blocks)
    return np.concatenate([np.empty(0), *of_blocks])


def _of_pairs(
    request: whole_rankings.WholeRankings, a: np.ndarray, b: np.ndarray, mass: np.ndarray
) -> np.ndarray:
    """Return Δ of some pairs of runs; ``a`` is ascending.

    The mean of the two outcomes is computed as one fraction: with whole numbers ties are exact.
    """
    shown = _shown(request, a, b)
    won, seen = _outcome(request, a, b, shown, mass)
    lost, other_seen = _outcome(request, b, a, shown, mass)
    delta = (won * other_seen - lost * seen) / np.maximum(2 * seen * other_seen, 1)
    return np.where(np.abs(delta) <= sums.TIE, 0.0, delta)


def _shown(request: whole_rankings.WholeRankings, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Count the documents in the top k of either list: k from 0 to longest + 1 × pairs."""
    document, rank = request.document, request.rank
    shown = np.zeros((len(document) + 1, len(a)), rank.dtype)
    k = np.arange(1, len(shown), dtype=rank.dtype)[:, None]
    for run in range(a[0], a[-1] + 1):
        pair = slice(*np.searchsorted(a, [run, run + 1]))
        other = slice(b[pair][0], b[pair][-1] + 1)
        a_is_new = rank.take(document[:, run], axis=0)[:, other] > k
        b_is_new = rank[:, run].copy().take(document[:, other]) >= k
        shown[1:, pair] = a_is_new.view(np.int8) + b_is_new.view(np.int8)
    for above, here in pairwise(shown):
        here += above
    return shown


def _outcome(
    request: whole_rankings.WholeRankings,
    first: np.ndarray,
    second: np.ndarray,
    shown: np.ndarray,
    mass: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return Σ_c p(c) sgn(hits(first, k_c) − hits(second, k_c)) and Σ_c p(c), p up to a factor.

    The user reads the two lists in turn: rank k of the first list at time 2k − 1, and rank k of the
    second at time 2k. After a click k_c stays the same until the next click or the end.
    """
    relevant, hits, n = request.relevant, request.hits, len(shown)
    time = np.minimum(2 * relevant[first] - 1, 2 * relevant[second])
    time.sort(axis=1)
    in_first = time & 1
    k = np.minimum((time + 1) >> 1, n - 1).astype(np.intp)
    unseen = np.zeros_like(time)  # at rank k of the second list, when that of the first is clicked
    unseen[:, :-1] = in_first[:, :-1] * (time[:, 1:] == time[:, :-1] + 1)
    lead = hits.take(k + n * first[:, None]) - hits.take(k + n * second[:, None])
    at = (k - in_first) * len(first) + np.arange(len(first))[:, None]
    above = shown.take(at) + in_first - 1
    end = _end(request, first, second, shown)[:, None]
    mass_above = mass.take(np.concatenate([np.minimum(above, end), end], axis=1))
    return (np.sign(lead + unseen) * np.diff(mass_above)).sum(axis=1), mass_above[:, -1]


def _end(
    request: whole_rankings.WholeRankings, first: np.ndarray, second: np.ndarray, shown: np.ndarray
) -> np.ndarray:
    """Count the documents of each interleaved list, which ends where one run's list does."""
    length, other_length = request.length[first], request.length[second]
    n = np.minimum(length, other_length)
    last_of_second = request.document[n - 1, second]
    unseen = (length <= other_length) & (request.rank[last_of_second, first] > n)
    return np.where(n > 0, shown[n, np.arange(len(n))] - unseen, 0)
