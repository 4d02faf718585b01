"""Offline interleaving: which of two rankings a simulated user's clicks prefer."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import check_choice, in_threads, sums, typed
from lexiframe.core.io import qrel_files
from lexiframe.core.pairwise.arrays.size import refuse_too_many
from lexiframe.core.pairwise.pairs import preferences_table, refuse_one_run
from lexiframe.core.pairwise.read_to_a_rank import preferences_by_rank
from lexiframe.core.projection import (
    NoRelevant,
    Policies,
    RankedRuns,
    ScoreType,
    Ties,
    Unjudged,
    alone,
    answers,
    judgments,
    rank_runs,
    tied_orders,
)
from lexiframe.typing import QrelsLike, RunsLike

User = Literal["uniform", "dcg", "rank"]


@alone.each_collection
@typed
def interleaving(
    runs: RunsLike,
    qrels: QrelsLike,
    user: User = "uniform",
    *,
    rel: float | None = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    no_relevant: NoRelevant = "drop",
    duplicates: qrel_files.Duplicates = "error",
    unjudged: Unjudged = "keep",
) -> pl.DataFrame:
    """Compute which run the clicks of a simulated user prefer, by request and pair of runs.

    A simulated user wants some number of relevant items, sees the two rankings as one list, reads
    it from the top and clicks every relevant item until there are enough. The ranking that holds
    more of the clicked items is preferred. The result is an exact expectation: no user is simulated
    by random numbers.

    Parameters
    ----------
    runs, qrels
        As for `positions`.
    user : {"uniform", "dcg", "rank"}
        How many of the m relevant items the user wants: each number c from 1 to m with the same
        probability, or with one proportional to 1 / log2(c + 1). The user ``"rank"`` wants no
        number of items, and reads down to a rank of the interleaved list, each with the same
        probability.
    rel, ties, score_type, duplicates, unjudged
        As for `positions`.
    no_relevant : {"drop", "zero"}
        Whether requests without a relevant item have no rows, or rows with 0 (ties).

    Returns
    -------
    polars.DataFrame
        Key ``query_id, run_a, run_b, measure`` with run_a < run_b, sorted by it, as in the table of
        `preferences`. The measure is ``OI``, ``OI(user=dcg)`` or ``OI(user=rank)``.
        ``preference``, from −1 to 1, is positive when run_a is preferred, negative when run_b is,
        and exactly 0 for a tie.

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
    π or π′ goes first, and Δ is the mean over both; when one of the two ends, the other goes on.
    k_c is the smallest k such that the c-th click is at rank k of π or of π′, and hits(π, k) counts
    those of the c clicked items that are in π's top k. The preference is 0 for a user who wants
    more items than both lists together hold. Hence a run that did not answer a request loses C/m
    (uniformly) to one that found C of its m relevant items.

    Only the ranks of relevant items are needed: the clicks come in the order of min(r, r′), with r
    and r′ the ranks of an item in π and π′. Of two items with the same minimum the one of the list
    that goes first comes first.

    With ``user="rank"`` c is a rank of the interleaved list, which ends when π or π′ is exhausted,
    and k_c the smallest k such that the last click down to c is at rank k of π or of π′. All
    documents of the rankings count then, also the unjudged ones. Without a click the preference is
    0, and so it is when π or π′ is empty.

    With ``"uniform"`` and ``"rank"`` Δ is computed as a ratio of whole numbers, so that ties are
    exact. With ``"dcg"`` a Δ of 1e-12 or less is a tie.

    Diaz & Ferraro, "Offline Retrieval Evaluation Without Evaluation Metrics", SIGIR 2022,
    sections 3.3 (equation 2) and 5.5, doi:10.1145/3477495.3532033. The paper only sketches the
    computation; its details are defined here. Balanced interleaving and k are those of Joachims,
    "Evaluating Retrieval Performance Using Clickthrough Data", in Text Mining, 2003, and Chapelle,
    Joachims, Radlinski & Yue, "Large-Scale Validation and Analysis of Interleaved Search
    Evaluation", ACM TOIS 30(1), 2012, doi:10.1145/2094072.2094078.

    Time grows with requests × pairs × relevant items, and with ``"rank"`` with the documents
    retrieved as well.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> runs = pl.DataFrame({"run": [*"XXXXYYYY"], "query_id": "q", "doc_id": [*"abcdbeaf"],
    ...                      "score": [4, 3, 2, 1] * 2})
    >>> qrels = pl.DataFrame({"query_id": "q", "doc_id": ["a", "e"], "relevance": 1})
    >>> lf.interleaving(runs, qrels).rows()
    [('q', 'X', 'Y', 'OI', 0.5)]
    >>> d = lf.interleaving(runs, qrels, user="dcg")
    >>> d["measure"].item(), round(d["preference"].item(), 6)
    ('OI(user=dcg)', 0.613147)
    >>> lf.interleaving(runs, qrels, user="rank")["preference"].item()
    0.3
    """
    check_choice("interleaving", user, get_args(User), "user")
    policies = Policies(rel, ties, score_type, no_relevant, duplicates, unjudged)
    name = "OI" if user == "uniform" else f"OI(user={user})"
    tied_orders.refuse_expected(ties, name)
    least = 1 if no_relevant == "drop" else 0

    def foresee(n_runs: int, judged: judgments.JudgedItems) -> None:
        refuse_too_many("interleaving", n_runs, int((judged.n_relevant >= least).sum()), 1)

    ranked = rank_runs(runs, qrels, policies, documents=user == "rank", foresee=foresee)
    names = [run.name for run in ranked.runs]
    refuse_one_run("interleaving", names)
    answers.warn_of_gaps(ranked)
    answers.warn_of_grades(ranked.judged.judgments["relevance"], rel)
    queries = np.flatnonzero(ranked.judged.n_relevant >= least)
    foresee(len(names), ranked.judged)  # again: a source counted as one run may have had several
    if user == "rank":
        values = preferences_by_rank(ranked, queries)
    else:
        values = preferences_by_clicks(ranked, queries, dcg=user == "dcg")
    return preferences_table(
        ranked.judged.queries.gather(queries),
        pl.Series(names),
        [name],
        values[:, :, None],
    )


_ITEMS = 1 << 12  # relevant items of the requests that are looked at together, or one request's
_CELLS = 1 << 18  # pairs × items in the arrays of one step, which bounds the memory in use


def preferences_by_clicks(ranked: RankedRuns, queries: np.ndarray, *, dcg: bool) -> np.ndarray:
    """Return Δ of all pairs of runs in some of the judged requests: requests × pairs.

    The requests are all, or the ones with relevant items; a request without one has 0. The user
    wants each number of items with equal probability, or with ``dcg`` c of them ∝ 1 / log2(c + 1).
    """
    is_relevant, n_runs = ranked.judged.is_relevant, len(ranked.runs)
    n_items = ranked.judged.n_relevant[queries]
    delta = np.zeros((len(queries), n_runs * (n_runs - 1) // 2))
    asked = np.flatnonzero(n_items)
    ends = n_items[asked].cumsum()
    changes = np.flatnonzero(np.diff((ends - 1) // _ITEMS)) + 1
    ranks = np.array([run.rank[is_relevant] for run in ranked.runs])

    def of_block(block: np.ndarray) -> np.ndarray:
        m = n_items[asked[block]]
        end = ends[block[-1]]
        return _request_deltas(ranks[:, end - m.sum() : end], m, dcg=dcg)

    blocks = np.split(np.arange(len(asked)), changes)
    values = [*in_threads(of_block, blocks, "interleaving")]
    delta[asked] = np.concatenate(values)
    return delta


def _request_deltas(ranks: np.ndarray, m: np.ndarray, *, dcg: bool) -> np.ndarray:
    """Return Δ of all pairs of runs: requests × pairs.

    ``ranks`` is runs × items, 0 for an item that is not retrieved; the first m[0] items belong to
    the first request, and so on.
    """
    n_runs, n_items = ranks.shape
    first = np.cumsum(m) - m
    weight = np.ones(n_items, np.int64)  # whole numbers, so that ties are exact
    if dcg:
        c = np.arange(1, n_items + 1) - np.repeat(first, m)
        weight = 1 / np.log2(c + 1)
    place, found = _number_ranks(ranks, np.repeat(np.arange(len(m)), m))
    a, b = np.triu_indices(n_runs, k=1)
    delta = np.empty((len(m), len(a)))
    step = max(1, _CELLS // n_items)
    for start in range(0, len(a), step):
        some = slice(start, start + step)
        signs = _twice_the_signs(place, found, a[some], b[some])
        delta[:, some] = np.add.reduceat(signs * weight, first, axis=1).T
    delta /= 2 * np.add.reduceat(weight, first)[:, None]
    return np.where(np.abs(delta) <= sums.TIE, 0.0, delta) if dcg else delta


def _number_ranks(ranks: np.ndarray, request: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the ranks at which any run has an item, over all requests; count items down to them.

    Return the number of each item's rank, runs × items, and the count for each run, runs × numbers.
    An item that is not retrieved stands behind all ranks of its request, so that the counts of all
    runs are equal where a request ends, and their differences belong to one request.
    """
    absent = int(ranks.max()) + 1
    key = np.where(ranks > 0, ranks, absent) + request * (absent + 1)
    known, place = np.unique(key, return_inverse=True)
    place = place.reshape(ranks.shape)
    n_runs = len(ranks)
    cell = place + len(known) * np.arange(n_runs)[:, None]
    counts = np.bincount(cell.ravel(), minlength=n_runs * len(known)).reshape(n_runs, -1)
    return place.astype(np.int32), counts.cumsum(axis=1, dtype=np.int32)


def _twice_the_signs(
    place: np.ndarray, found: np.ndarray, a: np.ndarray, b: np.ndarray
) -> np.ndarray:
    """Return 2 E[sgn(hits(π, k_c) − hits(π′, k_c))] over both outcomes: pairs × items by c.

    The items are clicked in the order of the better of their two ranks, so that sorting these gives
    k_c. All items down to k_c have been clicked, but for one case: each list has another item at
    rank k_c, and c is the first click of the two. Then the list that goes first is one ahead. With
    a lead d of π down to k_c the signs of d + 1 and of d − 1 are then added up.
    """
    click = np.minimum(place[a], place[b])
    click.sort(axis=1)
    n = found.shape[1]
    lead = found.take(click + n * a[:, None]) - found.take(click + n * b[:, None])
    is_first_of_two = click[:, :-1] == click[:, 1:]
    lead[:, :-1] *= 2 - is_first_of_two
    lead[:, -1] *= 2
    return np.asarray(np.clip(lead, -2, 2))
