"""Imputed ranks for relevant items that a run did not retrieve: `impute`."""

from __future__ import annotations

from numbers import Integral
from typing import Literal

import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, coded, schemas, to_polars, typed
from lexiframe.core.projection import alone
from lexiframe.typing import PositionsTable

REQUEST = ("run", "query_id")


@alone.each_collection
@typed
def impute(
    p: PositionsTable,
    /,
    corpus_size: int | str,
    *,
    how: Literal["pessimistic", "optimistic"] = "pessimistic",
) -> pl.DataFrame:
    """Assign a rank to every relevant item that was not retrieved.

    Parameters
    ----------
    p
        The table of `positions`; with a column ``collection``, each collection by itself.
    corpus_size : int or "pool"
        n, the number of items in the corpus; ``"pool"``: the column ``pool_size``.
    how : {"pessimistic", "optimistic"}
        Pessimistic: the omitted items take the last places of the corpus, n − (m − i) for recall
        level i, with the highest grades last. Optimistic: they follow the last retrieved item, at
        ñ + 1, ñ + 2 ..., with the highest grades first (for comparison only: it rewards runs that
        retrieve less).

    Returns
    -------
    polars.DataFrame
        As `positions`, without null positions, and with ``corpus_size``, n.

    Raises
    ------
    LexiframeError
        When a run's ñ plus its omitted relevant items exceed n; when ``"pool"`` is asked for and
        there is no column ``pool_size``; or for positions by subtopic.

    Notes
    -----
    Diaz, Ekstrand & Mitra, "Recall, Robustness, and Lexicographic Evaluation", ACM TORS 2025,
    doi:10.1145/3728373, arXiv:2302.11370.

    Examples
    --------
    The paper's example in section 2.2, with its figure 1: of m = 6 relevant items three are at
    ranks 2, 3 and 8 of a top 10, and the others get n − 2, n − 1 and n; here n = 100:

    >>> import polars as pl
    >>> import lexiframe as lf
    >>> p = pl.DataFrame({"run": "bm25", "query_id": "q1", "doc_id": list("abcdef"),
    ...     "relevance": 1.0, "position": [2, 3, 8, None, None, None], "level": range(1, 7),
    ...     "n_relevant": 6, "n_retrieved": 10})
    >>> lf.impute(p, corpus_size=100)["position"].to_list()
    [2, 3, 8, 98, 99, 100]
    """
    p = to_polars(p)
    if "subtopic" in p.columns:
        raise LexiframeError(
            "impute: positions by subtopic would give one document several ranks; impute those of "
            "positions(..., subtopics=False)"
        )
    table = schemas.check(coded.replicates_joined(p), schemas.POSITIONS)
    table = table.sort("run", "query_id", "doc_id")
    if corpus_size == "pool" and "pool_size" not in table.columns:
        raise LexiframeError(
            "impute: corpus_size='pool' needs the column pool_size; "
            "make it with positions(..., pool=True)"
        )
    check_choice("impute", how, ("pessimistic", "optimistic"), "how")
    if not (corpus_size == "pool" or isinstance(corpus_size, Integral)):
        raise LexiframeError(
            f"impute: expected corpus_size to be a whole number or 'pool', found {corpus_size!r}"
        )
    n = pl.col("pool_size") if corpus_size == "pool" else pl.lit(int(corpus_size), pl.Int64)
    table = table.with_columns(corpus_size=n)
    omitted = pl.col("position").is_null() & pl.col("level").is_not_null()
    n_omitted = omitted.sum().over(REQUEST)
    too_small = table.filter(pl.col("n_retrieved") + n_omitted > n)
    if too_small.height:
        row = too_small.row(0, named=True)
        raise LexiframeError(
            f"impute: a corpus of {corpus_size} is too small: run {row['run']!r} retrieved "
            f"{row['n_retrieved']} items for query {row['query_id']!r}, besides the relevant ones "
            "that it omitted; give the number of items in the corpus"
        )
    level = pl.col("level")
    if how == "pessimistic":
        rank = n - (pl.col("n_relevant") - level)
    else:
        by_grade = pl.when(omitted).then(-pl.col("relevance")).rank("dense").over(REQUEST)
        # one number that sorts by grade, and within a grade by level, which is at most n_relevant
        by_grade_and_level = by_grade * (pl.col("n_relevant") + 1) + level
        best_first = by_grade_and_level.rank("ordinal").over(REQUEST).cast(pl.Int64)
        rank = pl.col("n_retrieved") + best_first
        level = pl.col("n_relevant") - n_omitted + best_first
    if "tied_from" in table.columns:
        _refuse_divided_groups(table, how)
        spans = ("tied_from", "tied_to")
        absent = omitted & pl.col("tied_from").is_null()
        table = table.with_columns(
            pl.when(absent).then(rank).otherwise(of).alias(of) for of in spans
        )
    imputed = table.with_columns(
        position=pl.when(omitted).then(rank).otherwise("position"),
        level=pl.when(omitted).then(level).otherwise("level"),
    )
    return coded.replicates_apart(imputed)


def _refuse_divided_groups(table: pl.DataFrame, how: str) -> None:
    """Raise where optimistic ranks depend on which items of equal scores are within the depth."""
    depth = pl.col("n_retrieved")
    is_divided = (pl.col("tied_from") <= depth) & (pl.col("tied_to") > depth)
    if how == "optimistic" and table.select(is_divided.any()).item():
        raise LexiframeError(
            "impute: expected how='pessimistic' where the depth divides a group of equal scores, "
            "found 'optimistic', whose ranks depend on how many of its items are retrieved"
        )
