"""How far a run follows a change of the instructions in its requests: `p_mrr`."""

from __future__ import annotations

import polars as pl

from lexiframe.core.base import LexiframeError, coded, n_and_first, schemas, typed, warn
from lexiframe.core.io import read_runs
from lexiframe.core.projection import positions
from lexiframe.typing import QrelsLike, RunsLike

_ENDINGS = ("-og", "-changed")
"""What FollowIR's ids of requests end with, under the first and under the changed instruction."""


@typed
def p_mrr(original: RunsLike, changed: RunsLike, lost: QrelsLike) -> pl.DataFrame:
    """Compare the ranks of documents before and after an instruction made them not relevant.

    Parameters
    ----------
    original, changed
        Runs under the first instructions and under the changed ones, with the same names, in any
        form that `read_runs` takes. Ids of requests are the same in both; FollowIR's endings
        ``-og`` and ``-changed`` are left out where all ids of one side have them.
    lost
        The documents of each request that the change made not relevant, as judgments above 0.

    Returns
    -------
    polars.DataFrame
        Rows of `scores`: key ``run, query_id, measure`` (``"p-MRR"``) and ``value``, from −1 to 1:
        above 0 where these documents moved down, as they should, below 0 where they moved up. The
        mean over requests is FollowIR's p-MRR divided by 100; `evaluate_scores` compares runs.

    Raises
    ------
    LexiframeError
        For runs on one side only.

    Warns
    -----
    LexiframeWarning
        With the number of requests of a run that it did not answer on one of the sides; they have
        no value.

    Notes
    -----
    The mean over the documents of 1 − p/p′ where p < p′, otherwise p′/p − 1; p and p′ are the ranks
    before and after, and a document that was not retrieved has the rank behind the last one. Weller
    et al., "FollowIR: Evaluating and Teaching Information Retrieval Models to Follow Instructions",
    NAACL 2025, arXiv:2403.15246.

    Examples
    --------
    >>> import lexiframe as lf
    >>> before = {"bm25": {"q1-og": {"a": 4, "b": 3, "c": 2, "d": 1}}}
    >>> after = {"bm25": {"q1-changed": {"b": 4, "c": 3, "d": 2, "a": 1}}}
    >>> lf.p_mrr(before, after, {"q1": {"a": 1}}).rows()
    [('bm25', 'q1', 'p-MRR', 0.75)]
    """
    given = zip((original, changed), _ENDINGS, strict=True)
    sides = [_ranks(runs, ending, lost) for runs, ending in given]
    names = [{*side["run"].unique()} for side in sides]
    if odd := sorted(names[0] ^ names[1]):
        raise LexiframeError(
            f"p_mrr: expected the same runs before and after the change, found {n_and_first(odd)} "
            "on one side only; give both sides' runs the same names"
        )
    both = sides[0].join(sides[1], on=("run", "query_id", "doc_id"), suffix="_after")
    is_answered = pl.all_horizontal(pl.col("n_retrieved", "n_retrieved_after") > 0)
    if silent := both.filter(~is_answered).select("run", "query_id").n_unique():
        warn(f"p_mrr: requests of a run that one side does not answer, left out: {silent}")
    before, after = pl.col("rank"), pl.col("rank_after")
    moved = pl.when(before < after).then(1 - before / after).otherwise(after / before - 1)
    return (
        both.filter(is_answered)
        .group_by("run", "query_id")
        .agg(value=moved.mean())
        .with_columns(measure=pl.lit("p-MRR"))
        .sort(schemas.SCORES.key)
        .select(*schemas.SCORES.key, "value")
    )


def _ranks(runs: RunsLike, ending: str, lost: QrelsLike) -> pl.DataFrame:
    """Return the rank of each document that lost its relevance, in each run."""
    rows = coded.as_strings(pl.DataFrame(read_runs(runs)))
    if rows["query_id"].str.ends_with(ending).all():
        rows = rows.with_columns(pl.col("query_id").str.strip_suffix(ending))
    rank = pl.col("position").fill_null(pl.col("n_retrieved") + 1)
    return positions(rows, lost).select("run", "query_id", "doc_id", "n_retrieved", rank=rank)
