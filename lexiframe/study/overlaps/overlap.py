"""How alike the rankings of all pairs of runs are, without judgments: `overlap`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from lexiframe.core.base import in_threads, memory_use, typed
from lexiframe.core.io import qrel_files
from lexiframe.core.pairwise import By, grouping, pair_tiles, pairs, preferences_table
from lexiframe.core.projection import (
    Policies,
    ScoreType,
    Ties,
    alone,
    tied_orders,
    whole_lists,
    whole_rankings,
)
from lexiframe.study.overlaps.overlap_measures import (
    Beside,
    OverlapMeasure,
    overlap_measures,
    within,
)
from lexiframe.study.overlaps.schemas import OVERLAP
from lexiframe.typing import RequestsLike, RunsLike

OVERLAPS = ("RBO(p=0.9)", "Jaccard@10")
_BYTES = 60
"""The memory of a value: in the array, and in its row of the table."""


@alone.each_collection
@typed
def overlap(
    runs: RunsLike,
    measures: str | Sequence[str] = OVERLAPS,
    *,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    duplicates: qrel_files.Duplicates = "error",
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Compute how alike the rankings of all pairs of runs are, request by request.

    No judgments are needed: two runs that return the same documents cannot differ in quality, and
    the requests in which they return others are those to look at (see `contrasting`).

    Parameters
    ----------
    runs
        As for `read_runs`; the result of `scan_runs`, or of `read_runs`.
    measures
        One or several of these, in a list or in one text. A cut-off ``@k``, which each may have,
        compares the first k documents of both rankings.

        - ``RBO(p=0.9)``: rank-biased overlap, extrapolated; of rankings of different lengths too.
        - ``Jaccard@10``: documents in both tops / documents in either top.
        - ``overlap@10``: documents in both tops / documents in the longer top, which are 10 unless
          both rankings are shorter.
        - ``tau@100``: Kendall's τ of the documents that both tops contain.
        - ``tau_ap@100``: τ_AP of these documents, the mean of both directions. τ_AP alone is not
          symmetric: it takes one of the two orders as the truth.
    ties, score_type, duplicates
        As for `positions`. Equal scores are put in order first; the measures see no ties.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. They are the first columns of the table, which is sorted by them.

    Returns
    -------
    polars.DataFrame
        Key ``query_id, run_a, run_b, measure`` with run_a < run_b, sorted by it: a row for each
        request that any run answered, each pair of runs and each measure. ``value`` is 1 for
        rankings that are the same, and 0 (RBO, Jaccard, overlap) for those without a common
        document; τ and τ_AP are −1 for opposite orders. A ranking that is missing counts as
        empty: beside one that has documents its RBO, Jaccard and overlap are 0. ``value`` is null
        where both rankings are empty, and for τ and τ_AP where the tops have fewer than two
        documents in common.

    Raises
    ------
    UnknownNameError
        With near matches, for a measure that does not exist.
    LexiframeError
        As `positions`; for fewer than two runs; when no request is answered by two runs; and when
        the table would need more memory than there is, before it is computed.
    TypeError
        For a measure that is not written as text.

    Warns
    -----
    LexiframeWarning
        With the counts, of rankings that are missing and of repeated documents that were removed.

    Notes
    -----
    RBO, of rankings of s ≤ l documents with X_d common documents among the first d of both:
    (1 − p)/p · [Σ_{d≤l} X_d p^d / d + Σ_{s<d≤l} X_s (d − s) p^d / (s d)] +
    [(X_l − X_s) / l + X_s / s] p^l (Webber, Moffat & Zobel, "A Similarity Measure for Indefinite
    Rankings", ACM TOIS 28(4), 2010, equation 32, doi:10.1145/1852102.1852106).

    τ_AP: Yilmaz, Aslam & Robertson, "A New Rank Correlation Coefficient for Information
    Retrieval", SIGIR 2008, doi:10.1145/1390334.1390435.

    See Also
    --------
    contrasting : The requests in which two runs differ most, with both tops.

    Examples
    --------
    >>> import lexiframe as lf
    >>> runs = {"X": {"q": {"a": 3, "b": 2, "c": 1}}, "Y": {"q": {"a": 3, "c": 2, "d": 1}}}
    >>> lf.overlap(runs, ["RBO(p=0.9)", "Jaccard@3", "tau@3"]).select("measure", "value").rows()
    [('Jaccard@3', 0.5), ('RBO(p=0.9)', 0.685), ('tau@3', 1.0)]
    """
    asked = overlap_measures(measures, "overlap")
    grouping.names_of(requests, by)
    policies = Policies(ties=ties, score_type=score_type, duplicates=duplicates)
    tied_orders.refuse_expected(ties, asked[0])
    lists = whole_lists.ranked_lists(runs, policies)
    pairs.refuse_one_run("overlap", lists.names)
    whole_lists.refuse_strange_requests("overlap", lists)
    whole_lists.warn_of_lists(lists)
    _refuse_too_many(lists, len(asked))
    values = [*in_threads(_OfRequest(lists, asked), range(len(lists.queries)), "overlap")]
    table = preferences_table(
        lists.queries,
        pl.Series(lists.names),
        [measure.name for measure in asked],
        np.array(values),
        value="value",
        gaps=True,
    ).select(*OVERLAP.columns)
    return table if by is None else grouping.group_tables(lambda part: part, table, requests, by)


def _refuse_too_many(lists: whole_lists.RankedLists, n_measures: int) -> None:
    n_runs = len(lists.runs)
    n_pairs = n_runs * (n_runs - 1) // 2
    sizes = f"{n_pairs:,} pairs × {len(lists.queries):,} requests × {n_measures:,} measures"
    memory_use.refuse_more_than_available(
        n_pairs * len(lists.queries) * n_measures * _BYTES,
        f"overlap: the values of {n_runs:,} runs ({sizes})",
        "ask for fewer measures or fewer runs",
    )


class _OfRequest:
    """The overlaps of all pairs of runs in one request, given by its index: pairs × measures."""

    def __init__(self, lists: whole_lists.RankedLists, measures: Sequence[OverlapMeasure]) -> None:
        self.lists, self.measures, self.depth = lists, measures, within(measures)
        longest = int(lists.lengths.max())
        self.tiles = [*pair_tiles.tiles_of(len(lists.runs), min(longest, self.depth or longest))]

    def __call__(self, query: int) -> np.ndarray:
        n_runs = len(self.lists.runs)
        values = np.full((n_runs * (n_runs - 1) // 2, len(self.measures)), np.nan)
        for runs, a, b in self.tiles:
            for one, others, rankings in _run_with_others(
                self.lists, query, runs, a, b, self.depth
            ):
                pairs = pair_tiles.number_of(runs[one], runs[others], n_runs)
                for n, measure in enumerate(self.measures):
                    values[pairs, n] = measure(rankings)
        return values


def _run_with_others(
    lists: whole_lists.RankedLists,
    query: int,
    runs: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    depth: int | None,
) -> Iterator[tuple[int, np.ndarray, Beside]]:
    """Yield each run of ``a`` with the runs of ``b`` it is paired with, and their rankings.

    ``a`` and ``b`` are indices into ``runs``; ``a`` is ascending.
    """
    documents = [lists.documents(run, query)[:depth] for run in runs]
    length = np.array([len(ranking) for ranking in documents])
    absent = int(length.max()) + 1
    document, rank = whole_rankings.ranks_of(documents, length, absent, np.min_scalar_type(-absent))
    for one in np.unique(a):  # a part may be one run, which has no pair
        others = b[slice(*np.searchsorted(a, [one, one + 1]))]
        ranks = rank.take(document[: length[one], one], axis=0)[:, others[0] : others[-1] + 1]
        yield one, others, Beside(int(length[one]), length[others], ranks, absent)


def overlap_of_two(
    lists: whole_lists.RankedLists, measure: OverlapMeasure, one: int, other: int
) -> np.ndarray:
    """Return the overlap of two runs in each request."""
    pair = np.array([one, other])
    first, second = np.array([0]), np.array([1])
    return np.array(
        [
            measure(rankings).item()
            for query in range(len(lists.queries))
            for *_, rankings in _run_with_others(lists, query, pair, first, second, measure.depth)
        ]
    )
